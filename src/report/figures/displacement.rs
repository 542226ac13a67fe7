//! The precision-recall displacement plot (Figure 1 of wang2022): for each model an arrow from the
//! baseline to every method in the precision-recall plane, over contours of equal F1.
//!
//! It shows what a method trades: a step to the right finds more, a step down is wrong more often,
//! and the contours say whether the trade pays. Ellipses are the 95 % confidence regions of the means
//! (Hotelling); where seeds are too few for them there are bars of one standard deviation.

mod mean;

use super::axis::Axis;
use super::labels::{self, Labels};
use super::legend::{self, Entry, Group, Legend, Sample};
use super::palette::{self, INK, Mark, PAPER, QUIET};
use super::plane::{FRAME, Plane, axes, contours};
use super::scene::{Anchor, Area, Paint, Scene, Spot, Text, at};
use super::{Draft, Material, Place, font};
use crate::report::measure;
use crate::report::tables::number;
use crate::report::view::{GridView, Panel, Scoreboard};
use mean::Mean;

const BELOW: f64 = 58.0;
/// Size of labels inside the frame.
const SMALL: f64 = 11.0;
/// With more methods than this, names stand in the legend alone.
const MOST_NAMED: usize = 12;
/// With more means than this, nothing is drawn around them: it would hide the arrows.
const MOST_WITH_SPREAD: usize = 24;

/// One model: where its baseline lies, and where its methods lead.
#[derive(Clone, PartialEq, Debug)]
struct Cluster<'a> {
    model: &'a str,
    index: usize,
    start: Option<Mean>,
    /// By place in the grid.
    ends: Vec<(usize, Mean)>,
}

fn spot(plane: &Plane, mean: Mean) -> Spot {
    plane.spot(mean.recall, mean.precision)
}

/// One figure a panel.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let Material { view, board, .. } = *material;
    let draft = |panel: Panel| Draft {
        parts: vec!["displacement".into(), panel.corpus.clone(), panel.scenario.clone()],
        title: title(&panel),
        description: description(view, board, &panel),
        caption: caption(view, board, &panel),
        scene: scene(view, board, &panel),
        place: Place::Panel(panel),
    };
    view.panels().into_iter().map(draft).collect()
}

fn title(panel: &Panel) -> String {
    format!("Precision and recall on {}", panel.title())
}

/// What is drawn around means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Spread {
    Nothing,
    Bars,
    Ellipses,
    Both,
}

impl Spread {
    fn of(clusters: &[Cluster<'_>]) -> Self {
        let ellipses = means(clusters).any(|mean| mean.ellipse.is_some());
        let bars = means(clusters).any(|mean| mean.ellipse.is_none() && mean.reach() != [0.0; 2]);
        match (bars, ellipses) {
            (false, false) => Spread::Nothing,
            (true, false) => Spread::Bars,
            (false, true) => Spread::Ellipses,
            (true, true) => Spread::Both,
        }
    }

    /// In words; `None` where there is nothing.
    fn words(self) -> Option<&'static str> {
        match self {
            Spread::Nothing => None,
            Spread::Bars => Some("bars ± 1 sd"),
            Spread::Ellipses => Some("ellipses 95 % confidence of the mean"),
            Spread::Both => Some("ellipses 95 % confidence of the mean, bars ± 1 sd"),
        }
    }
}

/// What the figure shows, for readers who do not see it.
fn description(view: &GridView, board: &Scoreboard, panel: &Panel) -> String {
    let words = measure::averaging(board.metric);
    let lead = match &view.baseline {
        Some(baseline) => {
            format!("Arrows lead from {baseline} to each method, one cluster a model.")
        }
        None => "One mark a method and model.".to_owned(),
    };
    let scored = board.seeds_scored(Some(panel));
    let spread = Spread::of(&clusters(view, board, panel)).words();
    let spread = spread.map_or_else(String::new, |words| format!(", {words}"));
    format!(
        "Recall (across) and precision (up), {words}, on {}, mean over {scored}{spread}. {lead} Curves join \
         points of equal F1.",
        panel.title(),
    )
}

/// A sentence or two for under the figure.
fn caption(view: &GridView, board: &Scoreboard, panel: &Panel) -> String {
    let contours = match measure::is_harmonic(board.metric) {
        true => "; what crosses a curve upwards gains F1.",
        false => {
            ". The curves join equal harmonic means of the two; the macro-F1 of the tables is the mean of \
             the types' F1, so it can differ a little from where a point lies."
        }
    };
    let ellipses = match Spread::of(&clusters(view, board, panel)) {
        Spread::Ellipses | Spread::Both => {
            " Each ellipse holds the true mean with 95 % confidence, if seeds scatter normally (Hotelling's \
             T²); methods are compared by seed, so ellipses that overlap can still differ significantly."
        }
        _ => "",
    };
    format!(
        "An arrow to the right finds more entities, one downwards is wrong more often{contours}{ellipses}"
    )
}

