//! Scores over a parameter of methods (Figure 3 of nguyen2023): methods of one grid that differ in
//! one number alone, on dev and on test.

use super::chart::{self, Chart, ChartFrame, ChartLine, MeanPoint, PlacedFrame};
use super::facets::{self, Facet, MOST, ShownFacets};
use super::legend::{LegendEntry, LegendGroup, LegendSample};
use super::palette::{CONTOUR, INK, Mark, QUIET};
use super::scale::{AxisUnit, written};
use super::{Draft, Material};
use analysis::families::{self, MethodFamily};
use analysis::measure;
use analysis::{GridView, Scoreboard, Settings};
use std::collections::BTreeSet;

/// Two values are a comparison, no curve.
const LEAST_VALUES: usize = 3;
const ON_DEV: &[f64] = &[6.0, 4.0];
const OF_BASELINE: &[f64] = &[2.0, 3.0];

/// One figure a parameter, and for every few models and corpora.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let mut families = families::of_methods(material.view);
    families.retain(|family| family.methods.len() >= LEAST_VALUES);
    let parameters: BTreeSet<&str> = families.iter().map(|f| f.parameter).collect();
    let facets = facets::all(material.view, material.board);
    let mut drafts = Vec::new();
    for parameter in parameters {
        let own: Vec<_> = families.iter().filter(|family| family.parameter == parameter).collect();
        let names = telling(&own, parameter);
        let parts = |family: &MethodFamily<'_>| names.iter().map(|n| told(family, n)).collect();
        let own: Vec<(&MethodFamily<'_>, Vec<String>)> =
            own.iter().map(|family| (*family, parts(family))).collect();
        let found = facets.iter().flat_map(|facet| {
            own.iter().filter_map(|(family, parts)| frame(material, family, facet, parts))
        });
        let shown = facets::shown(found.collect());
        let draft = |found: &[PlacedFrame]| draft(material, parameter, found, &shown);
        drafts.extend(shown.facets.chunks(MOST).map(draft));
    }
    drafts
}

/// What is to be said of families of one parameter: the kinds of the loss and of the part that the
/// parameter belongs to, and all else that they differ in. What parts of different kinds are set to
/// needs no word: the kind tells them apart.
fn telling(families: &[&MethodFamily<'_>], parameter: &str) -> Vec<String> {
    let part = parameter.rsplit_once('.').map_or("loss", |(part, _)| part);
    let mut names = vec!["loss".to_owned()];
    names.extend((part != "loss").then(|| part.to_owned()));
    let is_kind = |name: &&String| !name.contains('.');
    let kinds = |family: &MethodFamily<'_>| -> Vec<(String, String)> {
        let words = family.others.words.iter().filter(|(name, _)| is_kind(name));
        words.map(|(name, kind)| (name.clone(), kind.clone())).collect()
    };
    let mut others: BTreeSet<&String> = BTreeSet::new();
    for (k, one) in families.iter().enumerate() {
        for other in &families[..k] {
            let has_kinds = kinds(one) == kinds(other);
            let all = [one, other].map(|family| &family.others);
            let all = all.iter().flat_map(|s| s.words.keys().chain(s.numbers.keys()));
            let differs = |name: &&String| told(one, name) != told(other, name);
            others.extend(all.filter(|name| is_kind(name) || has_kinds).filter(differs));
        }
    }
    let unnamed = others.into_iter().filter(|name| !names.contains(name)).cloned();
    let unnamed: Vec<String> = unnamed.collect();
    names.extend(unnamed);
    names
}

/// A setting of a family: of a part its kind, of all else also the name; nothing where it has none.
fn told(family: &MethodFamily<'_>, name: &str) -> String {
    let Settings { words, numbers } = &family.others;
    let part = family.parameter.rsplit_once('.').map_or("", |(part, _)| part);
    let called = name.strip_prefix(part).and_then(|own| own.strip_prefix('.')).unwrap_or(name);
    match (words.get(name), numbers.get(name)) {
        (Some(kind), _) if name == part || !name.contains('.') => kind.clone(),
        (Some(word), _) => format!("{called}: {word}"),
        (None, Some(number)) => format!("{called}: {}", written(*number)),
        (None, None) => String::new(),
    }
}

