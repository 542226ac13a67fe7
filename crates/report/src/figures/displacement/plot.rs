//! One frame of the plot: contours, ellipses, arrows, and the names beside them.

use super::super::font;
use super::super::frame::Frame;
use super::super::labels::{self, Labels};
use super::super::legend;
use super::super::palette::{self, INK, Mark, PAPER};
use super::super::plane;
use super::super::scene::{Area, Paint, Scene, Spot, Text, at};
use super::mean::PlaneMean;
use super::{MOST_NAMED, ModelCluster, methods};
use analysis::GridView;
use analysis::number;

/// Size of labels inside the frame.
const SMALL: f64 = 11.0;
/// How long they may be.
const LONGEST: f64 = 190.0;
/// Half the size of a baseline's mark.
const MARK: f64 = 5.5;

fn spot(plane: &Frame, mean: PlaneMean) -> Spot {
    plane.spot(mean.recall, mean.precision)
}

/// Draws clusters, with the names of their models unless those stand above the frame. Labels are
/// placed in the order of their weight and drawn in the order of their depth.
pub fn draw(
    scene: &mut Scene,
    view: &GridView,
    plane: &Frame,
    clusters: &[ModelCluster<'_>],
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

fn reserve(places: &mut Labels, plane: &Frame, clusters: &[ModelCluster<'_>]) {
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

/// Names at the baselines. Where marks lie on each other, one label names all of their models.
fn name_models(places: &mut Labels, plane: &Frame, clusters: &[ModelCluster<'_>]) -> Vec<Text> {
    let mut names = Vec::new();
    for group in starts(plane, clusters) {
        let from = middle(group.iter().map(|(_, from)| *from));
        let ends = group.iter().flat_map(|(cluster, _)| &cluster.ends);
        let away = away_from(from, ends.map(|(_, end)| spot(plane, *end)));
        let models: Vec<String> = group.iter().map(|(c, _)| c.model.to_owned()).collect();
        // A label of several tells that arrows from there are not one model's, so it stands even on
        // arrows.
        let (is_shared, most_crossings) = match models.len() {
            1 => (false, 1),
            _ => (true, usize::MAX),
        };
        let found = listed(&models, 12.5, true, LONGEST).into_iter().find_map(|name| {
            let beside = labels::beside(&name, from, 12.5, true).filter(|_| is_shared);
            let areas = labels::around(&name, from, 12.5, true, away).chain(beside);
            Some((places.take(areas, most_crossings)?, name))
        });
        names.extend(
            found.map(|(area, name)| {
                Text::new(name, labels::start_of(&area, 12.5), 12.5, INK).bold()
            }),
        );
    }
    names
}

/// The clusters that have a baseline with where it lies, those together whose marks touch.
fn starts<'c, 'a>(
    plane: &Frame,
    clusters: &'c [ModelCluster<'a>],
) -> Vec<Vec<(&'c ModelCluster<'a>, Spot)>> {
    let known = clusters.iter().filter_map(|c| Some((c, spot(plane, c.start?))));
    together(known.collect(), |(_, from)| *from, 2.0 * MARK)
}

/// Items in groups: each is near another of its own, and near none of others.
fn together<T>(items: Vec<T>, spot: impl Fn(&T) -> Spot, reach: f64) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        let is_near = |other: &T| spot(other).distance(spot(&item)) < reach;
        let near: Vec<usize> =
            (0..groups.len()).rev().filter(|&k| groups[k].iter().any(is_near)).collect();
        let mut own: Option<usize> = None;
        // The last first, so that what is removed moves none of those before it.
        for k in near {
            if let Some(later) = own.replace(k) {
                let joined = groups.remove(later);
                groups[k].extend(joined);
            }
        }
        match own {
            Some(k) => groups[k].push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

fn middle(spots: impl Iterator<Item = Spot> + Clone) -> Spot {
    let n = spots.clone().count().max(1) as f64;
    let (x, y) = spots.fold((0.0, 0.0), |(x, y), spot| (x + spot.x, y + spot.y));
    at(x / n, y / n)
}

/// Several names as one label, and what it may be cut to: the first ones and how many more there
/// are.
fn listed(names: &[String], size: f64, bold: bool, room: f64) -> Vec<String> {
    let first = |n: usize| match names.len() - n {
        0 => names.join(", "),
        more => format!("{} +{more}", names[..n].join(", ")),
    };
    let fits = |label: &String| font::width(label, size, bold) <= room;
    let mut labels: Vec<String> = (1..=names.len()).rev().map(first).filter(fits).collect();
    if let ([], Some(name)) = (&*labels, names.first()) {
        let more = if names.len() > 1 { format!(" +{}", names.len() - 1) } else { String::new() };
        let room = room - font::width(&more, size, bold);
        labels.push(font::fit_name(name, size, bold, room) + &more);
    }
    labels
}

/// The direction that leads away from most of the spots.
fn away_from(from: Spot, spots: impl Iterator<Item = Spot>) -> f64 {
    let (x, y) = spots.fold((0.0, 0.0), |(x, y), spot| {
        let length = from.distance(spot).max(1e-9);
        (x + (spot.x - from.x) / length, y + (spot.y - from.y) / length)
    });
    (-y).atan2(-x)
}

/// A mean that is not the baseline's.
struct ArrowEnd<'c, 'a> {
    cluster: &'c ModelCluster<'a>,
    method: &'c str,
    from: Option<Spot>,
    to: Spot,
    /// Whether other models have their baseline where its own has it.
    is_shared: bool,
}

fn ends<'c, 'a>(
    view: &'c GridView,
    plane: &Frame,
    clusters: &'c [ModelCluster<'a>],
) -> impl Iterator<Item = ArrowEnd<'c, 'a>> {
    let shared: Vec<Vec<(&ModelCluster<'_>, Spot)>> = starts(plane, clusters);
    let shared = shared.into_iter().filter(|group| group.len() > 1).flatten();
    let shared: Vec<usize> = shared.map(|(cluster, _)| cluster.index).collect();
    clusters.iter().flat_map(move |cluster| {
        let is_shared = shared.contains(&cluster.index);
        let from = cluster.start.map(|start| spot(plane, start));
        cluster.ends.iter().map(move |(index, end)| {
            let method = view.methods[*index].as_str();
            ArrowEnd { cluster, method, from, to: spot(plane, *end), is_shared }
        })
    })
}

/// Names at the ends of arrows, one label where ends lie on each other. Arrows from where several
/// models begin have their model's name too; where methods are so many that the key alone names
/// them, it stands alone.
fn name_methods(
    places: &mut Labels,
    view: &GridView,
    plane: &Frame,
    clusters: &[ModelCluster<'_>],
) -> Vec<Text> {
    let is_named = methods(clusters) <= MOST_NAMED;
    let has_left =
        |end: &ArrowEnd<'_, '_>| end.from.is_none_or(|from| from.distance(end.to) > 2.0 * MARK);
    let ends = ends(view, plane, clusters);
    let ends = ends.filter(|end| !end.is_shared || has_left(end));
    let ends = ends.filter(|end| is_named || end.is_shared);
    let mut names = Vec::new();
    for group in together(ends.collect(), |end| end.to, MARK) {
        let to = middle(group.iter().map(|end| end.to));
        let from = group[0].from;
        let direction = from.map_or(-0.7, |from| (to.y - from.y).atan2(to.x - from.x));
        let found = listed(&words(&group, is_named), SMALL, false, LONGEST);
        let found = found.into_iter().find_map(|name| {
            let areas = labels::around(&name, to, SMALL, false, direction);
            Some((places.take(areas, 1)?, name))
        });
        names.extend(
            found.map(|(area, name)| Text::new(name, labels::start_of(&area, SMALL), SMALL, INK)),
        );
    }
    names
}

/// What ends that lie on each other are called, each name once.
fn words(group: &[ArrowEnd<'_, '_>], is_named: bool) -> Vec<String> {
    let is_mixed = group.iter().any(|end| end.cluster.index != group[0].cluster.index);
    let has_models = group.iter().any(|end| end.is_shared || (end.from.is_none() && is_mixed));
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for ArrowEnd { cluster, method, .. } in group {
        let is_new = last.replace(cluster.index) != Some(cluster.index);
        let word = match (is_named, has_models && is_new) {
            (false, _) => cluster.model.to_owned(),
            (true, true) => format!("{}: {method}", cluster.model),
            (true, false) => (*method).to_owned(),
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Ellipses around means, or bars where seeds are too few.
fn spreads(scene: &mut Scene, view: &GridView, plane: &Frame, cluster: &ModelCluster<'_>) {
    let look = |k: usize| view.look(&view.methods[k]);
    let ends = cluster.ends.iter().map(|(k, mean)| (palette::method(look(*k)), *mean));
    let start = cluster.start.map(|mean| (INK, mean));
    for (colour, mean) in start.into_iter().chain(ends) {
        mean.draw_spread(scene, plane, |opacity| Paint { colour, opacity });
    }
}

fn arrows(scene: &mut Scene, view: &GridView, plane: &Frame, cluster: &ModelCluster<'_>) {
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
            scene.rimmed(Mark::of_model(cluster.index), spot(plane, start), MARK);
        });
    }
}

/// What a mean says when it is pointed at.
fn tip(method: &str, cluster: &ModelCluster<'_>, mean: &PlaneMean) -> String {
    let [precision, recall] = [mean.precision, mean.recall].map(number::percent);
    format!("{method}, {}: precision {precision}, recall {recall}", cluster.model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_near_by_way_of_others_is_together() {
        let spots = [0.0, 30.0, 10.0, 5.0, 60.0].map(|x| at(x, 0.0)).to_vec();
        let found = together(spots, |spot| *spot, 6.0);
        let found: Vec<Vec<f64>> =
            found.into_iter().map(|group| group.into_iter().map(|spot| spot.x).collect()).collect();
        assert_eq!(found, [vec![0.0, 10.0, 5.0], vec![30.0], vec![60.0]]);
    }

    #[test]
    fn a_label_of_several_names_says_how_many_it_leaves_out() {
        let models = names(&["span", "biaffine", "crf", "binary"]);
        let all = listed(&models, 12.5, true, 190.0);
        assert_eq!(all[0], "span, biaffine, crf, binary");
        assert_eq!(all[1..], ["span, biaffine, crf +1", "span, biaffine +2", "span +3"]);
        assert_eq!(listed(&models, 12.5, true, 120.0), all[2..]);
        let long = listed(&names(&[&"x".repeat(90), "b", "c"]), 12.5, true, 120.0);
        assert!(long.len() == 1 && long[0].contains('…') && long[0].ends_with(" +2"), "{long:?}");
        assert!(font::width(&long[0], 12.5, true) <= 120.0);
        assert_eq!(listed(&names(&["span"]), 12.5, true, 190.0), ["span"]);
        assert!(listed(&[], 12.5, true, 190.0).is_empty());
    }
}
