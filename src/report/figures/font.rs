//! The bundled font: registered with the drawing library, measured for layout, and asked which
//! characters it has.

use ab_glyph::{Font, FontRef, ScaleFont};
use plotters::style::{FontStyle, register_font};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The family as SVG text names it: the bundled font where it is installed, else its like. The
/// drawing library looks the bundled font up by the same text.
pub const FAMILY: &str = "Inter, Helvetica Neue, Helvetica, Arial, sans-serif";

/// The drawing library's size of a font is its line height, which it takes to be so many em.
pub const LINE_HEIGHT: f64 = 1.24;

static REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
static SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");

struct Faces {
    regular: FontRef<'static>,
    bold: FontRef<'static>,
}

/// The two faces, registered on first use; `None` if the bundled files cannot be read.
fn faces() -> Option<&'static Faces> {
    static FACES: OnceLock<Option<Faces>> = OnceLock::new();
    let load = || {
        register_font(FAMILY, FontStyle::Normal, REGULAR).ok()?;
        register_font(FAMILY, FontStyle::Bold, SEMI_BOLD).ok()?;
        let regular = FontRef::try_from_slice(REGULAR).ok()?;
        Some(Faces { regular, bold: FontRef::try_from_slice(SEMI_BOLD).ok()? })
    };
    FACES.get_or_init(load).as_ref()
}

/// Whether text can be drawn.
pub fn is_ready() -> bool {
    faces().is_some()
}

/// The width of a text at `size` units an em.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(faces) = faces() else { return 0.0 };
    let face = if bold { &faces.bold } else { &faces.regular };
    let scaled = face.as_scaled((size * LINE_HEIGHT) as f32);
    let advance = |c| f64::from(scaled.h_advance(scaled.glyph_id(c)));
    text.chars().map(|c| if has(c) { advance(c) } else { size }).sum()
}

/// The text in the characters that the font has, any other as its code point.
pub fn drawable(text: &str) -> Cow<'_, str> {
    if text.chars().all(has) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if has(c) { c.to_string() } else { format!("\\u{{{:X}}}", c as u32) };
    Cow::Owned(text.chars().map(escape).collect())
}

fn has(c: char) -> bool {
    faces().is_some_and(|faces| faces.regular.glyph_id(c).0 != 0)
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
        assert_eq!(drawable("a日"), "a\\u{65E5}");
    }

    #[test]
    fn text_is_cut_to_its_room() {
        let long = "x".repeat(500);
        let cut = fit(&long, 12.0, false, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fit("sc", 12.0, false, 100.0), "sc");
    }
}
