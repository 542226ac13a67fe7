//! What a displacement plot names and draws.

use super::{displacement_of, texts_of};
use analysis::synthetic;
use domain::Point;

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
