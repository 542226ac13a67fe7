//! Figures of ordinary and of extreme grids.

mod grids;
mod placement;

use super::scene::{Scene, Shape};
use super::*;
use analysis::comparison;
use analysis::synthetic;
use domain::{Bands, LengthPoint, Lengths, Metric, Point, Split, Statistics};
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
    assert!(draft.description.contains("a line a method"), "{}", draft.description);
    let (_, draft) =
        of_all_grids().iter().find(|(kind, _)| *kind == "learning-curve").expect("made");
    assert!(draft.description.contains("a line a method"), "twelve lines are too many");
}

#[test]
fn bands_are_those_that_the_grid_asks_for() {
    let (mut view, results) = grids::heads();
    let curve = |view: &GridView| {
        let drafts = drafts(view, &results);
        let (_, draft) =
            drafts.into_iter().find(|(kind, _)| *kind == "learning-curve").expect("made");
        let svg = draw::svg(&draft.scene, &draft.title, Theme::Light).expect("drawn");
        (svg, draft.caption)
    };
    let (t, caption) = curve(&view);
    assert!(t.contains("confidence intervals") && caption.contains("t-distribution"), "{caption}");
    view.asked.bands = Bands::Percentile;
    let (percentile, caption) = curve(&view);
    assert!(percentile.contains("bootstrap intervals"), "{caption}");
    assert!(caption.contains("percentile intervals") && caption.contains("1,000"), "{caption}");
    let tip = |svg: &str| {
        let start = svg.find("<title>bert-softmax · original at 50:").expect("a mark");
        svg[start..].split_once("</title>").expect("ends").0.to_owned()
    };
    assert_ne!(tip(&t), tip(&percentile));
    view.jobs.retain(|job| job.point.seed == 1);
    assert!(!curve(&view).1.contains("Bands"), "one seed has none");
}

