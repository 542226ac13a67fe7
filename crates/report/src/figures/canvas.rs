//! Sheets of pixels as a drawing surface, one for each ground that a figure is drawn on: edges are smoothed by
//! the exact share of a pixel that a shape covers, so that nothing has to be drawn larger than it is, and what a
//! shape covers is found once for all sheets.
//!
//! Coverage is summed from signed areas under edges, as font renderers do. A line is the union of the
//! rectangles around its parts and of discs at its corners, all turned the same way, so that where they
//! overlap nothing is painted twice.

use super::font;
use super::palette::{Colour, PAPER, Theme};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};
use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::Range;

/// Units of a coordinate a pixel, along each side.
pub const FINE: f64 = 16.0;

/// A colour of the scene with its opacity.
type Ink = (Colour, f32);

/// A corner in pixels.
type Corner = [f32; 2];

/// One ground with its pixels.
struct Sheet {
    theme: Theme,
    pixels: Vec<u8>,
}

/// The sheets, and what covers their pixels of the shape being drawn.
pub struct Canvas {
    width: usize,
    height: usize,
    sheets: Vec<Sheet>,
    /// Signed areas; all zero between shapes.
    areas: Vec<f32>,
    /// The columns of each line that have an area.
    touched: Vec<Range<usize>>,
    /// The lines that have one.
    lines: Range<usize>,
}

/// A range that grows from nothing.
const NOTHING: Range<usize> = Range { start: usize::MAX, end: 0 };

impl Canvas {
    /// An even sheet for each theme.
    pub fn new(width: usize, height: usize, themes: &[Theme]) -> Self {
        let sheet = |theme: &Theme| {
            let Colour(r, g, b) = theme.colour(PAPER);
            Sheet { theme: *theme, pixels: [r, g, b].repeat(width * height) }
        };
        let sheets = themes.iter().map(sheet).collect();
        // One more column takes what lies right of the sheet.
        let areas = vec![0.0; (width + 2) * height];
        Self { width, height, sheets, areas, touched: vec![NOTHING; height], lines: NOTHING }
    }

    /// Red, green and blue of every pixel of every sheet.
    pub fn into_pixels(self) -> impl Iterator<Item = Vec<u8>> {
        self.sheets.into_iter().map(|sheet| sheet.pixels)
    }

    /// Draws a text from a place in pixels on its baseline, or upwards from it.
    pub fn text(
        &mut self,
        words: &str,
        (size, bold): (f64, bool),
        place: [f64; 2],
        up: bool,
        ink: Ink,
    ) {
        let [left, baseline] = place.map(|x| x.round() as i64);
        let (width, height) = (self.width as i64, self.height as i64);
        let inks = self.inks(ink);
        font::raster(words, size, bold, |x, y, coverage| {
            let (dx, dy) = if up { (y, -x) } else { (x, y) };
            let (x, y) = (left + i64::from(dx), baseline + i64::from(dy));
            let inside = (0..width).contains(&x) && (0..height).contains(&y);
            if inside && coverage > 0.0 {
                let place = (y * width + x) as usize * 3;
                for (sheet, ink) in self.sheets.iter_mut().zip(&inks) {
                    ink.blend(&mut sheet.pixels[place..place + 3], coverage);
                }
            }
        });
    }

    /// Adds the area right of an edge, with its sign.
    fn edge(&mut self, one: Corner, other: Corner) {
        let (sign, [x0, y0], [x1, y1]) =
            if one[1] < other[1] { (1.0, one, other) } else { (-1.0, other, one) };
        let (first, last) = (y0.max(0.0), y1.min(self.height as f32));
        // Also what is not a number ends here.
        if first.partial_cmp(&last) != Some(Ordering::Less) {
            return;
        }
        let slope = (x1 - x0) / (y1 - y0);
        for line in first as usize..(last.ceil() as usize).min(self.height) {
            let (top, bottom) = (first.max(line as f32), last.min(line as f32 + 1.0));
            if top < bottom {
                let xs =
                    [top, bottom].map(|y| (x0 + slope * (y - y0)).clamp(0.0, self.width as f32));
                self.part(line, xs, sign * (bottom - top));
            }
        }
    }

    /// The same of the part of an edge in one line, of signed height.
    fn part(&mut self, line: usize, [a, b]: [f32; 2], height: f32) {
        let (left, right) = (a.min(b), a.max(b));
        let (first, last) = (left as usize, (right.ceil() as usize).max(left as usize + 1));
        let row = line * (self.width + 2);
        let steep = 1.0 / (right - left).max(f32::MIN_POSITIVE);
        // The part of the height that was passed before a column ends, column by column.
        let mut before = 0.0;
        for column in first..last {
            let (from, to) = (left.max(column as f32), right.min(column as f32 + 1.0));
            let share = if last - first == 1 { 1.0 } else { (to - from) * steep };
            let inside = share * height * (column as f32 + 1.0 - (from + to) / 2.0);
            self.areas[row + column] += before + inside;
            before = share * height - inside;
        }
        self.areas[row + last] += before;
        let touched = &mut self.touched[line];
        *touched = touched.start.min(first)..touched.end.max(last + 1);
        self.lines = self.lines.start.min(line)..self.lines.end.max(line + 1);
    }

