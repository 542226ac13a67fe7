//! The key of a figure: methods by colour and pattern, models by shape. Every name that the figure
//! shows stands here, in as many columns as it takes.

use super::font;
use super::palette::{self, CONTOUR, INK, QUIET};
use super::scene::{Scene, Spot, Text, at};
use crate::report::view::GridView;

const LINE: f64 = 21.0;
const SAMPLE: f64 = 30.0;
const SIZE: f64 = 12.0;
const LONGEST: f64 = 170.0;
/// Lines in a column.
const LINES: usize = 22;

/// A key that is laid out.
#[derive(Clone, PartialEq, Debug)]
pub struct Legend {
    pub width: f64,
    pub height: f64,
    columns: Vec<Vec<Entry>>,
    column_width: f64,
}

#[derive(Clone, PartialEq, Debug)]
enum Entry {
    Head(&'static str),
    Baseline {
        name: String,
    },
    /// As an arrow from the baseline, or as a mark where there is none.
    Method {
        name: String,
        look: Option<usize>,
        arrow: bool,
    },
    Model {
        name: String,
        index: usize,
    },
    Contour,
    Space,
}

/// The key for methods and models by their places in the grid.
pub fn build(view: &GridView, methods: &[usize], models: &[usize]) -> Legend {
    let fit = |name: &str| font::fit(name, SIZE, false, LONGEST);
    let mut first = vec![Entry::Head("Method")];
    if let Some(baseline) = &view.baseline {
        first.push(Entry::Baseline { name: fit(&format!("{baseline} (baseline)")) });
    }
    first.extend(methods.iter().map(|&index| {
        let (name, look) = (fit(&view.methods[index]), view.look(&view.methods[index]));
        Entry::Method { name, look, arrow: view.baseline.is_some() }
    }));
    let mut second = vec![Entry::Head("Model")];
    second
        .extend(models.iter().map(|&index| Entry::Model { name: fit(&view.models[index]), index }));
    second.extend([Entry::Space, Entry::Contour]);
    let widest = first.iter().chain(&second).map(Entry::width).fold(0.0, f64::max);
    let columns = columns(&first, second);
    let column_width = SAMPLE + 10.0 + widest + 18.0;
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    Legend {
        width: column_width * columns.len() as f64 - 18.0,
        height: tallest as f64 * LINE,
        columns,
        column_width,
    }
}

/// Methods in as many columns as they take, models below the last of them where all of them fit.
fn columns(methods: &[Entry], models: Vec<Entry>) -> Vec<Vec<Entry>> {
    let mut columns: Vec<Vec<Entry>> = methods.chunks(LINES).map(<[Entry]>::to_vec).collect();
    match columns.last_mut() {
        Some(last) if last.len() + 1 + models.len() <= LINES => {
            last.push(Entry::Space);
            last.extend(models);
        }
        _ => columns.extend(models.chunks(LINES).map(<[Entry]>::to_vec)),
    }
    columns
}

impl Entry {
    fn text(&self) -> &str {
        match self {
            Entry::Head(text) => text,
            Entry::Baseline { name } | Entry::Method { name, .. } | Entry::Model { name, .. } => {
                name
            }
            Entry::Contour => "equal F1",
            Entry::Space => "",
        }
    }

    fn width(&self) -> f64 {
        font::drawn_width(self.text(), SIZE, false)
    }
}

impl Legend {
    /// Draws the key with its upper left corner at a spot.
    pub fn draw(&self, scene: &mut Scene, corner: Spot) {
        for (k, column) in self.columns.iter().enumerate() {
            let left = corner.x + k as f64 * self.column_width;
            for (line, entry) in column.iter().enumerate() {
                draw(scene, entry, at(left, corner.y + 8.0 + line as f64 * LINE));
            }
        }
    }
}

fn draw(scene: &mut Scene, entry: &Entry, middle: Spot) {
    let baseline = middle.y + 4.2;
    let end = at(middle.x + SAMPLE, middle.y);
    let centre = at(middle.x + SAMPLE / 2.0, middle.y);
    match entry {
        Entry::Head(text) => {
            scene.text(Text::new(*text, at(middle.x, baseline), SIZE, INK).bold());
            return;
        }
        Entry::Baseline { .. } => scene.circle(centre, 3.2, INK),
        Entry::Method { look, arrow: true, .. } => arrow(scene, middle, end, *look),
        Entry::Method { look, .. } => scene.circle(centre, 5.0, palette::method(*look)),
        Entry::Model { index, .. } => scene.marker(palette::marker(*index), centre, 5.5, INK),
        Entry::Contour => scene.path(vec![middle, end], 1.1, CONTOUR),
        Entry::Space => return,
    }
    let colour = if matches!(entry, Entry::Contour) { QUIET } else { INK };
    scene.text(Text::new(entry.text(), at(end.x + 10.0, baseline), SIZE, colour));
}

/// An arrow in a method's colour and pattern; one that is too short to see is a dot.
pub fn arrow(scene: &mut Scene, from: Spot, to: Spot, look: Option<usize>) {
    let colour = palette::method(look);
    let length = from.distance(to);
    if length < 3.0 {
        scene.circle(to, 2.5, colour);
        return;
    }
    let head = 9.5f64.min(length * 0.6);
    let neck = to.towards(from, head * 0.8 / length);
    scene.dashed(from, neck, palette::dashes(look), 1.9, colour);
    let (dx, dy) = ((to.x - from.x) / length, (to.y - from.y) / length);
    let base = to.towards(from, head / length);
    let half = head * 0.4;
    let wings = [half, -half].map(|w| at(base.x - dy * w, base.y + dx * w));
    scene.polygon(vec![to, wings[0], wings[1]], colour);
}
