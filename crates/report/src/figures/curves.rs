//! Scores over a number that scenarios differ in: one line per method, a frame for each model on
//! each corpus. Where a corpus has few lines in all, its models share a frame, and lines are models
//! with methods.

use super::chart::{self, Chart, ChartFrame, ChartLine, MeanPoint, PlacedFrame};
use super::facets::{self, MOST, ShownFacets};
use super::legend::{self, LegendEntry, LegendGroup, LegendSample};
use super::palette;
use super::scale::AxisUnit;
use super::{Draft, Material};
use analysis::families::families;
use analysis::measure;
use analysis::{GridView, Panel};

/// What a figure of curves is about.
pub struct Curves {
    pub kind: &'static str,
    /// The setting of scenarios.
    pub setting: &'static str,
    pub title: &'static str,
    /// What the axis is called.
    pub across: &'static str,
    pub unit: AxisUnit,
    /// What to look for.
    pub caption: &'static str,
}

/// Lines that one frame of several models holds.
const MOST_TOGETHER: usize = 8;

/// The lines of one model on one corpus.
struct ModelCurves<'a> {
    corpus: &'a str,
    /// By place in the grid.
    model: usize,
    /// What else the scenarios are set to.
    others: String,
    /// By method.
    lines: Vec<(&'a str, Vec<MeanPoint>)>,
}

/// The figures of one setting; none where no two scenarios differ in it alone.
pub fn build(material: &Material<'_>, curves: &Curves) -> Vec<Draft> {
    let view = material.view;
    let found = found(material, curves.setting);
    let together = are_together(&found);
    let placed = match together {
        true => together_placed(view, &found),
        false => found.iter().map(|found| alone(view, found)).collect(),
    };
    let shown = facets::shown(placed);
    let draft = |placed: &[PlacedFrame]| draft(material, curves, placed, &shown, together);
    shown.facets.chunks(MOST).map(draft).collect()
}

fn found<'a>(material: &Material<'a>, setting: &str) -> Vec<ModelCurves<'a>> {
    let view = material.view;
    let mut found = Vec::new();
    for family in families(view, &[setting], false) {
        let scenarios = family.by_value(setting);
        if scenarios.first().map(|s| s.0) == scenarios.last().map(|s| s.0) {
            continue;
        }
        for corpus in &view.corpora {
            for model in 0..view.models.len() {
                let lines = lines(material, &scenarios, corpus, &view.models[model]);
                if !lines.is_empty() {
                    found.push(ModelCurves { corpus, model, others: family.others(), lines });
                }
            }
        }
    }
    found
}

/// What is finished of one model on one corpus.
fn lines<'a>(
    material: &Material<'a>,
    scenarios: &[(f64, &str)],
    corpus: &str,
    model: &str,
) -> Vec<(&'a str, Vec<MeanPoint>)> {
    let bands = material.view.asked.bands;
    let line = |method: &'a String| {
        let point = |(value, scenario): &(f64, &str)| {
            let panel = Panel { corpus: corpus.to_owned(), scenario: (*scenario).to_owned() };
            MeanPoint::new(*value, &material.board.cell(&panel, model, method).f1(), bands)
        };
        let points: Vec<MeanPoint> = scenarios.iter().filter_map(point).collect();
        (!points.is_empty()).then_some((method.as_str(), points))
    };
    material.view.methods.iter().filter_map(line).collect()
}

/// The models of one corpus, which follow each other.
fn of_one_corpus<'f, 'a>(
    found: &'f [ModelCurves<'a>],
) -> impl Iterator<Item = &'f [ModelCurves<'a>]> {
    found.chunk_by(|one, other| (one.corpus, &one.others) == (other.corpus, &other.others))
}

