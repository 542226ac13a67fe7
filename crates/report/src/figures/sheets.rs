//! Sheets of pixels as a surface of the drawing library, one for each theme that a figure is drawn
//! in. The outline of a shape is made once and filled on every sheet.
//!
//! Colours are mixed in whole numbers, and no outline depends on a function that machines round
//! differently: equal shapes give equal pixels everywhere.

use super::font;
use super::palette::{Colour, PAPER, Theme};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind,
};
use std::convert::Infallible;
use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

/// Units of a coordinate a pixel, along each side.
pub const FINE: f64 = 16.0;

/// A drawing in every theme.
pub struct Sheets {
    sheets: [(Theme, Pixmap); Theme::ALL.len()],
    /// The pattern of lines; none is a full line.
    dashes: Option<StrokeDash>,
}

impl Sheets {
    /// An even sheet for each of [`Theme::ALL`]; `None` where it has no pixels.
    pub fn new(width: u32, height: u32) -> Option<Self> {
        let pixels = Pixmap::new(width, height)?;
        let sheet = |theme: Theme| {
            let mut pixels = pixels.clone();
            pixels.fill(tinted(theme.colour(PAPER), 1.0));
            (theme, pixels)
        };
        Some(Self { sheets: Theme::ALL.map(sheet), dashes: None })
    }

    /// Red, green and blue of every pixel of every sheet.
    pub fn pixels(&self) -> [Vec<u8>; Theme::ALL.len()] {
        // All pixels are opaque, so that no colour is scaled by its opacity.
        let rgb = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2]];
        self.sheets
            .each_ref()
            .map(|(_, pixels)| pixels.data().chunks_exact(4).flat_map(rgb).collect())
    }

    /// What `draw` draws, with lines in a pattern of dashes and gaps in pixels.
    pub fn dashed<T>(&mut self, dashes: Vec<f32>, draw: impl FnOnce(&mut Self) -> T) -> T {
        self.dashes = Some(StrokeDash::new(dashes, 0.0).expect("dashes and gaps come in pairs"));
        let drawn = draw(self);
        self.dashes = None;
        drawn
    }

    /// Draws a text in the bundled font from a place in pixels on its baseline, or upwards from it.
    pub fn text(
        &mut self,
        words: &str,
        (size, bold): (f64, bool),
        place: [f64; 2],
        up: bool,
        colour: Colour,
    ) {
        // Letters whose foot lies within a pixel look blurred.
        let [x, y] = place.map(|x| x.round() as f32);
        let placed = match up {
            true => Transform::from_row(0.0, -1.0, 1.0, 0.0, x, y),
            false => Transform::from_translate(x, y),
        };
        let outline = font::outline(words, size, bold);
        self.fill(outline.and_then(|outline| outline.transform(placed)), colour, 1.0);
    }

    /// Fills an outline; of what covers nothing, as a line without a length, there is none.
    fn fill(&mut self, outline: Option<Path>, colour: Colour, opacity: f64) {
        let Some(outline) = outline else { return };
        for (theme, pixels) in &mut self.sheets {
            let mut paint = Paint::default();
            paint.set_color(tinted(theme.colour(colour), opacity));
            pixels.fill_path(&outline, &paint, FillRule::Winding, Transform::identity(), None);
        }
    }

    fn fill_in(&mut self, outline: Option<Path>, colour: BackendColor) -> Drawn {
        let (r, g, b) = colour.rgb;
        self.fill(outline, Colour(r, g, b), colour.alpha);
        Ok(())
    }
}

fn tinted(Colour(r, g, b): Colour, opacity: f64) -> Color {
    Color::from_rgba8(r, g, b, (opacity * 255.0).round() as u8)
}

fn pixels(length: u32) -> f32 {
    (f64::from(length) / FINE) as f32
}

fn corner((x, y): BackendCoord) -> [f32; 2] {
    [x, y].map(|x| (f64::from(x) / FINE) as f32)
}

