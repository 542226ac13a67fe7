//! The method's data part of a job: augmentation with its synonyms, then resampling.

use super::material::{self, changed};
use super::neighbours::Neighbours;
use crate::corpus::digest_file;
use crate::domain::{Corpus, Failure, JobRequest, MethodSettings, Sentence, TypeSet};
use crate::method::augment::{self, Synonyms, synonyms};
use crate::method::resample::Resampled;
use crate::method::treatment::treat;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashSet};

/// What a method does to training data, again and again if it is asked to.
pub struct Treatment {
    method: MethodSettings,
    synonyms: Option<Box<dyn Synonyms>>,
    rng: ChaCha8Rng,
    /// Words of the training data that have a synonym, where synonyms are wanted.
    words_with_synonyms: Option<usize>,
}

impl Treatment {
    /// The treatment that a job names, with the synonyms that it needs.
    pub fn new(request: &JobRequest, corpus: &Corpus) -> Result<Self, Failure> {
        let method = request.settings.method.clone();
        let wanted = method.augment.as_ref().filter(|part| augment::uses_synonyms(&part.kind));
        let synonyms = match wanted {
            None => None,
            Some(part) => {
                verify(request)?;
                let opened = synonyms::open(part, &request.method_files)
                    .map_err(|error| Failure::Input { message: error.to_string() })?;
                match part.parameters.text(augment::SYNONYMS) {
                    "embeddings" => Neighbours::of_model(request, &corpus.train)?,
                    _ => opened,
                }
            }
        };
        let words_with_synonyms = wanted.map(|_| match &synonyms {
            Some(synonyms) => {
                let (words, _) = material::distinct([&corpus.train]);
                words.iter().filter(|word| !synonyms.of(word).is_empty()).count()
            }
            None => 0,
        });
        let rng = augment::stream(request.settings.seed);
        Ok(Self { method, synonyms, rng, words_with_synonyms })
    }

    /// The training data of the next epoch.
    pub fn apply<'a>(
        &mut self,
        types: &TypeSet,
        train: &'a [Sentence],
    ) -> Result<Resampled<'a>, Failure> {
        treat(&self.method, types, train, self.synonyms.as_deref(), &mut self.rng)
            .map_err(|unknown| Failure::Input { message: format!("in this engine {unknown}") })
    }

    /// Whether every epoch has data of its own.
    pub fn renews(&self) -> bool {
        self.method.augment.as_ref().is_some_and(augment::regenerates)
    }

    /// Words that may come into the training data, `made` in the first epoch, beside those that are there.
    pub fn words(&self, train: &[Sentence], made: &[Sentence]) -> Vec<String> {
        let words = |sentences: &[Sentence]| -> Vec<String> {
            sentences.iter().flat_map(|s| s.tokens.iter().map(str::to_owned)).collect()
        };
        let known: HashSet<String> = words(train).into_iter().collect();
        let further: Vec<String> = match &self.synonyms {
            Some(synonyms) if self.renews() => {
                let mut known: Vec<&String> = known.iter().collect();
                known.sort_unstable();
                let pieces = |phrase: String| -> Vec<String> {
                    phrase.split(' ').map(str::to_owned).collect()
                };
                known.into_iter().flat_map(|word| synonyms.of(word)).flat_map(pieces).collect()
            }
            Some(_) => words(made),
            None => vec![],
        };
        let mut seen = known;
        further.into_iter().filter(|word| seen.insert(word.clone())).collect()
    }

    /// What was seen: how many words have synonyms, where a method wants them; 0 if there are none, and
    /// the method went without.
    pub fn observed(&self) -> BTreeMap<String, f64> {
        let count = self.words_with_synonyms.map(|count| count as f64);
        count.map(|count| ("words_with_synonyms".to_owned(), count)).into_iter().collect()
    }
}

/// Files that changed since the plan are refused.
fn verify(request: &JobRequest) -> Result<(), Failure> {
    for (role, file) in &request.method_files {
        let digest =
            digest_file(file).map_err(|error| Failure::Input { message: error.to_string() })?;
        if request.settings.method.digests.get(role) != Some(&digest) {
            return Err(Failure::Input { message: changed(file) });
        }
    }
    Ok(())
}
