//! The bundled font, and those of this machine for what it lacks: measured for layout, drawn into
//! pictures, and asked which characters they have.
//!
//! No machine's fonts have a say in a layout: a character that the bundled font lacks is as wide as
//! its kind, and a glyph of another font is fitted into that width. So drawings have the same bytes
//! everywhere, and pixels differ only inside such characters.

mod installed;
mod outline;

pub use outline::outline;

use ab_glyph::{Font, FontArc, GlyphId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The family as SVG text names it: the bundled font where it is installed, else its like.
pub const FAMILY: &str = "Inter, Helvetica Neue, Helvetica, Arial, sans-serif";

static REGULAR: &[u8] = include_bytes!("../../../../assets/fonts/Inter-Regular.ttf");
static SEMI_BOLD: &[u8] = include_bytes!("../../../../assets/fonts/Inter-SemiBold.ttf");

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

/// The bundled face with its glyph of a character; `None` where it lacks it.
fn bundled(c: char, bold: bool) -> Option<(&'static FontArc, GlyphId)> {
    let faces = faces()?;
    let face = if bold { &faces.bold } else { &faces.regular };
    Some((face, face.glyph_id(c))).filter(|(_, id)| id.0 != 0)
}

/// How wide a character is that the bundled font lacks, in ems: a full one, as of Chinese,
/// Japanese, Korean and symbols, but in scripts whose letters are narrower, and in halfwidth forms.
fn foreign_ems(c: char) -> f64 {
    const NARROW: f64 = 0.6;
    match c {
        // Marks that combine, Armenian to Georgian, Khmer and others between Hangul's parts and
        // symbols.
        '\u{0300}'..='\u{10FF}' | '\u{1160}'..='\u{20CF}' => NARROW,
        // Hebrew and Arabic forms.
        '\u{FB00}'..='\u{FE2F}' | '\u{FE70}'..='\u{FEFF}' => NARROW,
        '\u{FF61}'..='\u{FFDC}' | '\u{FFE8}'..='\u{FFEE}' => NARROW,
        _ => 1.0,
    }
}

/// Whether text can be drawn.
pub fn is_ready() -> bool {
    faces().is_some()
}

/// The width of a text at `size` units an em, the same on every machine.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|c| advance(c, bold).at(size)).sum()
}

fn advance(c: char, bold: bool) -> Advance {
    WIDTHS.with_borrow_mut(|kept| {
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        *kept.entry((c, bold)).or_insert_with(|| Advance::of(c, bold))
    })
}

/// How far a character moves the next one.
#[derive(Copy, Clone)]
enum Advance {
    /// In the bundled font: its advance, its height, and the line height by which the face is
    /// scaled.
    Own([f32; 3]),
    /// In ems.
    Foreign(f64),
}

impl Advance {
    fn of(c: char, bold: bool) -> Self {
        let Some((face, id)) = bundled(c, bold) else { return Self::Foreign(foreign_ems(c)) };
        let height = face.height_unscaled();
        let line = height / face.units_per_em().unwrap_or(1.0);
        Self::Own([face.h_advance_unscaled(id), height, line])
    }

    /// At so many units an em, to the bit what the library says of a scaled face.
    fn at(self, size: f64) -> f64 {
        match self {
            Self::Own([advance, height, line]) => f64::from(size as f32 * line / height * advance),
            Self::Foreign(ems) => size * ems,
        }
    }
}

/// Characters whose widths a thread keeps.
const MOST_KEPT: usize = 4096;

thread_local! {
    /// Reports measure the same letters thousands of times.
    static WIDTHS: RefCell<HashMap<(char, bool), Advance>> = RefCell::default();
}

/// The characters of a text that no font here has.
pub fn lacking(text: &str) -> impl Iterator<Item = char> + '_ {
    let is_foreign = |c: &char| matches!(advance(*c, false), Advance::Foreign(_));
    let foreign = text.chars().filter(|c| !c.is_whitespace()).filter(is_foreign);
    foreign.filter(|c| installed::with(*c, false).is_none())
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
    if width(&kept, size, bold) <= room {
        return kept;
    }
    while !kept.is_empty() && width(&kept, size, bold) + width("…", size, bold) > room {
        kept.pop();
    }
    kept + "…"
}

/// A name cut to a width, an ellipsis in its middle: names of one grid differ at their ends as
/// often as at their beginnings.
pub fn fit_name(name: &str, size: f64, bold: bool, room: f64) -> String {
    let kept: Vec<char> = name.chars().map(harmless).collect();
    let shown = |n: usize| {
        let (first, last) = (&kept[..n.div_ceil(2)], &kept[kept.len() - n / 2..]);
        first.iter().chain(&['…']).chain(last).collect::<String>()
    };
    let whole: String = kept.iter().collect();
    if width(&whole, size, bold) <= room {
        return whole;
    }
    // What fits grows with every character, so the most is found by halving.
    let (mut fits, mut too_many) = (0, kept.len());
    while too_many - fits > 1 {
        let n = (fits + too_many) / 2;
        match width(&shown(n), size, bold) <= room {
            true => fits = n,
            false => too_many = n,
        }
    }
    shown(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ab_glyph::ScaleFont;

    #[test]
    fn the_font_has_what_reports_write() {
        assert_eq!(lacking("±−×→↑↓√αβγλΔ≥≤†…é ş Ж·").count(), 0);
        assert_eq!(lacking("\u{3000}").count(), 0, "a wide space is no box");
    }

    #[test]
    fn what_the_bundled_font_lacks_is_as_wide_as_its_kind_on_every_machine() {
        for (text, ems) in [
            ("日本語", 3.0),
            ("한국", 2.0),
            ("ｶﾅ", 1.2),
            ("ไทย", 1.8),
            ("שלום", 2.4),
            ("\u{10FFFD}\u{F8F3}", 2.0),
        ] {
            for bold in [false, true] {
                assert!((width(text, 10.0, bold) - 10.0 * ems).abs() < 1e-9, "{text}");
            }
        }
    }

    #[test]
    fn a_kept_width_is_that_of_the_scaled_face() {
        for (c, bold) in [('a', false), ('W', true), ('é', false), (' ', true), ('→', false)] {
            let (face, id) = bundled(c, bold).expect("bundled");
            for size in [10.5, 11.0, 12.5, 23.0] {
                let line = face.height_unscaled() / face.units_per_em().expect("units");
                let scaled = face.as_scaled(size as f32 * line).h_advance(id);
                assert_eq!(width(&c.to_string(), size, bold), f64::from(scaled), "{c} {size}");
            }
        }
    }

    #[test]
    fn text_is_cut_to_its_room() {
        let long = "x".repeat(500);
        let cut = fit(&long, 12.0, false, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fit("sc", 12.0, false, 100.0), "sc");
        let names = [1, 2].map(|n| fit_name(&format!("{long}-{n}"), 12.0, false, 100.0));
        assert!(names[0].ends_with("-1") && names[1].ends_with("-2"), "{names:?}");
        for name in names {
            assert!(name.starts_with('x') && name.contains('…'), "{name}");
            let more = name.replacen('x', "xx", 1);
            assert!(width(&name, 12.0, false) <= 100.0 && width(&more, 12.0, false) > 100.0);
        }
        assert_eq!(fit_name("sc", 12.0, false, 100.0), "sc");
        assert_eq!(fit_name("sc", 12.0, false, 1.0), "…");
        assert_eq!(fit_name("", 12.0, false, 0.0), "");
    }
}
