//! Lines in frames, of methods or of models with methods, with bands of what their means may be.

use super::clip;
use super::facets;
use super::frame::{self, Frame};
use super::legend::{Legend, LegendEntry, LegendGroup, LegendSample};
use super::palette::{self, Colour, Mark};
use super::scale::{AxisScale, AxisUnit, written};
use super::scene::{Paint, Scene, Spot};
use super::{Draft, FigurePlace};
use analysis::GridView;
use analysis::number;
use domain::Bands;

/// Fewer values have no interval worth a drawing: of two it is a dozen times their distance.
const LEAST_FOR_BAND: usize = 3;
/// With more lines than this, bands would hide them.
const MOST_WITH_BANDS: usize = 6;
/// Marks on longer lines would touch.
const MOST_MARKS: usize = 16;
/// No axis of scores is shorter: noise should not fill a figure.
const SHORTEST: f64 = 0.02;
/// Of other numbers none is shorter than this share of the largest.
const SHORTEST_SHARE: f64 = 0.2;

/// Of the bootstrap, as in tables.
const SEED: u64 = 1;

/// How far bands may reach beyond the lines, as a share of what those range over: lines keep a
/// quarter of the height.
const WIDEST_BANDS: f64 = 1.5;

/// A mean over seeds at a place of an axis.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct MeanPoint {
    pub x: f64,
    pub mean: f64,
    /// 95 % of the mean.
    pub band: Option<[f64; 2]>,
    pub n: usize,
}

impl MeanPoint {
    /// The mean of values; `None` of none, or where one is no number.
    pub fn new(x: f64, values: &[f64], bands: Bands) -> Option<Self> {
        let mean = stats::mean(values).filter(|mean| mean.is_finite() && x.is_finite())?;
        let band = Some(values).filter(|values| values.len() >= LEAST_FOR_BAND);
        let band = band.and_then(|values| interval(values, bands));
        Some(Self { x, mean, band, n: values.len() })
    }
}

/// 95 % of a mean.
fn interval(values: &[f64], bands: Bands) -> Option<[f64; 2]> {
    let ends = match bands {
        Bands::T => stats::paired_t(values).map(|t| [t.ci_low, t.ci_high]),
        Bands::Percentile => stats::percentile_interval(values, stats::ERROR_RESAMPLES, SEED),
    };
    ends.filter(|ends| ends.iter().all(|end| end.is_finite()))
}

/// One line with its look.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartLine {
    pub name: String,
    pub colour: Colour,
    pub dashes: &'static [f64],
    pub points: Vec<MeanPoint>,
    /// Its marks, point by point; a point without one has none.
    pub marks: Vec<Mark>,
    /// Whether the shapes of marks mean something, so that they are larger and have a rim.
    pub has_shapes: bool,
}

impl ChartLine {
    /// The line of a method.
    pub fn of_method(view: &GridView, method: &str, points: Vec<MeanPoint>) -> Self {
        let look = view.look(method);
        let (colour, dashes) = (palette::method(look), palette::dashes(look));
        let name = method.to_owned();
        Self { name, colour, dashes, points, marks: vec![], has_shapes: false }
            .marked(Mark::of_method(look))
    }

    /// The line of a method with the model at a place in the grid, in a frame of several models,
    /// which have patterns.
    pub fn of_pair(
        view: &GridView,
        (model, method): (usize, &str),
        dashes: &'static [f64],
        points: Vec<MeanPoint>,
    ) -> Self {
        let mark = Mark::of_method(view.look(method)).with_model(model);
        let name = format!("{} · {method}", view.models[model]);
        Self { name, colour: mark.colour, dashes, points, marks: vec![], has_shapes: true }
            .marked(mark)
    }

    /// What stands for it in a key.
    pub fn sample(&self) -> LegendSample {
        match self.marks.first() {
            Some(mark) => LegendSample::Pair(self.dashes, *mark),
            None => LegendSample::Dashes(self.dashes, self.colour),
        }
    }

    /// The same with a mark at every point, where they do not touch.
    fn marked(self, mark: Mark) -> Self {
        let marks = if self.points.len() > MOST_MARKS { 0 } else { self.points.len() };
        Self { marks: vec![mark; marks], ..self }
    }
}

/// The lines of one frame.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartFrame {
    pub heading: String,
    /// Frames of one corpus are read side by side.
    pub corpus: String,
    pub lines: Vec<ChartLine>,
}

impl ChartFrame {
    /// What its lines are called.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.name.as_str())
    }
}

