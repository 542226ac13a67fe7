//! What is told of every epoch (Figure 3 of li2022): the score on dev, the loss, and whatever else
//! a method adds, by epoch.
//!
//! A series is a name with a number in each epoch; a series that records get later needs no change
//! here.

use super::chart::{self, Chart, ChartFrame, ChartLine, MeanPoint, PlacedFrame};
use super::facets::{self, Facet, MOST, ShownFacets};
use super::legend::{self, LegendSample};
use super::scale::AxisUnit;
use super::{Draft, Material};
use analysis::measure;
use analysis::{GridView, ResultFrames};
use domain::JobKey;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::Scope;

/// The figures of one series: the first frames say enough of how training went.
const MOST_FIGURES: usize = 2;

/// A series as people call it, and what its numbers are.
fn about(name: &str) -> (String, AxisUnit) {
    match name {
        "dev_macro_f1" => ("Macro-F1 on dev".to_owned(), AxisUnit::Percent),
        "dev_micro_f1" => ("Micro-F1 on dev".to_owned(), AxisUnit::Percent),
        "loss" => ("Training loss".to_owned(), AxisUnit::Plain),
        "missampling_rate" => ("Missampling rate".to_owned(), AxisUnit::Percent),
        "missampled_entities" => ("Missampled entities".to_owned(), AxisUnit::Percent),
        "test_macro_f1" => ("Macro-F1 on test".to_owned(), AxisUnit::Percent),
        "test_micro_f1" => ("Micro-F1 on test".to_owned(), AxisUnit::Percent),
        other => {
            let words = other.replace('_', " ");
            let mut letters = words.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            (first + letters.as_str(), AxisUnit::Plain)
        }
    }
}

/// The epochs of each job, by series: values from the first epoch on.
type ByJob<'a> = HashMap<&'a str, BTreeMap<&'a str, Vec<(u64, f64)>>>;

/// For each series a figure for every few models and corpora.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let jobs = by_job(material.results);
    let names: BTreeSet<&str> = jobs.values().flat_map(|series| series.keys().copied()).collect();
    // Of the two scores the one that is like the headline.
    let (_, scope) = measure::rows_of(material.board.metric);
    let other = if scope == Scope::Micro { "dev_macro_f1" } else { "dev_micro_f1" };
    let keys = keys(material.view);
    let facets = facets::all(material.view, material.board);
    let mut drafts = Vec::new();
    for name in names.into_iter().filter(|name| *name != other) {
        let found = facets.iter().filter_map(|facet| frame(material, &jobs, &keys, facet, name));
        let mut shown = facets::shown(found.collect());
        shown.keep(MOST_FIGURES * MOST);
        let draft = |found: &[PlacedFrame]| draft(material, name, found, &shown);
        drafts.extend(shown.facets.chunks(MOST).map(draft));
    }
    drafts
}

fn by_job(results: &ResultFrames) -> ByJob<'_> {
    let mut jobs: ByJob<'_> = HashMap::new();
    for name in results.series() {
        for (job, epoch, value) in results.values(name) {
            jobs.entry(job).or_default().entry(name).or_default().push((epoch, value));
        }
    }
    jobs
}

/// The keys of the shown jobs of each place: corpus, scenario, model, method.
type Keys<'a> = HashMap<[&'a str; 4], Vec<&'a JobKey>>;

fn keys(view: &GridView) -> Keys<'_> {
    let mut keys: Keys<'_> = HashMap::new();
    for job in view.shown_jobs().filter(|job| job.not_applicable.is_none()) {
        let point = &job.point;
        let place = [&*point.corpus, &*point.scenario, &*point.model, &*point.method];
        keys.entry(place).or_default().push(&job.key);
    }
    keys
}

/// The lines of one model on one panel; `None` where no method has two epochs.
fn frame(
    material: &Material<'_>,
    jobs: &ByJob<'_>,
    keys: &Keys<'_>,
    facet: &Facet<'_>,
    name: &str,
) -> Option<PlacedFrame> {
    let (panel, bands) = (&facet.panel, material.view.asked.bands);
    let line = |method: &String| {
        let keys = keys.get(&[&*panel.corpus, &*panel.scenario, facet.model, method.as_str()])?;
        let mut epochs: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (epoch, value) in
            keys.iter().filter_map(|key| jobs.get(key.0.as_str())?.get(name)).flatten()
        {
            epochs.entry(*epoch).or_default().push(*value);
        }
        let point = |(epoch, values): (u64, Vec<f64>)| MeanPoint::new(epoch as f64, &values, bands);
        let points: Vec<MeanPoint> = epochs.into_iter().filter_map(point).collect();
        (points.len() > 1).then(|| ChartLine::of_method(material.view, method, points))
    };
    let lines: Vec<ChartLine> = material.view.methods.iter().filter_map(line).collect();
    (!lines.is_empty()).then_some(PlacedFrame { parts: facet.parts(), lines })
}

fn draft(
    material: &Material<'_>,
    name: &str,
    found: &[PlacedFrame],
    shown: &ShownFacets<PlacedFrame>,
) -> Draft {
    let (frames, place) = chart::frames(found);
    let names: Vec<&str> = frames.iter().flat_map(ChartFrame::names).collect();
    let (series, unit) = about(name);
    let title = format!("{series} by epoch");
    let up = match (unit, name) {
        (AxisUnit::Plain, "mean_uncertainty") => format!("{series} (nats)"),
        (AxisUnit::Plain, _) => series,
        _ => format!("{series} (%)"),
    };
    let chart = Chart {
        parts: vec!["epochs".to_owned(), name.to_owned()],
        description: format!("{title}{place}, one line per method, a frame for each model and corpus."),
        caption: "Means over the seeds that reached an epoch: where training stops early, the last epochs are of \
                  few."
            .to_owned(),
        subtitle: format!("A line a method{place}"),
        title,
        across: ("Epoch".to_owned(), AxisUnit::Whole),
        up: (up, unit),
        is_score: name.ends_with("_f1"),
        may_be_log: false,
        bands: material.view.asked.bands,
        key: legend::methods(material.view, &names, LegendSample::Line),
        frames,
    };
    chart.draft(&shown.remark())
}
