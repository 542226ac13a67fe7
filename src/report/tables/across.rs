//! The table of a ranking across corpora: mean ranks, and which methods cannot be told apart.

use super::{Align, Cell, Column, Row, Table, Tidy, number};
use crate::domain::Metric;
use crate::report::comparison::AcrossCorpora;
use crate::report::view::GridView;

/// The table of one scenario and model.
pub fn across(view: &GridView, metric: Metric, found: &AcrossCorpora, name: String) -> Table {
    let heads = [
        ("Method", Align::Left),
        ("Mean rank", Align::Right),
        ("Mean", Align::Right),
        ("Not told apart", Align::Left),
    ];
    let columns = heads.map(|(head, align)| Column { head: head.to_owned(), align }).to_vec();
    Table {
        name,
        title: format!("Methods ranked across corpora: {}, {}", found.model, found.scenario),
        caption: caption(metric, found),
        groups: vec![],
        columns,
        rows: rows(view, found),
        tidy: Tidy::default(),
    }
}

/// The groups that each method is in, by letter: methods that share one cannot be told apart.
pub fn letters(found: &AcrossCorpora, method: &str) -> String {
    let letter = |k: usize| char::from_u32('a' as u32 + k as u32).unwrap_or('?');
    let groups = found.groups.iter().enumerate();
    groups.filter(|(_, group)| group.iter().any(|m| m == method)).map(|(k, _)| letter(k)).collect()
}

fn rows(view: &GridView, found: &AcrossCorpora) -> Vec<Row> {
    let row = |ranked: &crate::report::comparison::RankedMethod| {
        let (name, look) = (ranked.method.clone(), view.look(&ranked.method));
        let method = Cell::Method { name, look, baseline: view.is_baseline(&ranked.method) };
        let numbers = [
            format!("{:.2}", ranked.mean_rank),
            number::percent(ranked.mean),
            letters(found, &ranked.method),
        ];
        let cells = std::iter::once(method).chain(numbers.map(Cell::Text)).collect();
        Row { cells, ruled: false }
    };
    found.methods.iter().map(row).collect()
}

fn caption(metric: Metric, found: &AcrossCorpora) -> String {
    let corpora = found.corpora.join(", ");
    let mut caption = format!(
        "Ranks by mean test {} over finished seeds, 1 the best, on {corpora}. Friedman's test: \
         chi-squared {:.2}, {} degrees of freedom, p {}. Mean ranks differ at {} if they are more than \
         {:.2} apart (Nemenyi); methods that share a letter cannot be told apart.",
        metric.title(),
        found.statistic,
        found.df,
        number::p_value(found.p),
        found.alpha,
        found.critical_difference,
    );
    for left in &found.left_out {
        caption.push_str(&format!(" Not ranked: {} ({}).", left.name, left.reason));
    }
    caption
}
