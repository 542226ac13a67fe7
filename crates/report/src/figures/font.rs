//! The bundled font, and those of this machine for what it lacks: measured for layout, drawn into pictures,
//! and asked which characters they have.
//!
//! No machine's fonts have a say in a layout: a character that the bundled font lacks is as wide as its kind, and
//! a glyph of another font is fitted into that width. So drawings have the same bytes everywhere, and pixels
//! differ only inside such characters.

mod installed;

use ab_glyph::{Font, FontArc, Glyph, GlyphId, PxScale, ScaleFont, point};
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

/// How wide a character is that the bundled font lacks, in ems: a full one, as of Chinese, Japanese, Korean and
/// symbols, but in scripts whose letters are narrower, and in halfwidth forms.
fn foreign_ems(c: char) -> f64 {
    const NARROW: f64 = 0.6;
    match c {
        // Marks that combine, Armenian to Georgian, Khmer and others between Hangul's parts and symbols.
        '\u{0300}'..='\u{10FF}' | '\u{1160}'..='\u{20CF}' => NARROW,
        // Hebrew and Arabic forms.
        '\u{FB00}'..='\u{FE2F}' | '\u{FE70}'..='\u{FEFF}' => NARROW,
        '\u{FF61}'..='\u{FFDC}' | '\u{FFE8}'..='\u{FFEE}' => NARROW,
        _ => 1.0,
    }
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
    /// In the bundled font: its advance, its height, and the line height by which the face is scaled.
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

/// Steps of a pixel at which a glyph can begin.
const STEPS: f32 = 4.0;
/// Drawn glyphs that a thread keeps.
const MOST_KEPT: usize = 4096;

/// A drawn glyph with how far it moves the next one: its corner from where it begins on the baseline, its width in pixels, and how far it covers
/// them.
struct Drawn {
    advance: f32,
    corner: [i32; 2],
    width: usize,
    coverage: Vec<f32>,
}

/// Character, bits of its size, bold, and the step of a pixel at which it begins.
type GlyphKey = (char, u64, bool, u8);

thread_local! {
    /// Reports write the same letters thousands of times.
    static KEPT: RefCell<HashMap<GlyphKey, Drawn>> = RefCell::default();
    /// And measure them more often still.
    static WIDTHS: RefCell<HashMap<(char, bool), Advance>> = RefCell::default();
}

/// Gives every pixel of a text with its coverage; the text begins at 0, 0 on its baseline.
pub fn raster(text: &str, size: f64, bold: bool, mut put: impl FnMut(i32, i32, f32)) {
    let mut x = 0.0f32;
    KEPT.with_borrow_mut(|kept| {
        for c in text.chars() {
            let steps = (x * STEPS).round();
            let (whole, step) = ((steps / STEPS).floor(), steps.rem_euclid(STEPS));
            if kept.len() >= MOST_KEPT {
                kept.clear();
            }
            let key = (c, size.to_bits(), bold, step as u8);
            let drawn = kept.entry(key).or_insert_with(|| draw(c, size, bold, step / STEPS));
            let Drawn { advance, corner: [left, top], width, coverage } = drawn;
            for (row, line) in coverage.chunks((*width).max(1)).enumerate() {
                for (column, coverage) in line.iter().enumerate() {
                    put(whole as i32 + *left + column as i32, *top + row as i32, *coverage);
                }
            }
            x += *advance;
        }
    });
}

fn draw(c: char, size: f64, bold: bool, start: f32) -> Drawn {
    outlined(c, size, bold, start).unwrap_or_else(|| boxed(c, size))
}

/// `None` of what no font has.
fn outlined(c: char, size: f64, bold: bool, start: f32) -> Option<Drawn> {
    if let Some((face, id)) = bundled(c, bold) {
        let scale = scale(face, size);
        let advance = face.as_scaled(scale).h_advance(id);
        return Some(covered(face, id.with_scale_and_position(scale, point(start, 0.0)), advance));
    }
    if c.is_whitespace() {
        let advance = (size * foreign_ems(c)) as f32;
        return Some(Drawn { advance, corner: [0, 0], width: 0, coverage: Vec::new() });
    }
    let face = installed::with(c, bold)?;
    Some(fitted(&face, c, size, start, (size * foreign_ems(c)) as f32))
}

/// A glyph of another font in the middle of a room, narrowed where it is wider.
fn fitted(face: &FontArc, c: char, size: f64, start: f32, room: f32) -> Drawn {
    let id = face.glyph_id(c);
    let mut scale = scale(face, size);
    let own = face.as_scaled(scale).h_advance(id);
    let narrowed = if own > room { room / own } else { 1.0 };
    scale.x *= narrowed;
    let indent = (room - own * narrowed) / 2.0;
    covered(face, id.with_scale_and_position(scale, point(start + indent, 0.0)), room)
}

/// What a glyph covers; of what has no outline, as a space, there is the advance alone.
fn covered(face: &FontArc, glyph: Glyph, advance: f32) -> Drawn {
    let Some(outline) = face.outline_glyph(glyph) else {
        return Drawn { advance, corner: [0, 0], width: 0, coverage: Vec::new() };
    };
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as usize, bounds.height() as usize);
    let mut coverage = vec![0.0; width * height];
    outline.draw(|x, y, c| {
        if let Some(place) = coverage.get_mut(y as usize * width + x as usize) {
            *place = c;
        }
    });
    Drawn { advance, corner: [bounds.min.x as i32, bounds.min.y as i32], width, coverage }
}

