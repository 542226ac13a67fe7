//! Scenes as SVG and PNG, from the same shapes: the one place that calls the drawing library.
//!
//! The library draws on whole pixels. An SVG is therefore drawn on a fine grid that its view box
//! scales down; a PNG is drawn larger than it is and averaged, which also smooths what the library
//! does not. Equal scenes give equal bytes.

use super::font;
use super::palette::{Colour, PAPER};
use super::scene::{Anchor, Paint, Scene, Shape, Spot, Text};
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontStyle, FontTransform, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle,
};

/// Units of the SVG's view box a CSS pixel.
const SVG_SCALE: f64 = 10.0;
/// Pixels of the PNG a CSS pixel: sharp on screens of high density and in print.
const PNG_SCALE: usize = 2;
/// Drawn pixels a pixel of the PNG, along each side.
const OVERSAMPLING: usize = 3;
/// The largest side of a drawing, in CSS pixels.
const LARGEST: f64 = 4000.0;

/// Why a scene could not be drawn, in words.
pub type DrawError = String;

/// What a drawing is made for.
#[derive(Copy, Clone)]
struct Surface {
    scale: f64,
    /// Text stays text, in whatever font its reader has; else it is drawn in the bundled one.
    keeps_text: bool,
}

/// The scene as an SVG file; text stays text.
pub fn svg(scene: &Scene, title: &str) -> Result<String, DrawError> {
    let (width, height) = size(scene)?;
    let surface = Surface { scale: SVG_SCALE, keeps_text: true };
    let mut body = String::new();
    {
        let fine = (width * SVG_SCALE as u32, height * SVG_SCALE as u32);
        let mut backend = SVGBackend::with_string(&mut body, fine);
        draw(&mut backend, scene, surface)?;
        backend.present().map_err(|e| e.to_string())?;
    }
    let (_, shapes) = body.split_once('\n').ok_or("the drawing library wrote no SVG")?;
    let (fine_width, fine_height) = (width * SVG_SCALE as u32, height * SVG_SCALE as u32);
    let title = crate::report::tables::html::escape(title);
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {fine_width} {fine_height}\" role=\"img\">\n<title>{title}</title>\n{shapes}"
    ))
}

/// The scene as a PNG file. Characters that the bundled font lacks are drawn as code points.
pub fn png(scene: &Scene) -> Result<Vec<u8>, DrawError> {
    let (width, height) = size(scene)?;
    let (width, height) = (width as usize * PNG_SCALE, height as usize * PNG_SCALE);
    let large = (width * OVERSAMPLING, height * OVERSAMPLING);
    let scale = (PNG_SCALE * OVERSAMPLING) as f64;
    let surface = Surface { scale, keeps_text: false };
    let mut pixels = vec![255; large.0 * large.1 * 3];
    {
        let size = (large.0 as u32, large.1 as u32);
        let mut backend = BitMapBackend::with_buffer(&mut pixels, size);
        draw(&mut backend, scene, surface)?;
        backend.present().map_err(|e| e.to_string())?;
    }
    encode(&average(&pixels, width, height), width, height)
}

fn size(scene: &Scene) -> Result<(u32, u32), DrawError> {
    if !font::is_ready() {
        return Err("the bundled font cannot be read".to_owned());
    }
    let side = |length: f64| length.clamp(1.0, LARGEST).round() as u32;
    Ok((side(scene.width), side(scene.height)))
}

fn draw<B: DrawingBackend>(
    backend: &mut B,
    scene: &Scene,
    surface: Surface,
) -> Result<(), DrawError> {
    let (width, height) = backend.get_size();
    let ground = ShapeStyle { color: rgba(PAPER.into()), filled: true, stroke_width: 0 };
    let corner = (width as i32, height as i32);
    backend.draw_rect((0, 0), corner, &ground, true).map_err(|e| e.to_string())?;
    for shape in &scene.shapes {
        draw_shape(backend, shape, surface)?;
    }
    Ok(())
}

