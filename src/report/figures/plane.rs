//! The precision-recall plane: its frame, its axes, and the contours of equal F1.

use super::axis::{self, Axis};
use super::font;
use super::labels::{self, Labels};
use super::palette::{CONTOUR, GRID, INK, PAPER, QUIET};
use super::scene::{Anchor, Area, Scene, Spot, Text, at};

/// Where the plane lies in a drawing.
pub const FRAME: Area = Area { left: 66.0, top: 74.0, right: 646.0, bottom: 534.0 };
/// At most so many contours.
const CONTOURS: usize = 8;

/// The axes with the frame they span.
pub struct Plane {
    pub recall: Axis,
    pub precision: Axis,
}

impl Plane {
    /// Where a pair of scores lies; what is outside the range lies on its edge.
    pub fn spot(&self, recall: f64, precision: f64) -> Spot {
        let Spot { x, y } = self.open_spot(recall, precision);
        at(x.clamp(FRAME.left, FRAME.right), y.clamp(FRAME.top, FRAME.bottom))
    }

    /// The same where what is outside the range lies outside, for what is cut at the frame.
    pub fn open_spot(&self, recall: f64, precision: f64) -> Spot {
        at(
            FRAME.left + self.recall.share(recall) * (FRAME.right - FRAME.left),
            FRAME.bottom - self.precision.share(precision) * (FRAME.bottom - FRAME.top),
        )
    }
}

/// Grid lines, ticks and titles.
pub fn axes(scene: &mut Scene, plane: &Plane, averaging: &str) {
    for tick in plane.recall.ticks(8) {
        let x = plane.spot(tick, plane.precision.low).x;
        scene.path(vec![at(x, FRAME.top), at(x, FRAME.bottom)], 1.0, GRID);
        let text = Text::new(axis::label(tick), at(x, FRAME.bottom + 18.0), 11.5, QUIET);
        scene.text(text.anchored(Anchor::Middle));
    }
    for tick in plane.precision.ticks(8) {
        let y = plane.spot(plane.recall.low, tick).y;
        scene.path(vec![at(FRAME.left, y), at(FRAME.right, y)], 1.0, GRID);
        let text = Text::new(axis::label(tick), at(FRAME.left - 9.0, y + 4.0), 11.5, QUIET);
        scene.text(text.anchored(Anchor::End));
    }
    let corners = vec![
        at(FRAME.left, FRAME.top),
        at(FRAME.left, FRAME.bottom),
        at(FRAME.right, FRAME.bottom),
    ];
    scene.path(corners, 1.2, QUIET);
    let across = at((FRAME.left + FRAME.right) / 2.0, FRAME.bottom + 42.0);
    let recall = Text::new(format!("Recall, {averaging} (%)"), across, 13.0, INK);
    scene.text(recall.anchored(Anchor::Middle));
    let up = at(FRAME.left - 44.0, (FRAME.top + FRAME.bottom) / 2.0);
    let precision = Text::new(format!("Precision, {averaging} (%)"), up, 13.0, INK);
    scene.text(Text { upright: true, ..precision.anchored(Anchor::Middle) });
}

/// Curves of equal F1 with their labels.
pub fn contours(scene: &mut Scene, places: &mut Labels, plane: &Plane) {
    let f1 =
        |recall: f64, precision: f64| 2.0 * recall * precision / (recall + precision).max(1e-12);
    let lowest = f1(plane.recall.low, plane.precision.low);
    let highest = f1(plane.recall.high, plane.precision.high);
    for level in (Axis { low: lowest, high: highest }).ticks(CONTOURS) {
        let curve = contour(plane, level);
        if curve.len() < 2 {
            continue;
        }
        let text = format!("F1 = {}", axis::label(level));
        let width = font::width(&text, 10.5, false);
        let areas = curve.iter().rev().map(|spot| {
            labels::area_of(&text, at(spot.x - width / 2.0, spot.y + 3.5), 10.5, false)
        });
        let area = places.take(areas, 0);
        scene.path(cut(curve, area.as_ref()), 1.1, CONTOUR);
        if let Some(area) = area {
            scene.rectangle(area, PAPER);
            scene.text(Text::new(text, labels::start_of(&area, 10.5), 10.5, QUIET));
        }
    }
}

/// The curve without the stub that a label close to its end would leave.
fn cut(mut curve: Vec<Spot>, label: Option<&Area>) -> Vec<Spot> {
    const STUB: f64 = 40.0;
    if let (Some(area), Some(end)) = (label, curve.last().copied()) {
        let middle = at((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
        if middle.distance(end) < STUB {
            curve.retain(|spot| spot.x <= middle.x);
        }
    }
    curve
}

/// The part of a contour inside the frame, from its upper left to its lower right end. With k the
/// ratio of precision to recall, precision = F1 (1 + k) / 2 and recall = precision / k.
fn contour(plane: &Plane, f1: f64) -> Vec<Spot> {
    const STEPS: usize = 64;
    let other = |x: f64| if 2.0 * x > f1 { f1 * x / (2.0 * x - f1) } else { f64::INFINITY };
    let first_recall = plane.recall.low.max(other(plane.precision.high));
    let last_recall = plane.recall.high.min(other(plane.precision.low));
    if f1 <= 0.0 || first_recall >= last_recall || 2.0 * first_recall <= f1 {
        return Vec::new();
    }
    let ratio = |recall: f64| (other(recall) / recall).ln();
    let (first, last) = (ratio(first_recall), ratio(last_recall));
    (0..=STEPS)
        .map(|step| {
            let k = (first + (last - first) * step as f64 / STEPS as f64).exp();
            let precision = f1 * (1.0 + k) / 2.0;
            plane.spot(precision / k, precision)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contours_join_points_of_equal_f1_inside_the_frame() {
        let axis = |low, high| Axis { low, high };
        let plane = Plane { recall: axis(0.2, 0.6), precision: axis(0.3, 0.8) };
        let back = |spot: Spot| {
            let across = (spot.x - FRAME.left) / (FRAME.right - FRAME.left);
            let up = (FRAME.bottom - spot.y) / (FRAME.bottom - FRAME.top);
            (0.2 + 0.4 * across, 0.3 + 0.5 * up)
        };
        let curve = contour(&plane, 0.45);
        assert!(curve.len() > 2);
        for spot in curve {
            let (recall, precision) = back(spot);
            let f1 = 2.0 * recall * precision / (recall + precision);
            assert!((f1 - 0.45).abs() < 1e-9, "{recall} {precision}");
        }
        assert!(contour(&plane, 0.95).is_empty() && contour(&plane, 0.0).is_empty());
    }
}
