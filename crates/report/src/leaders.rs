//! The methods that lead with a model on a panel, as the tables show it: means that print alike
//! lead together, one method alone leads nobody, and 0 leads nothing.

use super::tables::{Cell, Rank, ScoreCell, Significance, cells};
use analysis::{GridView, Panel, Scoreboard};
use domain::Spread;

/// A method with the highest mean.
#[derive(Clone, PartialEq, Debug)]
pub struct Leader<'v> {
    pub method: &'v str,
    pub score: ScoreCell,
}

/// Those with the highest mean, in grid order.
pub fn leaders<'v>(
    view: &'v GridView,
    board: &Scoreboard,
    panel: &Panel,
    model: &str,
) -> Vec<Leader<'v>> {
    let mean = |method: &String| {
        cells::mean(board.cell(panel, model, method), |s| s.f1, Spread::Sd, Significance::None)
    };
    let mut means: Vec<Cell> = view.methods.iter().map(mean).collect();
    cells::rank(means.iter_mut());
    let best = |(method, mean): (&'v String, Cell)| match mean {
        Cell::Score(score) if score.rank == Rank::Best => Some(Leader { method, score }),
        _ => None,
    };
    view.methods.iter().zip(means).filter_map(best).collect()
}