fn draw_shape<B: DrawingBackend>(
    backend: &mut B,
    shape: &Shape,
    surface: Surface,
) -> Result<(), DrawError> {
    match shape {
        Shape::Path { spots, width, paint } => {
            let stroke_width = (width * surface.scale).round().max(1.0) as u32;
            let style = ShapeStyle { color: rgba(*paint), filled: false, stroke_width };
            match pixels(spots, surface).as_slice() {
                [] | [_] => Ok(()),
                spots => backend.draw_path(spots.iter().copied(), &style),
            }
        }
        Shape::Polygon { spots, paint } => {
            let style = ShapeStyle { color: rgba(*paint), filled: true, stroke_width: 0 };
            match pixels(spots, surface).as_slice() {
                [] | [_] | [_, _] => Ok(()),
                spots => backend.fill_polygon(spots.iter().copied(), &style),
            }
        }
        Shape::Circle { centre, radius, paint } => {
            let style = ShapeStyle { color: rgba(*paint), filled: true, stroke_width: 0 };
            let radius = (radius * surface.scale).round().max(1.0) as u32;
            backend.draw_circle(pixel(*centre, surface), radius, &style, true)
        }
        Shape::Text(text) if surface.keeps_text => return write_text(backend, text, surface),
        Shape::Text(text) => return draw_text(backend, text, surface),
    }
    .map_err(|e| e.to_string())
}

/// Text as text, by the library.
fn write_text<B: DrawingBackend>(
    backend: &mut B,
    text: &Text,
    surface: Surface,
) -> Result<(), DrawError> {
    // The library divides the size by the first number to get an em, and sets the baseline of text
    // that hangs from its place at the second, in em.
    const LINE: f64 = 1.24;
    const HANG: f64 = 0.76;
    let face = if text.bold { FontStyle::Bold } else { FontStyle::Normal };
    let turn = if text.upright { FontTransform::Rotate270 } else { FontTransform::None };
    let h_pos = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = (font::FAMILY, text.size * LINE * surface.scale, face).into_font().transform(turn);
    let colour = rgba(text.colour.into());
    let style = TextStyle::from(font).color(&colour).pos(Pos::new(h_pos, VPos::Top));
    let Spot { x, y } = text.spot;
    let hang = text.size * HANG;
    let spot = if text.upright { Spot { x: x - hang, y } } else { Spot { x, y: y - hang } };
    backend.draw_text(&text.text, &style, pixel(spot, surface)).map_err(|e| e.to_string())
}

/// Text as pixels. The library's own text ignores the space before a glyph, which sets it unevenly.
fn draw_text<B: DrawingBackend>(
    backend: &mut B,
    text: &Text,
    surface: Surface,
) -> Result<(), DrawError> {
    let shown = font::drawable(&text.text);
    let size = text.size * surface.scale;
    let width = font::width(&shown, size, text.bold);
    let start = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    } as i32;
    let (left, baseline) = pixel(text.spot, surface);
    let mut drawn = Ok(());
    font::raster(&shown, size, text.bold, |x, y, coverage| {
        let (x, y) = if text.upright { (y, -(x + start)) } else { (x + start, y) };
        let opacity = f64::from(coverage.clamp(0.0, 1.0));
        let colour = rgba(Paint { colour: text.colour, opacity }).to_backend_color();
        let put = backend.draw_pixel((left + x, baseline + y), colour);
        drawn = std::mem::replace(&mut drawn, Ok(())).and(put.map_err(|e| e.to_string()));
    });
    drawn
}

/// Whole pixels without repeats and without what is not a number.
fn pixels(spots: &[Spot], surface: Surface) -> Vec<(i32, i32)> {
    let finite = spots.iter().filter(|s| s.x.is_finite() && s.y.is_finite());
    let mut pixels: Vec<(i32, i32)> = finite.map(|s| pixel(*s, surface)).collect();
    pixels.dedup();
    pixels
}

fn pixel(spot: Spot, surface: Surface) -> (i32, i32) {
    let whole = |x: f64| (x.clamp(-LARGEST, 2.0 * LARGEST) * surface.scale).round() as i32;
    (whole(spot.x), whole(spot.y))
}

fn rgba(paint: Paint) -> RGBAColor {
    let Colour(r, g, b) = paint.colour;
    RGBColor(r, g, b).mix(paint.opacity)
}

/// Every pixel is the mean of the drawn ones that it covers.
fn average(large: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut small = Vec::with_capacity(width * height * 3);
    let line = width * OVERSAMPLING * 3;
    let count = (OVERSAMPLING * OVERSAMPLING) as u32;
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let first = y * OVERSAMPLING * line + x * OVERSAMPLING * 3 + channel;
                let covered = (0..OVERSAMPLING)
                    .flat_map(|dy| (0..OVERSAMPLING).map(move |dx| first + dy * line + dx * 3));
                let sum: u32 = covered.map(|at| u32::from(large[at])).sum();
                small.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    small
}

fn encode(pixels: &[u8], width: usize, height: usize) -> Result<Vec<u8>, DrawError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let density = (96.0 * PNG_SCALE as f64 / 0.0254).round() as u32;
    let unit = png::Unit::Meter;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: density, yppu: density, unit }));
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(pixels).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}
