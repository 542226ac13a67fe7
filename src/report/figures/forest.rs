//! The forest plot: mean differences from the baseline with their 95 % intervals, a row a method, a block a
//! model.

use super::facets;
use super::font;
use super::palette::{self, INK, QUIET};
use super::scale::{Scale, Unit};
use super::scene::{Anchor, Area, Scene, Text, at};
use super::{Draft, Material, Place};
use crate::report::comparison::{Comparison, Verdict};
use crate::report::tables::number;
use crate::report::view::{GridView, Panel};

/// Rows of one figure; more of them are further figures.
const MOST_ROWS: usize = 60;
const MARGIN: f64 = 24.0;
const TOP: f64 = 76.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 28.0;
const INSIDE: f64 = 420.0;
const SIZE: f64 = 12.0;
const WIDEST: f64 = 180.0;
/// No axis of differences is shorter.
const SHORTEST: f64 = 0.02;

/// A line of the figure.
enum Row<'a> {
    Model(&'a str),
    Method(&'a Comparison),
}

/// One figure a panel, several where it has very many rows.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let panels = material.view.panels();
    panels.iter().flat_map(|panel| of_panel(material, panel)).collect()
}

fn of_panel(material: &Material<'_>, panel: &Panel) -> Vec<Draft> {
    let mut figures: Vec<Vec<Row<'_>>> = Vec::new();
    for model in material.board.models(material.view, panel) {
        let own = material.comparisons.iter().filter(|c| {
            c.corpus == panel.corpus && c.scenario == panel.scenario && c.model == model
        });
        let own: Vec<&Comparison> = own.filter(|c| c.difference.is_some()).collect();
        for own in own.chunks(MOST_ROWS) {
            let rows = [Row::Model(model)].into_iter().chain(own.iter().map(|c| Row::Method(c)));
            match figures.last_mut() {
                Some(last) if last.len() + own.len() < MOST_ROWS => last.extend(rows),
                _ => figures.push(rows.collect()),
            }
        }
    }
    figures.iter().map(|rows| draft(material, panel, rows)).collect()
}

fn draft(material: &Material<'_>, panel: &Panel, rows: &[Row<'_>]) -> Draft {
    let compared = || rows.iter().filter_map(Row::comparison);
    let against = compared().next().map_or("the baseline", |c| c.against.as_str());
    let metric = material.board.metric;
    let title = format!("Differences from {against} on {}", panel.title());
    let n = compared().map(|c| c.n);
    let pairs = match (n.clone().min(), n.max()) {
        (Some(least), Some(most)) if least == most => number::counted(most, "seed"),
        (Some(least), Some(most)) => format!("{least} to {most} seeds"),
        _ => "no seed".to_owned(),
    };
    let subtitle = format!(
        "Test {}, mean and 95 % interval of the paired difference over {pairs}",
        metric.title()
    );
    Draft {
        parts: vec!["forest".to_owned(), panel.corpus.clone(), panel.scenario.clone()],
        place: Place::Panel(panel.clone()),
        description: format!(
            "Mean difference of each method from {against} in points of {} with its 95 % interval, a block a \
             model: {}.",
            metric.title(),
            in_words(rows)
        ),
        caption: "Each interval is that of one comparison, from the t-distribution; filled marks are significant \
                  after correction over the methods of a model, hollow ones are not, so an interval can miss 0 \
                  and its mark still be hollow."
            .to_owned(),
        scene: scene(material.view, rows, (&title, &subtitle), metric.title()),
        title,
    }
}

fn in_words(rows: &[Row<'_>]) -> String {
    let words = rows.iter().filter_map(Row::comparison).map(|c| {
        let difference = number::signed_percent(c.difference.unwrap_or_default());
        format!("{} with {} {difference}", c.method, c.model)
    });
    let words: Vec<String> = words.collect();
    words.join(", ")
}

impl Row<'_> {
    fn comparison(&self) -> Option<&Comparison> {
        match self {
            Row::Method(comparison) => Some(comparison),
            Row::Model(_) => None,
        }
    }

    fn height(&self) -> f64 {
        if self.comparison().is_some() { ROW } else { HEAD }
    }
}

