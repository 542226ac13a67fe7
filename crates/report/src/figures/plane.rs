//! The precision-recall plane: a frame with recall across and precision up, and the contours of
//! equal F1 in it.

use super::axis;
use super::font;
use super::frame::Frame;
use super::labels::{self, Labels};
use super::palette::{CONTOUR, PAPER, QUIET};
use super::scene::{Area, Scene, Spot, Text, at};

/// At most so many contours.
const CONTOURS: usize = 8;
/// A shorter piece of a contour, in a corner or beyond a label, says nothing.
const STUB: f64 = 40.0;

/// Curves of equal F1 with their labels.
pub fn contours(scene: &mut Scene, places: &mut Labels, plane: &Frame) {
    let f1 =
        |recall: f64, precision: f64| 2.0 * recall * precision / (recall + precision).max(1e-12);
    let lowest = f1(plane.across.low, plane.up.low);
    let highest = f1(plane.across.high, plane.up.high);
    for level in axis::ticks(lowest, highest, CONTOURS) {
        let curve = contour(plane, level);
        let length: f64 = curve.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        if length < STUB {
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
    if let (Some(area), Some(end)) = (label, curve.last().copied()) {
        let middle = area.middle();
        if middle.distance(end) < STUB {
            curve.retain(|spot| spot.x <= middle.x);
        }
    }
    curve
}

/// The part of a contour inside the frame, from its upper left to its lower right end. With k the
/// ratio of precision to recall, precision = F1 (1 + k) / 2 and recall = precision / k.
fn contour(plane: &Frame, f1: f64) -> Vec<Spot> {
    const STEPS: usize = 64;
    let other = |x: f64| if 2.0 * x > f1 { f1 * x / (2.0 * x - f1) } else { f64::INFINITY };
    let first_recall = plane.across.low.max(other(plane.up.high));
    let last_recall = plane.across.high.min(other(plane.up.low));
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
    use super::super::scale::{AxisScale, AxisUnit};
    use super::*;

    #[test]
    fn contours_join_points_of_equal_f1_inside_the_frame() {
        let axis = |low, high| AxisScale::between(low, high, AxisUnit::Percent);
        let area = Area { left: 66.0, top: 74.0, right: 646.0, bottom: 534.0 };
        let plane = Frame { area, across: axis(0.2, 0.6), up: axis(0.3, 0.8) };
        let back = |spot: Spot| {
            let across = (spot.x - area.left) / (area.right - area.left);
            let up = (area.bottom - spot.y) / (area.bottom - area.top);
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
