//! Shapes cut at the sides of a frame: what lies outside is not drawn, and what is drawn lies where
//! it would lie on an endless sheet. Moving corners onto the frame instead would bend the sides
//! between them.

use super::scene::{Area, Spot};

/// The part of a filled area inside a frame (Sutherland and Hodgman's clipping, one side after the
/// other).
pub fn polygon(spots: Vec<Spot>, frame: &Area) -> Vec<Spot> {
    sides(frame).iter().fold(spots, |spots, side| inside_of(&spots, side))
}

/// The parts of a line inside a frame.
pub fn path(spots: &[Spot], frame: &Area) -> Vec<Vec<Spot>> {
    let mut parts: Vec<Vec<Spot>> = Vec::new();
    for ends in spots.windows(2) {
        let Some((from, to)) = segment((ends[0], ends[1]), frame) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// How far a spot lies inside of a side; outside it is negative.
type Side = Box<dyn Fn(Spot) -> f64>;

fn sides(frame: &Area) -> [Side; 4] {
    let Area { left, top, right, bottom } = *frame;
    [
        Box::new(move |spot| spot.x - left),
        Box::new(move |spot| right - spot.x),
        Box::new(move |spot| spot.y - top),
        Box::new(move |spot| bottom - spot.y),
    ]
}

fn inside_of(spots: &[Spot], side: &Side) -> Vec<Spot> {
    let mut kept = Vec::new();
    for (k, spot) in spots.iter().enumerate() {
        let before = spots[(k + spots.len() - 1) % spots.len()];
        let (from, to) = (side(before), side(*spot));
        if (from < 0.0) != (to < 0.0) {
            kept.push(before.towards(*spot, from / (from - to)));
        }
        if to >= 0.0 {
            kept.push(*spot);
        }
    }
    kept
}

/// The part of a straight line inside a frame; an end that is inside stays as it is.
fn segment((mut from, mut to): (Spot, Spot), frame: &Area) -> Option<(Spot, Spot)> {
    for side in sides(frame) {
        let (start, end) = (side(from), side(to));
        if start < 0.0 && end < 0.0 {
            return None;
        }
        if (start < 0.0) != (end < 0.0) {
            let crossing = from.towards(to, start / (start - end));
            if start < 0.0 { from = crossing } else { to = crossing }
        }
    }
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::super::scene::at;
    use super::*;
    use proptest::prelude::*;

    const FRAME: Area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    fn size(spots: &[Spot]) -> f64 {
        let next = |k: usize| spots[(k + 1) % spots.len()];
        let turned = |k: usize| spots[k].x * next(k).y - next(k).x * spots[k].y;
        (0..spots.len()).map(turned).sum::<f64>().abs() / 2.0
    }

    #[test]
    fn an_area_is_cut_at_the_sides_and_not_bent() {
        let roof = vec![at(2.0, 8.0), at(5.0, -10.0), at(8.0, 8.0)];
        let cut = polygon(roof, &FRAME);
        // Similar triangles: the tip above the frame is 10 of 18 high.
        assert!((size(&cut) - 54.0 * (1.0 - (10.0f64 / 18.0).powi(2))).abs() < 1e-9, "{cut:?}");
        assert!(polygon(vec![at(11.0, 1.0), at(12.0, 5.0), at(13.0, 1.0)], &FRAME).is_empty());
        assert!(polygon(vec![], &FRAME).is_empty());
    }

    #[test]
    fn a_line_that_leaves_and_returns_is_two() {
        let line = [at(1.0, 5.0), at(3.0, -5.0), at(5.0, 5.0), at(6.0, 5.0)];
        let parts = path(&line, &FRAME);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [at(1.0, 5.0), at(2.0, 0.0)]);
        assert_eq!(parts[1], [at(4.0, 0.0), at(5.0, 5.0), at(6.0, 5.0)]);
    }

    proptest! {
        /// What is cut lies in the frame; what lies in it already is left alone.
        #[test]
        fn nothing_is_left_outside(corners in prop::collection::vec((-20.0..30.0f64, -20.0..30.0f64), 3..9)) {
            let spots: Vec<Spot> = corners.iter().map(|(x, y)| at(*x, *y)).collect();
            let near = Area { left: -1e-9, top: -1e-9, right: 10.0 + 1e-9, bottom: 10.0 + 1e-9 };
            let holds = |spot: &Spot| near.holds(&Area::around(*spot, 0.0));
            prop_assert!(polygon(spots.clone(), &FRAME).iter().all(holds));
            prop_assert!(path(&spots, &FRAME).concat().iter().all(holds));
            let small: Vec<Spot> = spots.iter().map(|s| at((s.x + 20.0) / 5.0, (s.y + 20.0) / 5.0)).collect();
            prop_assert_eq!(&polygon(small.clone(), &FRAME), &small);
            prop_assert_eq!(path(&small, &FRAME), vec![small]);
        }
    }
}
