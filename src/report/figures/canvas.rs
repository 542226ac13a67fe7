//! A sheet of pixels as a drawing surface: edges are smoothed by the exact share of a pixel that a shape
//! covers, so that nothing has to be drawn larger than it is.
//!
//! Coverage is summed from signed areas under edges, as font renderers do. A line is the union of the
//! rectangles around its parts and of discs at its corners, all turned the same way, so that where they
//! overlap nothing is painted twice.

use super::font;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};
use std::convert::Infallible;
use std::ops::Range;

/// Units of a coordinate a pixel, along each side.
pub const FINE: f64 = 16.0;

/// A colour with its opacity.
type Ink = ([u8; 3], f32);

/// A corner in pixels.
type Corner = [f32; 2];

/// The pixels, and what covers them of the shape being drawn.
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
    /// Signed areas; all zero between shapes.
    areas: Vec<f32>,
    /// The columns of each line that have an area.
    touched: Vec<Range<usize>>,
    /// The lines that have one.
    lines: Range<usize>,
}

/// A range that grows from nothing.
const NOTHING: Range<usize> = usize::MAX..0;

impl Canvas {
    /// An even sheet.
    pub fn new(width: usize, height: usize, ground: [u8; 3]) -> Self {
        let pixels = ground.repeat(width * height);
        // One more column takes what lies right of the sheet.
        let areas = vec![0.0; (width + 2) * height];
        Self { width, height, pixels, areas, touched: vec![NOTHING; height], lines: NOTHING }
    }

    /// Red, green and blue of every pixel.
    pub fn into_pixels(self) -> Vec<u8> {
        self.pixels
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
        font::raster(words, size, bold, |x, y, coverage| {
            let (dx, dy) = if up { (y, -x) } else { (x, y) };
            let (x, y) = (left + i64::from(dx), baseline + i64::from(dy));
            let inside =
                (0..self.width as i64).contains(&x) && (0..self.height as i64).contains(&y);
            if inside && coverage > 0.0 {
                let place = y as usize * self.width + x as usize;
                blend(&mut self.pixels[place * 3..place * 3 + 3], ink, coverage);
            }
        });
    }

    /// Adds the area right of an edge, with its sign.
    fn edge(&mut self, one: Corner, other: Corner) {
        let (sign, [x0, y0], [x1, y1]) =
            if one[1] < other[1] { (1.0, one, other) } else { (-1.0, other, one) };
        let (first, last) = (y0.max(0.0), y1.min(self.height as f32));
        // Also what is not a number ends here.
        if !(first < last) {
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
        for k in 0..corners.len() {
            let (from, to) = if area < 0.0 { (next(k), corners[k]) } else { (corners[k], next(k)) };
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
        for line in std::mem::replace(&mut self.lines, NOTHING) {
            let columns = std::mem::replace(&mut self.touched[line], NOTHING);
            let mut sum = 0.0;
            for column in columns {
                sum += std::mem::take(&mut self.areas[line * (self.width + 2) + column]);
                let coverage = sum.abs().min(1.0);
                if column < self.width && coverage > 1.0 / 512.0 {
                    let place = (line * self.width + column) * 3;
                    blend(&mut self.pixels[place..place + 3], ink, coverage);
                }
            }
        }
    }
}

fn blend(pixel: &mut [u8], (colour, opacity): Ink, coverage: f32) {
    let share = (coverage * opacity).clamp(0.0, 1.0);
    for (channel, target) in pixel.iter_mut().zip(colour) {
        let from = f32::from(*channel);
        *channel = (from + (f32::from(target) - from) * share + 0.5) as u8;
    }
}

fn ink(colour: BackendColor) -> Ink {
    let (r, g, b) = colour.rgb;
    ([r, g, b], colour.alpha as f32)
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
        for k in 1..corners.len().saturating_sub(1) {
            self.add_disc(corners[k], half);
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
        let mut canvas = Canvas::new(20, 20, [255; 3]);
        draw(&mut canvas);
        assert!(canvas.areas.iter().all(|area| area.abs() < 1e-3), "areas are left behind");
        canvas.into_pixels().iter().map(|c| f64::from(255 - c) / 255.0 / 3.0).sum()
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
        assert!((disc - 36.0 * std::f64::consts::PI).abs() < 1.0, "{disc}");
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
