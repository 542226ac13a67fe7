//! Entities against the length of their sentence (Figure 2 of li2022): the mean number of entities
//! of sentences of each length, with the square root of the length above it, a panel a corpus.
//!
//! Negative sampling rests on entities being sparse: no more of them in a sentence than the square
//! root of its length. The figure shows where a corpus keeps to that.

use super::facets;
use super::font;
use super::frame::{self, Frame};
use super::legend;
use super::palette::{self, Colour, INK, QUIET};
use super::scale::{AxisScale, AxisUnit};
use super::scene::{Area, Paint, Scene, Spot, Text, at};
use analysis::CorpusNumbers;
use analysis::number;
use domain::LengthPoint;

pub const TITLE: &str = "Entities by length of sentence";
/// A sentence for under the figure.
pub const CAPTION: &str = "Where points lie under the curve, entities are sparse: a sentence of n tokens has at most \
     √n of them on average. Each bar is 1.6 variances long, with the mean in its middle.";

/// The length of a bar in variances (li2022, section 3.1.3).
const BAR: f64 = 1.6;
/// Panels side by side.
const ACROSS: usize = 2;
const MARGIN: f64 = 24.0;
/// Above the first row of panels: title, subtitle and key.
const HEADER: f64 = 88.0;
/// A panel with the titles of its axes.
const PANEL: (f64, f64) = (452.0, 356.0);
/// Curves that stand alone have room.
const ALONE: (f64, f64) = (660.0, 440.0);
const TICKS: usize = 7;

/// What the figure shows, for readers who do not see it.
pub fn description(corpora: &[CorpusNumbers]) -> String {
    let beyond = |corpus: &CorpusNumbers| {
        let share = number::percent(corpus.lengths.beyond_root_share);
        format!("{}: {share} %", corpus.name)
    };
    let shares = corpora.iter().map(beyond).collect::<Vec<_>>().join("; ");
    format!(
        "Mean number of entities (up) of sentences of each length in tokens (across), with the square \
         root of the length. Sentences with more entities than that: {shares}."
    )
}

/// Draws all panels.
pub fn scene(corpora: &[CorpusNumbers]) -> Scene {
    let across = corpora.len().clamp(1, ACROSS);
    let (width, height) = if corpora.len() == 1 { ALONE } else { PANEL };
    let rows = corpora.len().div_ceil(across).max(1);
    let mut scene = Scene {
        width: 2.0 * MARGIN + across as f64 * width,
        height: HEADER + rows as f64 * height + MARGIN / 2.0,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, TITLE, "Lengths that at least 20 sentences have");
    key(&mut scene);
    for (index, corpus) in corpora.iter().enumerate() {
        let corner =
            at(MARGIN + (index % across) as f64 * width, HEADER + (index / across) as f64 * height);
        panel(&mut scene, corpus, corner, (width, height));
    }
    scene
}

fn points_colour() -> Colour {
    palette::method(Some(0))
}

fn curve_colour() -> Colour {
    palette::method(Some(1))
}

/// The key in one line.
fn key(scene: &mut Scene) {
    legend::in_a_line(
        scene,
        at(MARGIN, 72.0),
        (26.0, 7.0),
        [
            ("mean entities", &|scene, middle, _| scene.circle(middle, 3.4, points_colour())),
            ("1.6 variances", &|scene, _, ends| scene.dashed(ends, &DASHES, 1.2, points_colour())),
            ("√ length", &|scene, _, ends| scene.path(ends, 2.0, curve_colour())),
        ],
    );
}

static DASHES: [f64; 2] = [3.0, 2.5];

/// A frame with both axes from 0: entities and tokens come whole, so that no tick stands at half a
/// one.
fn frame(points: &[LengthPoint], area: Area) -> Frame {
    let longest = points.last().map_or(10.0, |point| point.length as f64);
    let highest = points.iter().map(|point| point.mean + BAR / 2.0 * point.variance);
    let highest = highest.fold(longest.sqrt(), f64::max);
    let scale = |high| AxisScale::between(0.0, high, AxisUnit::Whole);
    Frame { area, across: scale(longest * 1.04), up: scale(highest * 1.06) }
}