#[test]
fn percentile_bands_are_the_middle_of_bootstrap_means() {
    let values = [0.31, 0.35, 0.42, 0.38, 0.29];
    let of = |bands| chart::Point::new(1.0, &values, bands).expect("finite").band.expect("a band");
    let expected = stats::percentile_interval(&values, 1000, 1);
    assert_eq!(Some(of(Bands::Percentile)), expected);
    // The t quantile of 4 degrees of freedom is 2.776; the sd of these values is 0.0524.
    let [low, high] = of(Bands::T);
    assert!((high - low - 2.0 * 2.776 * 0.052_441 / 5f64.sqrt()).abs() < 1e-4, "{low} {high}");
    let two = chart::Point::new(1.0, &values[..2], Bands::Percentile).expect("finite");
    assert_eq!(two.band, None);
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

#[test]
fn the_quickstart_is_readable_and_complete() {
    let (view, results) = synthetic::grid();
    let figure = displacement_of(&view, &results);
    for name in view.methods.iter().chain(&view.models) {
        assert!(figure.svg.contains(name.as_str()), "{name}");
    }
    assert!(figure.svg.matches("F1 ").count() >= 3, "contours have labels");
    assert!(figure.svg.contains("95 % confidence of the mean"), "five seeds have ellipses");
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
fn the_methods_that_are_shown_have_names_and_ellipses_however_many_the_grid_has() {
    let names = |count: usize| (0..count).map(|k| format!("method-{k}")).collect::<Vec<_>>();
    let (view, results) = synthetic::named(&names(40), &names(1));
    assert!(!displacement_of(&view, &results).svg.contains("<ellipse "));
    let few = synthetic::showing(view, |point| ["method-3", "method-21"].contains(&&*point.method));
    let svg = displacement_of(&few, &results).svg;
    assert_eq!(svg.matches("<ellipse ").count(), 3 + 1);
    // In the key, beside its arrow, and as the arrow's tip.
    assert_eq!(svg.matches(">method-21").count(), 3);
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

#[test]
fn axes_of_epochs_fit_what_is_no_score_and_have_its_unit() {
    let (view, mut results) = grids::everything();
    for row in &mut results.epochs {
        let rate = 0.0047 / row.epoch as f64;
        row.added =
            [("missampling_rate".to_owned(), rate), ("mean_uncertainty".to_owned(), rate)].into();
    }
    let drafts = drafts(&view, &results);
    let texts = |name: &str| -> Vec<String> {
        let (_, draft) = drafts.iter().find(|(_, d)| d.parts[1..] == [name]).expect("drawn");
        assert_readable(&draft.scene);
        scene::texts(&draft.scene.shapes).iter().map(|text| text.text.clone()).collect()
    };
    let rates = texts("missampling_rate");
    let has = |text: &str| rates.iter().any(|known| known == text);
    assert!(has("0.4") && !has("0.6") && !has("1.2"), "{rates:?}");
    assert!(has("Missampling rate (%)"));
    assert!(texts("mean_uncertainty").contains(&"Mean uncertainty (nats)".to_owned()));
}

/// Every text of the first figure of a kind.
fn texts_of(kind: &str, view: &GridView, results: &Results) -> Vec<String> {
    let drafts = drafts(view, results);
    let (_, draft) = drafts.iter().find(|(known, _)| *known == kind).expect("drawn");
    assert_readable(&draft.scene);
    scene::texts(&draft.scene.shapes).iter().map(|text| text.text.clone()).collect()
}

#[test]
fn zero_stands_apart_from_a_log_axis() {
    let (view, results) = grids::negatives();
    let texts = texts_of("parameter", &view, &results);
    assert!(texts.iter().any(|text| text == "lambda (log scale, 0 apart)"), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| *text == "10").count() % 2, 0, "{texts:?}");
}

#[test]
fn frames_of_a_parameter_say_what_tells_their_methods_apart() {
    let (mut view, mut results) = grids::negatives();
    let heads = |view: &GridView, results: &Results| -> Vec<String> {
        let of_kinds = |text: &String| text.contains("uniform") || text.contains("weighted");
        texts_of("parameter", view, results).into_iter().filter(of_kinds).collect()
    };
    assert_eq!(heads(&view, &results), ["uniform", "weighted"]);
    for (name, settings) in &mut view.method_settings {
        settings.words.insert("negatives".to_owned(), "weighted".to_owned());
        let mu = if name.starts_with('u') { 1.0 } else { 8.0 };
        settings.numbers.insert("negatives.mu".to_owned(), mu);
    }
    let texts = texts_of("parameter", &view, &results);
    for head in ["mu: 1", "mu: 8"] {
        assert!(texts.iter().any(|text| text == head), "{texts:?}");
    }
    results.metrics.retain(|row| !row.point.method.starts_with('w'));
    let texts = heads(&view, &results);
    assert!(texts.len() == 1 && texts[0].starts_with("Test and dev"), "{texts:?}");
}

#[test]
fn the_key_of_a_displacement_names_nothing_that_has_no_mark() {
    let (view, mut results) = synthetic::grid();
    let (model, method) = (view.models[0].clone(), view.methods[1].clone());
    let baseline = view.baseline.clone().expect("the quickstart has one");
    results.metrics.retain(|row| row.point.model != model && row.point.method != method);
    let texts = texts_of("displacement", &view, &results);
    assert!(!texts.contains(&model) && !texts.contains(&method), "{texts:?}");
    let baseline_in_key = format!("{baseline} (baseline)");
    assert_eq!(texts.contains(&baseline_in_key), view.models.len() > 1);
    results.metrics.retain(|row| row.point.method != baseline);
    assert!(!texts_of("displacement", &view, &results).contains(&baseline_in_key));
}

#[test]
fn baselines_that_lie_on_each_other_have_one_label_and_their_arrows_the_models() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (view, mut results) = synthetic::named(
        &names(&["original", "a", "b"]),
        &names(&["span", "crf", "binary", "far"]),
    );
    for row in &mut results.metrics {
        let Point { model, method, .. } = &row.point;
        (row.precision, row.recall) = match (model.as_str(), method.as_str()) {
            ("far", "original") => (0.5, 0.3),
            ("far", "a") => (0.7, 0.5),
            ("far", _) => (0.7001, 0.5001),
            ("crf", "b") => (0.9, 0.2),
            ("span", "a") => (0.2, 0.6),
            _ => (0.0, 0.0),
        };
    }
    let texts = texts_of("displacement", &view, &results);
    let count = |text: &str| texts.iter().filter(|known| *known == text).count();
    assert_eq!((count("span, crf, binary"), count("crf: b"), count("span: a")), (1, 1, 1));
    assert_eq!((count("span"), count("binary"), count("far")), (1, 1, 2), "in the key: {texts:?}");
    assert_eq!((count("a, b"), count("a"), count("b")), (1, 1, 1), "{texts:?}");
    let caption = displacement_of(&view, &results).caption;
    assert!(caption.ends_with("has no arrow lies where its baseline does."), "{caption}");
}

#[test]
fn few_seeds_have_bars_and_one_has_none() {
    for (seeds, words) in [(3, "bars ± 1 sd"), (1, "one seed")] {
        let (mut view, results) = synthetic::grid();
        view.jobs.retain(|job| job.point.seed <= seeds);
        let svg = displacement_of(&view, &results).svg;
        assert!(svg.contains(words) && !svg.contains("95 %"), "{seeds}");
    }
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

/// How long the figures of a report take, with `--nocapture`.
#[test]
#[ignore = "measures"]
fn speed_of_all_figures() {
    let names =
        |kind: &str, count: usize| (0..count).map(|k| format!("{kind}-{k}")).collect::<Vec<_>>();
    for (jobs, methods, models) in [(240, 4, 1), (1200, 10, 2), (12_000, 40, 5)] {
        let (view, results) =
            grids::everything_named(&names("method", methods), &names("model", models));
        let (count, built, figures, whole) =
            with_material(&view, &results, view.metric, |material| {
                let start = std::time::Instant::now();
                let count = KINDS.iter().map(|entry| (entry.build)(material).len()).sum::<usize>();
                let built = start.elapsed();
                let figures = all(material, &mut FileNames::default()).expect("drawn");
                (count, built, figures, start.elapsed() - built)
            });
        let bytes: usize = figures.iter().flat_map(files).map(|file| file.bytes.len()).sum();
        println!(
            "{} jobs (about {jobs}): {count} drafts in {built:?}, {} figures, {} KiB in {whole:?}",
            view.jobs.len(),
            figures.len(),
            bytes / 1024
        );
    }
}

/// `cargo test … --lib -- --ignored pictures` writes them all to `target/figures`.
#[test]
#[ignore = "writes pictures for people to look at"]
fn pictures_to_look_at() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/figures");
    std::fs::create_dir_all(&folder).expect("made");
    for (number, (view, results)) in grids::all().into_iter().chain(grids::odd()).enumerate() {
        let mut seen = Vec::new();
        for figure in drawn(&view, &results) {
            seen.push(figure.kind);
            if seen.iter().filter(|kind| **kind == figure.kind).count() > 2 {
                continue;
            }
            let name = format!("{number}-{}", figure.name);
            std::fs::write(folder.join(format!("{name}.png")), &figure.png).expect("written");
            std::fs::write(folder.join(format!("{name}-dark.png")), &figure.dark_png)
                .expect("written");
        }
    }
    let corpora = [lengths("news", 60, 5.0, 4.0), lengths("tweets", 8, 0.5, 0.1)];
    let figure = sparsity(&corpora, "sparsity".to_owned()).expect("drawn");
    std::fs::write(folder.join("sparsity.png"), &figure.png).expect("written");
    std::fs::write(folder.join("sparsity-dark.png"), &figure.dark_png).expect("written");
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
