//! Entities against the length of their sentence (Figure 2 of li2022): the mean number of entities
//! of sentences of each length, with the square root of the length above it, a panel a corpus.
//!
//! Negative sampling rests on entities being sparse: no more of them in a sentence than the square
//! root of its length. The figure shows where a corpus keeps to that.

use super::font;
use super::palette::{self, Colour, GRID, INK, QUIET};
use super::scale::{round_numbers, written};
use super::scene::{Anchor, Area, Paint, Scene, Spot, Text, at};
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
const TICKS: f64 = 7.0;

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
    headings(&mut scene);
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

fn headings(scene: &mut Scene) {
    let room = scene.width - 2.0 * MARGIN;
    let title = font::fit(TITLE, 17.0, true, room);
    scene.text(Text::new(title, at(MARGIN, 32.0), 17.0, INK).bold());
    let subtitle = "Lengths that at least 20 sentences have";
    scene.text(Text::new(font::fit(subtitle, 12.0, false, room), at(MARGIN, 53.0), 12.0, QUIET));
    key(scene, at(MARGIN, 72.0));
}

/// The key in one line, its middle at the height of a spot.
fn key(scene: &mut Scene, from: Spot) {
    const SAMPLE: f64 = 26.0;
    let mut x = from.x;
    for (index, words) in ["mean entities", "1.6 variances", "√ length"].into_iter().enumerate() {
        let (left, right) = (at(x, from.y), at(x + SAMPLE, from.y));
        let centre = at(x + SAMPLE / 2.0, from.y);
        match index {
            0 => scene.circle(centre, 3.4, points_colour()),
            1 => scene.dashed(vec![left, right], &DASHES, 1.2, points_colour()),
            _ => scene.path(vec![left, right], 2.0, curve_colour()),
        }
        let text = Text::new(words, at(right.x + 7.0, from.y + 4.0), 12.0, INK);
        x = text.spot.x + font::width(words, 12.0, false) + 22.0;
        scene.text(text);
    }
}

static DASHES: [f64; 2] = [3.0, 2.5];

/// The ranges of a panel's axes, both from 0, in the frame they span.
struct Plane {
    frame: Area,
    length: f64,
    entities: f64,
}

impl Plane {
    fn new(points: &[LengthPoint], frame: Area) -> Self {
        let longest = points.last().map_or(10.0, |point| point.length as f64);
        let highest = points.iter().map(|point| point.mean + BAR / 2.0 * point.variance);
        let highest = highest.fold(longest.sqrt(), f64::max);
        Self { frame, length: longest * 1.04, entities: highest * 1.06 }
    }

    /// Where so many entities at a length lie; what is outside lies on the edge.
    fn spot(&self, length: f64, entities: f64) -> Spot {
        let Area { left, top, right, bottom } = self.frame;
        let x = (length / self.length).clamp(0.0, 1.0);
        let y = (entities / self.entities).clamp(0.0, 1.0);
        at(left + x * (right - left), bottom - y * (bottom - top))
    }
}

fn panel(scene: &mut Scene, corpus: &CorpusNumbers, corner: Spot, (width, height): (f64, f64)) {
    let frame = Area {
        left: corner.x + 46.0,
        top: corner.y + 46.0,
        right: corner.x + width - 22.0,
        bottom: corner.y + height - 56.0,
    };
    let points: Vec<LengthPoint> =
        corpus.lengths.points.iter().copied().filter(is_drawable).collect();
    let plane = Plane::new(&points, frame);
    panel_headings(scene, corpus, &frame);
    axes(scene, &plane);
    curve(scene, &plane);
    bars(scene, &plane, &points);
    for point in &points {
        scene.circle(plane.spot(point.length as f64, point.mean), 3.4, points_colour());
    }
    if points.is_empty() {
        let middle = at((frame.left + frame.right) / 2.0, (frame.top + frame.bottom) / 2.0);
        let text = Text::new("No length has 20 sentences", middle, 13.0, QUIET);
        scene.text(text.anchored(Anchor::Middle));
    }
}

fn is_drawable(point: &LengthPoint) -> bool {
    point.mean.is_finite() && point.variance.is_finite()
}

