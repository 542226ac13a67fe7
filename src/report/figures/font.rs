//! The bundled font, and those of this machine for what it lacks: measured for layout, drawn into pictures,
//! and asked which characters they have.

mod installed;

use ab_glyph::{Font, FontArc, GlyphId, PxScale, ScaleFont, point};
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
        0 => Cow::Owned(installed::with(c, bold)?),
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

/// The width of a text at `size` units an em. A character that nothing here can draw is an em wide: pictures show a box
/// with its code point, and whoever shows the SVG may have a font for it.
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

/// How far a character moves the next one, and the line height by which its face is scaled.
#[derive(Copy, Clone)]
struct Advance(Option<[f32; 3]>);

impl Advance {
    fn of(c: char, bold: bool) -> Self {
        Self(glyph(c, bold).map(|(face, id)| {
            let height = face.height_unscaled();
            [face.h_advance_unscaled(id), height, height / face.units_per_em().unwrap_or(1.0)]
        }))
    }

    /// At so many units an em, to the bit what the library says of a scaled face.
    fn at(self, size: f64) -> f64 {
        self.0.map_or(size, |[advance, height, line]| {
            f64::from(size as f32 * line / height * advance)
        })
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

/// `None` of what no font has; of what has no outline, as a space, there is the advance alone.
fn outlined(c: char, size: f64, bold: bool, start: f32) -> Option<Drawn> {
    let (face, id) = glyph(c, bold)?;
    let scale = scale(&face, size);
    let advance = face.as_scaled(scale).h_advance(id);
    let glyph = id.with_scale_and_position(scale, point(start, 0.0));
    let Some(outline) = face.outline_glyph(glyph) else {
        return Some(Drawn { advance, corner: [0, 0], width: 0, coverage: Vec::new() });
    };
    let bounds = outline.px_bounds();
    let (width, height) = (bounds.width() as usize, bounds.height() as usize);
    let mut coverage = vec![0.0; width * height];
    outline.draw(|x, y, c| {
        if let Some(place) = coverage.get_mut(y as usize * width + x as usize) {
            *place = c;
        }
    });
    let corner = [bounds.min.x as i32, bounds.min.y as i32];
    Some(Drawn { advance, corner, width, coverage })
}

/// An em's frame around the code point, in two lines.
fn boxed(c: char, size: f64) -> Drawn {
    let side = (size.round() as usize).max(3);
    let digits = format!("{:04X}", c as u32);
    let half = digits.len().div_ceil(2);
    let mut coverage = vec![0f32; side * side];
    for k in 1..side - 1 {
        for place in [(k, 1), (k, side - 2), (1, k), (side - 2, k)] {
            coverage[place.1 * side + place.0] = 1.0;
        }
    }
    let small = size * if half == 2 { 0.46 } else { 0.38 };
    for (line, digits) in [&digits[..half], &digits[half..]].into_iter().enumerate() {
        let wide = width(digits, small, false);
        let mut x = (side as f64 - wide) / 2.0;
        let baseline = (side as f64 * [0.48, 0.86][line]).round() as i32;
        for digit in digits.chars() {
            let Some(drawn) = outlined(digit, small, false, x.fract() as f32) else { continue };
            let [left, top] = [x as i32 + drawn.corner[0], baseline + drawn.corner[1]];
            for (k, covered) in drawn.coverage.iter().enumerate() {
                let (x, y) = (left + (k % drawn.width) as i32, top + (k / drawn.width) as i32);
                let inside = [x, y].iter().all(|place| (0..side as i32).contains(place));
                if inside {
                    let place = &mut coverage[y as usize * side + x as usize];
                    *place = place.max(*covered);
                }
            }
            x += f64::from(drawn.advance);
        }
    }
    let corner = [0, -((side as f64 * 0.86).round() as i32)];
    Drawn { advance: size as f32, corner, width: side, coverage }
}

/// The characters of a text that no font here has.
pub fn lacking(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| advance(*c, false).0.is_none())
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
        assert_eq!(lacking("±−×→↑↓√αβγλΔ≥≤†…é ş Ж").count(), 0);
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
            let (face, id) = glyph(c, bold).expect("bundled");
            for size in [10.5, 11.0, 12.5, 23.0] {
                let scaled = face.as_scaled(scale(&face, size)).h_advance(id);
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