    /// Adds a polygon, turned so that its area is positive.
    fn add(&mut self, corners: &[Corner]) {
        let next = |k: usize| corners[(k + 1) % corners.len()];
        let turned = |k: usize| corners[k][0] * next(k)[1] - next(k)[0] * corners[k][1];
        let area: f32 = (0..corners.len()).map(turned).sum();
        for (k, corner) in corners.iter().enumerate() {
            let (from, to) = if area < 0.0 { (next(k), *corner) } else { (*corner, next(k)) };
            self.edge(from, to);
        }
    }

    fn add_disc(&mut self, centre: Corner, radius: f32) {
        let count = (6.0 + 3.0 * radius.max(0.0).sqrt()).min(64.0) as usize * 2;
        let step = std::f32::consts::TAU / count as f32;
        // As far out as makes the polygon as large as the disc.
        let reach = radius * (step / step.sin()).sqrt();
        let corner = |k: usize| {
            let (sin, cos) = (step * k as f32).sin_cos();
            [centre[0] + reach * cos, centre[1] + reach * sin]
        };
        self.add(&(0..count).map(corner).collect::<Vec<_>>());
    }

    /// Paints what was added, and forgets it.
    fn paint(&mut self, ink: Ink) {
        let lines = std::mem::replace(&mut self.lines, NOTHING);
        let mut inks = self.inks(ink);
        let touched: usize = lines.clone().map(|line| self.touched[line].len()).sum();
        if touched > MANY {
            inks.iter_mut().for_each(Mixed::prepare);
        }
        for line in lines {
            let columns = std::mem::replace(&mut self.touched[line], NOTHING);
            if columns.is_empty() {
                continue;
            }
            let areas = &mut self.areas[line * (self.width + 2)..][columns.clone()];
            let mut sum = 0.0;
            // The areas become what they sum up to, which all sheets are painted by.
            for area in areas.iter_mut() {
                sum += *area;
                *area = sum.abs();
            }
            let [from, to] = [columns.start, columns.end]
                .map(|column| (line * self.width + column.min(self.width)) * 3);
            for (sheet, ink) in self.sheets.iter_mut().zip(&inks) {
                let pixels = sheet.pixels[from..to].chunks_exact_mut(3);
                pixels.zip(areas.iter()).for_each(|(pixel, area)| ink.cover(pixel, *area));
            }
            areas.fill(0.0);
        }
    }

    /// The ink as it is on each sheet.
    fn inks(&self, (colour, opacity): Ink) -> Vec<Mixed> {
        let mixed = |sheet: &Sheet| {
            let Colour(r, g, b) = sheet.theme.colour(colour);
            Mixed { colour: [r, g, b], opacity, full: None }
        };
        self.sheets.iter().map(mixed).collect()
    }
}

/// Pixels of a shape from which on it pays to know beforehand what becomes of every colour.
const MANY: usize = 4096;
/// A pixel of which less than this is covered, or left free, is taken for free, or covered.
const TRACE: f32 = 1.0 / 512.0;

/// An ink on one sheet.
struct Mixed {
    colour: [u8; 3],
    opacity: f32,
    /// What each channel of a pixel becomes where the shape covers it all.
    full: Option<Box<[[u8; 256]; 3]>>,
}

impl Mixed {
    fn prepare(&mut self) {
        let outcome =
            |target: u8| std::array::from_fn(|from| mixed(from as u8, target, self.opacity));
        self.full = Some(Box::new(self.colour.map(outcome)));
    }

    fn cover(&self, pixel: &mut [u8], coverage: f32) {
        match &self.full {
            _ if coverage <= TRACE => {}
            Some(full) if coverage >= 1.0 - TRACE => {
                for (channel, outcome) in pixel.iter_mut().zip(full.iter()) {
                    *channel = outcome[usize::from(*channel)];
                }
            }
            _ => self.blend(pixel, if coverage >= 1.0 - TRACE { 1.0 } else { coverage }),
        }
    }

    fn blend(&self, pixel: &mut [u8], coverage: f32) {
        let share = (coverage * self.opacity).clamp(0.0, 1.0);
        for (channel, target) in pixel.iter_mut().zip(self.colour) {
            *channel = mixed(*channel, target, share);
        }
    }
}

fn mixed(from: u8, target: u8, share: f32) -> u8 {
    let (from, target) = (f32::from(from), f32::from(target));
    (from + (target - from) * share + 0.5) as u8
}

fn ink(colour: BackendColor) -> Ink {
    let (r, g, b) = colour.rgb;
    (Colour(r, g, b), colour.alpha as f32)
}