/// The lines of a frame, with the parts of its name.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedFrame {
    pub parts: Vec<String>,
    pub lines: Vec<ChartLine>,
}

/// Frames under what tells them apart, and what they have in common as the end of a sentence.
pub fn frames(placed: &[PlacedFrame]) -> (Vec<ChartFrame>, String) {
    let titles = facets::titles(&placed.iter().map(|p| p.parts.clone()).collect::<Vec<_>>());
    let lines = |(placed, heading): (&PlacedFrame, String)| {
        let corpus = placed.parts.first().cloned().unwrap_or_default();
        ChartFrame { heading, corpus, lines: placed.lines.clone() }
    };
    (placed.iter().zip(titles.each).map(lines).collect(), facets::aside(&titles.common))
}

/// A figure of lines.
pub struct Chart {
    /// What its file name is made of, the kind of figure first.
    pub parts: Vec<String>,
    pub title: String,
    /// What stands before the words on means and bands.
    pub subtitle: String,
    pub description: String,
    pub caption: String,
    /// What the axes are called, and what their numbers are.
    pub across: (String, AxisUnit),
    pub up: (String, AxisUnit),
    /// Whether the numbers of the axis upwards are scores.
    pub is_score: bool,
    /// Whether the axis across may be logarithmic.
    pub may_be_log: bool,
    pub bands: Bands,
    /// What the lines are, but for the bands.
    pub key: LegendGroup,
    pub frames: Vec<ChartFrame>,
}

impl Chart {
    /// Draws it; `remark` ends the caption.
    pub fn draft(self, remark: &str) -> Draft {
        let subtitle = format!("{}; {}", self.subtitle, bands(&self.frames, self.bands));
        let scene = scene(&self, &subtitle);
        let told = bands_told(&self.frames, self.bands);
        let Self { parts, title, description, caption, .. } = self;
        let caption = format!("{caption}{told}{remark}");
        Draft { parts, place: FigurePlace::Overall, title, description, caption, scene }
    }
}

/// What a subtitle says of means and bands.
fn bands(frames: &[ChartFrame], bands: Bands) -> &'static str {
    match (has_bands(frames), points(frames).any(|point| point.n > 1), bands) {
        (true, _, Bands::T) => "bands are 95 % confidence intervals of the mean",
        (true, _, Bands::Percentile) => "bands are 95 % bootstrap intervals of the mean",
        (false, true, _) => "means over seeds",
        (false, false, _) => "one seed",
    }
}

/// A sentence for a caption, where there are bands.
fn bands_told(frames: &[ChartFrame], bands: Bands) -> String {
    match (has_bands(frames), bands) {
        (false, _) => String::new(),
        (true, Bands::T) => {
            " Bands are 95 % confidence intervals of the mean over seeds, from the t-distribution."
                .to_owned()
        }
        (true, Bands::Percentile) => format!(
            " Bands are 95 % percentile intervals of the mean over seeds, from {} bootstrap samples; of few seeds \
             they are too narrow.",
            number::grouped(stats::ERROR_RESAMPLES as u64)
        ),
    }
}

/// Whether so many lines have bands.
fn has_bands(frames: &[ChartFrame]) -> bool {
    frames.iter().all(|frame| frame.lines.len() <= MOST_WITH_BANDS)
        && points(frames).any(|point| point.band.is_some())
}

fn points(frames: &[ChartFrame]) -> impl Iterator<Item = &MeanPoint> + Clone {
    frames.iter().flat_map(|frame| &frame.lines).flat_map(|line| &line.points)
}

fn scene(chart: &Chart, subtitle: &str) -> Scene {
    let bands = has_bands(&chart.frames);
    let mut groups = vec![chart.key.clone()];
    if bands {
        let name = "95 % of the mean".to_owned();
        groups.push(LegendGroup {
            head: "",
            entries: vec![LegendEntry { sample: LegendSample::Band, name }],
        });
    }
    let legend = Legend::new(groups);
    let headings = (chart.title.as_str(), subtitle);
    let inside = facets::inside(chart.frames.len());
    let (mut scene, areas) = facets::lay_out(headings, chart.frames.len(), inside, &legend);
    let xs = points(&chart.frames).map(|point| point.x);
    let unit = chart.across.1;
    let across = match chart.may_be_log {
        true => AxisScale::fitting(xs, unit),
        false => AxisScale::even(xs, 1e-6, unit),
    };
    let log = if across.has_zero { "log scale, 0 apart" } else { "log scale" };
    let title = match (across.is_log, chart.across.0.strip_suffix(')')) {
        (false, _) => chart.across.0.clone(),
        (true, None) => format!("{} ({log})", chart.across.0),
        (true, Some(open)) => format!("{open}, {log})"),
    };
    for (frame, area) in chart.frames.iter().zip(areas) {
        // Scores are compared across models, other numbers are each model's own.
        let beside = |other: &&ChartFrame| match chart.up.1 {
            AxisUnit::Percent => other.corpus == frame.corpus,
            _ => std::ptr::eq(*other, frame),
        };
        let beside: Vec<&ChartFrame> = chart.frames.iter().filter(beside).collect();
        let plane = Frame { area, across, up: up(&beside, chart, bands) };
        plane.axes(&mut scene, &frame.heading, (&title, &chart.up.0));
        plot(&mut scene, &plane, frame, bands);
    }
    scene
}

