//! The method's data part of a job: augmentation with its synonyms, then resampling.

use super::material;
use super::neighbours::Neighbours;
use domain::{Corpus, Failure, JobRequest, MethodSettings, Sentence, Shared, TypeSet};
use method::augment::synonyms::{self, Wanted};
use method::augment::{self, Augmentation, Synonyms};
use method::resample::Resampled;
use method::treatment::treat;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashSet};

/// What a method does to training data, again and again if it is asked to.
pub struct Treatment {
    method: Shared<MethodSettings>,
    synonyms: Option<Box<dyn Synonyms>>,
    rng: ChaCha8Rng,
    /// Words of the training data that have a synonym, where synonyms are wanted.
    words_with_synonyms: Option<usize>,
}

impl Treatment {
    /// The treatment that a job names, with the synonyms that it needs.
    pub fn new(request: &JobRequest, corpus: &Corpus) -> Result<Self, Failure> {
        let method = request.settings.method.clone();
        let augmentation = method.augment.as_ref().map(|part| (part, Augmentation::read(part)));
        let wanted = augmentation.as_ref().and_then(|(part, of)| Some((part, of.synonyms()?)));
        let synonyms = match wanted {
            None => None,
            Some((part, wanted)) => {
                material::verify(&request.method_files, &method.digests)?;
                let opened = synonyms::open(part, &request.method_files).map_err(|error| {
                    Failure::input(material::without_folders(&error, request.method_files.values()))
                })?;
                match wanted {
                    Wanted::Vectors => Some(Neighbours::of_model(request, &corpus.train)?),
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
    pub fn apply<'a>(&mut self, types: &TypeSet, train: &'a [Sentence]) -> Resampled<'a> {
        treat(&self.method, types, train, self.synonyms.as_deref(), &mut self.rng)
    }

    /// Whether every epoch has data of its own.
    pub fn renews(&self) -> bool {
        self.method.augment.as_ref().is_some_and(|part| Augmentation::read(part).regenerates())
    }

    /// Words that may come into the training data, `made` in the first epoch, beside those that are
    /// there.
    pub fn words(&self, train: &[Sentence], made: &[Sentence]) -> Vec<String> {
        let Some(synonyms) = &self.synonyms else { return vec![] };
        let words = |sentences: &[Sentence]| -> Vec<String> {
            sentences.iter().flat_map(|s| s.tokens.iter().map(str::to_owned)).collect()
        };
        let known: HashSet<String> = words(train).into_iter().collect();
        let further: Vec<String> = match self.renews() {
            true => {
                let mut known: Vec<&String> = known.iter().collect();
                known.sort_unstable();
                let pieces = |phrase: String| -> Vec<String> {
                    phrase.split_whitespace().map(str::to_owned).collect()
                };
                known.into_iter().flat_map(|word| synonyms.of(word)).flat_map(pieces).collect()
            }
            false => words(made),
        };
        let mut seen = known;
        further.into_iter().filter(|word| seen.insert(word.clone())).collect()
    }

    /// What was seen: how many words have synonyms, where a method can use them; 0 with `synonyms:
    /// none`.
    pub fn observed(&self) -> BTreeMap<String, f64> {
        let count = self.words_with_synonyms.map(|count| count as f64);
        count.map(|count| ("words_with_synonyms".to_owned(), count)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use crate::train::train;
    use burn::tensor::Device;
    use corpus::digest_file;
    use domain::ParameterValue;
    use method::{loss, resample};

    fn text(value: &str) -> ParameterValue {
        ParameterValue::Text(value.into())
    }

    /// Augmented anew in each epoch, then resampled, with a loss of its own.
    fn composed() -> JobRequest {
        let mut request = request();
        let mut augment = part(augment::ENTRIES, "mention-replacement");
        augment.parameters.0.insert("regenerate".into(), text("epoch"));
        let method = &mut request.settings.method;
        method.augment = Some(augment);
        method.resample = Some(part(resample::ENTRIES, "scr"));
        method.loss = part(loss::ENTRIES, "mom");
        request
    }

    #[test]
    fn augmentation_resampling_and_loss_go_together() {
        let request = composed();
        let mut data = prepare(&request).unwrap();
        // Twice the sentences, and more than one copy of those with entities.
        assert_eq!(data.train.rows.len(), 120);
        assert!(data.size.sentence_factor > 2.0, "{:?}", data.size);
        let mut epochs = 0;
        train(&request.settings, &mut data, &Device::flex(), |_| epochs += 1).unwrap();
        assert_eq!(epochs, 4);
    }

    #[test]
    fn every_epoch_has_its_own_sentences_beside_the_same_originals() {
        let request = composed();
        let mut data = prepare(&request).unwrap();
        let ids = |data: &crate::prepare::Prepared| -> Vec<Vec<i64>> {
            data.train.rows.iter().map(|rows| rows[0].ids.clone()).collect()
        };
        let first = ids(&data);
        assert!(data.renew().unwrap());
        let second = ids(&data);
        assert_eq!(first.len(), second.len());
        let originals = |all: &[Vec<i64>]| all.iter().step_by(2).cloned().collect::<Vec<_>>();
        assert_eq!(originals(&first), originals(&second));
        assert_ne!(first, second);
        let mut once = request;
        let augment = once.settings.method.augment.as_mut().unwrap();
        augment.parameters.0.insert("regenerate".into(), text("once"));
        assert!(!prepare(&once).unwrap().renew().unwrap());
    }

    #[test]
    fn a_file_of_synonyms_is_read_counted_and_not_to_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.tsv");
        let some = prepare(&request()).unwrap().corpus_test[0].tokens[0].to_owned();
        std::fs::write(&path, format!("{some}\tanother thing\n")).unwrap();
        let mut request = request();
        let mut augment = part(augment::ENTRIES, "synonym-replacement");
        augment.parameters.0.insert(augment::SYNONYMS.name.into(), text("file"));
        request.settings.method.augment = Some(augment);
        let role = synonyms::ROLE.to_owned();
        let digest = digest_file(&path).unwrap();
        request.settings.method.digests.insert(role.clone(), digest);
        request.method_files.insert(role, path.clone());
        let data = prepare(&request).unwrap();
        assert!(data.observed["words_with_synonyms"] <= 1.0, "{:?}", data.observed);
        std::fs::write(&path, "a\tb\n").unwrap();
        let failure = prepare(&request).err().unwrap().to_string();
        assert!(failure.contains("mine.tsv has changed"), "{failure}");
    }

    #[test]
    fn synonyms_from_vectors_are_never_left_out_in_silence() {
        let mut request = request();
        let mut augment = part(augment::ENTRIES, "one-per-sentence");
        augment.parameters.0.insert(augment::SYNONYMS.name.into(), text("vectors"));
        request.settings.method.augment = Some(augment);
        let failure = prepare(&request).err().unwrap().to_string();
        assert!(failure.contains("needs a model with pretrained word vectors"), "{failure}");
    }

    #[test]
    fn data_of_which_a_method_leaves_nothing_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain.txt");
        std::fs::write(&path, "no\tO\nentity\tO\n\nhere\tO\n\n").unwrap();
        let mut request = request();
        request.settings.corpus.format = part(corpus::formats::ENTRIES, "columns");
        for role in ["train", "dev", "test"] {
            let digest = digest_file(&path).unwrap();
            request.settings.corpus.digests.insert(role.into(), digest);
            request.files.insert(role.into(), path.clone());
        }
        request.settings.method.resample = Some(part(resample::ENTRIES, "bus"));
        let failure = prepare(&request).err().unwrap().to_string();
        assert!(failure.contains("leaves no training sentence"), "{failure}");
    }
}
