//! Scores against the time that training took: what a gain costs. A mark a method and model, a
//! frame a panel.

use super::facets::{self, ShownFacets};
use super::frame::Frame;
use super::labels::{self, Labels};
use super::legend::{self, Legend, LegendSample};
use super::palette::{self, INK};
use super::scale::{AxisScale, AxisUnit};
use super::scene::{Area, Scene, Text};
use super::{Draft, FigurePlace, Material, font};
use analysis::measure;
use analysis::number;
use analysis::{GridView, Panel};
use domain::JobKey;
use std::collections::{HashMap, HashSet};
use store::{RunRow, Status};

const SHORTEST: f64 = 0.02;
const RADIUS: f64 = 4.6;
const SMALL: f64 = 10.5;
/// With more marks than this in a frame, names stand in the key alone.
const MOST_NAMED: usize = 30;

/// The means of one method with one model.
struct TimedMark<'a> {
    method: &'a str,
    model: usize,
    seconds: f64,
    f1: f64,
}

struct PanelTimes<'a> {
    panel: Panel,
    marks: Vec<TimedMark<'a>>,
}

/// One figure for every few panels.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let view = material.view;
    let times = times(material);
    let of_panel = |panel: Panel| {
        let marks = marks(material, &times, &panel);
        // One mark shows no trade.
        (marks.len() > 1).then_some(PanelTimes { panel, marks })
    };
    let shown = facets::shown(view.panels().into_iter().filter_map(of_panel).collect());
    let hosts: HashSet<&str> =
        material.results.runs().iter().map(|run| run.host.as_str()).collect();
    let draft = |found: &[PanelTimes<'_>]| draft(material, found, &shown, hosts.len());
    shown.facets.chunks(facets::MOST).map(draft).collect()
}

/// Seconds of training of every job that is done, else of the whole job.
fn times<'a>(material: &Material<'a>) -> HashMap<&'a JobKey, f64> {
    let done = material.results.runs().iter().filter(|run| run.status == Status::Done);
    let time = |run: &'a RunRow| (&run.job, run.train_seconds.unwrap_or(run.seconds));
    done.map(time).filter(|(_, seconds)| *seconds > 0.0).collect()
}

fn marks<'a>(
    material: &Material<'a>,
    times: &HashMap<&JobKey, f64>,
    panel: &Panel,
) -> Vec<TimedMark<'a>> {
    let Material { view, board, .. } = *material;
    let mut seconds: HashMap<[&str; 2], Vec<f64>> = HashMap::new();
    let here = view
        .jobs
        .iter()
        .filter(|job| job.point.corpus == panel.corpus && job.point.scenario == panel.scenario);
    for job in here {
        if let Some(time) = times.get(&job.key) {
            seconds.entry([&job.point.model, &job.point.method]).or_default().push(*time);
        }
    }
    let mut marks = Vec::new();
    for (index, model) in view.models.iter().enumerate() {
        for method in &view.methods {
            let f1 = stats::mean(&board.cell(panel, model, method).f1());
            let time = seconds.get(&[model.as_str(), method.as_str()]);
            let time = time.and_then(|times| stats::mean(times));
            if let (Some(f1), Some(seconds)) = (f1, time) {
                marks.push(TimedMark { method, model: index, seconds, f1 });
            }
        }
    }
    marks
}

fn draft(
    material: &Material<'_>,
    found: &[PanelTimes<'_>],
    shown: &ShownFacets<PanelTimes<'_>>,
    hosts: usize,
) -> Draft {
    let metric = measure::title(material.board.metric);
    let title = format!("{metric} and training time");
    let machines = match hosts {
        0 | 1 => String::new(),
        n => format!(" The jobs ran on {n} machines, so times may not compare."),
    };
    Draft {
        parts: vec!["time".to_owned()],
        place: FigurePlace::Overall,
        description: format!(
            "Mean test {} (up) against mean training time in seconds (across, log scale), a mark for each method \
             and model, a frame a corpus.",
            material.board.metric.title()
        ),
        caption: format!(
            "What lies higher is better, what lies further left is cheaper: a method is worth its time where \
             nothing left of it lies as high.{machines}{}",
            shown.remark()
        ),
        scene: scene(material.view, found, &title, &metric),
        title,
    }
}

fn scene(view: &GridView, found: &[PanelTimes<'_>], title: &str, metric: &str) -> Scene {
    let marks = || found.iter().flat_map(|found| &found.marks);
    let methods: Vec<&str> = marks().map(|mark| mark.method).collect();
    let mut models: Vec<usize> = marks().map(|mark| mark.model).collect();
    models.sort_unstable();
    models.dedup();
    let legend = Legend::new(vec![
        legend::methods(view, &methods, LegendSample::Dot),
        legend::models(view, &models),
    ]);
    let parts =
        |found: &PanelTimes<'_>| vec![found.panel.corpus.clone(), found.panel.scenario.clone()];
    let titles = facets::titles(&found.iter().map(parts).collect::<Vec<_>>());
    let subtitle = format!("Test set{}, means over seeds", facets::aside(&titles.common));
    let inside = facets::inside(found.len());
    let (mut scene, areas) = facets::lay_out((title, &subtitle), found.len(), inside, &legend);
    for ((found, heading), area) in found.iter().zip(&titles.each).zip(areas) {
        let up =
            AxisScale::even(found.marks.iter().map(|mark| mark.f1), SHORTEST, AxisUnit::Percent);
        let across = AxisScale::log(found.marks.iter().map(|mark| mark.seconds), AxisUnit::Plain);
        let frame = Frame { area, across, up: up.within(0.0, 1.0) };
        let up = format!("{metric} (%)");
        frame.axes(&mut scene, heading, ("Training time (s, log scale)", &up));
        plot(&mut scene, view, &frame, &found.marks);
    }
    scene
}

/// Marks, with the names of methods beside them where there is room.
fn plot(scene: &mut Scene, view: &GridView, frame: &Frame, marks: &[TimedMark<'_>]) {
    let spot = |mark: &TimedMark<'_>| frame.spot(mark.seconds, mark.f1);
    let mut places = Labels::new(frame.area);
    marks.iter().for_each(|mark| places.keep_free(Area::around(spot(mark), RADIUS + 1.0)));
    for mark in marks {
        let tip = format!(
            "{}, {}: {} in {}",
            mark.method,
            view.models[mark.model],
            number::percent(mark.f1),
            number::duration(mark.seconds)
        );
        let look = palette::Mark::of_method(view.look(mark.method)).with_model(mark.model);
        scene.tipped(tip, |scene| scene.rimmed(look, spot(mark), RADIUS));
    }
    // So many names would hide the marks; the key has them.
    let named = if marks.len() > MOST_NAMED { &[] } else { marks };
    for mark in named {
        let name = font::fit_name(mark.method, SMALL, false, 110.0);
        let areas = labels::around(&name, spot(mark), SMALL, false, -std::f64::consts::FRAC_PI_4);
        if let Some(area) = places.take(areas, 0) {
            scene.text(Text::new(name, labels::start_of(&area, SMALL), SMALL, INK));
        }
    }
}
