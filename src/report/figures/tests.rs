//! Figures of ordinary and of extreme grids.

use super::scene::{Scene, Shape};
use super::*;
use crate::domain::{LengthPoint, Lengths, Metric, Statistics};
use crate::report::synthetic;
use crate::report::view::Scoreboard;
use crate::store::{Results, search_record};

fn drawn(view: &GridView, results: &Results) -> Figure {
    let board = Scoreboard::new(view, results, Metric::MacroF1);
    displacement(view, &board, &view.panels()[0], "figure".to_owned()).expect("drawn")
}

fn scene_of(view: &GridView, results: &Results) -> Scene {
    let board = Scoreboard::new(view, results, Metric::MacroF1);
    displacement::scene(view, &board, &view.panels()[0])
}

fn methods(count: usize) -> Vec<String> {
    (0..count).map(|k| format!("method-{k}")).collect()
}

/// Every text of a scene lies on the sheet, and no two texts touch.
fn assert_readable(scene: &Scene) {
    let texts: Vec<_> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text(text) if !text.upright => Some(text),
            _ => None,
        })
        .collect();
    let areas: Vec<_> = texts
        .iter()
        .map(|text| {
            let width = font::drawn_width(&text.text, text.size, text.bold);
            let left = match text.anchor {
                scene::Anchor::Start => text.spot.x,
                scene::Anchor::Middle => text.spot.x - width / 2.0,
                scene::Anchor::End => text.spot.x - width,
            };
            labels::area_of(&text.text, scene::at(left, text.spot.y), text.size, text.bold)
        })
        .collect();
    let sheet = scene::Area { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
    for (k, area) in areas.iter().enumerate() {
        assert!(sheet.holds(area), "{} leaves the sheet", texts[k].text);
        for (other, known) in texts.iter().zip(&areas[..k]) {
            assert!(!known.meets(area), "{} lies on {}", texts[k].text, other.text);
        }
    }
}

#[test]
fn the_quickstart_is_readable_and_complete() {
    let (view, results) = synthetic::grid();
    let scene = scene_of(&view, &results);
    assert_readable(&scene);
    let svg = drawn(&view, &results).svg;
    for name in view.methods.iter().chain(&view.models) {
        assert!(svg.contains(name.as_str()), "{name}");
    }
    assert!(svg.matches("F1 ").count() >= 3, "contours have labels");
}

#[test]
fn the_same_scores_give_the_same_bytes() {
    let (view, results) = synthetic::grid();
    assert!(drawn(&view, &results) == drawn(&view, &results));
}

#[test]
fn extreme_grids_are_drawn() {
    for count in [1, 2, 13, 40] {
        for models in [1, 7] {
            let (view, results) = synthetic::named(&methods(count), &methods(models));
            assert_readable(&scene_of(&view, &results));
        }
    }
    let (view, results) = synthetic::named(&methods(40), &methods(2));
    assert!(drawn(&view, &results).png.starts_with(b"\x89PNG"));
}

#[test]
fn nothing_to_show_is_said() {
    let (view, _) = synthetic::grid();
    assert!(drawn(&view, &Results::default()).svg.contains("No finished job yet"));
}

#[test]
fn without_a_baseline_there_are_marks() {
    let (mut view, results) = synthetic::grid();
    view.baseline = None;
    assert_readable(&scene_of(&view, &results));
    assert!(drawn(&view, &results).svg.contains("one mark a method"));
}

#[test]
fn scores_at_the_ends_or_beyond_do_not_break_it() {
    for value in [0.0, 1.0, f64::NAN, f64::INFINITY, -3.0, 1e300] {
        let (view, mut results) = synthetic::grid();
        for row in &mut results.metrics {
            (row.precision, row.recall) = (value, value);
        }
        assert!(draw::svg(&scene_of(&view, &results), "title").is_ok());
    }
}

#[test]
fn long_and_foreign_names_stay_on_the_sheet() {
    let names = ["x".repeat(300), "日本語".repeat(30), "<b>&\"'".to_owned(), "a\u{0}b".to_owned()];
    let (view, results) = synthetic::named(&names, &names);
    assert_readable(&scene_of(&view, &results));
    let figure = drawn(&view, &results);
    assert!(figure.svg.contains("日本語") && figure.svg.contains("&lt;b&gt;&amp;"));
    assert!(!figure.svg.contains("<b>") && !figure.svg.contains('\u{0}'));
    assert!(!figure.escaped.is_empty());
}

/// A corpus of so many lengths, with this mean and variance at the longest.
fn lengths(name: &str, longest: u64, mean: f64, variance: f64) -> CorpusNumbers {
    let point = |length: u64| {
        let share = length as f64 / longest as f64;
        LengthPoint { length, sentences: 20, mean: mean * share, variance: variance * share }
    };
    CorpusNumbers {
        name: name.to_owned(),
        whole: Statistics { sentences: 20 * longest, ..Statistics::default() },
        lengths: Lengths { points: (1..=longest).map(point).collect(), beyond_root_share: 0.0123 },
        ..CorpusNumbers::default()
    }
}

#[test]
fn entities_by_length_are_drawn_for_any_number_of_corpora() {
    let empty = CorpusNumbers { name: "empty".to_owned(), ..CorpusNumbers::default() };
    let all = [
        lengths("news", 60, 5.0, 4.0),
        lengths("tweets", 8, 0.5, 0.1),
        empty,
        lengths(&"日本".repeat(60), 400, 1e3, 1e9),
        lengths("odd", 3, f64::NAN, f64::INFINITY),
    ];
    for count in 0..=all.len() {
        let scene = sparsity::scene(&all[..count]);
        assert_readable(&scene);
        assert!(draw::svg(&scene, "title").is_ok());
    }
    let figure = sparsity(&all, "lengths".to_owned()).expect("drawn");
    assert!(figure.svg.contains("No length has 20 sentences") && figure.svg.contains("1.23 %"));
    assert!(figure.png.starts_with(b"\x89PNG"));
    assert!(figure.description.contains("tweets: 1.23 %"), "{}", figure.description);
}

#[test]
fn the_bundled_font_has_a_root() {
    assert_eq!(font::drawable("√ length"), "√ length");
}

#[test]
fn searches_of_any_size_are_readable() {
    for trials in [0, 1, 2, 12, 40, 300] {
        let mut search = search_record(trials);
        assert_readable(&tuning::scene(&search));
        search.parameters[0].name = "a-parameter-with-a-name-that-does-not-end ".repeat(9);
        search.history.iter_mut().for_each(|trial| trial.score = trial.score.map(|_| 0.5));
        assert_readable(&tuning::scene(&search));
        let figure = super::tuning(&search_record(trials), "figure".to_owned()).expect("drawn");
        assert!(figure.svg.contains("log scale") && figure.png.len() > 1000);
        assert_eq!(figure.escaped, Vec::<String>::new());
    }
}
