//! The precision-recall displacement plot (Figure 1 of wang2022): for each model an arrow from the
//! baseline to every method in the precision-recall plane, over contours of equal F1.
//!
//! It shows what a method trades: a step to the right finds more, a step down is wrong more often,
//! and the contours say whether the trade pays. Ellipses are the 95 % confidence regions of the
//! means (Hotelling); where seeds are too few for them there are bars of one standard deviation.
//! Models share a frame while they have few means together, else each has its own.

mod mean;
mod plot;

use super::axis;
use super::facets::{self, FrameSize};
use super::frame::{self, Frame};
use super::legend::{self, Legend, LegendEntry, LegendGroup, LegendSample};
use super::scale::AxisScale;
use super::scene::Scene;
use super::{Draft, FigurePlace, Material, cautioned};
use analysis::comparison::Comparison;
use analysis::measure;
use analysis::{GridView, Panel, Scoreboard};
use mean::PlaneMean;
use std::collections::BTreeSet;

/// With more methods than this in a frame, names stand in the key alone, and nothing is drawn
/// around means.
const MOST_NAMED: usize = 12;
/// With more means than this in one frame, ellipses would hide the arrows.
const MOST_MEANS: usize = 24;

/// One model: where its baseline lies, and where its methods lead.
#[derive(Clone, PartialEq, Debug)]
struct ModelCluster<'a> {
    model: &'a str,
    index: usize,
    start: Option<PlaneMean>,
    /// By place in the grid.
    ends: Vec<(usize, PlaneMean)>,
}

impl ModelCluster<'_> {
    fn means(&self) -> impl Iterator<Item = &PlaneMean> {
        self.start.iter().chain(self.ends.iter().map(|(_, mean)| mean))
    }

    /// Whether a method does as its baseline.
    fn has_unmoved(&self) -> bool {
        let place = |mean: &PlaneMean| (mean.recall, mean.precision);
        self.start.is_some_and(|start| self.ends.iter().any(|(_, end)| place(end) == place(&start)))
    }

    fn forget_spread(&mut self) {
        let ends = self.ends.iter_mut().map(|(_, mean)| mean);
        self.start.iter_mut().chain(ends).for_each(PlaneMean::forget_spread);
    }
}

/// What one figure shows.
struct DisplacementPlot<'a> {
    view: &'a GridView,
    board: &'a Scoreboard,
    panel: &'a Panel,
    /// One of all models, or one a model.
    frames: Vec<Vec<ModelCluster<'a>>>,
    is_by_model: bool,
}

/// One figure a panel, several where it has very many models.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let Material { view, board, .. } = *material;
    let mut drafts = Vec::new();
    for panel in view.panels() {
        let (frames, is_by_model) = frames(clusters(view, board, &panel));
        // As many frames in each figure.
        let figures = frames.len().div_ceil(facets::MOST);
        for frames in frames.chunks(frames.len().div_ceil(figures)) {
            let frames = frames.to_vec();
            let plot = DisplacementPlot { view, board, panel: &panel, frames, is_by_model };
            let models: Vec<&str> = plot.frames.iter().flatten().map(|c| c.model).collect();
            let shown = |c: &&Comparison| c.is_on(&panel) && models.contains(&c.model.as_str());
            let mut draft = plot.draft();
            draft.caption = cautioned(material.comparisons.iter().filter(shown), draft.caption);
            drafts.push(draft);
        }
    }
    drafts
}

/// The models that are shown on a panel.
fn clusters<'a>(view: &'a GridView, board: &Scoreboard, panel: &Panel) -> Vec<ModelCluster<'a>> {
    let cluster = |model: &'a str| {
        let mean_of = |method: &String| PlaneMean::of(board.cell(panel, model, method));
        let others = view.methods.iter().enumerate().filter(|(_, m)| !view.is_baseline(m));
        ModelCluster {
            model,
            index: view.models.iter().position(|m| m == model).unwrap_or(0),
            start: view.baseline.as_ref().and_then(mean_of),
            ends: others.filter_map(|(k, method)| Some((k, mean_of(method)?))).collect(),
        }
    };
    board.models(view, panel).into_iter().map(cluster).collect()
}

