//! Figures: one file a figure, each a function from the scores to a scene; the same scene is written
//! as SVG and as PNG.

mod axis;
mod displacement;
mod draw;
mod font;
mod labels;
mod legend;
pub mod palette;
mod plane;
mod scene;
mod sparsity;
mod tuning;

use super::artefact::{Artefact, ReportError};
use super::corpora::CorpusNumbers;
use super::view::{GridView, Panel, Scoreboard};
use crate::store::SearchRecord;

/// A drawn figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    pub title: String,
    /// What it shows, for readers who do not see it.
    pub description: String,
    /// What to look for.
    pub caption: String,
    pub svg: String,
    pub png: Vec<u8>,
    /// Names that the PNG could not show as they are.
    pub escaped: Vec<String>,
}

/// The precision-recall displacement plot of one panel.
pub fn displacement(
    view: &GridView,
    board: &Scoreboard,
    panel: &Panel,
    name: String,
) -> Result<Figure, ReportError> {
    let scene = displacement::scene(view, board, panel);
    let texts = Texts {
        title: format!("Precision and recall on {}", panel.title()),
        description: displacement::description(view, board, panel),
        caption: displacement::caption(board).to_owned(),
    };
    drawn(&scene, texts, name)
}

/// Entities against the length of their sentence, a panel a corpus.
pub fn sparsity(corpora: &[CorpusNumbers], name: String) -> Result<Figure, ReportError> {
    let texts = Texts {
        title: sparsity::TITLE.to_owned(),
        description: sparsity::description(corpora),
        caption: sparsity::CAPTION.to_owned(),
    };
    drawn(&sparsity::scene(corpora), texts, name)
}

/// The trials of a search: scores in order, and against each parameter.
pub fn tuning(search: &SearchRecord, name: String) -> Result<Figure, ReportError> {
    let texts = Texts {
        title: tuning::title(search),
        description: tuning::description(search),
        caption: tuning::CAPTION.to_owned(),
    };
    drawn(&tuning::scene(search), texts, name)
}

/// What is written about a figure.
struct Texts {
    title: String,
    description: String,
    caption: String,
}

fn drawn(scene: &scene::Scene, texts: Texts, name: String) -> Result<Figure, ReportError> {
    let Texts { title, description, caption } = texts;
    let failed = |message| ReportError::Figure { figure: name.clone(), message };
    let svg = draw::svg(scene, &title).map_err(failed)?;
    let png = draw::png(scene).map_err(failed)?;
    Ok(Figure { title, description, caption, escaped: escaped(scene), svg, png, name })
}

/// The files of a figure.
pub fn files(figure: &Figure) -> Vec<Artefact> {
    let svg = format!("figures/{}.svg", figure.name);
    let png = format!("figures/{}.png", figure.name);
    vec![
        Artefact::new(svg, figure.svg.clone().into_bytes()),
        Artefact::new(png, figure.png.clone()),
    ]
}

fn escaped(scene: &scene::Scene) -> Vec<String> {
    let mut texts: Vec<String> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            scene::Shape::Text(text) if font::drawable(&text.text) != text.text => {
                Some(text.text.clone())
            }
            _ => None,
        })
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests;