fn panel_headings(scene: &mut Scene, corpus: &CorpusNumbers, frame: &Area) {
    let room = frame.right - frame.left;
    let name = font::fit_name(&corpus.name, 14.0, true, room);
    scene.text(Text::new(name, at(frame.left, frame.top - 24.0), 14.0, INK).bold());
    let share = number::percent(corpus.lengths.beyond_root_share);
    let sentences = number::grouped(corpus.whole.sentences);
    let beyond = format!("{share} % of {sentences} sentences have more entities than √ length");
    let beyond = font::fit(&beyond, 11.5, false, room);
    scene.text(Text::new(beyond, at(frame.left, frame.top - 8.0), 11.5, QUIET));
}

/// Grid lines, ticks and titles.
fn axes(scene: &mut Scene, plane: &Plane) {
    let frame = plane.frame;
    for tick in ticks(plane.length) {
        let x = plane.spot(tick, 0.0).x;
        scene.path(vec![at(x, frame.top), at(x, frame.bottom)], 1.0, GRID);
        let text = Text::new(written(tick), at(x, frame.bottom + 17.0), 11.5, QUIET);
        scene.text(text.anchored(Anchor::Middle));
    }
    for tick in ticks(plane.entities) {
        let y = plane.spot(0.0, tick).y;
        scene.path(vec![at(frame.left, y), at(frame.right, y)], 1.0, GRID);
        let text = Text::new(written(tick), at(frame.left - 8.0, y + 4.0), 11.5, QUIET);
        scene.text(text.anchored(Anchor::End));
    }
    let Area { left, top, right, bottom } = frame;
    scene.path(vec![at(left, top), at(left, bottom), at(right, bottom)], 1.2, QUIET);
    let across = at((left + right) / 2.0, bottom + 38.0);
    scene.text(Text::new("Tokens of a sentence", across, 12.5, INK).anchored(Anchor::Middle));
    let up = Text::new("Entities", at(left - 34.0, (top + bottom) / 2.0), 12.5, INK);
    scene.text(Text { upright: true, ..up.anchored(Anchor::Middle) });
}

/// Round numbers from 0 to a largest value: 1, 2 or 5 times a power of ten apart.
fn ticks(largest: f64) -> Vec<f64> {
    // Entities and tokens come whole: no tick stands at half a one.
    round_numbers(0.0, largest, TICKS, true)
}

fn curve(scene: &mut Scene, plane: &Plane) {
    const STEPS: usize = 96;
    // Close points where the root is steep.
    let share = |step: usize| (step as f64 / STEPS as f64).powi(2);
    let lengths = (0..=STEPS).map(|step| plane.length * share(step));
    let spots = lengths.map(|length| plane.spot(length, length.sqrt())).collect();
    scene.path(spots, 2.0, curve_colour());
}

/// Bars in a light shade of the points' colour, so that many of them do not hide the points.
fn bars(scene: &mut Scene, plane: &Plane, points: &[LengthPoint]) {
    let paint = Paint { colour: points_colour(), opacity: 0.55 };
    for LengthPoint { length, mean, variance, .. } in points {
        let reach = BAR / 2.0 * variance;
        let ends = [mean - reach, mean + reach].map(|end| plane.spot(*length as f64, end));
        scene.dashed(ends.to_vec(), &DASHES, 1.2, paint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_whole() {
        assert_eq!(ticks(45.0), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(ticks(6.9), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ticks(2.4), [0.0, 1.0, 2.0]);
        assert_eq!(ticks(120.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 120.0]);
        assert_eq!(ticks(0.0), [0.0]);
    }

    #[test]
    fn means_lie_between_the_ends_of_their_bars_inside_the_frame() {
        let frame = Area { left: 0.0, top: 0.0, right: 100.0, bottom: 100.0 };
        let point = LengthPoint { length: 25, sentences: 20, mean: 2.0, variance: 3.0 };
        let plane = Plane::new(&[point], frame);
        let high = plane.spot(25.0, 2.0 + 0.8 * 3.0).y;
        let (mean, root) = (plane.spot(25.0, 2.0).y, plane.spot(25.0, 5.0).y);
        assert!(root < high && high < mean && mean < 100.0);
        assert_eq!(plane.spot(25.0, -1.0).y, 100.0);
    }
}
