//! Figures of ordinary and of extreme grids.

mod displacement;
mod grids;
mod lines;
mod pictures;
mod placement;

use super::scene::{Scene, Shape};
use super::*;
use analysis::comparison;
use analysis::synthetic;
use domain::{LengthPoint, Lengths, Metric, Split, Statistics};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use store::testing::search as search_record;
use store::{Level, Results};

/// Hands out what figures are made from.
fn with_material<T>(
    view: &GridView,
    results: &Results,
    metric: Metric,
    use_it: impl FnOnce(&Material<'_>) -> T,
) -> T {
    let results = &ResultFrames::from(results);
    let board = Scoreboard::new(view, results, metric);
    use_it(&Material {
        view,
        results,
        dev: &Scoreboard::of_split(view, results, metric, Split::Dev),
        comparisons: &comparison::compare(view, &board),
        rankings: &comparison::across_corpora(view, &board),
        types: &TypeBoard::new(view, results, Level::Span),
        board: &board,
    })
}

/// Every figure before it is drawn, with its kind.
fn drafts(view: &GridView, results: &Results) -> Vec<(&'static str, Draft)> {
    with_material(view, results, view.metric, |material| {
        let of = |entry: &FigureKind| {
            let name = entry.name;
            (entry.build)(material).into_iter().map(move |draft| (name, draft)).collect::<Vec<_>>()
        };
        KINDS.iter().flat_map(of).collect()
    })
}

/// The same of every grid of [`grids`], made once for all tests.
fn of_all_grids() -> &'static [(&'static str, Draft)] {
    static DRAFTS: OnceLock<Vec<(&'static str, Draft)>> = OnceLock::new();
    let make = || grids::all().iter().flat_map(|(view, results)| drafts(view, results)).collect();
    DRAFTS.get_or_init(make)
}

fn kinds(view: &GridView, results: &Results) -> BTreeSet<&'static str> {
    drafts(view, results).into_iter().map(|(kind, _)| kind).collect()
}

fn drawn(view: &GridView, results: &Results) -> Vec<Figure> {
    with_material(view, results, view.metric, |material| {
        all(material, &mut FileNames::default()).expect("drawn")
    })
}

/// The displacement plot, which every panel has.
fn displacement_of(view: &GridView, results: &Results) -> Figure {
    drawn(view, results).into_iter().find(|figure| figure.kind == "displacement").expect("drawn")
}

/// Every text of a scene lies on the sheet, and no two texts touch.
fn assert_readable(scene: &Scene) {
    if let Err(problem) = readable(scene) {
        panic!("{problem}");
    }
}

fn readable(scene: &Scene) -> Result<(), String> {
    let texts = scene::texts(&scene.shapes);
    let areas: Vec<_> = texts.iter().map(|text| area_of(text)).collect();
    let sheet = scene::Area { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
    for (k, area) in areas.iter().enumerate() {
        if !sheet.holds(area) {
            return Err(format!("{} leaves the sheet: {area:?}", texts[k].text));
        }
        for (other, known) in texts.iter().zip(&areas[..k]) {
            if known.meets(area) {
                return Err(format!("{} lies on {}", texts[k].text, other.text));
            }
        }
    }
    Ok(())
}

/// Where a text lies, also one that stands upright.
fn area_of(text: &scene::Text) -> scene::Area {
    let width = font::width(&text.text, text.size, text.bold);
    let back = match text.anchor {
        scene::Anchor::Start => 0.0,
        scene::Anchor::Middle => width / 2.0,
        scene::Anchor::End => width,
    };
    let scene::Spot { x, y } = text.spot;
    match text.upright {
        false => labels::area_of(&text.text, scene::at(x - back, y), text.size, text.bold),
        true => scene::Area {
            left: x - 0.8 * text.size,
            right: x + 0.26 * text.size,
            top: y + back - width,
            bottom: y + back,
        },
    }
}

/// Every shape of a drawing lies on its sheet.
fn assert_on_the_sheet(name: &str, scene: &Scene) {
    fn spots(shapes: &[Shape]) -> Vec<scene::Spot> {
        let of = |shape: &Shape| match shape {
            Shape::Path { spots, .. } | Shape::Polygon { spots, .. } => spots.clone(),
            Shape::Circle { centre, .. } => vec![*centre],
            Shape::Ellipse { ellipse, .. } => ellipse.outline(),
            Shape::Text(_) => vec![],
            Shape::Tipped { shapes, .. } => spots(shapes),
        };
        shapes.iter().flat_map(of).collect()
    }
    for spot in spots(&scene.shapes) {
        let inside = (-1.0..=scene.width + 1.0).contains(&spot.x)
            && (-1.0..=scene.height + 1.0).contains(&spot.y);
        assert!(inside, "{name}: {spot:?} is not on a sheet of {} × {}", scene.width, scene.height);
    }
}

#[test]
fn entries_have_a_name_a_line_of_help_and_figures_that_are_called_after_them() {
    let names: BTreeSet<&str> = KINDS.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), KINDS.len());
    for FigureKind { name, help, .. } in KINDS {
        assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        assert!(help.len() > 20 && help.len() < 90 && !help.ends_with('.'), "{name}: {help}");
    }
    let mut seen = BTreeSet::new();
    for (kind, draft) in of_all_grids() {
        assert_eq!(draft.parts[0], *kind);
        assert!(!draft.title.is_empty() && draft.description.len() > 40, "{kind}");
        seen.insert(*kind);
    }
    assert_eq!(seen, names, "each entry has a grid that shows it");
}

