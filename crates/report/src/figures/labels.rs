//! Places for labels: inside the frame, on no other label or marker, across as few lines as can be.

use super::font;
use super::scene::{Area, Spot, at};

/// How far from what it names a label may stand.
const DISTANCES: [f64; 3] = [8.0, 13.0, 19.0];
/// Directions tried around a spot.
const DIRECTIONS: usize = 16;

/// What is taken so far.
#[derive(Clone, Debug)]
pub struct Labels {
    frame: Area,
    taken: Vec<Area>,
    lines: Vec<(Spot, Spot)>,
}

impl Labels {
    /// An empty frame.
    pub fn new(frame: Area) -> Self {
        Self { frame, taken: Vec::new(), lines: Vec::new() }
    }

    /// Keeps an area free of labels.
    pub fn keep_free(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Asks labels to stay off a line where they can.
    pub fn avoid(&mut self, from: Spot, to: Spot) {
        self.lines.push((from, to));
    }

    /// Takes the first free area among those that the fewest lines cross; `None` where none is
    /// free.
    pub fn take(
        &mut self,
        areas: impl Iterator<Item = Area>,
        most_crossings: usize,
    ) -> Option<Area> {
        let free = areas
            .filter(|area| self.frame.holds(area))
            .filter(|area| !self.taken.iter().any(|other| other.meets(area)));
        let crossings = |area: &Area| {
            self.lines.iter().filter(|(from, to)| area.is_crossed_by(*from, *to)).count()
        };
        let best = free
            .map(|area| (crossings(&area), area))
            .filter(|(count, _)| *count <= most_crossings)
            .min_by_key(|(count, _)| *count);
        let (_, area) = best?;
        self.taken.push(area);
        Some(area)
    }
}

/// The area of a text that starts on a baseline.
pub fn area_of(text: &str, start: Spot, size: f64, bold: bool) -> Area {
    let width = font::width(text, size, bold);
    let (rise, fall) = (0.80 * size, 0.26 * size);
    Area { left: start.x, top: start.y - rise, right: start.x + width, bottom: start.y + fall }
}

/// Where the text of an area starts: the inverse of [`area_of`].
pub fn start_of(area: &Area, size: f64) -> Spot {
    at(area.left, area.bottom - 0.26 * size)
}

/// Areas around a spot, the ones nearest to a direction (radians, clockwise from the right) first.
pub fn around(
    text: &str,
    spot: Spot,
    size: f64,
    bold: bool,
    direction: f64,
) -> impl Iterator<Item = Area> {
    let text_area = area_of(text, at(0.0, 0.0), size, bold);
    let (width, height) = (text_area.right - text_area.left, text_area.bottom - text_area.top);
    let turns = (0..DIRECTIONS).map(|k| {
        let turn = k.div_ceil(2) as f64 * std::f64::consts::TAU / DIRECTIONS as f64;
        if k % 2 == 0 { turn } else { -turn }
    });
    let turns: Vec<f64> = turns.collect();
    DISTANCES.into_iter().flat_map(move |distance| {
        turns.clone().into_iter().map(move |turn| {
            let (dy, dx) = (direction + turn).sin_cos();
            let centre =
                at(spot.x + dx * (distance + width / 2.0), spot.y + dy * (distance + height / 2.0));
            Area {
                left: centre.x - width / 2.0,
                right: centre.x + width / 2.0,
                top: centre.y - height / 2.0,
                bottom: centre.y + height / 2.0,
            }
        })
    })
}

/// Areas to the right and to the left of a spot, at its height and then above and below it: for
/// long texts, which do not fit around a spot in a corner.
pub fn beside(text: &str, spot: Spot, size: f64, bold: bool) -> impl Iterator<Item = Area> {
    const STEPS: i32 = 8;
    let text_area = area_of(text, at(0.0, 0.0), size, bold);
    let (width, height) = (text_area.right - text_area.left, text_area.bottom - text_area.top);
    let heights = (0..=STEPS).flat_map(|k| [-3.0 * f64::from(k), 3.0 * f64::from(k)]);
    heights.flat_map(move |dy| {
        [DISTANCES[1], -DISTANCES[1] - width].map(|dx| {
            let (left, top) = (spot.x + dx, spot.y + dy - height / 2.0);
            Area { left, right: left + width, top, bottom: top + height }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_collide_nor_leave_the_frame() {
        let frame = Area { left: 0.0, top: 0.0, right: 200.0, bottom: 120.0 };
        let mut labels = Labels::new(frame);
        let spots = (0..40).map(|k| at((k * 53 % 200) as f64, (k * 31 % 120) as f64));
        let placed: Vec<Area> = spots
            .filter_map(|spot| labels.take(around("method", spot, 11.0, false, 0.4), 9))
            .collect();
        assert!(placed.len() > 5);
        for (k, area) in placed.iter().enumerate() {
            assert!(frame.holds(area));
            assert!(!placed[..k].iter().any(|other| other.meets(area)));
        }
    }

    #[test]
    fn a_long_text_finds_a_place_beside_a_corner() {
        let frame = Area { left: 0.0, top: 0.0, right: 300.0, bottom: 120.0 };
        let (text, corner) = ("a text as long as half of the frame", at(0.0, 120.0));
        let mut labels = Labels::new(frame);
        labels.keep_free(Area::around(corner, 8.0));
        let area = labels.take(beside(text, corner, 11.0, true), 0).expect("there is room");
        assert!(area.left > 8.0 && area.left < 20.0 && area.bottom > 110.0, "{area:?}");
        let right = at(300.0, 120.0);
        assert!(labels.take(beside(text, right, 11.0, true), 0).is_some_and(|a| a.right < 300.0));
    }

    #[test]
    fn a_text_starts_where_its_area_says() {
        let start = at(30.0, 40.0);
        let back = start_of(&area_of("abc", start, 11.0, false), 11.0);
        assert!(start.distance(back) < 1e-9);
    }
}
