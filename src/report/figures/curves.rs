//! Scores over a number that scenarios differ in: a line a method, a frame for each model on each corpus.

use super::chart::{self, Chart, Line, Lines, Placed, Point};
use super::facets::{self, MOST, Shown};
use super::legend::{self, Sample};
use super::scale::Unit;
use super::{Draft, Material, Place};
use crate::report::families::families;
use crate::report::measure;
use crate::report::view::Panel;

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

/// The figures of one setting; none where no two scenarios differ in it alone.
pub fn build(material: &Material<'_>, curves: &Curves) -> Vec<Draft> {
    let view = material.view;
    let mut found = Vec::new();
    for family in families(view, &[curves.setting], false) {
        let scenarios = family.by_value(curves.setting);
        if scenarios.first().map(|s| s.0) == scenarios.last().map(|s| s.0) {
            continue;
        }
        let others = family.others();
        for corpus in &view.corpora {
            for model in &view.models {
                found.extend(frame(material, (&scenarios, &others), corpus, model));
            }
        }
    }
    let shown = facets::shown(found);
    let draft = |found: &[Placed<'_>]| draft(material, curves, found, &shown);
    shown.facets.chunks(MOST).map(draft).collect()
}

/// The lines of one model on one corpus; `None` where nothing is finished.
fn frame<'a>(
    material: &Material<'a>,
    (scenarios, others): (&[(f64, &str)], &str),
    corpus: &str,
    model: &str,
) -> Option<Placed<'a>> {
    let view = material.view;
    let line = |method: &'a String| {
        let point = |(value, scenario): &(f64, &str)| {
            let panel = Panel { corpus: corpus.to_owned(), scenario: (*scenario).to_owned() };
            Point::new(*value, &material.board.cell(&panel, model, method).f1())
        };
        let points: Vec<Point> = scenarios.iter().filter_map(point).collect();
        (!points.is_empty()).then(|| Line::of_method(view, method, points))
    };
    let lines: Vec<Line<'a>> = view.methods.iter().filter_map(line).collect();
    let parts = vec![corpus.to_owned(), model.to_owned(), others.to_owned()];
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