/// Draws one panel.
pub(super) fn scene(view: &GridView, board: &Scoreboard, panel: &Panel) -> Scene {
    let clusters = clusters(view, board, panel);
    let plane = plane(&clusters);
    let legend = key(view, &clusters);
    let width = FRAME.right + 26.0 + legend.width + 18.0;
    let height = (FRAME.bottom + BELOW).max(FRAME.top + legend.height + 20.0);
    let mut scene = Scene { width, height, shapes: Vec::new() };
    headings(&mut scene, view, board, panel, Spread::of(&clusters));
    axes(&mut scene, &plane, measure::averaging(board.metric));
    let is_empty = clusters.iter().all(|c| c.start.is_none() && c.ends.is_empty());
    if is_empty {
        let middle = at((FRAME.left + FRAME.right) / 2.0, (FRAME.top + FRAME.bottom) / 2.0);
        let text = Text::new("No finished job yet", middle, 15.0, QUIET);
        scene.text(text.anchored(Anchor::Middle));
    } else {
        plot(&mut scene, view, &plane, &clusters);
    }
    legend.draw(&mut scene, at(FRAME.right + 26.0, FRAME.top));
    scene
}

fn clusters<'a>(view: &'a GridView, board: &Scoreboard, panel: &Panel) -> Vec<Cluster<'a>> {
    let many = board.models(view, panel).len() * view.methods.len() > MOST_WITH_SPREAD
        || view.methods.len() > MOST_NAMED;
    let mean_of = |model: &str, method: &str| {
        let mean = Mean::of(board.cell(panel, model, method))?;
        Some(if many { mean.without_spread() } else { mean })
    };
    board
        .models(view, panel)
        .into_iter()
        .map(|model| {
            let others = view.methods.iter().enumerate().filter(|(_, m)| !view.is_baseline(m));
            Cluster {
                model,
                index: view.models.iter().position(|m| m == model).unwrap_or(0),
                start: view.baseline.as_ref().and_then(|baseline| mean_of(model, baseline)),
                ends: others.filter_map(|(k, m)| Some((k, mean_of(model, m)?))).collect(),
            }
        })
        .collect()
}