/// Clusters in frames, and whether each is one model's. What is shown counts, however large the
/// grid is.
fn frames(clusters: Vec<ModelCluster<'_>>) -> (Vec<Vec<ModelCluster<'_>>>, bool) {
    let is_by_model = clusters.len() > 1 && means(&clusters).count() > MOST_MEANS;
    let mut frames: Vec<Vec<ModelCluster<'_>>> = match is_by_model {
        true => clusters.into_iter().map(|cluster| vec![cluster]).collect(),
        false => vec![clusters],
    };
    for frame in &mut frames {
        if methods(frame) > MOST_NAMED || means(frame).count() > MOST_MEANS {
            frame.iter_mut().for_each(ModelCluster::forget_spread);
        }
    }
    (frames, is_by_model)
}

fn means<'a>(clusters: &'a [ModelCluster<'_>]) -> impl Iterator<Item = &'a PlaneMean> {
    clusters.iter().flat_map(ModelCluster::means)
}

/// How many methods clusters have, the baseline among them.
fn methods(clusters: &[ModelCluster<'_>]) -> usize {
    let ends: BTreeSet<usize> = clusters.iter().flat_map(|c| &c.ends).map(|(k, _)| *k).collect();
    ends.len() + usize::from(clusters.iter().any(|c| c.start.is_some()))
}

/// What is drawn around means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum ShownSpread {
    Nothing,
    Bars,
    Ellipses,
    Both,
}

impl ShownSpread {
    /// In words; `None` where there is nothing.
    fn words(self) -> Option<&'static str> {
        match self {
            ShownSpread::Nothing => None,
            ShownSpread::Bars => Some("bars ± 1 sd"),
            ShownSpread::Ellipses => Some("ellipses 95 % confidence of the mean"),
            ShownSpread::Both => Some("ellipses 95 % confidence of the mean, bars ± 1 sd"),
        }
    }

    fn has_ellipses(self) -> bool {
        matches!(self, ShownSpread::Ellipses | ShownSpread::Both)
    }
}

