//! A sheet with headings, a grid of small frames, and a key: what most figures share.
//!
//! A frame is usually one model on one corpus under one scenario. What all frames have in common
//! stands above them once, what tells them apart above each.

use super::font;
use super::frame::{LEFT, TOP};
use super::legend::Legend;
use super::palette::{INK, QUIET};
use super::scene::{Area, Scene, Text, at};
use analysis::{GridView, Panel, Scoreboard};

/// Frames of one figure; more of them are further figures.
pub const MOST: usize = 6;

/// The scenario that is the whole corpus.
const WHOLE: &str = "full";

/// Figures of one kind.
const MOST_FIGURES: usize = 4;

const MARGIN: f64 = 24.0;
/// Above the first row of frames.
const HEADER: f64 = 70.0;
/// Right of a frame, the space to the next, and the axis below it.
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 50.0;

/// One model on one panel.
#[derive(Clone, PartialEq, Debug)]
pub struct Facet<'a> {
    pub panel: Panel,
    pub model: &'a str,
}

/// Every model of every panel that has a shown cell, in grid order.
pub fn all<'a>(view: &'a GridView, board: &Scoreboard) -> Vec<Facet<'a>> {
    let of_panel = |panel: Panel| {
        let models = board.models(view, &panel);
        models.into_iter().map(move |model| Facet { panel: panel.clone(), model })
    };
    view.panels().into_iter().flat_map(of_panel).collect()
}

/// The facets of a kind that are drawn.
pub struct ShownFacets<T> {
    pub facets: Vec<T>,
    left_out: usize,
}

/// As many facets as somebody may look at.
pub fn shown<T>(facets: Vec<T>) -> ShownFacets<T> {
    let mut shown = ShownFacets { facets, left_out: 0 };
    shown.keep(MOST_FIGURES * MOST);
    shown
}

impl<T> ShownFacets<T> {
    /// Leaves out all but the first ones.
    pub fn keep(&mut self, most: usize) {
        self.left_out += self.facets.len().saturating_sub(most);
        self.facets.truncate(most);
    }

    /// What a caption says of those that are left out.
    pub fn remark(&self) -> String {
        match self.left_out {
            0 => String::new(),
            1 => " One further frame is left out.".to_owned(),
            more => format!(" {more} further frames are left out."),
        }
    }
}

/// ` (news, bert)`; nothing where nothing is common.
pub fn aside(common: &str) -> String {
    if common.is_empty() { String::new() } else { format!(" ({common})") }
}

/// What is told of a facet: its parts that not all have, and those that all have.
pub struct FacetTitles {
    pub each: Vec<String>,
    /// `corpus, model`; empty where nothing is common.
    pub common: String,
}

/// Titles from the parts of each place, as many of each. That all are of the whole corpus goes
/// without saying; that one is among others does not.
pub fn titles(places: &[Vec<String>]) -> FacetTitles {
    let parts = places.first().map_or(0, Vec::len);
    let (same, other): (Vec<usize>, Vec<usize>) =
        (0..parts).partition(|&k| places.iter().all(|place| place[k] == places[0][k]));
    let join = |place: &Vec<String>, of: &[usize], tacit: &str| {
        let words = of.iter().map(|&k| place[k].as_str());
        words.filter(|part| !part.is_empty() && *part != tacit).collect::<Vec<_>>().join(", ")
    };
    let common = places.first().map_or_else(String::new, |place| join(place, &same, WHOLE));
    FacetTitles { each: places.iter().map(|place| join(place, &other, "")).collect(), common }
}

impl Facet<'_> {
    /// Corpus, scenario and model.
    pub fn parts(&self) -> Vec<String> {
        let Panel { corpus, scenario } = &self.panel;
        vec![corpus.clone(), scenario.clone(), self.model.to_owned()]
    }
}

/// How large the inside of frames is.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct FrameSize {
    pub width: f64,
    pub height: f64,
    /// Frames side by side.
    pub across: usize,
    /// Whether something is to stand above each.
    pub has_headings: bool,
}