/// Test, dev, and the baseline on test; `None` where fewer than two values have a score.
fn frame(
    material: &Material<'_>,
    family: &MethodFamily<'_>,
    facet: &Facet<'_>,
    told: &[String],
) -> Option<PlacedFrame> {
    let Material { view, board, dev, .. } = *material;
    let points = |board: &Scoreboard| -> Vec<(MeanPoint, Mark)> {
        let point = |(value, method): &(f64, &str)| {
            let cell = board.cell(&facet.panel, facet.model, method);
            Some((
                MeanPoint::new(*value, &cell.f1(), view.asked.bands)?,
                Mark::of_method(view.look(method)),
            ))
        };
        family.methods.iter().filter_map(point).collect()
    };
    let line = |name: &str, board: &Scoreboard, colour, dashes| {
        let (points, marks) = points(board).into_iter().unzip();
        ChartLine { name: name.to_owned(), colour, dashes, points, marks, has_shapes: false }
    };
    let test = line("test", board, INK, &[]);
    let (first, last) = (test.points.first()?.x, test.points.last()?.x);
    if first == last {
        return None;
    }
    let outside = |name: &&str| !family.methods.iter().any(|(_, method)| method == name);
    let baseline = view.baseline.as_deref().filter(outside);
    let flat = baseline.and_then(|method| {
        let scores = board.cell(&facet.panel, facet.model, method).f1();
        let mut ends = [first, last].map(|x| MeanPoint::new(x, &scores, view.asked.bands));
        ends.iter_mut().flatten().for_each(|point| point.band = None);
        let points: Vec<MeanPoint> = ends.into_iter().flatten().collect();
        let (colour, dashes, marks) = (CONTOUR, OF_BASELINE, Vec::new());
        let name = method.to_owned();
        let flat = ChartLine { name, colour, dashes, points, marks, has_shapes: false };
        (!flat.points.is_empty()).then_some(flat)
    });
    let dev = Some(line("dev", dev, QUIET, ON_DEV)).filter(|line| !line.points.is_empty());
    let mut parts = facet.parts();
    parts.extend_from_slice(told);
    Some(PlacedFrame { parts, lines: flat.into_iter().chain(dev).chain([test]).collect() })
}

/// The parameter as people call it: without the part of the method that it belongs to.
fn short(parameter: &str) -> &str {
    parameter.split_once('.').map_or(parameter, |(_, name)| name)
}

fn draft(
    material: &Material<'_>,
    parameter: &str,
    found: &[PlacedFrame],
    shown: &ShownFacets<PlacedFrame>,
) -> Draft {
    let (frames, place) = chart::frames(found);
    let metric = measure::title(material.board.metric);
    let title = format!("{metric} by {}", short(parameter));
    let chart = Chart {
        parts: vec!["parameter".to_owned(), parameter.to_owned()],
        description: format!(
            "{title}{place}, on test and on dev, each point one method of the grid."
        ),
        caption: "Each point is a method of the grid in its colour; all else of them is equal. Where dev and test \
                  have their summits at different values, choosing on dev costs."
            .to_owned(),
        subtitle: format!("Test and dev{place}"),
        title,
        across: (short(parameter).to_owned(), AxisUnit::Plain),
        up: (format!("{metric} (%)"), AxisUnit::Percent),
        is_score: true,
        may_be_log: true,
        bands: material.view.asked.bands,
        key: key(material.view, &frames),
        frames,
    };
    chart.draft(&shown.remark())
}

fn key(view: &GridView, frames: &[ChartFrame]) -> LegendGroup {
    let is_there = |name: &str| frames.iter().flat_map(|f| &f.lines).any(|line| line.name == name);
    let entry = |sample, name: String| LegendEntry { sample, name };
    let mut entries = vec![entry(LegendSample::Dashes(&[], INK), "test".to_owned())];
    if is_there("dev") {
        entries.push(entry(LegendSample::Dashes(ON_DEV, QUIET), "dev".to_owned()));
    }
    if let Some(baseline) = view.baseline.as_ref().filter(|name| is_there(name)) {
        entries
            .push(entry(LegendSample::Dashes(OF_BASELINE, CONTOUR), format!("{baseline}, test")));
    }
    LegendGroup { head: "Score", entries }
}
