//! The forest plot: mean differences from the baseline with their 95 % intervals, a row a method, a
//! block a model; and those of the pairs that a grid names under `report`, a row a pair.

use super::facets;
use super::font;
use super::frame;
use super::palette::{self, INK, QUIET};
use super::scale::{AxisScale, AxisUnit};
use super::scene::{Anchor, Area, Scene, Text, at};
use super::{Draft, FigurePlace, Material, cautioned};
use crate::tables::asked_pairs;
use analysis::comparison::{Comparison, Detail, Verdict};
use analysis::number;
use analysis::{GridView, Panel};

/// Rows of one figure; more of them are further figures.
const MOST_ROWS: usize = 60;
const MARGIN: f64 = 24.0;
const TOP: f64 = 76.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 28.0;
const INSIDE: f64 = 420.0;
const SIZE: f64 = 12.0;
const WIDEST: f64 = 180.0;
/// Of the names of both sides of a pair.
const WIDEST_PAIR: f64 = 400.0;
/// No axis of differences is shorter.
const SHORTEST: f64 = 0.02;

/// A line of the figure.
enum ForestRow<'a> {
    Model(&'a str),
    Method(&'a Comparison),
    /// Of two methods that are named, with their models.
    Pair(&'a Comparison),
}

/// What a figure says of its rows.
struct ForestWords {
    /// Between the kind of figure and the panel, in the name of its files.
    part: Option<&'static str>,
    title: String,
    description: String,
    /// What p-values are corrected over.
    family: &'static str,
}

/// One figure a panel, several where it has very many rows.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let panels = material.view.panels();
    let with_baseline = panels.iter().flat_map(|panel| of_panel(material, panel));
    let named = panels.iter().flat_map(|panel| of_pairs(material, panel));
    with_baseline.chain(named).collect()
}

/// The pairs that the grid names, on one panel.
fn of_pairs(material: &Material<'_>, panel: &Panel) -> Vec<Draft> {
    let Material { view, board, .. } = material;
    let Some(question) = asked_pairs(view, Detail::Verdict) else { return vec![] };
    let found = question.answers_on(panel, view, board);
    let rows: Vec<ForestRow<'_>> =
        found.iter().filter(|c| c.difference.is_some()).map(ForestRow::Pair).collect();
    let words = || ForestWords {
        part: Some("pairs"),
        title: format!("Differences of named pairs on {}", panel.title()),
        description: "the first from the second of each named pair".to_owned(),
        family: match question.is_across_models() {
            true => "the named pairs of all models together",
            false => "the named pairs of a model",
        },
    };
    rows.chunks(MOST_ROWS).map(|rows| draft(material, panel, rows, words())).collect()
}

fn of_panel(material: &Material<'_>, panel: &Panel) -> Vec<Draft> {
    let mut figures: Vec<Vec<ForestRow<'_>>> = Vec::new();
    for model in material.board.models(material.view, panel) {
        let own = material.comparisons.iter().filter(|c| {
            c.corpus == panel.corpus && c.scenario == panel.scenario && c.model == model
        });
        let own: Vec<&Comparison> = own.filter(|c| c.difference.is_some()).collect();
        for own in own.chunks(MOST_ROWS) {
            let rows = [ForestRow::Model(model)]
                .into_iter()
                .chain(own.iter().map(|c| ForestRow::Method(c)));
            match figures.last_mut() {
                Some(last) if last.len() + own.len() < MOST_ROWS => last.extend(rows),
                _ => figures.push(rows.collect()),
            }
        }
    }
    let words = |rows: &[ForestRow<'_>]| {
        let first = rows.iter().find_map(ForestRow::comparison);
        let against = first.map_or("the baseline", |c| c.against.as_str());
        ForestWords {
            part: None,
            title: format!("Differences from {against} on {}", panel.title()),
            description: format!("each method from {against}"),
            family: "the methods of a model",
        }
    };
    figures.iter().map(|rows| draft(material, panel, rows, words(rows))).collect()
}

fn draft(
    material: &Material<'_>,
    panel: &Panel,
    rows: &[ForestRow<'_>],
    words: ForestWords,
) -> Draft {
    let compared = || rows.iter().filter_map(ForestRow::comparison);
    let metric = material.board.metric;
    let ForestWords { part, title, description, family } = words;
    let block = if part.is_none() { ", a block a model" } else { "" };
    let parts = ["forest"].into_iter().chain(part).chain([&*panel.corpus, &panel.scenario]);
    let n = compared().map(|c| c.n);
    let pairs = match (n.clone().min(), n.max()) {
        (Some(least), Some(most)) if least == most => number::counted(most, "seed"),
        (Some(least), Some(most)) => format!("{least} to {most} seeds"),
        _ => "no seed".to_owned(),
    };
    let has_intervals = compared().any(|c| c.n > 1);
    let subtitle = match has_intervals {
        true => format!("mean and 95 % interval of the paired difference over {pairs}"),
        false => "difference of one seed, which has no interval".to_owned(),
    };
    let subtitle = format!("Test {}, {subtitle}", metric.title());
    Draft {
        parts: parts.map(str::to_owned).collect(),
        place: FigurePlace::Panel(panel.clone()),
        description: format!(
            "{} of {description} in points of {}{}{block}: {}.",
            if has_intervals { "Mean difference" } else { "Difference" },
            metric.title(),
            if has_intervals { " with its 95 % interval" } else { ", one seed" },
            in_words(rows)
        ),
        caption: cautioned(compared(), match has_intervals {
            true => format!(
                "Each interval is that of one comparison, from the t-distribution; filled marks are significant \
                 after correction over {family} (* above, † below{}), hollow ones are not, so an interval can \
                 miss 0 and its mark still be hollow.",
                if material.view.stopping.is_none() { ", doubled at p < 0.01" } else { "" }
            ),
            false => "Marks are hollow and have no interval: of one seed nobody knows how far chance reaches. \
                      Run more seeds for intervals and tests."
                .to_owned(),
        }),
        scene: scene(material.view, rows, (&title, &subtitle), metric.title()),
        title,
    }
}

fn in_words(rows: &[ForestRow<'_>]) -> String {
    let words = rows.iter().filter_map(|row| {
        let c = row.comparison()?;
        let difference = number::signed_percent(c.difference.unwrap_or_default());
        Some(match row {
            ForestRow::Pair(_) => format!("{} {difference}", row.name()),
            _ => format!("{} with {} {difference}", c.method, c.model),
        })
    });
    let words: Vec<String> = words.collect();
    words.join(", ")
}

impl ForestRow<'_> {
    fn comparison(&self) -> Option<&Comparison> {
        match self {
            ForestRow::Method(comparison) | ForestRow::Pair(comparison) => Some(comparison),
            ForestRow::Model(_) => None,
        }
    }

    /// What stands before it, in full.
    fn name(&self) -> String {
        match self {
            ForestRow::Model(model) => (*model).to_owned(),
            ForestRow::Method(c) => c.method.clone(),
            ForestRow::Pair(c) => {
                format!("{}/{} against {}/{}", c.model, c.method, c.against_model, c.against)
            }
        }
    }

    /// The same as far as there is room.
    fn fitted(&self) -> String {
        let widest = if let ForestRow::Pair(_) = self { WIDEST_PAIR } else { WIDEST };
        font::fit_name(&self.name(), SIZE, self.is_head(), widest)
    }

    fn is_head(&self) -> bool {
        self.comparison().is_none()
    }

    fn height(&self) -> f64 {
        if self.is_head() { HEAD } else { ROW }
    }
}

fn scene(view: &GridView, rows: &[ForestRow<'_>], headings: (&str, &str), metric: &str) -> Scene {
    let compared = || rows.iter().filter_map(ForestRow::comparison);
    let names = rows.iter().map(|row| font::width(&row.fitted(), SIZE, row.is_head()));
    let names = names.fold(60.0, f64::max);
    let words = compared().map(|c| font::width(&numbers(c), 11.5, false)).fold(0.0, f64::max);
    let height: f64 = rows.iter().map(ForestRow::height).sum();
    let left = MARGIN + names + 16.0;
    let area = Area { left, top: TOP, right: left + INSIDE, bottom: TOP + height + 6.0 };
    let mut scene = Scene {
        width: area.right + 18.0 + words + MARGIN,
        height: area.bottom + 56.0,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, headings.0, headings.1);
    let scale = scale(rows);
    frame::across_scale(&mut scene, &area, &scale);
    let x = |value: f64| area.left + scale.share(value) * INSIDE;
    scene.path(vec![at(x(0.0), area.top), at(x(0.0), area.bottom)], 1.6, QUIET);
    scene.path(vec![at(area.left, area.bottom), at(area.right, area.bottom)], 1.2, QUIET);
    let title = format!("Difference in {metric} (points)");
    frame::across_title(&mut scene, &area, title, 12.0, 37.0);
    let mut top = TOP;
    for row in rows {
        let middle = top + row.height() / 2.0;
        match row.comparison() {
            None => {
                let start = at(MARGIN, middle + 8.0);
                scene.text(Text::new(row.fitted(), start, SIZE, INK).bold());
            }
            Some(found) => {
                let start = at(area.left - 12.0, middle + 4.0);
                scene.text(Text::new(row.fitted(), start, SIZE, INK).anchored(Anchor::End));
                let tip = format!("{}: {}", row.name(), numbers(found));
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
fn scale(rows: &[ForestRow<'_>]) -> AxisScale {
    let compared = || rows.iter().filter_map(ForestRow::comparison);
    let means = || compared().filter_map(|c| c.difference).chain([0.0]);
    let low = means().fold(f64::INFINITY, f64::min);
    let high = means().fold(f64::NEG_INFINITY, f64::max);
    let reach = (high - low).max(SHORTEST);
    let ends = compared().flat_map(|c| [c.ci_low, c.ci_high]).flatten();
    let ends = ends.map(|end| end.clamp(low - reach, high + reach));
    AxisScale::even(means().chain(ends), SHORTEST, AxisUnit::Difference)
}

/// The interval with its mean; an end that lies outside the figure is an arrow.
fn interval(
    scene: &mut Scene,
    view: &GridView,
    found: &Comparison,
    plane: (&Area, &AxisScale),
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
    format!("{difference}{interval} {}", found.mark()).trim_end().to_owned()
}
