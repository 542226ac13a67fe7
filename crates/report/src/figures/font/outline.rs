//! Texts as outlines: glyphs of the bundled font, those of this machine for what it lacks, and
//! boxes for what no font has.

use super::{advance, bundled, foreign_ems, installed, width};
use ab_glyph::{Font, FontArc, GlyphId, OutlineCurve, Point};
use tiny_skia::{Path, PathBuilder, Rect};

/// The outline of a text that begins at 0, 0 on its baseline; `None` of one that leaves no ink.
pub fn outline(text: &str, size: f64, bold: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    let mut x = 0.0;
    for c in text.chars() {
        push(&mut path, c, size, bold, x);
        x += advance(c, bold).at(size);
    }
    path.finish()
}

fn push(path: &mut PathBuilder, c: char, size: f64, bold: bool, x: f64) {
    if let Some((face, id)) = bundled(c, bold) {
        push_glyph(path, (face, id), [size; 2], [x, 0.0]);
    } else if c.is_whitespace() {
        // It has a width alone.
    } else if let Some(face) = installed::with(c, bold) {
        push_fitted(path, &face, c, size, [x, size * foreign_ems(c)]);
    } else {
        push_box(path, c, size, x);
    }
}

/// A glyph of another font in the middle of its room, narrowed where it is wider.
fn push_fitted(path: &mut PathBuilder, face: &FontArc, c: char, size: f64, [left, room]: [f64; 2]) {
    let id = face.glyph_id(c);
    let own = size * f64::from(face.h_advance_unscaled(id)) / units(face);
    let narrowed = if own > room { room / own } else { 1.0 };
    let indent = (room - own * narrowed) / 2.0;
    push_glyph(path, (face, id), [size * narrowed, size], [left + indent, 0.0]);
}

/// Of what has no outline, as a space, nothing. `ems` are the width and the height of one.
fn push_glyph(
    path: &mut PathBuilder,
    (face, id): (&FontArc, GlyphId),
    ems: [f64; 2],
    [left, baseline]: [f64; 2],
) {
    let Some(outline) = face.outline(id) else { return };
    let [across, up] = ems.map(|em| em / units(face));
    let spot = |point: Point| {
        let (x, y) = (left + across * f64::from(point.x), baseline - up * f64::from(point.y));
        (x as f32, y as f32)
    };
    let mut end = None;
    for curve in outline.curves {
        let (OutlineCurve::Line(from, to)
        | OutlineCurve::Quad(from, _, to)
        | OutlineCurve::Cubic(from, _, _, to)) = curve;
        if end.replace(to) != Some(from) {
            let (x, y) = spot(from);
            path.move_to(x, y);
        }
        let (x, y) = spot(to);
        match curve {
            OutlineCurve::Line(..) => path.line_to(x, y),
            OutlineCurve::Quad(_, bend, _) => {
                let (x1, y1) = spot(bend);
                path.quad_to(x1, y1, x, y);
            }
            OutlineCurve::Cubic(_, first, second, _) => {
                let ((x1, y1), (x2, y2)) = (spot(first), spot(second));
                path.cubic_to(x1, y1, x2, y2, x, y);
            }
        }
    }
}

fn units(face: &FontArc) -> f64 {
    f64::from(face.units_per_em().unwrap_or(1.0))
}

/// A frame around the code point in two lines, as wide as the character and an em high.
fn push_box(path: &mut PathBuilder, c: char, size: f64, left: f64) {
    let ems = foreign_ems(c);
    let [wide, high] = [size * ems, size].map(|side| side.round().max(3.0));
    let top = -(high * 0.86).round();
    let sides = [
        [1.0, 1.0, wide - 2.0, 1.0],
        [1.0, high - 2.0, wide - 2.0, 1.0],
        [1.0, 1.0, 1.0, high - 2.0],
        [wide - 2.0, 1.0, 1.0, high - 2.0],
    ];
    for [x, y, width, height] in sides {
        let [x, y, width, height] = [left + x, top + y, width, height].map(|length| length as f32);
        if let Some(side) = Rect::from_xywh(x, y, width, height) {
            path.push_rect(side);
        }
    }
    let digits = format!("{:04X}", c as u32);
    let half = digits.len().div_ceil(2);
    let small = size * ems * if half == 2 { 0.46 } else { 0.38 };
    for (digits, share) in [(&digits[..half], 0.48), (&digits[half..], 0.86)] {
        let mut x = left + (wide - width(digits, small, false)) / 2.0;
        for digit in digits.chars() {
            if let Some(glyph) = bundled(digit, false) {
                push_glyph(path, glyph, [small; 2], [x, top + (high * share).round()]);
            }
            x += width(digit.encode_utf8(&mut [0; 4]), small, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left, top, right and bottom of the ink.
    fn ink(path: Option<Path>) -> [f32; 4] {
        let bounds = path.and_then(|path| path.compute_tight_bounds()).expect("ink");
        [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()]
    }

    #[test]
    fn what_no_font_has_is_a_box_as_wide_as_it_was_measured() {
        // Private characters, which no font of a machine has.
        for text in ["\u{10FFFD}", "\u{F8F3}"] {
            assert_eq!(super::super::lacking(text).count(), 1);
            let path = outline(text, 23.0, false).expect("ink");
            assert!(path.len() > 4 * 5 + 20, "more than the frame: the digits are there");
            assert_eq!(ink(Some(path)), [1.0, -19.0, 22.0, 2.0]);
            assert_eq!(width(text, 23.0, false), 23.0);
        }
    }

    #[test]
    fn a_glyph_of_another_font_is_fitted_into_its_room() {
        let (face, _) = bundled('W', false).expect("bundled");
        for (room, left, right) in [(14.0, 0.0, 14.0), (60.0, 15.0, 45.0)] {
            let mut path = PathBuilder::new();
            push_fitted(&mut path, face, 'W', 24.0, [0.0, room]);
            let [first, _, last, _] = ink(path.finish());
            assert!(first >= left && last <= right, "{first} to {last}");
            assert!((first + last - room as f32).abs() <= 1.0, "in the middle: {first}, {last}");
        }
    }

    #[test]
    fn a_text_has_the_ink_of_its_letters_and_ends_where_it_was_measured() {
        let word = ink(outline("Ah", 20.0, false));
        let (first, last) = (ink(outline("A", 20.0, false)), ink(outline("h", 20.0, false)));
        let moved = width("A", 20.0, false) as f32;
        assert_eq!(word[0], first[0]);
        assert!((word[2] - (moved + last[2])).abs() < 1e-4, "{word:?}");
        assert!(word[2] < width("Ah", 20.0, false) as f32 && word[3].abs() < 0.1, "{word:?}");
        assert!(outline(" \u{3000}", 20.0, false).is_none());
    }
}
