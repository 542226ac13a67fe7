//! One frame of the plot: contours, ellipses, arrows, and the names beside them.

use super::super::facets::Frame;
use super::super::font;
use super::super::labels::{self, Labels};
use super::super::legend;
use super::super::palette::{self, INK, Mark, PAPER};
use super::super::plane;
use super::super::scene::{Area, Paint, Scene, Spot, Text};
use super::mean::Mean;
use super::{Cluster, MOST_NAMED, methods};
use crate::report::tables::number;
use crate::report::view::GridView;

/// Size of labels inside the frame.
const SMALL: f64 = 11.0;

fn spot(plane: &Frame, mean: Mean) -> Spot {
    plane.spot(mean.recall, mean.precision)
}

/// Draws clusters, with the names of their models unless those stand above the frame. Labels are placed in the
/// order of their weight and drawn in the order of their depth.
pub fn draw(
    scene: &mut Scene,
    view: &GridView,
    plane: &Frame,
    clusters: &[Cluster<'_>],
    has_heading: bool,
) {
    // A label on an axis would hide a part of it.
    let inside =
        Area { left: plane.area.left + 3.0, bottom: plane.area.bottom - 3.0, ..plane.area };
    let mut places = Labels::new(inside);
    reserve(&mut places, plane, clusters);
    let named = if has_heading { &[] } else { clusters };
    let names = name_models(&mut places, plane, named);
    let tips = name_methods(&mut places, view, plane, clusters);
    plane::contours(scene, &mut places, plane);
    clusters.iter().for_each(|cluster| spreads(scene, view, plane, cluster));
    clusters.iter().for_each(|cluster| arrows(scene, view, plane, cluster));
    for text in tips.into_iter().chain(names) {
        let area = labels::area_of(&text.text, text.spot, text.size, text.bold);
        scene.rectangle(area, Paint { colour: PAPER, opacity: 0.72 });
        scene.text(text);
    }
}

fn reserve(places: &mut Labels, plane: &Frame, clusters: &[Cluster<'_>]) {
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

fn name_models(places: &mut Labels, plane: &Frame, clusters: &[Cluster<'_>]) -> Vec<Text> {
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
    plane: &Frame,
    clusters: &[Cluster<'_>],
) -> Vec<Text> {
    if methods(clusters) > MOST_NAMED {
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
fn spreads(scene: &mut Scene, view: &GridView, plane: &Frame, cluster: &Cluster<'_>) {
    let look = |k: usize| view.look(&view.methods[k]);
    let ends = cluster.ends.iter().map(|(k, mean)| (palette::method(look(*k)), *mean));
    let start = cluster.start.map(|mean| (INK, mean));
    for (colour, mean) in start.into_iter().chain(ends) {
        mean.draw_spread(scene, plane, |opacity| Paint { colour, opacity });
    }
}

fn arrows(scene: &mut Scene, view: &GridView, plane: &Frame, cluster: &Cluster<'_>) {
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
