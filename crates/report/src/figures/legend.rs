//! The key of a figure: methods by colour and pattern, models by shape. Every name that the figure
//! shows stands here, in as many columns as it takes, and no two of up to 48 methods or 10 models
//! look alike.

use super::font;
use super::palette::{self, CONTOUR, Colour, INK, Mark, QUIET};
use super::scene::{Area, Ellipse, Paint, Scene, Spot, Text, at};
use analysis::GridView;

const LINE: f64 = 21.0;
const SAMPLE: f64 = 30.0;
const SIZE: f64 = 12.0;
const LONGEST: f64 = 170.0;
/// Of the names of a model and a method.
const LONGEST_PAIR: f64 = 260.0;
/// Between columns.
const GAP: f64 = 18.0;
/// Lines in a column.
const LINES: usize = 22;

/// A key that is laid out.
#[derive(Clone, PartialEq, Debug)]
pub struct Legend {
    pub width: f64,
    pub height: f64,
    columns: Vec<Vec<LegendRow>>,
    column_width: f64,
}

/// Entries under a heading.
#[derive(Clone, PartialEq, Debug)]
pub struct LegendGroup {
    pub head: &'static str,
    pub entries: Vec<LegendEntry>,
}

/// What something looks like, and what it is called.
#[derive(Clone, PartialEq, Debug)]
pub struct LegendEntry {
    pub sample: LegendSample,
    pub name: String,
}