impl DisplacementPlot<'_> {
    fn draft(&self) -> Draft {
        let Panel { corpus, scenario } = self.panel;
        Draft {
            parts: vec!["displacement".to_owned(), corpus.clone(), scenario.clone()],
            title: self.title(),
            description: self.description(),
            caption: self.caption(),
            scene: self.scene(),
            place: FigurePlace::Panel(self.panel.clone()),
        }
    }

    fn title(&self) -> String {
        format!("Precision and recall on {}", self.panel.title())
    }

    fn means(&self) -> impl Iterator<Item = &PlaneMean> {
        self.frames.iter().flat_map(|frame| means(frame))
    }

    fn spread(&self) -> ShownSpread {
        let ellipses = self.means().any(|mean| mean.ellipse.is_some());
        let bars = self.means().any(|mean| mean.ellipse.is_none() && mean.reach() != [0.0; 2]);
        match (bars, ellipses) {
            (false, false) => ShownSpread::Nothing,
            (true, false) => ShownSpread::Bars,
            (false, true) => ShownSpread::Ellipses,
            (true, true) => ShownSpread::Both,
        }
    }

    /// What the figure shows, for readers who do not see it.
    fn description(&self) -> String {
        let words = measure::averaging(self.board.metric);
        let each = if self.is_by_model { "frame" } else { "cluster" };
        let lead = match &self.view.baseline {
            Some(baseline) => {
                format!("Arrows lead from {baseline} to each method, one {each} a model.")
            }
            None => "One mark a method and model.".to_owned(),
        };
        let scored = self.board.seeds_scored(Some(self.panel));
        let spread = self.spread().words().map_or_else(String::new, |words| format!(", {words}"));
        format!(
            "Recall (across) and precision (up), {words}, on {}, mean over {scored}{spread}. {lead} Curves join \
             points of equal F1.",
            self.panel.title(),
        )
    }

    /// A sentence or two for under the figure.
    fn caption(&self) -> String {
        let contours = match measure::is_harmonic(self.board.metric) {
            true => "; what crosses a curve upwards gains F1.",
            false => {
                ". The curves join equal harmonic means of the two; the macro-F1 of the tables is the mean of \
                 the types' F1, so it can differ a little from where a point lies."
            }
        };
        let ellipses = match self.spread().has_ellipses() {
            true => {
                " Each ellipse holds the true mean with 95 % confidence, if seeds scatter normally (Hotelling's \
                 T²); methods are compared by seed, so ellipses that overlap can still differ significantly."
            }
            false => "",
        };
        let frames = match self.is_by_model {
            true => {
                " Axes of all models are equally long but begin at different scores, so arrows compare and \
                 places do not."
            }
            false => "",
        };
        let unmoved = match self.frames.iter().flatten().any(ModelCluster::has_unmoved) {
            true => " A method of the key that has no arrow lies where its baseline does.",
            false => "",
        };
        format!(
            "An arrow to the right finds more entities, one downwards is wrong more \
             often{contours}{ellipses}{frames}{unmoved}"
        )
    }

    fn subtitle(&self) -> String {
        let scored = self.board.seeds_scored(Some(self.panel));
        let seeds = match (scored.most, self.spread().words()) {
            (0 | 1, _) => scored.to_string(),
            (_, None) => format!("mean over {scored}"),
            (_, Some(words)) => format!("mean over {scored}, {words}"),
        };
        let lead = match &self.view.baseline {
            Some(baseline) => format!("arrows from {baseline} to each method"),
            None => "one mark a method".to_owned(),
        };
        format!("Test set, {} average, {lead}; {seeds}", measure::averaging(self.board.metric))
    }

    fn scene(&self) -> Scene {
        let headings = (self.title(), self.subtitle());
        let count = self.frames.len();
        let (mut scene, areas) =
            facets::lay_out((&headings.0, &headings.1), count, self.inside(), &self.key());
        let words = measure::averaging(self.board.metric);
        let titles = [format!("Recall, {words} (%)"), format!("Precision, {words} (%)")];
        for ((frame, area), [across, up]) in self.frames.iter().zip(areas).zip(self.axes()) {
            let plane = Frame { area, across, up };
            let heading = if self.is_by_model { frame[0].model } else { "" };
            plane.axes(&mut scene, heading, (&titles[0], &titles[1]));
            match means(frame).next() {
                None => frame::nothing(&mut scene, &plane.area, "No finished job yet"),
                Some(_) => plot::draw(&mut scene, self.view, &plane, frame, self.is_by_model),
            }
        }
        scene
    }

    /// One frame is large; of several each has room for the names of its methods.
    fn inside(&self) -> FrameSize {
        let (width, height, across) = match self.frames.len() {
            0 | 1 => (580.0, 460.0, 1),
            2 => (420.0, 350.0, 2),
            4 => (400.0, 330.0, 2),
            _ => (310.0, 280.0, 3),
        };
        FrameSize { width, height, across, has_headings: self.is_by_model }
    }

    /// Recall and precision of each frame, as long in all of them.
    fn axes(&self) -> Vec<[AxisScale; 2]> {
        let own: Vec<[AxisScale; 2]> = self.frames.iter().map(|frame| axes(frame)).collect();
        let longest = |side: usize| {
            own.iter().map(|axes| axes[side].high - axes[side].low).fold(0.0, f64::max)
        };
        let lengths = [longest(0), longest(1)];
        let stretched = |[recall, precision]: &[AxisScale; 2]| {
            [axis::stretched(*recall, lengths[0]), axis::stretched(*precision, lengths[1])]
        };
        own.iter().map(stretched).collect()
    }

    fn key(&self) -> Legend {
        let clusters = || self.frames.iter().flatten();
        let ends = clusters().flat_map(|c| c.ends.iter().map(|(k, _)| *k));
        let ends = ends.map(|k| self.view.methods[k].as_str());
        let base = self.view.baseline.as_deref().filter(|_| clusters().any(|c| c.start.is_some()));
        let shown: Vec<&str> = ends.chain(base).collect();
        let sample =
            if self.view.baseline.is_some() { LegendSample::Arrow } else { LegendSample::Dot };
        let models: Vec<usize> = match self.is_by_model {
            true => vec![],
            false => clusters().filter(|c| c.means().next().is_some()).map(|c| c.index).collect(),
        };
        let entry = |sample, name: &str| LegendEntry { sample, name: name.to_owned() };
        let mut aside = vec![entry(LegendSample::Contour, "equal F1")];
        if self.spread().has_ellipses() {
            aside.push(entry(LegendSample::Ellipse, "95 % of the mean"));
        }
        let aside = LegendGroup { head: "", entries: aside };
        let methods = legend::methods(self.view, &shown, sample);
        Legend::new(vec![methods, legend::models(self.view, &models), aside])
    }
}

fn axes(clusters: &[ModelCluster<'_>]) -> [AxisScale; 2] {
    let ends = |value: fn(&PlaneMean) -> f64, side: usize| {
        means(clusters)
            .flat_map(move |mean| [-1.0, 1.0].map(|sign| value(mean) + sign * mean.reach()[side]))
    };
    [axis::of_scores(ends(|m| m.recall, 0)), axis::of_scores(ends(|m| m.precision, 1))]
}