/// Few frames are large, many are small. One that stands alone has no heading: the title is all it
/// needs.
pub fn inside(count: usize) -> FrameSize {
    let (width, height, across) = match count {
        0 | 1 => (560.0, 380.0, 1),
        2 => (400.0, 300.0, 2),
        4 => (380.0, 250.0, 2),
        _ => (290.0, 220.0, 3),
    };
    FrameSize { width, height, across, has_headings: count > 1 }
}

/// A sheet with its headings and key, and the frames on it.
pub fn lay_out(
    (title, subtitle): (&str, &str),
    count: usize,
    inside: FrameSize,
    legend: &Legend,
) -> (Scene, Vec<Area>) {
    let FrameSize { width, height, across, has_headings } = inside;
    let above = if has_headings { TOP } else { 4.0 };
    let (cell_width, cell_height) = (LEFT + width + RIGHT, above + height + BOTTOM);
    let (across, rows) = (across.min(count.max(1)), count.max(1).div_ceil(across));
    let key_left = MARGIN + across as f64 * cell_width + 10.0;
    let key_room = if legend.width > 0.0 { legend.width + 10.0 } else { 0.0 };
    let mut scene = Scene {
        width: key_left + key_room + MARGIN - 10.0,
        height: HEADER + (rows as f64 * cell_height + 8.0).max(above + legend.height + MARGIN),
        shapes: Vec::new(),
    };
    headings(&mut scene, title, subtitle);
    legend.draw(&mut scene, at(key_left, HEADER + above - 4.0));
    let frame = |index: usize| {
        let left = MARGIN + (index % across) as f64 * cell_width + LEFT;
        let top = HEADER + (index / across) as f64 * cell_height + above;
        Area { left, top, right: left + width, bottom: top + height }
    };
    (scene, (0..count).map(frame).collect())
}

/// Smaller letters than this are not read.
const LEAST_SIZE: f64 = 10.0;

/// The title of a figure, and a line of less weight below it.
pub fn headings(scene: &mut Scene, title: &str, subtitle: &str) {
    let room = scene.width - 2.0 * MARGIN;
    let title = font::fit(title, 17.0, true, room);
    scene.text(Text::new(title, at(MARGIN, 32.0), 17.0, INK).bold());
    let size = shrunk(subtitle, 12.0, room);
    let subtitle = font::fit(subtitle, size, false, room);
    scene.text(Text::new(subtitle, at(MARGIN, 53.0), size, QUIET));
}

/// The size at which a text fits its room: somewhat smaller than asked for is better than cut.
fn shrunk(text: &str, size: f64, room: f64) -> f64 {
    let needed = font::width(text, size, false) / room;
    // A hair less, so that rounding does not cut it.
    let fitting = size / needed.max(1.0) * if needed > 1.0 { 0.995 } else { 1.0 };
    if fitting < LEAST_SIZE { size } else { fitting }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_a_little_too_long_is_set_smaller_and_not_cut() {
        let text = "Test set (ncbi-disease, merge_types: true), a line for each model and method";
        let width = font::width(text, 12.0, false);
        for room in [width + 1.0, width, 0.95 * width, 0.85 * width] {
            let size = shrunk(text, 12.0, room);
            assert_eq!(font::fit(text, size, false, room), text, "{room}");
            assert!((LEAST_SIZE..=12.0).contains(&size));
        }
        assert_eq!(shrunk(text, 12.0, width + 1.0), 12.0);
        assert_eq!(shrunk(text, 12.0, 0.5 * width), 12.0, "cut, in letters that are read");
    }

    #[test]
    fn what_all_have_in_common_is_said_once() {
        let place =
            |corpus: &str, model: &str| vec![corpus.to_owned(), String::new(), model.to_owned()];
        let found = titles(&[place("a", "m"), place("b", "m")]);
        assert_eq!((found.each, found.common.as_str()), (vec!["a".into(), "b".into()], "m"));
        let one = titles(&[place("a", "m")]);
        assert_eq!((one.each, one.common.as_str()), (vec![String::new()], "a, m"));
        assert_eq!(titles(&[]).common, "");
        let scenarios =
            [["a", "full"], ["a", "low"]].map(|parts| parts.map(str::to_owned).to_vec());
        assert_eq!(titles(&scenarios).each, ["full", "low"]);
    }
}