/// What stands before a name; looks are those of methods.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum LegendSample {
    Arrow(Option<usize>),
    Line(Option<usize>),
    Dot(Option<usize>),
    /// A model's shape.
    Marker(usize),
    /// A line that is no method's.
    Dashes(&'static [f64], Colour),
    /// The line of a model with a method, with its mark.
    Pair(&'static [f64], Mark),
    Contour,
    Ellipse,
    Band,
}

impl LegendSample {
    /// How long the name beside it may be.
    fn room(self) -> f64 {
        if matches!(self, LegendSample::Pair(..)) { LONGEST_PAIR } else { LONGEST }
    }
}

#[derive(Clone, PartialEq, Debug)]
enum LegendRow {
    Head(&'static str),
    LegendEntry(LegendEntry),
    Space,
}

/// The methods of a figure in the order of the grid, the baseline first.
pub fn methods(
    view: &GridView,
    shown: &[&str],
    sample: fn(Option<usize>) -> LegendSample,
) -> LegendGroup {
    let (base, others): (Vec<&String>, Vec<&String>) = view
        .methods
        .iter()
        .filter(|method| shown.contains(&method.as_str()))
        .partition(|method| view.is_baseline(method));
    let base = base.into_iter().map(|name| (format!("{name} (baseline)"), view.look(name)));
    let others = others.into_iter().map(|name| (name.clone(), view.look(name)));
    let entry = |(name, look)| LegendEntry { sample: sample(look), name };
    LegendGroup { head: "Method", entries: base.chain(others).map(entry).collect() }
}

/// The models of a figure by their places in the grid.
pub fn models(view: &GridView, shown: &[usize]) -> LegendGroup {
    let entry = |&index: &usize| LegendEntry {
        sample: LegendSample::Marker(index),
        name: view.models[index].clone(),
    };
    LegendGroup { head: "Model", entries: shown.iter().map(entry).collect() }
}

impl Legend {
    /// Lays groups out below each other, in further columns where one is full.
    pub fn new(groups: Vec<LegendGroup>) -> Self {
        let mut columns: Vec<Vec<LegendRow>> = Vec::new();
        for group in groups.into_iter().filter(|group| !group.entries.is_empty()) {
            let fitted = |entry: LegendEntry| {
                let room = entry.sample.room();
                LegendRow::LegendEntry(LegendEntry {
                    name: font::fit_name(&entry.name, SIZE, false, room),
                    ..entry
                })
            };
            let head = Some(LegendRow::Head(group.head)).filter(|_| !group.head.is_empty());
            let rows: Vec<LegendRow> =
                head.into_iter().chain(group.entries.into_iter().map(fitted)).collect();
            match columns.last_mut() {
                Some(last) if last.len() + 1 + rows.len() <= LINES => {
                    last.push(LegendRow::Space);
                    last.extend(rows);
                }
                _ => columns.extend(rows.chunks(LINES).map(<[LegendRow]>::to_vec)),
            }
        }
        let widest = columns.iter().flatten().map(LegendRow::width).fold(0.0, f64::max);
        let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let column_width = SAMPLE + 10.0 + widest + GAP;
        let width = (column_width * columns.len() as f64 - GAP).max(0.0);
        Self { width, height: tallest as f64 * LINE, columns, column_width }
    }

    /// Draws the key with its upper left corner at a spot.
    pub fn draw(&self, scene: &mut Scene, corner: Spot) {
        for (k, column) in self.columns.iter().enumerate() {
            let left = corner.x + k as f64 * self.column_width;
            for (line, row) in column.iter().enumerate() {
                draw(scene, row, at(left, corner.y + 8.0 + line as f64 * LINE));
            }
        }
    }
}

/// Draws a sample: on a scene, around its middle, between its ends.
type DrawSample<'a> = &'a dyn Fn(&mut Scene, Spot, Vec<Spot>);

/// Draws a key in one line, its middle at the height of a spot, with samples so wide and names so
/// far from them.
pub fn in_a_line<const N: usize>(
    scene: &mut Scene,
    from: Spot,
    (width, gap): (f64, f64),
    entries: [(&str, DrawSample<'_>); N],
) {
    let mut x = from.x;
    for (name, draw) in entries {
        let ends = vec![at(x, from.y), at(x + width, from.y)];
        draw(scene, at(x + width / 2.0, from.y), ends);
        let text = Text::new(name, at(x + width + gap, from.y + 4.0), SIZE, INK);
        x = text.spot.x + font::width(name, SIZE, false) + 22.0;
        scene.text(text);
    }
}

impl LegendRow {
    fn width(&self) -> f64 {
        match self {
            LegendRow::Head(text) => font::width(text, SIZE, true) - SAMPLE - 10.0,
            LegendRow::LegendEntry(entry) => font::width(&entry.name, SIZE, false),
            LegendRow::Space => 0.0,
        }
    }
}

fn draw(scene: &mut Scene, row: &LegendRow, middle: Spot) {
    let baseline = middle.y + 4.2;
    match row {
        LegendRow::Head(text) => {
            scene.text(Text::new(*text, at(middle.x, baseline), SIZE, INK).bold());
        }
        LegendRow::LegendEntry(entry) => {
            sample(scene, entry.sample, middle);
            let is_aside = matches!(
                entry.sample,
                LegendSample::Contour | LegendSample::Ellipse | LegendSample::Band
            );
            let colour = if is_aside { QUIET } else { INK };
            let start = at(middle.x + SAMPLE + 10.0, baseline);
            scene.text(Text::new(entry.name.clone(), start, SIZE, colour));
        }
        LegendRow::Space => {}
    }
}

fn sample(scene: &mut Scene, sample: LegendSample, middle: Spot) {
    let end = at(middle.x + SAMPLE, middle.y);
    let centre = at(middle.x + SAMPLE / 2.0, middle.y);
    match sample {
        // The baseline is where arrows begin.
        LegendSample::Arrow(None) => scene.circle(centre, 3.2, INK),
        LegendSample::Arrow(look) => arrow(scene, middle, end, look),
        LegendSample::Line(look) => line(scene, vec![middle, end], look, 2.0),
        LegendSample::Dot(look) => scene.mark(Mark::of_method(look), centre, 5.0),
        LegendSample::Marker(index) => scene.rimmed(Mark::of_model(index), centre, 5.5),
        LegendSample::Dashes(dashes, colour) => {
            scene.dashed(vec![middle, end], dashes, 2.0, colour)
        }
        LegendSample::Pair(dashes, mark) => {
            scene.dashed(vec![middle, end], dashes, 2.0, mark.colour);
            scene.rimmed(mark, centre, 4.0);
        }
        LegendSample::Contour => scene.path(vec![middle, end], 1.1, CONTOUR),
        LegendSample::Ellipse => {
            let ellipse = Ellipse { centre, axes: [at(13.0, 0.0), at(0.0, 6.0)] };
            let paint = |opacity| Paint { colour: QUIET, opacity };
            scene.ellipse(ellipse, paint(0.16), paint(0.7));
        }
        LegendSample::Band => {
            let (top, bottom) = (middle.y - 5.0, middle.y + 5.0);
            let area = Area { left: middle.x, top, right: end.x, bottom };
            scene.rectangle(area, Paint { colour: QUIET, opacity: 0.2 });
        }
    }
}

/// A line in a method's colour and pattern.
pub fn line(scene: &mut Scene, spots: Vec<Spot>, look: Option<usize>, width: f64) {
    scene.dashed(spots, palette::dashes(look), width, palette::method(look));
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
    line(scene, vec![from, neck], look, 1.9);
    let (dx, dy) = ((to.x - from.x) / length, (to.y - from.y) / length);
    let base = to.towards(from, head / length);
    let half = head * 0.4;
    let wings = [half, -half].map(|w| at(base.x - dy * w, base.y + dx * w));
    scene.polygon(vec![to, wings[0], wings[1]], colour);
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::synthetic;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|k| format!("name-{k}")).collect()
    }

    /// What stands before each name.
    fn samples(group: &LegendGroup) -> Vec<Scene> {
        let drawn = |entry: &LegendEntry| {
            let mut scene = Scene { width: 50.0, height: 20.0, shapes: Vec::new() };
            sample(&mut scene, entry.sample, at(10.0, 10.0));
            scene
        };
        group.entries.iter().map(drawn).collect()
    }

    #[test]
    fn no_two_names_of_a_key_look_alike() {
        let (view, _) = synthetic::named(&names(49), &names(10));
        let shown: Vec<&str> = view.methods.iter().map(String::as_str).collect();
        let of_methods = [LegendSample::Arrow, LegendSample::Line, LegendSample::Dot]
            .map(|s| methods(&view, &shown, s));
        let places: Vec<usize> = (0..view.models.len()).collect();
        for group in of_methods.iter().chain([&models(&view, &places)]) {
            let samples = samples(group);
            assert!(samples.len() >= 10);
            for (k, one) in samples.iter().enumerate() {
                let like = samples[..k].iter().position(|other| other == one);
                assert_eq!(like, None, "{k} of {}: {:?}", group.head, group.entries[k].sample);
            }
        }
    }
}
