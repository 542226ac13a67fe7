//! A frame with its axes: grid lines at round numbers, the numbers beside them, and what the axes
//! are called.

use super::font;
use super::palette::{GRID, INK, PAPER, QUIET};
use super::scale::AxisScale;
use super::scene::{Anchor, Area, Scene, Spot, Text, at};

/// Left of a frame: its axis and the title of it. Above it: its heading.
pub const LEFT: f64 = 56.0;
pub const TOP: f64 = 30.0;
/// Size of numbers on axes.
const SMALL: f64 = 11.5;
/// Between two numbers below a frame.
const GAP: f64 = 5.0;

/// A frame with its axes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Frame {
    pub area: Area,
    pub across: AxisScale,
    pub up: AxisScale,
}

impl Frame {
    /// Where a pair of values lies; what is outside the range lies on its edge.
    pub fn spot(&self, x: f64, y: f64) -> Spot {
        self.place(self.across.share(x), self.up.share(y))
    }

    /// The same where what is outside the range lies outside, for what is cut at the frame.
    pub fn open_spot(&self, x: f64, y: f64) -> Spot {
        self.place(self.across.open_share(x), self.up.open_share(y))
    }

    fn place(&self, across: f64, up: f64) -> Spot {
        let Area { left, top, right, bottom } = self.area;
        at(left + across * (right - left), bottom - up * (bottom - top))
    }

    /// Grid lines, numbers and titles, with a heading above.
    pub fn axes(&self, scene: &mut Scene, heading: &str, (across, up): (&str, &str)) {
        let Area { left, top, right, bottom } = self.area;
        let heading = font::fit_name(heading, 13.0, true, right - left);
        scene.text(Text::new(heading, at(left, top - 10.0), 13.0, INK).bold());
        across_scale(scene, &self.area, &self.across);
        let most = ((bottom - top) / 42.0) as usize;
        let up_tick = |(tick, words): (f64, String)| {
            let words = font::fit(&words, SMALL, false, LEFT - 27.0);
            (self.spot(self.across.low, tick).y, words)
        };
        up_ticks(scene, &self.area, self.up.ticks(most.max(3)).into_iter().map(up_tick));
        if let Some(share) = self.across.cut() {
            axis_cut(scene, at(left + share * (right - left), bottom));
        }
        let across = font::fit(across, 12.0, false, right - left + LEFT);
        across_title(scene, &self.area, across, 12.0, 37.0);
        let up = font::fit(up, 12.0, false, bottom - top + TOP + 20.0);
        up_title(scene, &self.area, up, 12.0, 42.0);
    }
}

/// Grid lines and numbers of the axis below a frame.
pub fn across_scale(scene: &mut Scene, area: &Area, scale: &AxisScale) {
    let Area { left, right, .. } = *area;
    let most = ((right - left) / 48.0) as usize;
    let ticks = scale.ticks(most.max(3)).into_iter();
    let x = |tick: f64| left + scale.share(tick) * (right - left);
    across_ticks(scene, area, ticks.map(|(tick, words)| (x(tick), words)));
}

/// Grid lines from the axis below a frame, with what is written there. What would touch the words
/// before it is left out; its line stays.
pub fn across_ticks(scene: &mut Scene, area: &Area, ticks: impl Iterator<Item = (f64, String)>) {
    let mut last_end = f64::NEG_INFINITY;
    for (x, words) in ticks {
        scene.path(vec![at(x, area.top), at(x, area.bottom)], 1.0, GRID);
        let half = font::width(&words, SMALL, false) / 2.0;
        if x - half > last_end + GAP {
            last_end = x + half;
            let text = Text::new(words, at(x, area.bottom + 17.0), SMALL, QUIET);
            scene.text(text.anchored(Anchor::Middle));
        }
    }
}

/// Grid lines from the axis left of a frame, with their numbers, and the lines of both axes over
/// them.
pub fn up_ticks(scene: &mut Scene, area: &Area, ticks: impl Iterator<Item = (f64, String)>) {
    let Area { left, top, right, bottom } = *area;
    for (y, words) in ticks {
        scene.path(vec![at(left, y), at(right, y)], 1.0, GRID);
        let text = Text::new(words, at(left - 8.0, y + 4.0), SMALL, QUIET);
        scene.text(text.anchored(Anchor::End));
    }
    scene.path(vec![at(left, top), at(left, bottom), at(right, bottom)], 1.2, QUIET);
}

/// Two strokes through an axis below a frame: what lies on both sides has no common measure.
fn axis_cut(scene: &mut Scene, spot: Spot) {
    let [left, right] =
        [-2.0, 2.0].map(|dx| [-5.0, 5.0].map(|dy| at(spot.x + dx - 0.4 * dy, spot.y + dy)));
    scene.polygon(vec![left[0], left[1], right[1], right[0]], PAPER);
    [left, right].into_iter().for_each(|stroke| scene.path(stroke.to_vec(), 1.2, QUIET));
}

/// What the axis below a frame is called, so far below it.
pub fn across_title(scene: &mut Scene, area: &Area, title: String, size: f64, below: f64) {
    let middle = at(area.middle().x, area.bottom + below);
    scene.text(Text::new(title, middle, size, INK).anchored(Anchor::Middle));
}

/// What the axis left of a frame is called, so far away from it.
pub fn up_title(scene: &mut Scene, area: &Area, title: String, size: f64, away: f64) {
    let up = Text::new(title, at(area.left - away, area.middle().y), size, INK);
    scene.text(Text { upright: true, ..up.anchored(Anchor::Middle) });
}

/// Words in the middle of an empty frame.
pub fn nothing(scene: &mut Scene, area: &Area, words: &str) {
    let words = font::fit(words, 13.0, false, area.right - area.left - 20.0);
    scene.text(Text::new(words, area.middle(), 13.0, QUIET).anchored(Anchor::Middle));
}
