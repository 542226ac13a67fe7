//! What a method does to training data: it adds sentences, then repeats or shortens what there is.

use super::augment::{Augmenter, Synonyms};
use super::resample::{self, Resampled, Resampler};
use domain::{MethodSettings, Part, Sentence, TypeSet};
use rand_chacha::ChaCha8Rng;
use std::borrow::Cow;

/// The part of a method that makes other sentences of those that there are, or cuts them, if it has
/// one.
pub fn remakes(method: &MethodSettings) -> Option<&Part> {
    let cuts = method.resample.as_ref().filter(|part| !Resampler::read(part).repeats());
    method.augment.as_ref().or(cuts)
}

/// What becomes of training data: `augment`, then `resample`. Without an augmentation nothing is
/// drawn.
pub fn treat<'a>(
    method: &MethodSettings,
    types: &TypeSet,
    train: &'a [Sentence],
    synonyms: Option<&dyn Synonyms>,
    rng: &mut ChaCha8Rng,
) -> Resampled<'a> {
    let Some(part) = &method.augment else { return resampled(method, types, train) };
    let made = Augmenter::new(part, types, train, synonyms).generate(rng);
    let Resampled { sentences, copies } = resampled(method, types, &made);
    Resampled { sentences: Cow::Owned(sentences.into_owned()), copies }
}

fn resampled<'a>(method: &MethodSettings, types: &TypeSet, train: &'a [Sentence]) -> Resampled<'a> {
    match &method.resample {
        None => Resampled::unchanged(train),
        Some(part) => resample::resample(part, types, train),
    }
}
