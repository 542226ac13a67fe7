//! What a search tried: its scores trial by trial with the best so far, and against each parameter.
//!
//! The axis of a parameter is its searched range, on the search's own scale. Failed trials have no
//! score and stand as crosses at the foot.

mod positions;

use super::axis;
use super::labels::{self, Labels};
use super::palette::{self, Colour, INK, PAPER, QUIET};
use super::scale::{AxisScale, written};
use super::scene::{Area, Paint, Scene, Spot, Text, at};
use super::{Draft, FigurePlace, Material, facets, font, frame, legend};
use analysis::number;
use domain::{Dimension, ParameterValue, Range, Scale};
use positions::{share, share_of_trial, ticks, trial_ticks};
use store::{SearchRecord, TrialRecord, TrialState};

/// A sentence for under the figure.
const CAPTION: &str = "Each point is a trial, scored on dev alone. The ring is the trial whose values the method's \
     jobs have; crosses at the foot are trials that failed.";

/// Panels side by side.
const ACROSS: usize = 2;
const MARGIN: f64 = 24.0;
/// Above the first row of panels: title, subtitle and key.
const HEADER: f64 = 92.0;
/// A panel with the titles of its axes.
const PANEL: (f64, f64) = (452.0, 320.0);
const RADIUS: f64 = 4.0;
/// The part of an axis that stays free at either end.
const PAD: f64 = 0.04;

/// One figure a search.
pub fn build(material: &Material<'_>) -> Vec<Draft> {
    let draft = |search: &SearchRecord| {
        let SearchRecord { corpus, scenario, model, method, .. } = search;
        Draft {
            parts: ["tuning", corpus, scenario, model, method].map(str::to_owned).to_vec(),
            place: FigurePlace::Overall,
            title: title(search),
            description: description(search),
            caption: CAPTION.to_owned(),
            scene: scene(search),
        }
    };
    material.view.searches.iter().map(draft).collect()
}

/// What the figure is called.
fn title(search: &SearchRecord) -> String {
    let names: Vec<&str> = search.parameters.iter().map(|p| p.name.as_str()).collect();
    format!("Search for {} of {}", names.join(", "), search.method)
}

/// What the figure shows, for readers who do not see it.
fn description(search: &SearchRecord) -> String {
    let found = match search.best() {
        Some(best) => {
            let score = axis::label(best.score.unwrap_or_default());
            format!("Chosen: {} with {score} % in trial {}.", search.shown(best), best.trial)
        }
        None => "Nothing is chosen yet.".to_owned(),
    };
    format!(
        "{} of {} trials of {}, {} by trial and by value of each parameter. {found}",
        search.ended(),
        search.trials,
        search.title(),
        search.maximise.title()
    )
}

/// Draws all panels: the trials in order, then each parameter.
pub(super) fn scene(search: &SearchRecord) -> Scene {
    let panels = 1 + search.parameters.len();
    let rows = panels.div_ceil(ACROSS);
    let mut scene = Scene {
        width: 2.0 * MARGIN + ACROSS as f64 * PANEL.0,
        height: HEADER + rows as f64 * PANEL.1 + MARGIN / 2.0,
        shapes: Vec::new(),
    };
    facets::headings(&mut scene, &title(search), &subtitle(search));
    key(&mut scene);
    let scores = axis::of_scores(search.history.iter().filter_map(|trial| trial.score));
    for index in 0..panels {
        let left = MARGIN + (index % ACROSS) as f64 * PANEL.0;
        let top = HEADER + (index / ACROSS) as f64 * PANEL.1;
        let frame = Area {
            left: left + 50.0,
            top: top + 26.0,
            right: left + PANEL.0 - 18.0,
            bottom: top + PANEL.1 - 54.0,
        };
        let across = match index.checked_sub(1) {
            None => TrialAxis::Trials(search.trials.max(search.history.len())),
            Some(place) => TrialAxis::Parameter { place, dimension: &search.parameters[place] },
        };
        panel(&mut scene, search, &TrialPlane { frame, scores, across });
    }
    scene
}

