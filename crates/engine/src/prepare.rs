//! The data of a job: corpus, scenario, the method's data part, and everything as numbers.

use super::predict::length;
use super::treatment::Treatment;
use super::{material, shared};
use crate::model::{Material, Row};
use corpus::scenarios::Applied;
use corpus::{self, CorpusError};
use domain::{Annotation, Failure, JobRequest, JobSettings, Scores, Sentence, Tag, TypeSet};
use method::resample::Size;
use parts::{Capability, heads};
use score::{self, Mode};
use std::collections::BTreeMap;

/// Training sentences as rows and classes.
pub struct Encoded {
    /// The rows of each sentence.
    pub rows: Vec<Vec<Row>>,
    pub classes: Vec<Vec<usize>>,
    /// How far they can be trusted, one for each sentence; empty where all are complete.
    pub annotations: Vec<Annotation>,
}

impl Encoded {
    fn new(sentences: &[Sentence], material: &mut Material) -> Self {
        let classes = |s: &Sentence| s.tags.iter().map(|tag| tag.index()).collect();
        Self {
            rows: rows(sentences, material),
            classes: sentences.iter().map(classes).collect(),
            annotations: vec![],
        }
    }

    /// Whether words without an annotation may be in an entity that nobody marked.
    pub fn is_incomplete(&self, sentence: usize) -> bool {
        self.annotations.get(sentence).is_some_and(|one| *one != Annotation::Complete)
    }
}

fn rows(sentences: &[Sentence], material: &mut Material) -> Vec<Vec<Row>> {
    sentences.iter().map(|sentence| material.reader.read(sentence)).collect()
}

/// Everything that training and prediction read; of a trial, test is empty.
pub struct Prepared {
    pub types: TypeSet,
    pub material: Material,
    pub train: Encoded,
    /// How often each training sentence is used.
    pub copies: Vec<u32>,
    /// What makes training data anew in every epoch, and of what.
    renewed: Option<(Treatment, Vec<Sentence>)>,
    /// How far the tags of train can be trusted before the method's data part.
    annotations: Vec<Annotation>,
    /// The rows of each sentence.
    pub dev: Vec<Vec<Row>>,
    pub test: Vec<Vec<Row>>,
    pub corpus_dev: Vec<Sentence>,
    pub corpus_test: Vec<Sentence>,
    pub size: Size,
    /// The places of each training sentence before the method's data part, which the budget of
    /// updates goes by.
    pub original: Vec<usize>,
    /// Of each type the share of training tokens, before the method's data part.
    pub type_shares: BTreeMap<String, f64>,
    /// What the scenario came to.
    pub achieved: BTreeMap<String, f64>,
    /// What was seen of the model's input: words without a vector, and the like.
    pub observed: BTreeMap<String, f64>,
}

impl Prepared {
    /// Scores predictions of one of the splits.
    pub fn score(&self, gold: &[Sentence], predicted: &[Vec<Tag>]) -> Result<Scores, Failure> {
        let gold = gold.iter().map(|sentence| &sentence.tags);
        score::score(&self.types, gold, predicted, Mode::Conlleval).map_err(Failure::input)
    }

    /// How often each class occurs in the training data, copies counted.
    pub fn class_counts(&self) -> Vec<u64> {
        let mut counts = vec![0; self.types.tag_count()];
        for (classes, copies) in self.train.classes.iter().zip(&self.copies) {
            classes.iter().for_each(|class| counts[*class] += u64::from(*copies));
        }
        counts
    }

    /// Makes the training data of the next epoch, where it is to be new; whether it is.
    pub fn renew(&mut self) -> Result<bool, Failure> {
        let Some((treatment, train)) = &mut self.renewed else { return Ok(false) };
        let resampled = treatment.apply(&self.types, train);
        let annotations = annotations(&self.annotations, train, &resampled.sentences);
        self.train = Encoded::new(&resampled.sentences, &mut self.material);
        self.train.annotations = annotations;
        self.copies = resampled.copies;
        Ok(true)
    }

    /// Which training sentences to train on: an index for every copy.
    pub fn order(&self) -> Vec<usize> {
        let repeat = |(i, &n): (usize, &u32)| std::iter::repeat_n(i, n as usize);
        self.copies.iter().enumerate().flat_map(repeat).collect()
    }
}