/// Whether the models of every corpus go into one frame: so a method with one model, as the three
/// losses of nguyen2023 that are `original` with three heads, is seen beside another with another.
fn are_together(found: &[ModelCurves<'_>]) -> bool {
    let fits = |frames: &[ModelCurves<'_>]| {
        frames.iter().map(|found| found.lines.len()).sum::<usize>() <= MOST_TOGETHER
    };
    found.iter().any(|one| one.model != found[0].model) && of_one_corpus(found).all(fits)
}

fn alone(view: &GridView, found: &ModelCurves<'_>) -> PlacedFrame {
    let ModelCurves { corpus, model, others, lines } = found;
    let line = |(method, points): &(&str, Vec<MeanPoint>)| {
        ChartLine::of_method(view, method, points.clone())
    };
    PlacedFrame {
        parts: vec![(*corpus).to_owned(), view.models[*model].clone(), others.clone()],
        lines: lines.iter().map(line).collect(),
    }
}

fn together_placed(view: &GridView, found: &[ModelCurves<'_>]) -> Vec<PlacedFrame> {
    let patterns = patterns(view, found);
    let placed = |frames: &[ModelCurves<'_>]| {
        let all = frames.iter().flat_map(|f| f.lines.iter().map(|(m, p)| (f.model, *m, p.clone())));
        let line = |(model, method, points): (usize, &str, _)| {
            ChartLine::of_pair(view, (model, method), patterns[model], points)
        };
        PlacedFrame {
            parts: vec![frames[0].corpus.to_owned(), frames[0].others.clone()],
            lines: all.map(line).collect(),
        }
    };
    of_one_corpus(found).map(placed).collect()
}

/// The line patterns of models by their places in the grid: the model of most lines has the full
/// one.
fn patterns(view: &GridView, found: &[ModelCurves<'_>]) -> Vec<&'static [f64]> {
    let lines = |model: usize| -> usize {
        found.iter().filter(|found| found.model == model).map(|found| found.lines.len()).sum()
    };
    let mut order: Vec<usize> = (0..view.models.len()).collect();
    order.sort_by_key(|model| std::cmp::Reverse(lines(*model)));
    let mut patterns = vec![palette::pattern(0); order.len()];
    for (number, model) in order.into_iter().enumerate() {
        patterns[model] = palette::pattern(number);
    }
    patterns
}

/// Every line once, in the order of the grid as far as one frame has them all.
fn pairs(frames: &[ChartFrame]) -> LegendGroup {
    let mut entries: Vec<LegendEntry> = Vec::new();
    for line in frames.iter().flat_map(|frame| &frame.lines) {
        let known = entries.iter().any(|entry| entry.name == line.name);
        entries.extend(
            (!known).then(|| LegendEntry { sample: line.sample(), name: line.name.clone() }),
        );
    }
    LegendGroup { head: "Model · method", entries }
}

fn draft(
    material: &Material<'_>,
    curves: &Curves,
    placed: &[PlacedFrame],
    shown: &ShownFacets<PlacedFrame>,
    together: bool,
) -> Draft {
    let (frames, place) = chart::frames(placed);
    let names: Vec<&str> = frames.iter().flat_map(ChartFrame::names).collect();
    let metric = measure::title(material.board.metric);
    let title = format!("{metric} {}", curves.title);
    let (lines, each) = match together {
        true => ("a line for each model and method", "corpus"),
        false => ("one line per method", "model and corpus"),
    };
    let chart = Chart {
        parts: vec![curves.kind.to_owned()],
        description: format!("{title}{place}, {lines}, a frame for each {each}."),
        caption: curves.caption.to_owned(),
        subtitle: format!("Test set{place}, {lines}"),
        title,
        across: (curves.across.to_owned(), curves.unit),
        up: (format!("{metric} (%)"), AxisUnit::Percent),
        is_score: true,
        may_be_log: true,
        bands: material.view.asked.bands,
        key: match together {
            true => pairs(&frames),
            false => legend::methods(material.view, &names, LegendSample::Line),
        },
        frames,
    };
    chart.draft(&shown.remark())
}
