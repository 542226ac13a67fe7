//! Scenes as SVG and PNG, from the same shapes: the one place that calls the drawing library.
//!
//! The library knows whole coordinates only, so both are drawn on a fine grid: the SVG's view box
//! scales it down, and [`Sheets`] divide by it. Equal scenes give equal bytes.

use super::font;
use super::palette::{Colour, PAPER, Theme};
use super::scene::{Anchor, Ellipse, Paint, Scene, Shape, Spot, Text};
use super::sheets::{FINE, Sheets};
use crate::tables::html::escape;
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};

/// Units of the SVG's view box a CSS pixel.
const SVG_SCALE: f64 = 10.0;
/// Pixels of the PNG a CSS pixel: sharp on screens of high density and in print.
const PNG_SCALE: f64 = 2.0;
/// The largest side of a drawing, in CSS pixels.
const LARGEST: f64 = 4000.0;

/// Why a scene could not be drawn, in words.
pub type DrawError = String;

/// What shapes can be drawn on.
trait Surface: DrawingBackend {
    /// Coordinates a CSS pixel.
    const SCALE: f64;
}

/// The scene as an SVG file; text stays text.
pub fn svg(scene: &Scene, title: &str, theme: Theme) -> Result<String, DrawError> {
    let (width, height) = size(scene)?;
    let [across, down] = [width, height].map(|side| side as f64 * SVG_SCALE);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {across} {down}\" role=\"img\" font-family=\"{}\" stroke-linejoin=\"round\">\n\
         <title>{}</title>\n<rect width=\"{across}\" height=\"{down}\" fill=\"{}\"/>\n",
        font::FAMILY,
        escape(title),
        theme.colour(PAPER).css()
    );
    write_shapes(&mut out, &scene.shapes, theme)?;
    out.push_str("</svg>\n");
    Ok(out)
}

/// Adds shapes to an SVG. The library has no dashes and no tips, so what has them is put into a
/// group; its texts are as wide as the reader's font makes them, and its ellipses have fifty
/// corners, so both are written here.
fn write_shapes(out: &mut String, shapes: &[Shape], theme: Theme) -> Result<(), DrawError> {
    let is_plain = |shape: &Shape| match shape {
        Shape::Path { dashes, .. } => dashes.is_empty(),
        Shape::Tipped { .. } | Shape::Text(_) | Shape::Ellipse { .. } => false,
        _ => true,
    };
    for run in shapes.chunk_by(|one, other| is_plain(one) && is_plain(other)) {
        match &run[0] {
            Shape::Tipped { tip, shapes } => {
                out.push_str(&format!("<g><title>{}</title>\n", escape(tip)));
                write_shapes(out, shapes, theme)?;
                out.push_str("</g>\n");
            }
            Shape::Text(text) => out.push_str(&text_element(text, theme)),
            Shape::Ellipse { ellipse, fill, rim } => {
                out.push_str(&ellipse_element(ellipse, fill, rim, theme));
            }
            Shape::Path { dashes, .. } if !dashes.is_empty() => {
                let pattern: Vec<String> =
                    dashes.iter().map(|step| format!("{}", step * SVG_SCALE)).collect();
                out.push_str(&format!("<g stroke-dasharray=\"{}\">", pattern.join(" ")));
                out.push_str(&elements(run, theme)?);
                out.push_str("</g>\n");
            }
            _ => out.push_str(&elements(run, theme)?),
        }
    }
    Ok(())
}

/// The elements that the library writes for shapes, without what the root says for all of them.
fn elements(shapes: &[Shape], theme: Theme) -> Result<String, DrawError> {
    let mut body = String::new();
    {
        let mut backend = SVGBackend::with_string(&mut body, (1, 1));
        shapes.iter().try_for_each(|shape| draw_shape(&mut backend, shape, theme))?;
        backend.present().map_err(|e| e.to_string())?;
    }
    let (_, body) = body.split_once('\n').ok_or("the drawing library wrote no SVG")?;
    let body = body.strip_suffix("</svg>\n").ok_or("the drawing library wrote no end")?;
    Ok(body.replace(" opacity=\"1\"", "").replace(" \"/>", "\"/>"))
}

/// The scene as a PNG file for each of [`Theme::ALL`]. Characters that no font has are drawn as
/// code points.
pub fn pngs(scene: &Scene) -> Result<[Vec<u8>; 2], DrawError> {
    let (width, height) = size(scene)?;
    let [width, height] = [width, height].map(|side| (side as f64 * PNG_SCALE) as u32);
    let mut sheets = Sheets::new(width, height).ok_or("the figure has no pixels")?;
    draw_all(&mut sheets, &scene.shapes)?;
    let [light, dark] = sheets.pixels();
    Ok([encode(&light, width, height)?, encode(&dark, width, height)?])
}

/// Draws shapes on pixels, which know no tips. The sheets know their themes themselves.
fn draw_all(sheets: &mut Sheets, shapes: &[Shape]) -> Result<(), DrawError> {
    let theme = Theme::Light;
    for shape in shapes {
        match shape {
            Shape::Tipped { shapes, .. } => draw_all(sheets, shapes)?,
            Shape::Text(text) => write_text(sheets, text),
            Shape::Ellipse { ellipse, fill, rim } => {
                let spots = ellipse.outline();
                let rim =
                    Shape::Path { spots: spots.clone(), width: 1.0, paint: *rim, dashes: &[] };
                draw_shape(sheets, &Shape::Polygon { spots, paint: *fill }, theme)?;
                draw_shape(sheets, &rim, theme)?;
            }
            Shape::Path { dashes, .. } if !dashes.is_empty() => {
                let dashes = dashes.iter().map(|step| (step * PNG_SCALE) as f32).collect();
                sheets.dashed(dashes, |sheets| draw_shape(sheets, shape, theme))?;
            }
            shape => draw_shape(sheets, shape, theme)?,
        }
    }
    Ok(())
}