#[test]
fn every_entry_is_in_the_documentation() {
    let page = include_str!("../../../../docs/reports.md");
    for FigureKind { name, .. } in KINDS {
        assert!(page.contains(&format!("`{name}")), "docs/reports.md says nothing of {name}");
    }
}

#[test]
fn figures_look_as_they_did() {
    let mut seen = BTreeSet::new();
    for (kind, draft) in of_all_grids() {
        if seen.insert(*kind) {
            let svg = draw::svg(&draft.scene, &draft.title, Theme::Light).expect("drawn");
            let texts = format!("{}\n{}", draft.description, draft.caption);
            insta::assert_snapshot!(*kind, format!("{texts}\n{svg}"));
        }
    }
}

#[test]
fn models_with_few_lines_share_a_frame() {
    let (view, results) = grids::heads();
    for (kind, draft) in drafts(&view, &results) {
        if ["learning-curve", "entity-share"].contains(&kind) {
            let svg = draw::svg(&draft.scene, &draft.title, Theme::Light).expect("drawn");
            for line in
                ["bert-softmax · original", "bert-crf · original", "bert-two-task · comauc-2t"]
            {
                assert!(svg.contains(line), "{kind}: {line}");
            }
            let texts = format!("{}\n{}", draft.description, draft.caption);
            insta::assert_snapshot!(format!("{kind}_of_models"), format!("{texts}\n{svg}"));
        }
    }
    let alone = synthetic::showing(view, |point| point.model == "bert-two-task");
    let of_one = drafts(&alone, &results);
    let (_, draft) = of_one.iter().find(|(kind, _)| *kind == "learning-curve").expect("made");
    assert!(draft.description.contains("one line per method"), "{}", draft.description);
    let (_, draft) =
        of_all_grids().iter().find(|(kind, _)| *kind == "learning-curve").expect("made");
    assert!(draft.description.contains("one line per method"), "twelve lines are too many");
}

#[test]
fn a_figure_without_data_is_not_made() {
    let (view, _) = synthetic::grid();
    let nothing = Results::default();
    assert_eq!(kinds(&view, &nothing), BTreeSet::from(["displacement"]));
    assert!(displacement_of(&view, &nothing).svg.contains("No finished job yet"));
    let (mut view, results) = grids::everything();
    view.jobs.clear();
    assert!(drawn(&view, &results).is_empty());
}

#[test]
fn without_a_baseline_nothing_is_compared() {
    let (mut view, results) = grids::everything();
    view.baseline = None;
    let kinds = kinds(&view, &results);
    for kind in ["forest", "rareness", "differences"] {
        assert!(!kinds.contains(kind), "{kind}");
    }
    assert!(kinds.contains("learning-curve") && kinds.contains("time"), "{kinds:?}");
    drafts(&view, &results).iter().for_each(|(_, draft)| assert_readable(&draft.scene));
    assert!(displacement_of(&view, &results).svg.contains("one mark a method"));
}

