//! The bundled font, and those of this machine for what it lacks: measured for layout, drawn into pictures,
//! and asked which characters they have.

mod installed;

use ab_glyph::{Font, FontArc, Glyph, GlyphId, PxScale, ScaleFont, point};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The family as SVG text names it: the bundled font where it is installed, else its like.
pub const FAMILY: &str = "Inter, Helvetica Neue, Helvetica, Arial, sans-serif";

static REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
static SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");

struct Faces {
    regular: FontArc,
    bold: FontArc,
}

/// The two faces; `None` if the bundled files cannot be read.
fn faces() -> Option<&'static Faces> {
    static FACES: OnceLock<Option<Faces>> = OnceLock::new();
    let load = || {
        let regular = FontArc::try_from_slice(REGULAR).ok()?;
        Some(Faces { regular, bold: FontArc::try_from_slice(SEMI_BOLD).ok()? })
    };
    FACES.get_or_init(load).as_ref()
}

/// The face that draws a character, with its glyph there: the bundled one, else one of this machine.
fn glyph(c: char, bold: bool) -> Option<(Cow<'static, FontArc>, GlyphId)> {
    let faces = faces()?;
    let bundled = if bold { &faces.bold } else { &faces.regular };
    let face = match bundled.glyph_id(c).0 {
        0 => Cow::Owned(installed::with(c)?),
        _ => Cow::Borrowed(bundled),
    };
    let id = face.glyph_id(c);
    Some((face, id))
}

/// The scale at which an em of the face is `size` units: the library scales by line height.
fn scale(face: &FontArc, size: f64) -> PxScale {
    let line = face.height_unscaled() / face.units_per_em().unwrap_or(1.0);
    PxScale::from(size as f32 * line)
}

/// Whether text can be drawn.
pub fn is_ready() -> bool {
    faces().is_some()
}

/// The width of a text at `size` units an em. A character that nothing here can draw is an em wide: whoever
/// shows the SVG may have a font for it.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let advance = |c| match glyph(c, bold) {
        Some((face, id)) => f64::from(face.as_scaled(scale(&face, size)).h_advance(id)),
        None => size,
    };
    text.chars().map(advance).sum()
}

/// Steps of a pixel at which a glyph can begin.
const STEPS: f32 = 4.0;
/// Drawn glyphs that a thread keeps.
const MOST_KEPT: usize = 4096;

/// A drawn glyph: its corner from where it begins on the baseline, its width in pixels, and how far it covers
/// them.
struct Drawn {
    corner: [i32; 2],
    width: usize,
    coverage: Vec<f32>,
}

/// Character, bits of its size, bold, and the step of a pixel at which it begins.
type GlyphKey = (char, u64, bool, u8);

thread_local! {
    /// Reports write the same letters thousands of times.
    static KEPT: RefCell<HashMap<GlyphKey, Option<Drawn>>> = RefCell::default();
}

/// Gives every pixel of a text with its coverage; the text begins at 0, 0 on its baseline.
pub fn raster(text: &str, size: f64, bold: bool, mut put: impl FnMut(i32, i32, f32)) {
    let mut x = 0.0f32;
    KEPT.with_borrow_mut(|kept| {
        for c in text.chars() {
            let Some((face, id)) = glyph(c, bold) else { continue };
            let scale = scale(&face, size);
            let steps = (x * STEPS).round();
            let (whole, step) = ((steps / STEPS).floor(), steps.rem_euclid(STEPS));
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            let drawn = kept.entry((c, size.to_bits(), bold, step as u8)).or_insert_with(|| {
                draw(&face, id.with_scale_and_position(scale, point(step / STEPS, 0.0)))
            });
            if let Some(Drawn { corner: [left, top], width, coverage }) = drawn {
                for (row, line) in coverage.chunks((*width).max(1)).enumerate() {
                    for (column, coverage) in line.iter().enumerate() {
                        put(whole as i32 + *left + column as i32, *top + row as i32, *coverage);
                    }
                }
            }
            x += face.as_scaled(scale).h_advance(id);
        }
    });
}

/// `None` of what has no outline, as a space.
fn draw(face: &FontArc, glyph: Glyph) -> Option<Drawn> {
    let outline = face.outline_glyph(glyph)?;
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as usize, bounds.height() as usize);
    let mut coverage = vec![0.0; width * height];
    outline.draw(|x, y, c| {
        if let Some(place) = coverage.get_mut(y as usize * width + x as usize) {
            *place = c;
        }
    });
    Some(Drawn { corner: [bounds.min.x as i32, bounds.min.y as i32], width, coverage })
}

/// The text in the characters that can be drawn, any other as its code point.
pub fn drawable(text: &str) -> Cow<'_, str> {
    if text.chars().all(has) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if has(c) { c.to_string() } else { format!("\\u{{{:X}}}", c as u32) };
    Cow::Owned(text.chars().map(escape).collect())
}

fn has(c: char) -> bool {
    glyph(c, false).is_some()
}

/// A space for what would steer the reader of an SVG: control characters, marks of direction.
fn harmless(c: char) -> char {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// The text cut to a width, an ellipsis at the cut, without what would steer a reader.
pub fn fit(text: &str, size: f64, bold: bool, room: f64) -> String {
    let mut kept: String = text.chars().map(harmless).collect();
    if drawn_width(&kept, size, bold) <= room {
        return kept;
    }
    while !kept.is_empty() && drawn_width(&kept, size, bold) + width("…", size, bold) > room {
        kept.pop();
    }
    kept + "…"
}

/// The wider of the text and its escaped form, so that both fit.
pub fn drawn_width(text: &str, size: f64, bold: bool) -> f64 {
    width(text, size, bold).max(width(&drawable(text), size, bold))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_what_reports_write() {
        assert_eq!(drawable("±−×→↑↓αβγλΔ≥≤†…é ş Ж"), "±−×→↑↓αβγλΔ≥≤†…é ş Ж");
    }

    #[test]
    fn what_it_has_not_is_escaped() {
        // A private character, which no font of a machine has.
        assert_eq!(drawable("a\u{10FFFD}"), "a\\u{10FFFD}");
    }

    #[test]
    fn a_kept_glyph_is_the_same_as_a_new_one() {
        let pixels = |text: &str| {
            let mut found = Vec::new();
            raster(text, 23.0, false, |x, y, c| found.push((x, y, c.to_bits())));
            found
        };
        let first = pixels("aaé ");
        assert!(first.len() > 100 && first == pixels("aaé "));
        KEPT.with_borrow_mut(HashMap::clear);
        assert!(first == pixels("aaé "));
    }

    #[test]
    fn text_is_cut_to_its_room() {
        let long = "x".repeat(500);
        let cut = fit(&long, 12.0, false, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fit("sc", 12.0, false, 100.0), "sc");
    }
}