fn size(scene: &Scene) -> Result<(usize, usize), DrawError> {
    if !font::is_ready() {
        return Err("the bundled font cannot be read".to_owned());
    }
    let side = |length: f64| length.clamp(1.0, LARGEST).round() as usize;
    Ok((side(scene.width), side(scene.height)))
}

/// Draws one shape; of a tipped one, a text and an ellipse nothing, they are drawn by themselves.
fn draw_shape<S: Surface>(surface: &mut S, shape: &Shape, theme: Theme) -> Result<(), DrawError> {
    let rgba = |paint: &Paint| {
        let Colour(r, g, b) = theme.colour(paint.colour);
        RGBColor(r, g, b).mix(paint.opacity)
    };
    let filled = |color: RGBAColor| ShapeStyle { color, filled: true, stroke_width: 0 };
    match shape {
        Shape::Path { spots, width, paint, .. } => {
            let stroke_width = (width * S::SCALE).round().max(1.0) as u32;
            let style = ShapeStyle { color: rgba(paint), filled: false, stroke_width };
            match pixels::<S>(spots).as_slice() {
                [] | [_] => Ok(()),
                spots => surface.draw_path(spots.iter().copied(), &style),
            }
        }
        Shape::Polygon { spots, paint } => match pixels::<S>(spots).as_slice() {
            [] | [_] | [_, _] => Ok(()),
            spots => surface.fill_polygon(spots.iter().copied(), &filled(rgba(paint))),
        },
        Shape::Circle { centre, radius, paint } => {
            let radius = (radius * S::SCALE).round().max(1.0) as u32;
            surface.draw_circle(pixel::<S>(*centre), radius, &filled(rgba(paint)), true)
        }
        Shape::Text(_) | Shape::Tipped { .. } | Shape::Ellipse { .. } => Ok(()),
    }
    .map_err(|e| e.to_string())
}

impl Surface for SVGBackend<'_> {
    const SCALE: f64 = SVG_SCALE;
}

impl Surface for Sheets {
    const SCALE: f64 = PNG_SCALE * FINE;
}

/// An ellipse as one element; one that is too flat to be drawn is a tenth of a pixel wide.
fn ellipse_element(ellipse: &Ellipse, fill: &Paint, rim: &Paint, theme: Theme) -> String {
    let (x, y) = pixel::<SVGBackend<'_>>(ellipse.centre);
    let (halves, turn) = ellipse.main_axes();
    let [long, short] = halves.map(|half| (half.min(LARGEST) * SVG_SCALE).round().max(1.0));
    let degrees = (turn.to_degrees() * 10.0).round() / 10.0 + 0.0;
    let [inside, outside] = [fill, rim].map(|paint| theme.colour(paint.colour).css());
    format!(
        "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{long}\" ry=\"{short}\" transform=\"rotate({degrees}, {x}, {y})\" \
         fill=\"{inside}\" fill-opacity=\"{}\" stroke=\"{outside}\" stroke-opacity=\"{}\" stroke-width=\"{SVG_SCALE}\"/>\n",
        fill.opacity, rim.opacity
    )
}

/// A text as text, as wide as it was measured: whoever shows it may have a wider font, which would
/// run into what stands beside it.
fn text_element(text: &Text, theme: Theme) -> String {
    let (x, y) = pixel::<SVGBackend<'_>>(text.spot);
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
    let turn = match text.upright {
        true => format!(" transform=\"rotate(270, {x}, {y})\""),
        false => String::new(),
    };
    let width = (font::width(&text.text, text.size, text.bold) * SVG_SCALE).round();
    let length = match width > 0.0 {
        true => format!(" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\""),
        false => String::new(),
    };
    let size = (text.size * SVG_SCALE * 10.0).round() / 10.0;
    let (fill, words) = (theme.colour(text.colour).css(), escape(&text.text));
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\"{anchor}{weight}{turn}{length}>{words}</text>\n"
    )
}

/// Draws a text in the bundled font, glyph by glyph: the library's own text ignores the space
/// before a glyph, which sets it unevenly.
fn write_text(sheets: &mut Sheets, text: &Text) {
    let size = text.size * PNG_SCALE;
    let width = font::width(&text.text, size, text.bold);
    let back = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    let Spot { x, y } = text.spot;
    let [x, y] = [x, y].map(|x| x.clamp(-LARGEST, 2.0 * LARGEST) * PNG_SCALE);
    let start = if text.upright { [x, y + back] } else { [x - back, y] };
    sheets.text(&text.text, (size, text.bold), start, text.upright, text.colour);
}

/// Whole coordinates without repeats and without what is not a number.
fn pixels<S: Surface>(spots: &[Spot]) -> Vec<(i32, i32)> {
    let finite = spots.iter().filter(|s| s.x.is_finite() && s.y.is_finite());
    let mut pixels: Vec<(i32, i32)> = finite.map(|s| pixel::<S>(*s)).collect();
    pixels.dedup();
    pixels
}

fn pixel<S: Surface>(spot: Spot) -> (i32, i32) {
    let whole = |x: f64| (x.clamp(-LARGEST, 2.0 * LARGEST) * S::SCALE).round() as i32;
    (whole(spot.x), whole(spot.y))
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, DrawError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    // To try every filter on every line takes half as long again, for files that are a few percent
    // smaller.
    encoder.set_filter(png::Filter::Paeth);
    let density = (96.0 * PNG_SCALE / 0.0254).round() as u32;
    let unit = png::Unit::Meter;
    encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: density, yppu: density, unit }));
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(pixels).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}
