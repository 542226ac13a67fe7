//! Figures: one file a figure, each a function from the results to scenes; the same scene is
//! written as SVG and as PNG, on light and on dark ground.
//!
//! [`KINDS`] lists those of a report. A figure that has nothing to show is not made, and the same
//! records give the same bytes, however many threads draw.

mod axis;
mod chart;
mod clip;
mod critical_difference;
mod curves;
mod differences;
mod displacement;
mod draw;
mod entity_share;
mod epochs;
mod facets;
mod font;
mod forest;
mod frame;
mod labels;
mod learning_curve;
mod legend;
pub mod palette;
mod parameter;
mod plane;
mod rareness;
mod scale;
mod scene;
mod sheets;
mod sparsity;
mod time;
mod tuning;

use super::artefact::{Artefact, FileNames, ReportError};
use super::remarks;
use analysis::CorpusNumbers;
use analysis::by_type::TypeBoard;
use analysis::cautions;
use analysis::comparison::{AcrossCorpora, Comparison};
use analysis::number;
use analysis::{GridView, Panel, ResultFrames, Scoreboard};
use palette::Theme;
use rayon::prelude::*;
use scene::Scene;
use std::collections::BTreeSet;

/// Further figures of one kind would be looked at by nobody: tables have their numbers.
const MOST_OF_A_KIND: usize = 12;

/// What figures are made from.
#[derive(Copy, Clone)]
pub struct Material<'a> {
    pub view: &'a GridView,
    pub results: &'a ResultFrames,
    /// The headline on test, and on dev.
    pub board: &'a Scoreboard,
    pub dev: &'a Scoreboard,
    /// Of the headline against the baseline.
    pub comparisons: &'a [Comparison],
    pub rankings: &'a [AcrossCorpora],
    /// Spans by type.
    pub types: &'a TypeBoard<'a>,
}

/// One kind of figure.
pub struct FigureKind {
    /// Figures of this kind have file names that begin with it.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// As many figures as there are things to show.
    build: fn(&Material<'_>) -> Vec<Draft>,
}

/// Every kind of figure of a report, in the order of the page.
pub const KINDS: &[FigureKind] = &[
    FigureKind {
        name: "displacement",
        help: "precision and recall of each method, as arrows from the baseline",
        build: displacement::build,
    },
    FigureKind {
        name: "forest",
        help: "mean differences from the baseline with their intervals",
        build: forest::build,
    },
    FigureKind {
        name: "rareness",
        help: "the gain of each entity type against its share of training tokens",
        build: rareness::build,
    },
    FigureKind {
        name: "differences",
        help: "a map of all differences from the baseline, with the marks of their tests",
        build: differences::build,
    },
    FigureKind {
        name: "critical-difference",
        help: "mean ranks across corpora, and which cannot be told apart",
        build: critical_difference::build,
    },
    FigureKind {
        name: "learning-curve",
        help: "scores by number of training sentences",
        build: learning_curve::build,
    },
    FigureKind {
        name: "entity-share",
        help: "scores by share of training tokens in entities",
        build: entity_share::build,
    },
    FigureKind {
        name: "parameter",
        help: "scores by a parameter that methods differ in, on dev and test",
        build: parameter::build,
    },
    FigureKind {
        name: "epochs",
        help: "the score on dev, the loss and what methods add, by epoch",
        build: epochs::build,
    },
    FigureKind { name: "time", help: "scores against training time", build: time::build },
    FigureKind {
        name: "tuning",
        help: "the trials of a search, in order and by value of each parameter",
        build: tuning::build,
    },
];

/// Where a figure belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FigurePlace {
    /// To one corpus under one scenario.
    Panel(Panel),
    /// To the whole grid.
    Overall,
}

/// A figure before it is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// What its file name is made of, the entry's name first.
    parts: Vec<String>,
    place: FigurePlace,
    title: String,
    /// What it shows, for readers who do not see it.
    description: String,
    /// What to look for.
    caption: String,
    scene: Scene,
}

/// A drawn figure.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The name of its [`FigureKind`].
    pub kind: &'static str,
    pub place: FigurePlace,
    /// File name without ending.
    pub name: String,
    pub title: String,
    /// What it shows, for readers who do not see it.
    pub description: String,
    /// What to look for.
    pub caption: String,
    pub svg: String,
    pub png: Vec<u8>,
    /// On dark ground.
    pub dark_svg: String,
    pub dark_png: Vec<u8>,
    /// Characters that the PNGs show as boxes, since no font here has them.
    pub lacking: BTreeSet<char>,
}