/// Reads the corpus and applies the scenario and the method's data part.
pub fn prepare(request: &JobRequest) -> Result<Prepared, Failure> {
    let settings = &request.settings;
    let input = |error: CorpusError| {
        Failure::input(material::without_folders(&error, request.files.values()))
    };
    shared::verify(&settings.corpus, &request.files).map_err(input)?;
    let loaded = shared::corpus(&settings.corpus, &request.files, settings.stage);
    let loaded = loaded.map_err(input)?;
    let applied = corpus::scenarios::apply(loaded.corpus, &settings.scenario, settings.seed);
    let Applied { corpus, achieved } = applied.map_err(input)?;
    let mut treatment = Treatment::new(request, &corpus)?;
    let resampled = treatment.apply(&corpus.types, &corpus.train);
    // From the training sentences before the method's data part, so that copies of a rare word's
    // sentence do not make the word a common one.
    let words = treatment.words(&corpus.train, &resampled.sentences);
    let (mut material, mut observed) = material::gather(request, &corpus, &words)?;
    let mut train = Encoded::new(&resampled.sentences, &mut material);
    let [dev, test] = [&corpus.dev, &corpus.test].map(|split| rows(split, &mut material));
    train.annotations = annotations(&corpus.annotations, &corpus.train, &resampled.sentences);
    material::coverage(&material.reader, &mut observed)?;
    observed.extend(treatment.observed());
    let size = Size::new(&corpus.train, &resampled.sentences, &resampled.copies);
    if size.sentences == 0 {
        let message = "the method leaves no training sentence: is there an entity in train?";
        return Err(Failure::input(message));
    }
    let head = heads::find(&settings.model.head.kind).map_or(&[][..], |head| head.gives);
    let asks = head.iter().any(|gives| [Capability::YesNo, Capability::Binary].contains(gives));
    if asks && corpus.types.is_empty() {
        return Err(Failure::input(
            "the corpus has no entity, so this head has no type to decide on: \
             is it annotated, and does `keep_types` leave one?",
        ));
    }
    Ok(Prepared {
        size,
        original: original(settings, &corpus.train, &mut material),
        type_shares: type_shares(&corpus.types, &corpus.train),
        copies: resampled.copies,
        train,
        renewed: treatment.renews().then_some((treatment, corpus.train)),
        dev,
        test,
        annotations: corpus.annotations,
        types: corpus.types,
        material,
        corpus_dev: corpus.dev,
        corpus_test: corpus.test,
        achieved,
        observed,
    })
}

/// The places of each training sentence before the method's data part. Without a bound on places
/// only their number counts, and nothing has to be cut into pieces again.
fn original(settings: &JobSettings, train: &[Sentence], material: &mut Material) -> Vec<usize> {
    let mut places = |sentence: &Sentence| match settings.training.tokens {
        0 => sentence.len(),
        _ => length(&material.reader.read(sentence)),
    };
    train.iter().map(&mut places).collect()
}

/// What is known of sentences that a method made: of changed or new ones only that they may lack
/// annotations, where any of the originals may.
fn annotations(known: &[Annotation], train: &[Sentence], made: &[Sentence]) -> Vec<Annotation> {
    let same = made.len() == train.len()
        && made.iter().zip(train).all(|(made, original)| made.len() == original.len());
    match known.iter().all(|one| *one == Annotation::Complete) {
        true => vec![],
        false if same => known.to_vec(),
        false => vec![Annotation::Incomplete { masked: vec![] }; made.len()],
    }
}

fn type_shares(types: &TypeSet, train: &[Sentence]) -> BTreeMap<String, f64> {
    let all: usize = train.iter().map(Sentence::len).sum();
    let mut counts = vec![0u64; types.len()];
    for id in train.iter().flat_map(|s| &s.tags).filter_map(|tag| tag.entity_type()) {
        counts[usize::from(id.0)] += 1;
    }
    let shares = counts.into_iter().map(|count| count as f64 / all.max(1) as f64);
    types.names().iter().cloned().zip(shares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use domain::Stage;

    #[test]
    fn a_trial_has_no_test_sentences_and_trains_on_the_same_as_a_main_job() {
        let main = prepare(&request()).unwrap();
        let mut request = request();
        request.settings.stage = Stage::Trial;
        let trial = prepare(&request).unwrap();
        assert!(trial.corpus_test.is_empty() && trial.test.is_empty());
        assert!(!main.corpus_test.is_empty());
        assert_eq!(trial.train.classes, main.train.classes);
        assert_eq!((trial.corpus_dev, trial.types), (main.corpus_dev, main.types));
    }
}