fn line(corners: impl IntoIterator<Item = BackendCoord>) -> PathBuilder {
    let mut line = PathBuilder::new();
    for [x, y] in corners.into_iter().map(corner) {
        match line.is_empty() {
            true => line.move_to(x, y),
            false => line.line_to(x, y),
        }
    }
    line
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Sheets {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        let [(_, pixels), _] = &self.sheets;
        (pixels.width() * FINE as u32, pixels.height() * FINE as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, colour: BackendColor) -> Drawn {
        let [x, y] = corner(point);
        self.fill_in(Rect::from_xywh(x, y, 1.0, 1.0).map(PathBuilder::from_rect), colour)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let width = pixels(style.stroke_width());
        let stroke = Stroke { width, line_join: LineJoin::Round, ..Stroke::default() };
        let line = line(path).finish().and_then(|line| match &self.dashes {
            Some(dashes) => line.dash(dashes, 1.0),
            None => Some(line),
        });
        self.fill_in(line.and_then(|line| line.stroke(&stroke, 1.0)), style.color())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.fill_in(line(corners).finish(), style.color())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        let [x, y] = corner(centre);
        self.fill_in(PathBuilder::from_circle(x, y, pixels(radius)), style.color())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::{Color as _, ShapeStyle};

    const BLACK: BackendColor = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };

    /// How dark a sheet of 20 × 20 is, in pixels.
    fn covered(draw: impl FnOnce(&mut Sheets) -> Drawn) -> f64 {
        let mut sheets = Sheets::new(20, 20).expect("pixels");
        draw(&mut sheets).expect("drawn");
        let [light, _] = sheets.pixels();
        light.into_iter().map(|c| f64::from(255 - c) / 255.0 / 3.0).sum()
    }

    fn corners(corners: &[[f64; 2]]) -> Vec<BackendCoord> {
        let fine = |x: f64| (x * FINE).round() as i32;
        corners.iter().map(|[x, y]| (fine(*x), fine(*y))).collect()
    }

    fn polygon(places: &[[f64; 2]]) -> f64 {
        covered(|sheets| sheets.fill_polygon(corners(places), &BLACK))
    }

    /// Edges are sampled, so what is painted is close to what is covered.
    #[test]
    fn as_much_is_painted_as_a_shape_covers() {
        let square = [[2.25, 3.5], [7.75, 3.5], [7.75, 9.0], [2.25, 9.0]];
        assert!((polygon(&square) - 5.5 * 5.5).abs() < 0.3, "{}", polygon(&square));
        assert!((polygon(&[[1.0, 1.0], [17.0, 3.0], [5.0, 18.0]]) - 132.0).abs() < 1.0);
        let disc = covered(|sheets| sheets.draw_circle((160, 160), 96, &BLACK, true));
        assert!((disc / (36.0 * std::f64::consts::PI) - 1.0).abs() < 0.03, "{disc}");
    }

    #[test]
    fn what_leaves_the_sheet_is_cut() {
        let half = [[-10.0, 0.0], [10.0, 0.0], [10.0, 40.0], [-10.0, 40.0]];
        assert!((polygon(&half) - 200.0).abs() < 0.2);
        assert_eq!(polygon(&[[-9.0, -9.0], [-1.0, -5.0], [-2.0, 30.0]]), 0.0);
        assert_eq!(polygon(&[[21.0, 2.0], [30.0, 5.0], [25.0, 18.0]]), 0.0);
    }

    #[test]
    fn a_line_covers_its_length_and_of_a_dashed_one_the_dashes() {
        let path = corners(&[[2.0, 10.0], [18.0, 10.0]]);
        let color = plotters::style::BLACK.to_rgba();
        let style = ShapeStyle { color, filled: false, stroke_width: 2 * FINE as u32 };
        let draw = |sheets: &mut Sheets| sheets.draw_path(path.clone(), &style);
        assert!((covered(draw) - 32.0).abs() < 0.3, "{}", covered(draw));
        let dashed = covered(|sheets| {
            sheets.dashed(vec![3.0, 1.0], draw)?;
            sheets.draw_circle((-160, 0), 16, &BLACK, true)
        });
        assert!((dashed - 24.0).abs() < 0.3, "{dashed}");
        assert_eq!(covered(|sheets| sheets.draw_path([(16, 16), (16, 16)], &style)), 0.0);
    }

    #[test]
    fn colours_are_mixed_with_the_ground_of_each_theme() {
        let half = BackendColor { alpha: 0.5, rgb: (0xD5, 0x5E, 0x00) };
        let mut sheets = Sheets::new(20, 20).expect("pixels");
        sheets.fill_polygon([(0, 0), (320, 0), (320, 320), (0, 320)], &half).expect("drawn");
        sheets.text("text", (20.0, false), [0.0, 20.0], false, PAPER);
        for (theme, pixels) in Theme::ALL.into_iter().zip(sheets.pixels()) {
            let Colour(r, g, b) = theme.colour(PAPER);
            for (mixed, [ground, own]) in pixels.iter().zip([[r, 0xD5], [g, 0x5E], [b, 0x00]]) {
                let middle = (f64::from(ground) + f64::from(own)) / 2.0;
                assert!((f64::from(*mixed) - middle).abs() <= 1.5, "{theme:?}: {mixed}, {middle}");
            }
            assert!(pixels.chunks(3).any(|pixel| pixel == [r, g, b]), "{theme:?}");
        }
    }
}
