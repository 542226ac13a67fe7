//! Reports: tables, figures and a page, made from the results of a grid.
//!
//! Everything here turns values into bytes; `cli` writes them. The same grid and records give the
//! same bytes: no clock, no randomness, no path of this machine. Names are never trusted: each
//! renderer escapes them, and files are named by safe characters only.

mod artefact;
pub mod comparison;
pub mod figures;
pub mod measure;
mod page;
#[cfg(test)]
pub(crate) mod synthetic;
pub mod tables;
mod view;

pub use artefact::{Artefact, ReportError};
pub use view::{GridView, Panel, PlannedJob, Score, Scoreboard, Standing};

use crate::store::Results;
use artefact::FileNames;
use comparison::Comparison;
use figures::Figure;
use tables::Table;

/// A rendered report.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// `index.html` first.
    pub files: Vec<Artefact>,
    /// What a reader should know, in words.
    pub warnings: Vec<String>,
}

/// Everything about one corpus under one scenario.
#[derive(Clone, PartialEq, Debug)]
struct Section {
    panel: Panel,
    /// The headline's table first.
    scores: Vec<Table>,
    comparisons: Option<Table>,
    figure: Figure,
}

/// Renders every file of a report.
pub fn render(view: &GridView, results: &Results) -> Result<Report, ReportError> {
    let boards: Vec<Scoreboard> = measure::tabled(view.metric)
        .into_iter()
        .map(|metric| Scoreboard::new(view, results, metric))
        .collect();
    let compared: Vec<Vec<Comparison>> =
        boards.iter().map(|board| comparison::compare(view, board)).collect();
    let mut names = FileNames::default();
    let mut sections = Vec::new();
    for panel in view.panels() {
        sections.push(section(view, &boards, &compared, panel, &mut names)?);
    }
    let page = page::render(view, results, &boards[0], &compared[0], &sections);
    let mut files = vec![Artefact::new("index.html", page.into_bytes())];
    for section in &sections {
        let tables = section.scores.iter().chain(&section.comparisons);
        files.extend(tables.flat_map(tables::files));
        files.extend(figures::files(&section.figure));
    }
    Ok(Report { files, warnings: warnings(&sections) })
}

fn section(
    view: &GridView,
    boards: &[Scoreboard],
    compared: &[Vec<Comparison>],
    panel: Panel,
    names: &mut FileNames,
) -> Result<Section, ReportError> {
    let (headline, tests) = (&boards[0], &compared[0]);
    let mut name = |kind: &str| names.name(&[kind, &panel.corpus, &panel.scenario]);
    let scores = boards
        .iter()
        .zip(compared)
        .map(|(board, tests)| tables::scores(view, board, tests, &panel, name(board.metric.name())))
        .collect();
    let comparisons =
        tables::comparisons(view, headline.metric, tests, &panel, name("comparisons"));
    let figure = figures::displacement(view, headline, &panel, name("displacement"))?;
    Ok(Section { panel, scores, comparisons, figure })
}

fn warnings(sections: &[Section]) -> Vec<String> {
    let mut escaped: Vec<&str> =
        sections.iter().flat_map(|s| s.figure.escaped.iter().map(String::as_str)).collect();
    escaped.sort_unstable();
    escaped.dedup();
    let warn = |text: &&str| {
        format!(
            "the PNG figures show \"{text}\" with code points, because the bundled font lacks some of its \
             characters; the SVG figures and tables keep it"
        )
    };
    escaped.iter().map(warn).collect()
}

#[cfg(test)]
mod tests;