fn scene(view: &GridView, rows: &[Row<'_>], headings: (&str, &str), metric: &str) -> Scene {
    let name = |c: &Comparison| font::fit_name(&c.method, SIZE, false, WIDEST);
    let compared = || rows.iter().filter_map(Row::comparison);
    let names = rows.iter().map(|row| match row {
        Row::Model(model) => {
            font::drawn_width(&font::fit_name(model, SIZE, true, WIDEST), SIZE, true)
        }
        Row::Method(found) => font::drawn_width(&name(found), SIZE, false),
    });
    let names = names.fold(60.0, f64::max);
    let words = compared().map(|c| font::drawn_width(&numbers(c), 11.5, false)).fold(0.0, f64::max);
    let height: f64 = rows.iter().map(Row::height).sum();
    let left = MARGIN + names + 16.0;
    let area = Area { left, top: TOP, right: left + INSIDE, bottom: TOP + height + 6.0 };
    let mut scene = Scene {
        width: area.right + 18.0 + words + MARGIN,
        height: area.bottom + 56.0,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, headings.0, headings.1);
    let scale = scale(rows);
    facets::across_ticks(&mut scene, &area, &scale);
    let x = |value: f64| area.left + scale.share(value) * INSIDE;
    scene.path(vec![at(x(0.0), area.top), at(x(0.0), area.bottom)], 1.6, QUIET);
    scene.path(vec![at(area.left, area.bottom), at(area.right, area.bottom)], 1.2, QUIET);
    facets::across_title(&mut scene, &area, &format!("Difference in {metric} (points)"));
    let mut top = TOP;
    for row in rows {
        let middle = top + row.height() / 2.0;
        match row {
            Row::Model(model) => {
                let model = font::fit_name(model, SIZE, true, WIDEST);
                scene.text(Text::new(model, at(MARGIN, middle + 8.0), SIZE, INK).bold());
            }
            Row::Method(found) => {
                let start = at(area.left - 12.0, middle + 4.0);
                scene.text(Text::new(name(found), start, SIZE, INK).anchored(Anchor::End));
                let tip = format!("{}: {}", found.method, numbers(found));
                scene.tipped(tip, |scene| interval(scene, view, found, (&area, &scale), middle));
                let start = at(area.right + 18.0, middle + 4.0);
                scene.text(Text::new(numbers(found), start, 11.5, QUIET));
            }
        }
        top += row.height();
    }
    scene
}

/// All differences and zero, with intervals as far as they do not push the others together.
fn scale(rows: &[Row<'_>]) -> Scale {
    let compared = || rows.iter().filter_map(Row::comparison);
    let means = || compared().filter_map(|c| c.difference).chain([0.0]);
    let low = means().fold(f64::INFINITY, f64::min);
    let high = means().fold(f64::NEG_INFINITY, f64::max);
    let reach = (high - low).max(SHORTEST);
    let ends = compared().flat_map(|c| [c.ci_low, c.ci_high]).flatten();
    let ends = ends.map(|end| end.clamp(low - reach, high + reach));
    Scale::even(means().chain(ends), SHORTEST, Unit::Difference)
}

/// The interval with its mean; an end that lies outside the figure is an arrow.
fn interval(
    scene: &mut Scene,
    view: &GridView,
    found: &Comparison,
    plane: (&Area, &Scale),
    y: f64,
) {
    let (area, scale) = plane;
    let x = |value: f64| area.left + scale.share(value) * INSIDE;
    let colour = palette::method(view.look(&found.method));
    let Some(mean) = found.difference else { return };
    if let (Some(low), Some(high)) = (found.ci_low, found.ci_high) {
        scene.path(vec![at(x(low), y), at(x(high), y)], 2.0, colour);
        for (end, inwards) in [(low, 7.0), (high, -7.0)] {
            match (scale.low..=scale.high).contains(&end) {
                true => scene.path(vec![at(x(end), y - 4.0), at(x(end), y + 4.0)], 2.0, colour),
                false => {
                    let wings = [-5.0, 5.0].map(|dy| at(x(end) + inwards, y + dy));
                    scene.polygon(vec![at(x(end), y), wings[0], wings[1]], colour);
                }
            }
        }
    }
    scene.circle(at(x(mean), y), 5.0, colour);
    if !matches!(found.verdict(), Verdict::Better | Verdict::Worse) {
        scene.circle(at(x(mean), y), 2.8, palette::PAPER);
    }
}

/// The difference with its interval and mark, as the table has them.
fn numbers(found: &Comparison) -> String {
    let difference = number::signed_percent(found.difference.unwrap_or_default());
    let interval = match (found.ci_low, found.ci_high) {
        (Some(low), Some(high)) => {
            format!(" [{}, {}]", number::signed_percent(low), number::signed_percent(high))
        }
        _ => String::new(),
    };
    let mark = match found.verdict() {
        Verdict::Better => " *",
        Verdict::Worse => " †",
        Verdict::Open | Verdict::Untested => "",
    };
    format!("{difference}{interval}{mark}")
}
