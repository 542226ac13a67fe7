//! Thresholds of a head with two tasks, moved to where the dev score is highest.
//!
//! One after the other, each type's entities and then its beginnings: every candidate is tried with
//! all others as they are, and the threshold moves where that makes the score higher, never on a
//! tie. So the score on dev is at least that of 0.5 everywhere. Those of a type that training never
//! shows stay where they are: nothing is ever above them.

use crate::model::Tagger;
use crate::model::heads::two_task::Columns;
use crate::predict::words;
use crate::prepare::Prepared;
use burn::tensor::Device;
use domain::{Failure, Scores, SelectBy, Tag, TrainingSettings};
use std::collections::BTreeMap;

/// Candidates are probabilities of n / 20.
const STEPS: u32 = 20;

/// The model with the best thresholds and its dev scores, where its head asks for that; `observed`
/// hears them.
pub fn tune(
    model: Tagger,
    dev: Scores,
    training: &TrainingSettings,
    data: &Prepared,
    device: &Device,
    observed: &mut BTreeMap<String, f64>,
) -> Result<(Tagger, Scores), Failure> {
    let Some(head) = model.two_task().filter(|head| head.tunes_thresholds()) else {
        return Ok((model, dev));
    };
    let (columns, mut thresholds) = (head.columns(), head.thresholds());
    let characters = data.material.reader.characters();
    let logits = words(&data.dev, characters, device, |batch| {
        let logits: Vec<f32> = model.logits(batch).into_data().iter::<f32>().collect();
        logits.chunks(columns.tasks()).map(<[f32]>::to_vec).collect()
    });
    let scores = |thresholds: &[f32]| {
        let decide = |word: &Vec<f32>| columns.decide(word, thresholds);
        let tags: Vec<Vec<Tag>> =
            logits.iter().map(|sentence| sentence.iter().map(decide).collect()).collect();
        data.score(&data.corpus_dev, &tags)
    };
    let mut best = dev;
    let is_seen: Vec<bool> = thresholds.iter().map(|logit| logit.is_finite()).collect();
    for column in in_turn(columns).filter(|&column| is_seen[column]) {
        for step in 1..STEPS {
            let probability = f64::from(step) / f64::from(STEPS);
            let mut moved = thresholds.clone();
            moved[column] = (probability / (1.0 - probability)).ln() as f32;
            let found = scores(&moved)?;
            if score(training, &found) > score(training, &best) {
                (best, thresholds) = (found, moved);
            }
        }
    }
    for (column, logit) in thresholds.iter().enumerate() {
        let task = if column < columns.types { "entity" } else { "begin" };
        let name = &data.types.names()[column % columns.types];
        let step = f64::from(STEPS) / (1.0 + (-f64::from(*logit)).exp());
        observed.insert(format!("threshold_{task}_{name}"), step.round() / f64::from(STEPS));
    }
    Ok((model.with_thresholds(&thresholds), best))
}

/// What is to be high: the score that selects epochs, micro F1 where none does.
fn score(training: &TrainingSettings, dev: &Scores) -> f64 {
    match training.select_by {
        SelectBy::MacroF1 => dev.span.macro_.f1,
        SelectBy::MicroF1 | SelectBy::Last => dev.span.micro.f1,
    }
}

/// Each type's entities, then its beginnings.
fn in_turn(columns: Columns) -> impl Iterator<Item = usize> {
    (0..columns.types).flat_map(move |id| [id, columns.types + id])
}
