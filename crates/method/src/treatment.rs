//! What a method does to training data: it adds sentences, then repeats or shortens what there is.

use super::augment::{Augmenter, Synonyms};
use super::resample::{self, Resampled};
use domain::{MethodSettings, Part, Sentence, TypeSet};
use rand_chacha::ChaCha8Rng;
use std::borrow::Cow;
use thiserror::Error;

/// A part that this program does not have.
#[derive(Debug, Error)]
#[error("there is no {slot} `{kind}`")]
pub struct UnknownPart {
    pub slot: &'static str,
    pub kind: String,
}

/// The part of a method that makes other sentences of those that there are, or cuts them, if it has one.
pub fn remakes(method: &MethodSettings) -> Option<&Part> {
    let cuts = method.resample.as_ref().filter(|part| !resample::repeats(&part.kind));
    method.augment.as_ref().or(cuts)
}

/// What becomes of training data: `augment`, then `resample`. Without an augmentation nothing is drawn.
pub fn treat<'a>(
    method: &MethodSettings,
    types: &TypeSet,
    train: &'a [Sentence],
    synonyms: Option<&dyn Synonyms>,
    rng: &mut ChaCha8Rng,
) -> Result<Resampled<'a>, UnknownPart> {
    let Some(part) = &method.augment else { return resampled(method, types, train) };
    let augmenter = Augmenter::new(part, types, train, synonyms);
    let augmenter = augmenter.ok_or_else(|| unknown("augmentation", &part.kind))?;
    let made = augmenter.generate(rng);
    let Resampled { sentences, copies } = resampled(method, types, &made)?;
    Ok(Resampled { sentences: Cow::Owned(sentences.into_owned()), copies })
}

fn resampled<'a>(
    method: &MethodSettings,
    types: &TypeSet,
    train: &'a [Sentence],
) -> Result<Resampled<'a>, UnknownPart> {
    match &method.resample {
        None => Ok(Resampled::unchanged(train)),
        Some(part) => resample::resample(part, types, train)
            .ok_or_else(|| unknown("resampling function", &part.kind)),
    }
}

fn unknown(slot: &'static str, kind: &str) -> UnknownPart {
    UnknownPart { slot, kind: kind.to_owned() }
}