fn trial_colour() -> Colour {
    palette::method(Some(0))
}

fn best_colour() -> Colour {
    palette::method(Some(1))
}

/// What the search is of, and how far it is.
fn subtitle(search: &SearchRecord) -> String {
    let SearchRecord { corpus, scenario, model, trials, .. } = search;
    let scenario = if scenario == "full" { String::new() } else { format!(", {scenario}") };
    let ended = search.ended();
    let progress = match ended == *trials {
        true => number::counted(*trials, "trial"),
        false => format!("{ended} of {trials} trials have ended"),
    };
    format!("{model} on {corpus}{scenario}: {progress}")
}

/// The key in one line.
fn key(scene: &mut Scene) {
    legend::in_a_line(
        scene,
        at(MARGIN, 74.0),
        (22.0, 6.0),
        [
            ("trial", &|scene, middle, _| scene.circle(middle, RADIUS, trial_colour())),
            ("best so far", &|scene, _, ends| scene.path(ends, 2.0, best_colour())),
            ("chosen", &|scene, middle, _| ring(scene, middle)),
            ("failed", &|scene, middle, _| cross(scene, middle)),
        ],
    );
}

fn ring(scene: &mut Scene, centre: Spot) {
    for (radius, colour) in [(RADIUS + 4.0, INK), (RADIUS + 2.4, PAPER), (RADIUS, best_colour())] {
        scene.circle(centre, radius, colour);
    }
}

fn cross(scene: &mut Scene, centre: Spot) {
    const REACH: f64 = 3.2;
    for side in [-REACH, REACH] {
        let ends = [at(centre.x - REACH, centre.y - side), at(centre.x + REACH, centre.y + side)];
        scene.path(ends.to_vec(), 1.5, QUIET);
    }
}

/// What a panel has across.
enum TrialAxis<'a> {
    /// So many trials, in order.
    Trials(usize),
    /// A parameter, by its place among the search's.
    Parameter { place: usize, dimension: &'a Dimension },
}

struct TrialPlane<'a> {
    frame: Area,
    scores: AxisScale,
    across: TrialAxis<'a>,
}

impl TrialPlane<'_> {
    /// Where a share of the way across and a score lie; a trial without one lies at the foot.
    fn spot(&self, share: f64, score: Option<f64>) -> Spot {
        let Area { left, top, right, bottom } = self.frame;
        let padded = PAD + share.clamp(0.0, 1.0) * (1.0 - 2.0 * PAD);
        let y = match score {
            Some(score) => bottom - self.scores.share(score) * (bottom - top),
            None => bottom - 7.0,
        };
        at(left + padded * (right - left), y)
    }

    fn spot_of(&self, trial: &TrialRecord) -> Spot {
        let share = match &self.across {
            TrialAxis::Trials(trials) => share_of_trial(trial.trial, *trials),
            TrialAxis::Parameter { place, dimension } => {
                trial.values.get(*place).map_or(0.0, |value| share(&dimension.range, value))
            }
        };
        self.spot(share, trial.score)
    }

    /// Shares of the way across with what stands there.
    fn ticks(&self) -> Vec<(f64, String)> {
        match &self.across {
            TrialAxis::Trials(trials) => trial_ticks(*trials)
                .map(|trial| (share_of_trial(trial, *trials), trial.to_string()))
                .collect(),
            TrialAxis::Parameter { dimension, .. } => ticks(&dimension.range),
        }
    }

    fn title(&self) -> String {
        match &self.across {
            TrialAxis::Trials(_) => "Trial".to_owned(),
            TrialAxis::Parameter { dimension, .. } => match dimension.range {
                Range::Real { scale: Scale::Log, .. }
                | Range::Integer { scale: Scale::Log, .. } => {
                    format!("{} (log scale)", dimension.name)
                }
                _ => dimension.name.clone(),
            },
        }
    }
}

