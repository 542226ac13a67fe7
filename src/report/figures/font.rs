//! The bundled font, and those of this machine for what it lacks: measured for layout, drawn into pictures,
//! and asked which characters they have.

mod installed;

use ab_glyph::{Font, FontArc, GlyphId, PxScale, ScaleFont, point};
use std::borrow::Cow;
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

/// Gives every pixel of a text with its coverage; the text begins at 0, 0 on its baseline.
pub fn raster(text: &str, size: f64, bold: bool, mut put: impl FnMut(i32, i32, f32)) {
    let mut x = 0.0;
    for (face, id) in text.chars().filter_map(|c| glyph(c, bold)) {
        let scale = scale(&face, size);
        if let Some(outline) = face.outline_glyph(id.with_scale_and_position(scale, point(x, 0.0)))
        {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, coverage| {
                put(corner.x as i32 + dx as i32, corner.y as i32 + dy as i32, coverage);
            });
        }
        x += face.as_scaled(scale).h_advance(id);
    }
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
    fn text_is_cut_to_its_room() {
        let long = "x".repeat(500);
        let cut = fit(&long, 12.0, false, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fit("sc", 12.0, false, 100.0), "sc");
    }
}