fn means<'a>(clusters: &'a [Cluster<'_>]) -> impl Iterator<Item = Mean> + 'a {
    clusters.iter().flat_map(|c| c.start.into_iter().chain(c.ends.iter().map(|(_, mean)| *mean)))
}

fn plane(clusters: &[Cluster<'_>]) -> Plane {
    let ends = |value: fn(&Mean) -> f64, side: usize| {
        means(clusters)
            .flat_map(move |mean| [-1.0, 1.0].map(|sign| value(&mean) + sign * mean.reach()[side]))
    };
    Plane {
        recall: Axis::around(ends(|m| m.recall, 0)),
        precision: Axis::around(ends(|m| m.precision, 1)),
    }
}

fn key(view: &GridView, clusters: &[Cluster<'_>]) -> Legend {
    let ends = clusters.iter().flat_map(|c| c.ends.iter().map(|(k, _)| view.methods[*k].as_str()));
    let shown: Vec<&str> = ends.chain(view.baseline.as_deref()).collect();
    let sample = if view.baseline.is_some() { Sample::Arrow } else { Sample::Dot };
    let models: Vec<usize> = clusters.iter().map(|c| c.index).collect();
    let entry = |sample, name: &str| Entry { sample, name: name.to_owned() };
    let mut aside = vec![entry(Sample::Contour, "equal F1")];
    if matches!(Spread::of(clusters), Spread::Ellipses | Spread::Both) {
        aside.push(entry(Sample::Ellipse, "95 % of the mean"));
    }
    let aside = Group { head: "", entries: aside };
    Legend::new(vec![legend::methods(view, &shown, sample), legend::models(view, &models), aside])
}

fn headings(scene: &mut Scene, view: &GridView, board: &Scoreboard, panel: &Panel, spread: Spread) {
    let room = scene.width - FRAME.left - 20.0;
    let title = font::fit(&title(panel), 17.0, true, room);
    scene.text(Text::new(title, at(FRAME.left, 32.0), 17.0, INK).bold());
    let scored = board.seeds_scored(Some(panel));
    let seeds = match (scored.most, spread.words()) {
        (0 | 1, _) => scored.to_string(),
        (_, None) => format!("mean over {scored}"),
        (_, Some(words)) => format!("mean over {scored}, {words}"),
    };
    let words = measure::averaging(board.metric);
    let lead = match &view.baseline {
        Some(baseline) => format!("arrows from {baseline} to each method"),
        None => "one mark a method".to_owned(),
    };
    let subtitle = format!("Test set, {words} average, {lead}; {seeds}");
    let subtitle = font::fit(&subtitle, 12.0, false, room);
    scene.text(Text::new(subtitle, at(FRAME.left, 53.0), 12.0, QUIET));
}

/// Contours, arrows, markers and labels. Labels are placed in the order of their weight and drawn in
/// the order of their depth.
fn plot(scene: &mut Scene, view: &GridView, plane: &Plane, clusters: &[Cluster<'_>]) {
    // A label on an axis would hide a part of it.
    let mut places =
        Labels::new(Area { left: FRAME.left + 3.0, bottom: FRAME.bottom - 3.0, ..FRAME });
    reserve(&mut places, plane, clusters);
    let names = name_models(&mut places, plane, clusters);
    let tips = name_methods(&mut places, view, plane, clusters);
    contours(scene, &mut places, plane);
    clusters.iter().for_each(|cluster| spreads(scene, view, plane, cluster));
    clusters.iter().for_each(|cluster| arrows(scene, view, plane, cluster));
    for text in tips.into_iter().chain(names) {
        let area = labels::area_of(&text.text, text.spot, text.size, text.bold);
        scene.rectangle(area, Paint { colour: PAPER, opacity: 0.72 });
        scene.text(text);
    }
}

fn reserve(places: &mut Labels, plane: &Plane, clusters: &[Cluster<'_>]) {
    for cluster in clusters {
        for (_, end) in &cluster.ends {
            places.keep_free(Area::around(spot(plane, *end), 5.0));
            if let Some(start) = cluster.start {
                places.avoid(spot(plane, start), spot(plane, *end));
            }
        }
        if let Some(start) = cluster.start {
            places.keep_free(Area::around(spot(plane, start), 8.0));
        }
    }
}

fn name_models(places: &mut Labels, plane: &Plane, clusters: &[Cluster<'_>]) -> Vec<Text> {
    let mut names = Vec::new();
    for cluster in clusters {
        let Some(start) = cluster.start else { continue };
        let name = font::fit_name(cluster.model, 12.5, true, 190.0);
        let from = spot(plane, start);
        let away = away_from(from, cluster.ends.iter().map(|(_, end)| spot(plane, *end)));
        let areas = labels::around(&name, from, 12.5, true, away);
        if let Some(area) = places.take(areas, 1) {
            names.push(Text::new(name, labels::start_of(&area, 12.5), 12.5, INK).bold());
        }
    }
    names
}

/// The direction that leads away from most of the spots.
fn away_from(from: Spot, spots: impl Iterator<Item = Spot>) -> f64 {
    let (x, y) = spots.fold((0.0, 0.0), |(x, y), spot| {
        let length = from.distance(spot).max(1e-9);
        (x + (spot.x - from.x) / length, y + (spot.y - from.y) / length)
    });
    (-y).atan2(-x)
}

fn name_methods(
    places: &mut Labels,
    view: &GridView,
    plane: &Plane,
    clusters: &[Cluster<'_>],
) -> Vec<Text> {
    if view.methods.len() > MOST_NAMED {
        return Vec::new();
    }
    let mut names = Vec::new();
    for cluster in clusters {
        let from = cluster.start.map(|start| spot(plane, start));
        for (index, end) in &cluster.ends {
            let to = spot(plane, *end);
            let direction = from.map_or(-0.7, |from| (to.y - from.y).atan2(to.x - from.x));
            let name = font::fit_name(&view.methods[*index], SMALL, false, 120.0);
            let areas = labels::around(&name, to, SMALL, false, direction);
            if let Some(area) = places.take(areas, 1) {
                names.push(Text::new(name, labels::start_of(&area, SMALL), SMALL, INK));
            }
        }
    }
    names
}

/// Ellipses around means, or bars where seeds are too few.
fn spreads(scene: &mut Scene, view: &GridView, plane: &Plane, cluster: &Cluster<'_>) {
    let look = |k: usize| view.look(&view.methods[k]);
    let ends = cluster.ends.iter().map(|(k, mean)| (palette::method(look(*k)), *mean));
    let start = cluster.start.map(|mean| (INK, mean));
    for (colour, mean) in start.into_iter().chain(ends) {
        mean.draw_spread(scene, plane, |opacity| Paint { colour, opacity });
    }
}

fn arrows(scene: &mut Scene, view: &GridView, plane: &Plane, cluster: &Cluster<'_>) {
    for (index, end) in &cluster.ends {
        let look = view.look(&view.methods[*index]);
        scene.tipped(tip(&view.methods[*index], cluster, end), |scene| match cluster.start {
            Some(start) => legend::arrow(scene, spot(plane, start), spot(plane, *end), look),
            None => {
                let mark = Mark::of_method(look).with_model(cluster.index);
                scene.rimmed(mark, spot(plane, *end), 5.0);
            }
        });
    }
    if let (Some(start), Some(baseline)) = (cluster.start, &view.baseline) {
        scene.tipped(tip(baseline, cluster, &start), |scene| {
            scene.rimmed(Mark::of_model(cluster.index), spot(plane, start), 5.5);
        });
    }
}

/// What a mean says when it is pointed at.
fn tip(method: &str, cluster: &Cluster<'_>, mean: &Mean) -> String {
    let [precision, recall] = [mean.precision, mean.recall].map(number::percent);
    format!("{method}, {}: precision {precision}, recall {recall}", cluster.model)
}