/// Figure 1 of wang2022: nine methods, three models, in a grid of six.
#[test]
fn many_means_have_a_frame_a_model_and_what_is_not_shown_does_not_count() {
    let (view, results) = grids::wang2022();
    let figure = displacement_of(&view, &results);
    assert_eq!(figure.svg.matches("Recall, macro (%)").count(), 6);
    let softmax = synthetic::showing(view.clone(), |point| point.model.ends_with("softmax"));
    let figure = displacement_of(&softmax, &results);
    assert_eq!(figure.svg.matches("Recall, macro (%)").count(), 3);
    assert_eq!(figure.svg.matches("<ellipse ").count(), 27 + 1, "one more in the key");
    insta::assert_snapshot!("displacement_by_model", format!("{}\n{}", figure.caption, figure.svg));
    let one = synthetic::showing(view, |point| point.model == "bert-crf");
    let figure = displacement_of(&one, &results);
    assert_eq!(figure.svg.matches("<ellipse ").count(), 9 + 1);
}

#[test]
fn a_forest_of_one_seed_has_no_interval_and_says_so() {
    let (mut view, results) = synthetic::grid();
    let forest = |view: &GridView| {
        let drafts = drafts(view, &results);
        let (_, draft) = drafts.into_iter().find(|(kind, _)| *kind == "forest").expect("drawn");
        let texts: Vec<String> =
            scene::texts(&draft.scene.shapes).iter().map(|text| text.text.clone()).collect();
        format!("{} {} {}", draft.description, draft.caption, texts.join(" "))
    };
    assert!(forest(&view).contains("95 % interval") && !forest(&view).contains("one seed"));
    view.jobs.retain(|job| job.point.seed == 1);
    let words = forest(&view);
    assert!(words.contains("difference of one seed, which has no interval"), "{words}");
    assert!(!words.contains("95 %") && !words.contains("Mean"), "{words}");
}

/// Every text of the first figure of a kind.
fn texts_of(kind: &str, view: &GridView, results: &Results) -> Vec<String> {
    let drafts = drafts(view, results);
    let (_, draft) = drafts.iter().find(|(known, _)| *known == kind).expect("drawn");
    assert_readable(&draft.scene);
    scene::texts(&draft.scene.shapes).iter().map(|text| text.text.clone()).collect()
}

#[test]
fn the_same_scores_give_the_same_bytes() {
    let (view, mut results) = grids::everything();
    let first = drawn(&view, &results);
    results.runs.reverse();
    results.metrics.reverse();
    assert!(first == drawn(&view, &results));
}

#[test]
fn every_figure_of_every_grid_is_readable() {
    for (kind, draft) in of_all_grids() {
        if let Err(problem) = readable(&draft.scene) {
            panic!("{kind}: {problem}");
        }
        assert_on_the_sheet(kind, &draft.scene);
    }
}

#[test]
fn a_method_has_one_colour_in_every_figure() {
    let (view, results) = grids::everything();
    let colour = palette::method(view.look("scr")).css();
    for figure in drawn(&view, &results) {
        if figure.svg.contains("<title>scr") {
            assert!(figure.svg.contains(&colour), "{}", figure.name);
        }
    }
}

#[test]
fn dark_figures_have_the_same_shapes_on_another_ground() {
    let (view, results) = synthetic::grid();
    for figure in drawn(&view, &results) {
        let [light, dark] = [&figure.svg, &figure.dark_svg];
        assert_eq!(light.lines().count(), dark.lines().count());
        assert!(light.contains(&palette::PAPER.css()) && !dark.contains(&palette::PAPER.css()));
        assert!(!dark.contains(&palette::INK.css()), "{}", figure.name);
        assert!(figure.png != figure.dark_png && figure.dark_png.starts_with(b"\x89PNG"));
    }
    let paths: Vec<String> =
        files(&drawn(&view, &results)[0]).into_iter().map(|file| file.path).collect();
    let name = "figures/displacement-synthetic-full";
    let endings = [".svg", ".png", "-dark.svg", "-dark.png"];
    assert_eq!(paths, endings.map(|ending| format!("{name}{ending}")));
}