fn panel(scene: &mut Scene, search: &SearchRecord, plane: &TrialPlane<'_>) {
    axes(scene, search, plane);
    let mut places = Labels::new(plane.frame);
    if matches!(plane.across, TrialAxis::Trials(_)) {
        best_so_far(scene, search, plane, &mut places);
    }
    for trial in search.history.iter().filter(|trial| trial.state != TrialState::Todo) {
        let spot = plane.spot_of(trial);
        places.keep_free(Area::around(spot, RADIUS));
        match trial.score {
            Some(_) => {
                let paint = Paint { colour: trial_colour(), opacity: 0.8 };
                scene.circle(spot, RADIUS, paint);
            }
            None => cross(scene, spot),
        }
    }
    if let Some(best) = search.best() {
        chosen(scene, plane, best, &mut places);
    }
    if search.ended() == 0 {
        frame::nothing(scene, &plane.frame, "No trial has ended yet");
    }
}

/// The ring around the best trial, with its score or its value beside it where there is room.
fn chosen(scene: &mut Scene, plane: &TrialPlane<'_>, best: &TrialRecord, places: &mut Labels) {
    let spot = plane.spot_of(best);
    ring(scene, spot);
    places.keep_free(Area::around(spot, RADIUS + 7.0));
    let label = match &plane.across {
        TrialAxis::Trials(_) => format!("{} %", axis::label(best.score.unwrap_or_default())),
        TrialAxis::Parameter { place, .. } => {
            best.values.get(*place).map_or_else(String::new, |value| match value {
                ParameterValue::Real(x) => written(*x),
                value => value.to_string(),
            })
        }
    };
    let label = font::fit(&label, 12.0, true, 150.0);
    let areas = labels::around(&label, spot, 12.0, true, -std::f64::consts::FRAC_PI_4);
    if let Some(area) = places.take(areas, 4) {
        let start = labels::start_of(&area, 12.0);
        scene.text(Text::new(label, start, 12.0, INK).bold());
    }
}

/// A line that steps up wherever a trial beats all before it.
fn best_so_far(
    scene: &mut Scene,
    search: &SearchRecord,
    plane: &TrialPlane<'_>,
    places: &mut Labels,
) {
    let mut spots: Vec<Spot> = Vec::new();
    let mut best: Option<f64> = None;
    for trial in search.history.iter().filter(|trial| trial.state != TrialState::Todo) {
        let before = best;
        best = match (best, trial.score) {
            (Some(best), Some(score)) => Some(best.max(score)),
            (best, score) => best.or(score),
        };
        let x = plane.spot_of(trial).x;
        for score in [before, best].into_iter().flatten() {
            spots.push(at(x, plane.spot(0.0, Some(score)).y));
        }
    }
    spots.dedup();
    for ends in spots.windows(2) {
        places.avoid(ends[0], ends[1]);
    }
    if spots.len() > 1 {
        scene.path(spots, 2.0, best_colour());
    }
}

/// Grid lines, ticks and titles.
fn axes(scene: &mut Scene, search: &SearchRecord, plane: &TrialPlane<'_>) {
    let area = &plane.frame;
    let ticks = plane.ticks();
    let room = ((area.right - area.left) / ticks.len().max(1) as f64 - 6.0).max(24.0);
    let across = ticks
        .into_iter()
        .map(|(share, words)| (plane.spot(share, None).x, font::fit(&words, 11.5, false, room)));
    frame::across_ticks(scene, area, across);
    let up = axis::ticks(plane.scores.low, plane.scores.high, 6).into_iter();
    let up = up.map(|tick| (plane.spot(0.0, Some(tick)).y, axis::label(tick)));
    frame::up_ticks(scene, area, up);
    let across = font::fit(&plane.title(), 12.5, false, area.right - area.left);
    frame::across_title(scene, area, across, 12.5, 38.0);
    frame::up_title(scene, area, format!("{} (%)", search.maximise.title()), 12.5, 38.0);
}