/// A frame around the code point in two lines, as wide as the character and an em high.
fn boxed(c: char, size: f64) -> Drawn {
    let ems = foreign_ems(c);
    let [wide, high] = [size * ems, size].map(|side| (side.round() as usize).max(3));
    let mut coverage = vec![0f32; wide * high];
    let sides = (1..wide - 1).flat_map(|x| [(x, 1), (x, high - 2)]);
    for (x, y) in sides.chain((1..high - 1).flat_map(|y| [(1, y), (wide - 2, y)])) {
        coverage[y * wide + x] = 1.0;
    }
    let digits = format!("{:04X}", c as u32);
    let half = digits.len().div_ceil(2);
    let small = size * ems * if half == 2 { 0.46 } else { 0.38 };
    for (digits, share) in [(&digits[..half], 0.48), (&digits[half..], 0.86)] {
        let left = (wide as f64 - width(digits, small, false)) / 2.0;
        let baseline = (high as f64 * share).round() as i32;
        raster_new(digits, small, left as f32, |x, y, covered| {
            let place = usize::try_from(x).ok().zip(usize::try_from(y + baseline).ok());
            if let Some((x, y)) = place.filter(|(x, y)| *x < wide && *y < high) {
                let place = &mut coverage[y * wide + x];
                *place = place.max(covered);
            }
        });
    }
    let corner = [0, -((high as f64 * 0.86).round() as i32)];
    Drawn { advance: (size * ems) as f32, corner, width: wide, coverage }
}

/// The pixels of a few letters of the bundled font, drawn anew.
fn raster_new(text: &str, size: f64, start: f32, mut put: impl FnMut(i32, i32, f32)) {
    let mut x = start;
    for c in text.chars() {
        let Some(drawn) = outlined(c, size, false, x.fract()) else { continue };
        for (k, covered) in drawn.coverage.iter().enumerate() {
            let (column, row) = (k % drawn.width, k / drawn.width);
            let [left, top] = drawn.corner;
            put(x as i32 + left + column as i32, top + row as i32, *covered);
        }
        x += drawn.advance;
    }
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

/// A name cut to a width, an ellipsis in its middle: names of one grid differ at their ends as often as at their
/// beginnings.
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

    #[test]
    fn the_font_has_what_reports_write() {
        assert_eq!(lacking("±−×→↑↓√αβγλΔ≥≤†…é ş Ж·").count(), 0);
        assert_eq!(lacking("\u{3000}").count(), 0, "a wide space is no box");
    }

    #[test]
    fn what_no_font_has_is_a_box_as_wide_as_it_was_measured() {
        // Private characters, which no font of a machine has.
        for text in ["\u{10FFFD}", "\u{F8F3}"] {
            assert_eq!(lacking(text).count(), 1);
            let (mut across, mut down, mut dark) = (Vec::new(), Vec::new(), 0.0);
            raster(text, 23.0, false, |x, y, coverage| {
                if coverage > 0.0 {
                    across.push(x);
                    down.push(y);
                    dark += coverage;
                }
            });
            let range =
                |places: &[i32]| (places.iter().min().copied(), places.iter().max().copied());
            assert_eq!(range(&across), (Some(1), Some(21)));
            assert_eq!(range(&down), (Some(-19), Some(1)));
            assert_eq!(width(text, 23.0, false), 23.0);
            // More than the frame: the digits are there.
            assert!(dark > 80.0 + 30.0, "{dark}");
        }
    }

    /// The first and last column with ink.
    fn ink(drawn: &Drawn) -> [i32; 2] {
        let inked = drawn.coverage.iter().enumerate().filter(|(_, covered)| **covered > 0.0);
        let columns: Vec<i32> =
            inked.map(|(k, _)| drawn.corner[0] + (k % drawn.width) as i32).collect();
        [columns.iter().min(), columns.iter().max()].map(|end| end.copied().expect("ink"))
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
        // Pictures give it the same room, whether a font has it or not.
        for c in ['日', 'ｶ', '\u{10FFFD}', '\u{0E01}'] {
            assert_eq!(draw(c, 23.0, false, 0.0).advance, (23.0 * foreign_ems(c)) as f32, "{c}");
        }
    }

    #[test]
    fn a_glyph_of_another_font_is_fitted_into_its_room() {
        let (face, _) = bundled('W', false).expect("bundled");
        for (room, left, right) in [(14.0, 0, 14), (60.0, 15, 45)] {
            let drawn = fitted(face, 'W', 24.0, 0.0, room);
            let [first, last] = ink(&drawn);
            assert_eq!(drawn.advance, room);
            assert!(first >= left && last <= right, "{first} to {last}");
            assert!((first + last + 1 - room as i32).abs() <= 2, "in the middle: {first}, {last}");
        }
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
    fn a_kept_width_is_that_of_the_scaled_face() {
        for (c, bold) in [('a', false), ('W', true), ('é', false), (' ', true), ('→', false)] {
            let (face, id) = bundled(c, bold).expect("bundled");
            for size in [10.5, 11.0, 12.5, 23.0] {
                let scaled = face.as_scaled(scale(face, size)).h_advance(id);
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
