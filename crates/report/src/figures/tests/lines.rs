//! Figures of lines: their bands, axes and headings.

use super::super::{chart, draw, scene};
use super::{assert_readable, drafts, grids, texts_of};
use crate::figures::palette::Theme;
use analysis::GridView;
use domain::Bands;
use store::Results;

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
    let of =
        |bands| chart::MeanPoint::new(1.0, &values, bands).expect("finite").band.expect("a band");
    let expected = stats::percentile_interval(&values, 1000, 1);
    assert_eq!(Some(of(Bands::Percentile)), expected);
    // The t quantile of 4 degrees of freedom is 2.776; the sd of these values is 0.0524.
    let [low, high] = of(Bands::T);
    assert!((high - low - 2.0 * 2.776 * 0.052_441 / 5f64.sqrt()).abs() < 1e-4, "{low} {high}");
    let two = chart::MeanPoint::new(1.0, &values[..2], Bands::Percentile).expect("finite");
    assert_eq!(two.band, None);
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