#[test]
fn scores_at_the_ends_or_beyond_do_not_break_it() {
    for value in [0.0, 1.0, f64::NAN, f64::INFINITY, -3.0, 1e300] {
        let (view, mut results) = grids::everything();
        for row in &mut results.metrics {
            (row.precision, row.recall, row.f1) = (value, value, value);
        }
        for row in &mut results.epochs {
            (row.loss, row.dev_macro_f1) = (value, value);
        }
        for (kind, draft) in drafts(&view, &results) {
            let svg = draw::svg(&draft.scene, "title", Theme::Light).expect("drawn");
            assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{kind}");
        }
    }
}

#[test]
fn long_and_foreign_names_stay_on_the_sheet() {
    let names = [
        "x".repeat(300),
        "日本語".repeat(30),
        "<b>&\"'".to_owned(),
        "a\u{0}b\u{10FFFD}".to_owned(),
    ];
    let (view, results) = grids::everything_named(&names, &names[..2]);
    for (kind, draft) in drafts(&view, &results) {
        if let Err(problem) = readable(&draft.scene) {
            panic!("{kind}: {problem}");
        }
    }
    let figure = displacement_of(&view, &results);
    assert!(figure.svg.contains("日本語") && figure.svg.contains("&lt;b&gt;&amp;"));
    assert!(!figure.svg.contains("<b>") && !figure.svg.contains('\u{0}'));
    assert!(figure.lacking.contains(&'\u{10FFFD}'));
}

/// The machine that draws has no say in it: its fonts are not asked.
#[test]
fn foreign_names_are_laid_out_the_same_on_every_machine() {
    let (view, results) = grids::japanese();
    let drafts = drafts(&view, &results);
    for (kind, draft) in &drafts {
        let svg = draw::svg(&draft.scene, &draft.title, Theme::Light).expect("drawn");
        let texts: Vec<&str> = svg.lines().filter(|line| line.starts_with("<text")).collect();
        assert!(texts.iter().all(|text| text.contains(" textLength=\"")), "{kind}");
    }
    let (_, draft) = drafts.iter().find(|(kind, _)| *kind == "critical-difference").expect("made");
    let svg = draw::svg(&draft.scene, &draft.title, Theme::Light).expect("drawn");
    insta::assert_snapshot!("foreign_names", svg);
}

#[test]
fn as_many_figures_of_a_kind_are_drawn_as_somebody_may_look_at() {
    let (_, draft) = drafts(&synthetic::grid().0, &synthetic::grid().1).remove(0);
    let mut many = vec![draft.clone(); MOST_OF_A_KIND + 2];
    leave_out(&mut many);
    assert_eq!(many.len(), MOST_OF_A_KIND);
    let caption = &many[MOST_OF_A_KIND - 1].caption;
    assert!(caption.contains(" 2 further figures of this kind are left out: "), "{caption}");
    let mut few = vec![draft; 2];
    leave_out(&mut few);
    assert!(few.len() == 2 && !few[1].caption.contains("left out"));
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
        assert!(draw::svg(&scene, "title", Theme::Light).is_ok());
    }
    let two = sparsity(&all[..2], "lengths".to_owned()).expect("drawn");
    let texts = format!("{}\n{}", two.description, two.caption);
    insta::assert_snapshot!("sparsity", format!("{texts}\n{}", two.svg));
    let figure = sparsity(&all, "lengths".to_owned()).expect("drawn");
    assert!(figure.svg.contains("No length has 20 sentences") && figure.svg.contains("1.23 %"));
    assert!(figure.png.starts_with(b"\x89PNG"));
    assert!(figure.description.contains("tweets: 1.23 %"), "{}", figure.description);
}

#[test]
fn searches_of_any_size_are_readable() {
    for trials in [0, 1, 2, 12, 40, 300] {
        let mut search = search_record(trials);
        assert_readable(&tuning::scene(&search));
        search.parameters[0].name = "a-parameter-with-a-name-that-does-not-end ".repeat(9);
        search.history.iter_mut().for_each(|trial| trial.score = trial.score.map(|_| 0.5));
        assert_readable(&tuning::scene(&search));
        let (mut view, results) = synthetic::grid();
        view.searches = vec![search_record(trials)];
        let figures = drawn(&view, &results);
        let figure = figures.iter().find(|f| f.kind == "tuning").expect("drawn");
        assert!(figure.svg.contains("log scale") && figure.png.len() > 1000);
        assert!(figure.lacking.is_empty());
    }
}