/// The range of the means, with bands as far as they do not push the lines together; beyond that
/// they are cut at the frame.
fn up(frames: &[&ChartFrame], chart: &Chart, bands: bool) -> AxisScale {
    let unit = chart.up.1;
    let lines = || frames.iter().flat_map(|frame| &frame.lines);
    let means = || lines().flat_map(|line| line.points.iter().map(|point| point.mean));
    let (low, high) = means()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let largest = low.abs().max(high.abs());
    let shortest = match !chart.is_score && largest > 0.0 && largest.is_finite() {
        true => SHORTEST_SHARE * largest,
        false => SHORTEST,
    };
    let reach = (high - low).max(shortest) * WIDEST_BANDS;
    let ends = lines().flat_map(|line| &line.points).filter_map(|point| point.band);
    let ends = ends.flatten().filter(|_| bands).map(|end| end.clamp(low - reach, high + reach));
    let scale = AxisScale::even(means().chain(ends), shortest, unit);
    match unit {
        AxisUnit::Percent => scale.within(0.0, 1.0),
        // What is never below zero, as a loss, has no axis there.
        _ if low >= 0.0 => scale.within(0.0, f64::INFINITY),
        _ => scale,
    }
}

fn plot(scene: &mut Scene, plane: &Frame, frame: &ChartFrame, bands: bool) {
    if frame.lines.iter().all(|line| line.points.is_empty()) {
        frame::nothing(scene, &plane.area, "No finished job yet");
        return;
    }
    if bands {
        frame.lines.iter().for_each(|line| band(scene, plane, line));
    }
    for line in &frame.lines {
        let spots: Vec<Spot> = line.points.iter().map(|p| plane.spot(p.x, p.mean)).collect();
        scene.tipped(line.name.as_str(), |scene| {
            scene.dashed(spots.clone(), line.dashes, 2.0, line.colour);
        });
        for ((point, spot), mark) in line.points.iter().zip(spots).zip(&line.marks) {
            let tip = tip(&line.name, point, plane);
            scene.tipped(tip, |scene| match line.has_shapes {
                true => scene.rimmed(*mark, spot, 4.0),
                false => scene.mark(*mark, spot, 3.2),
            });
        }
    }
}

fn band(scene: &mut Scene, plane: &Frame, line: &ChartLine) {
    let paint = Paint { colour: line.colour, opacity: 0.13 };
    let known = line.points.split(|point| point.band.is_none());
    for run in known.filter(|run| !run.is_empty()) {
        let edge = |side: usize| {
            run.iter().map(move |p| plane.open_spot(p.x, p.band.map_or(p.mean, |band| band[side])))
        };
        // One point alone has a bar in place of an area.
        match run.len() {
            1 => {
                let bar: Vec<Spot> = edge(0).chain(edge(1)).collect();
                for part in clip::path(&bar, &plane.area) {
                    scene.path(part, 4.0, Paint { opacity: 0.3, ..paint });
                }
            }
            _ => {
                let area = edge(1).chain(edge(0).rev()).collect();
                scene.polygon(clip::polygon(area, &plane.area), paint);
            }
        }
    }
}

/// What a point says when it is pointed at.
pub fn tip(name: &str, point: &MeanPoint, plane: &Frame) -> String {
    let value = |x: f64| match plane.up.unit {
        AxisUnit::Plain | AxisUnit::Whole => written((x * 1e4).round() / 1e4),
        _ => format!("{:.2}", x * 100.0),
    };
    let band = point.band.map_or_else(String::new, |[low, high]| {
        format!(" (95 %: {} to {})", value(low), value(high))
    });
    let seeds = number::counted(point.n, "seed");
    format!("{name} at {}: {}{band}, {seeds}", plane.across.label(point.x), value(point.mean))
}