fn panel(scene: &mut Scene, corpus: &CorpusNumbers, corner: Spot, (width, height): (f64, f64)) {
    let area = Area {
        left: corner.x + 46.0,
        top: corner.y + 46.0,
        right: corner.x + width - 22.0,
        bottom: corner.y + height - 56.0,
    };
    let points: Vec<LengthPoint> =
        corpus.lengths.points.iter().copied().filter(is_drawable).collect();
    let frame = frame(&points, area);
    panel_headings(scene, corpus, &area);
    axes(scene, &frame);
    curve(scene, &frame);
    bars(scene, &frame, &points);
    for point in &points {
        scene.circle(frame.spot(point.length as f64, point.mean), 3.4, points_colour());
    }
    if points.is_empty() {
        frame::nothing(scene, &area, "No length has 20 sentences");
    }
}

fn is_drawable(point: &LengthPoint) -> bool {
    point.mean.is_finite() && point.variance.is_finite()
}

fn panel_headings(scene: &mut Scene, corpus: &CorpusNumbers, area: &Area) {
    let room = area.right - area.left;
    let name = font::fit_name(&corpus.name, 14.0, true, room);
    scene.text(Text::new(name, at(area.left, area.top - 24.0), 14.0, INK).bold());
    let share = number::percent(corpus.lengths.beyond_root_share);
    let sentences = number::grouped(corpus.whole.sentences);
    let beyond = format!("{share} % of {sentences} sentences have more entities than √ length");
    let beyond = font::fit(&beyond, 11.5, false, room);
    scene.text(Text::new(beyond, at(area.left, area.top - 8.0), 11.5, QUIET));
}

/// Grid lines, ticks and titles.
fn axes(scene: &mut Scene, frame: &Frame) {
    let ticks = |scale: &AxisScale| scale.ticks(TICKS).into_iter();
    let across = ticks(&frame.across).map(|(tick, words)| (frame.spot(tick, 0.0).x, words));
    frame::across_ticks(scene, &frame.area, across);
    let up = ticks(&frame.up).map(|(tick, words)| (frame.spot(0.0, tick).y, words));
    frame::up_ticks(scene, &frame.area, up);
    frame::across_title(scene, &frame.area, "Tokens of a sentence".to_owned(), 12.5, 38.0);
    frame::up_title(scene, &frame.area, "Entities".to_owned(), 12.5, 34.0);
}

fn curve(scene: &mut Scene, frame: &Frame) {
    const STEPS: usize = 96;
    // Close points where the root is steep.
    let share = |step: usize| (step as f64 / STEPS as f64).powi(2);
    let lengths = (0..=STEPS).map(|step| frame.across.high * share(step));
    let spots = lengths.map(|length| frame.spot(length, length.sqrt())).collect();
    scene.path(spots, 2.0, curve_colour());
}

/// Bars in a light shade of the points' colour, so that many of them do not hide the points.
fn bars(scene: &mut Scene, frame: &Frame, points: &[LengthPoint]) {
    let paint = Paint { colour: points_colour(), opacity: 0.55 };
    for LengthPoint { length, mean, variance, .. } in points {
        let reach = BAR / 2.0 * variance;
        let ends = [mean - reach, mean + reach].map(|end| frame.spot(*length as f64, end));
        scene.dashed(ends.to_vec(), &DASHES, 1.2, paint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_whole() {
        for (high, last, count) in
            [(45.0, "40", 5), (6.9, "6", 7), (2.4, "2", 3), (120.0, "120", 7), (0.0, "0", 1)]
        {
            let ticks = AxisScale::between(0.0, high, AxisUnit::Whole).ticks(TICKS);
            assert_eq!(ticks.last().map(|(_, words)| words.as_str()), Some(last));
            assert_eq!(ticks.len(), count, "{ticks:?}");
        }
    }

    #[test]
    fn means_lie_between_the_ends_of_their_bars_inside_the_frame() {
        let area = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let point = LengthPoint { length: 25, sentences: 20, mean: 2.0, variance: 3.0 };
        let frame = frame(&[point], area);
        let high = frame.spot(25.0, 2.0 + 0.8 * 3.0).y;
        let (mean, root) = (frame.spot(25.0, 2.0).y, frame.spot(25.0, 5.0).y);
        assert!(root < high && high < mean && mean < 100.0);
        assert_eq!(frame.spot(25.0, -1.0).y, 100.0);
    }
}