fn corner((x, y): BackendCoord) -> Corner {
    [x, y].map(|x| (f64::from(x) / FINE) as f32)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let fine = |length: usize| (length as f64 * FINE) as u32;
        (fine(self.width), fine(self.height))
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        let [x, y] = corner(point);
        self.add(&[[x, y], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]]);
        self.paint(ink(colour));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let corners: Vec<Corner> = path.into_iter().map(corner).collect();
        let half = (f64::from(style.stroke_width()) / FINE / 2.0) as f32;
        for ends in corners.windows(2) {
            let [[x0, y0], [x1, y1]] = [ends[0], ends[1]];
            let length = (x1 - x0).hypot(y1 - y0).max(f32::MIN_POSITIVE);
            let (dx, dy) = (half * (x1 - x0) / length, half * (y1 - y0) / length);
            self.add(&[
                [x0 - dy, y0 + dx],
                [x1 - dy, y1 + dx],
                [x1 + dy, y1 - dx],
                [x0 + dy, y0 - dx],
            ]);
        }
        for corner in corners.iter().take(corners.len().saturating_sub(1)).skip(1) {
            self.add_disc(*corner, half);
        }
        self.paint(ink(style.color()));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.add(&corners.into_iter().map(corner).collect::<Vec<_>>());
        self.paint(ink(style.color()));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        self.add_disc(corner(centre), (f64::from(radius) / FINE) as f32);
        self.paint(ink(style.color()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BLACK: BackendColor = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };

    /// How dark a sheet of 20 × 20 is, in pixels.
    fn covered(draw: impl FnOnce(&mut Canvas)) -> f64 {
        let mut canvas = Canvas::new(20, 20, &[Theme::Light]);
        draw(&mut canvas);
        assert!(canvas.areas.iter().all(|area| *area == 0.0), "areas are left behind");
        let pixels = canvas.into_pixels().flatten();
        pixels.map(|c| f64::from(255 - c) / 255.0 / 3.0).sum()
    }

    fn fine(x: f64) -> i32 {
        (x * FINE).round() as i32
    }

    fn polygon(corners: &[[f64; 2]]) -> f64 {
        let corners: Vec<_> = corners.iter().map(|[x, y]| (fine(*x), fine(*y))).collect();
        covered(|canvas| canvas.fill_polygon(corners, &BLACK).expect("drawn"))
    }

    #[test]
    fn as_much_is_painted_as_a_shape_covers() {
        let square = [[2.25, 3.5], [7.75, 3.5], [7.75, 9.0], [2.25, 9.0]];
        assert!((polygon(&square) - 5.5 * 5.5).abs() < 0.1);
        assert!((polygon(&[[1.0, 1.0], [17.0, 3.0], [5.0, 18.0]]) - 132.0).abs() < 0.5);
        let disc = covered(|c| c.draw_circle((160, 160), 96, &BLACK, true).expect("drawn"));
        // Its edge is drawn by straight lines inside it.
        assert!((disc - 36.0 * std::f64::consts::PI).abs() < 1.5, "{disc}");
    }

    #[test]
    fn sheets_are_painted_alike_and_large_shapes_as_small_ones() {
        let half = BackendColor { alpha: 0.5, rgb: (0xD5, 0x5E, 0x00) };
        let draw = |themes: &[Theme], size: usize| {
            let mut canvas = Canvas::new(size, size, themes);
            let corners = [(24, 40), (size as i32 * 16 - 24, 88), (200, size as i32 * 16 - 8)];
            canvas.fill_polygon(corners, &half).expect("drawn");
            canvas.fill_polygon([(0, 0), (320, 0), (0, 320)], &BLACK).expect("drawn");
            canvas.into_pixels().collect::<Vec<_>>()
        };
        let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| draw(&[theme], 20).remove(0));
        assert!(light != dark);
        assert!(draw(&Theme::ALL, 20) == [light, dark]);
        // The middle of a shape that is prepared for has the colour that blending gives.
        let large = draw(&[Theme::Light], 200).remove(0);
        let middle = (100 * 200 + 60) * 3;
        let expected = [0xD5u8, 0x5E, 0x00].map(|c| mixed(255, c, 0.5));
        assert_eq!(large[middle..middle + 3], expected);
    }

    #[test]
    fn what_leaves_the_sheet_is_cut() {
        let half = [[-10.0, 0.0], [10.0, 0.0], [10.0, 40.0], [-10.0, 40.0]];
        assert!((polygon(&half) - 200.0).abs() < 0.2);
        assert!(polygon(&[[-9.0, -9.0], [-1.0, -5.0], [-2.0, 30.0]]) < 0.1);
        assert!(polygon(&[[21.0, 2.0], [30.0, 5.0], [25.0, 18.0]]) < 0.1);
    }

    proptest! {
        /// A triangle on the sheet is as dark as its area, whichever way its corners go round.
        #[test]
        fn triangles_have_their_area(x in prop::array::uniform6(0.0..20.0f64)) {
            let corners = [[x[0], x[1]], [x[2], x[3]], [x[4], x[5]]].map(|c| c.map(|x| (x * FINE).round() / FINE));
            let [[ax, ay], [bx, by], [cx, cy]] = corners;
            let area = ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)).abs() / 2.0;
            let turned = [corners[2], corners[1], corners[0]];
            prop_assert!((polygon(&corners) - area).abs() < 0.4 + area * 0.01);
            prop_assert!((polygon(&corners) - polygon(&turned)).abs() < 1e-9);
        }
    }
}
