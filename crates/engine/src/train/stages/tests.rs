//! Trainings on annotations that were masked.

use super::super::train;
use super::*;
use crate::prepare::{Encoded, Prepared, prepare};
use crate::testing::{part, request};
use burn::tensor::Device;
use domain::{BudgetRule, JobRequest, ParameterValue};

/// A random field on sixty sentences, half of whose entities are masked but in a quarter of them.
fn masked(kind: &str, set: &[(&str, ParameterValue)]) -> JobRequest {
    let mut request = request();
    request.settings.training.learning_rate = 0.05;
    request.settings.model.head = part(parts::heads::ENTRIES, "crf");
    let scenario = &mut request.settings.scenario.0;
    scenario.insert("mask_entities".into(), ParameterValue::Real(0.5));
    scenario.insert("expert_fraction".into(), ParameterValue::Real(0.25));
    let mut unlabelled = part(unlabelled::ENTRIES, kind);
    for (name, value) in set {
        assert!(unlabelled.parameters.0.insert((*name).into(), value.clone()).is_some(), "{name}");
    }
    request.settings.method.unlabelled = Some(unlabelled);
    request
}

/// In two rounds of two epochs.
fn weighted(labels: &str) -> JobRequest {
    let number = ParameterValue::Integer;
    let labels = ParameterValue::Text(labels.into());
    let set = [("labels", labels), ("rounds", number(2)), ("round_epochs", number(2))];
    masked("weighted-partial", &set)
}

/// The losses that were told, and the training sentences afterwards.
fn run(request: &JobRequest) -> Result<(Vec<f64>, Prepared), Failure> {
    let mut data = prepare(request)?;
    let mut losses = Vec::new();
    train(&request.settings, &mut data, &Device::flex(), |epoch| losses.push(epoch.loss))?;
    Ok((losses, data))
}

#[test]
fn the_loss_falls_and_the_same_seed_gives_the_same() {
    for request in [masked("partial", &[]), weighted("hard"), weighted("soft")] {
        let kind = request.settings.method.unlabelled.as_ref().unwrap().to_string();
        let (losses, data) = run(&request).unwrap();
        assert_eq!(losses.len(), 4, "{kind}: the epochs of the main training");
        assert!(losses[3] < 0.6 * losses[0], "{kind}: {losses:?}");
        assert_eq!(losses, run(&request).unwrap().0, "{kind}");
        assert_eq!(
            data.copies,
            prepare(&request).unwrap().copies,
            "{kind}: every sentence is back"
        );
    }
}

#[test]
fn ways_differ_from_each_other_and_from_taking_words_for_o() {
    let mut plain = masked("partial", &[]);
    plain.settings.method.unlabelled = None;
    let all = [plain, masked("partial", &[]), weighted("hard"), weighted("soft")];
    let losses: Vec<Vec<f64>> = all.iter().map(|request| run(request).unwrap().0).collect();
    for (place, one) in losses.iter().enumerate() {
        assert!(losses[..place].iter().all(|other| other != one), "{losses:?}");
    }
}

#[test]
fn where_every_annotation_is_complete_it_is_the_usual_loss() {
    // The main training alone is compared, which has the whole budget only where stages do not
    // share one.
    let complete = |mut request: JobRequest| {
        request.settings.training.budget = BudgetRule::Passes;
        request.settings.scenario.0.insert("expert_fraction".into(), ParameterValue::Real(1.0));
        request
    };
    let mut plain = complete(masked("partial", &[]));
    plain.settings.method.unlabelled = None;
    let plain = run(&plain).unwrap().0;
    for request in [masked("partial", &[]), weighted("hard"), weighted("soft")] {
        let (losses, data) = run(&complete(request)).unwrap();
        assert!(data.train.annotations.is_empty());
        for (a, b) in plain.iter().zip(&losses) {
            assert!((a - b).abs() < 1e-3 * a, "{plain:?} {losses:?}");
        }
    }
}

#[test]
fn stages_share_the_budget_of_a_plain_training() {
    let effort = |request: &JobRequest| {
        let mut data = prepare(request).unwrap();
        train(&request.settings, &mut data, &Device::flex(), |_| ()).unwrap().effort.unwrap()
    };
    let plain = effort(&masked("partial", &[]));
    // Sixty sentences in batches of 16, four times.
    assert_eq!((plain.budget, plain.updates), (16, 16));
    let mut staged = weighted("hard");
    staged.settings.training.updates = Some(160);
    let staged = effort(&staged);
    assert_eq!((staged.budget, staged.updates), (160, 160));
    let mut passes = weighted("hard");
    passes.settings.training.budget = BudgetRule::Passes;
    let passes = effort(&passes);
    assert!(passes.updates > 16, "{passes:?}");
    // Two rounds of two passes over each half, and the main training.
    assert!((passes.passes - 8.0).abs() < 1e-9, "{passes:?}");
}

/// Whether `found` has every tag that `annotated` has, and all of a complete sentence, `O` too.
fn agrees(annotated: &Encoded, found: &Encoded) -> bool {
    let sentences = annotated.classes.iter().zip(&found.classes).enumerate();
    sentences.into_iter().all(|(i, (before, after))| match annotated.is_incomplete(i) {
        true => before.iter().zip(after).all(|(before, after)| *before == 0 || before == after),
        false => before == after,
    })
}

#[test]
fn tags_that_are_found_never_contradict_annotations() {
    let mut request = weighted("hard");
    request.settings.training.learning_rate = 0.2;
    let before = prepare(&request).unwrap();
    let (_, after) = run(&request).unwrap();
    assert!(agrees(&before.train, &after.train));
    let changed = before.train.classes.iter().zip(&after.train.classes).filter(|(a, b)| a != b);
    assert!(changed.count() > 0, "some masked entity is found");
    let entities = |data: &Prepared| data.class_counts()[1..].iter().sum::<u64>();
    assert!(entities(&after) > entities(&before));
}

#[test]
fn what_cannot_be_trained_is_refused_with_a_reason() {
    let mut optimum = masked("partial", &[]);
    optimum.settings.training.optimiser = domain::Optimiser::Lbfgs;
    let mut softmax = masked("partial", &[]);
    softmax.settings.model.head = part(parts::heads::ENTRIES, "softmax");
    let mut few = weighted("hard");
    let folds = ParameterValue::Integer(100);
    let part = few.settings.method.unlabelled.as_mut().unwrap();
    part.parameters.0.insert("folds".into(), folds);
    let reasons = [
        (optimum, "trained in batches"),
        (softmax, "needs a CRF head"),
        (few, "60 training sentences cannot be cut into 100 folds"),
    ];
    for (request, reason) in reasons {
        let failure = run(&request).err().expect("refused").to_string();
        assert!(failure.contains(reason), "{failure}");
    }
}