/// Every figure of a report that has something to show.
pub fn all(material: &Material<'_>, names: &mut FileNames) -> Result<Vec<Figure>, ReportError> {
    let mut drafts = Vec::new();
    for entry in KINDS {
        let mut found = (entry.build)(material);
        leave_out(&mut found);
        found.iter_mut().for_each(|draft| remark(material.view, draft));
        let named = found.into_iter().map(|draft| {
            let parts: Vec<&str> = draft.parts.iter().map(String::as_str).collect();
            (entry.name, names.name(&parts), draft)
        });
        drafts.extend(named);
    }
    let figures = drafts.par_iter().map(|(kind, name, draft)| drawn(draft, kind, name));
    // Collected before they are looked through, so that of several errors the first is reported.
    figures.collect::<Vec<_>>().into_iter().collect()
}

/// A caption, after the cautions on the comparisons that the figure shows.
fn cautioned<'a>(shown: impl Iterator<Item = &'a Comparison>, caption: String) -> String {
    let sentences = cautions::sentences(shown).into_iter();
    sentences.chain([caption]).collect::<Vec<_>>().join(" ")
}

/// Keeps as many figures of a kind as somebody may look at; the last one says that there are more.
fn leave_out(drafts: &mut Vec<Draft>) {
    let more = drafts.len().saturating_sub(MOST_OF_A_KIND);
    drafts.truncate(MOST_OF_A_KIND);
    if let (1.., Some(last)) = (more, drafts.last_mut()) {
        let further = number::counted(more, "further figure");
        let verb = if more == 1 { "is" } else { "are" };
        last.caption.push_str(&format!(
            " {further} of this kind {verb} left out: `tailgrid report --only` draws those of what it selects."
        ));
    }
}

/// Adds what a reader must know of the methods that a figure shows.
fn remark(view: &GridView, draft: &mut Draft) {
    let drawn = scene::texts(&draft.scene.shapes).into_iter().map(|text| text.text.as_str());
    let texts: Vec<&str> = drawn.chain([draft.title.as_str()]).collect();
    remarks::on_figure(view, texts.iter().copied(), &mut draft.caption);
}

/// Entities against the length of their sentence, a panel a corpus.
pub fn sparsity(corpora: &[CorpusNumbers], name: String) -> Result<Figure, ReportError> {
    let draft = Draft {
        parts: Vec::new(),
        place: FigurePlace::Overall,
        title: sparsity::TITLE.to_owned(),
        description: sparsity::description(corpora),
        caption: sparsity::CAPTION.to_owned(),
        scene: sparsity::scene(corpora),
    };
    drawn(&draft, "sparsity", &name)
}

fn drawn(draft: &Draft, kind: &'static str, name: &str) -> Result<Figure, ReportError> {
    let Draft { place, title, description, caption, scene, .. } = draft;
    let failed = |message| ReportError::Figure { figure: name.to_owned(), message };
    let svg = |theme| draw::svg(scene, title, theme).map_err(failed);
    let [png, dark_png] = draw::pngs(scene).map_err(failed)?;
    Ok(Figure {
        kind,
        place: place.clone(),
        name: name.to_owned(),
        svg: svg(Theme::Light)?,
        png,
        dark_svg: svg(Theme::Dark)?,
        dark_png,
        lacking: lacking(scene),
        title: title.clone(),
        description: description.clone(),
        caption: caption.clone(),
    })
}

/// The files of a figure.
pub fn files(figure: &Figure) -> Vec<Artefact> {
    let Figure { name, svg, png, dark_svg, dark_png, .. } = figure;
    let of_theme = |theme: Theme, svg: &String, png: &Vec<u8>| {
        let path = |ending: &str| format!("figures/{name}{}.{ending}", theme.suffix());
        [
            Artefact::new(path("svg"), svg.clone().into_bytes()),
            Artefact::new(path("png"), png.clone()),
        ]
    };
    let files = [of_theme(Theme::Light, svg, png), of_theme(Theme::Dark, dark_svg, dark_png)];
    files.into_iter().flatten().collect()
}

fn lacking(scene: &Scene) -> BTreeSet<char> {
    scene::texts(&scene.shapes).into_iter().flat_map(|text| font::lacking(&text.text)).collect()
}

#[cfg(test)]
mod tests;
