//! Scores over a number that scenarios differ in: a line a method, a frame for each model on each corpus.

use super::chart::{self, Chart, Line, Lines, Placed, Point};
use super::facets::{self, MOST, Shown};
use super::legend::{self, Sample};
use super::scale::Unit;
use super::{Draft, Material, Place};
use crate::report::measure;
use crate::report::view::{GridView, Panel, Settings};

/// What a figure of curves is about.
pub struct Curves {
    pub kind: &'static str,
    /// The setting of scenarios.
    pub setting: &'static str,
    pub title: &'static str,
    /// What the axis is called.
    pub across: &'static str,
    pub unit: Unit,
    /// What to look for.
    pub caption: &'static str,
}

/// Scenarios that differ in the setting alone.
struct Family<'a> {
    /// What else they are set to, in words.
    others: String,
    /// In the order of the setting.
    scenarios: Vec<(f64, &'a str)>,
}

/// The figures of one setting; none where no two scenarios differ in it alone.
pub fn build(material: &Material<'_>, curves: &Curves) -> Vec<Draft> {
    let view = material.view;
    let mut found = Vec::new();
    for family in families(view, curves.setting) {
        for corpus in &view.corpora {
            for model in &view.models {
                found.extend(frame(material, &family, corpus, model));
            }
        }
    }
    let shown = facets::shown(found);
    let draft = |found: &[Placed<'_>]| draft(material, curves, found, &shown);
    shown.facets.chunks(MOST).map(draft).collect()
}

fn families<'a>(view: &'a GridView, setting: &str) -> Vec<Family<'a>> {
    let mut families: Vec<(Settings, Family<'a>)> = Vec::new();
    for scenario in &view.scenarios {
        let Some(mut others) = view.scenario_settings.get(scenario).cloned() else { continue };
        let Some(value) = others.numbers.remove(setting) else { continue };
        match families.iter_mut().find(|(known, _)| *known == others) {
            Some((_, family)) => family.scenarios.push((value, scenario)),
            None => {
                let family =
                    Family { others: in_words(&others), scenarios: vec![(value, scenario)] };
                families.push((others, family));
            }
        }
    }
    let mut families: Vec<Family<'a>> = families.into_iter().map(|(_, family)| family).collect();
    families.iter_mut().for_each(|f| f.scenarios.sort_by(|(a, _), (b, _)| a.total_cmp(b)));
    families.retain(|family| {
        family.scenarios.first().map(|s| s.0) != family.scenarios.last().map(|s| s.0)
    });
    families
}

/// Settings as grid files write them.
fn in_words(settings: &Settings) -> String {
    let numbers = settings.numbers.iter().map(|(name, value)| format!("{name}: {value}"));
    let words = settings.words.iter().map(|(name, value)| format!("{name}: {value}"));
    numbers.chain(words).collect::<Vec<_>>().join(", ")
}

/// The lines of one model on one corpus; `None` where nothing is finished.
fn frame<'a>(
    material: &Material<'a>,
    family: &Family<'_>,
    corpus: &str,
    model: &str,
) -> Option<Placed<'a>> {
    let view = material.view;
    let line = |method: &'a String| {
        let point = |(value, scenario): &(f64, &str)| {
            let panel = Panel { corpus: corpus.to_owned(), scenario: (*scenario).to_owned() };
            Point::new(*value, &material.board.cell(&panel, model, method).f1())
        };
        let points: Vec<Point> = family.scenarios.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Line::of_method(view, method, points))
    };
    let lines: Vec<Line<'a>> = view.methods.iter().filter_map(line).collect();
    let parts = vec![corpus.to_owned(), model.to_owned(), family.others.clone()];
    (!lines.is_empty()).then_some(Placed { parts, lines })
}

fn draft(
    material: &Material<'_>,
    curves: &Curves,
    found: &[Placed<'_>],
    shown: &Shown<Placed<'_>>,
) -> Draft {
    let (frames, place) = chart::frames(found);
    let names: Vec<&str> = frames.iter().flat_map(Lines::names).collect();
    let metric = measure::title(material.board.metric);
    let bands = chart::bands(&frames);
    let title = format!("{metric} {}", curves.title);
    let chart = Chart {
        title: title.clone(),
        subtitle: format!("Test set{place}, a line a method; {bands}"),
        across: (curves.across.to_owned(), curves.unit),
        up: (format!("{metric} (%)"), Unit::Percent),
        may_be_log: true,
        key: legend::methods(material.view, &names, Sample::Line),
        frames,
    };
    Draft {
        parts: vec![curves.kind.to_owned()],
        place: Place::Overall,
        description: format!("{title}{place}, a line a method, a frame for each model and corpus."),
        caption: format!("{}{}", curves.caption, shown.remark()),
        scene: chart::scene(&chart),
        title,
    }
}
