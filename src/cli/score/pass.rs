//! One pass over the files.

use super::asked::Asked;
use super::input::{Aligned, Alignment, InputError, TagReader};
use domain::TypeSet;
use score::buckets::{BucketScores, Buckets, Training};
use score::matching::{Matched, Matcher};
use score::units::SentenceTallies;
use score::{Scored, Scorer};
use std::collections::BTreeMap;

/// All that the files give.
pub struct Read {
    /// How many types there are in any file.
    pub types: usize,
    /// In the order of the arguments.
    pub predictions: Vec<Prediction>,
    /// How many documents the gold file has, if it tells.
    pub documents: Option<usize>,
    /// The unit of each sentence where predictions are tested: its document or itself.
    pub unit_of: Vec<usize>,
    /// How rare each type is in training, if there is training data.
    pub rareness: Option<BTreeMap<String, f64>>,
}

/// The scores of one prediction.
pub struct Prediction {
    pub scored: Scored,
    pub matched: Option<Matched>,
    pub buckets: Option<Vec<BucketScores>>,
    /// By sentence, where predictions are tested.
    pub units: Option<SentenceTallies>,
}

impl Read {
    /// Types of a list fixed by hand that nobody used.
    pub fn unused_types<'a>(&'a self, asked: &'a Asked) -> impl Iterator<Item = &'a String> {
        let used = |name: &String| {
            self.predictions.iter().any(|one| one.scored.scores.span.types.contains_key(name))
        };
        asked.policy.fixed_types.iter().filter(move |name| !used(name))
    }
}

/// Reads and counts everything that was asked for.
pub fn read(asked: &Asked) -> Result<Read, InputError> {
    let mut tags = TagReader::new(asked.scheme, asked.mode);
    let training = training(asked, &mut tags)?;
    let mut counters: Vec<Counters> =
        (0..asked.predictions()).map(|_| Counters::new(asked, training.as_ref())).collect();
    let mut files = Aligned::open(&asked.sources, asked.alignment)?;
    let mut documents = Documents::new(asked.tests.any());
    while files.advance(&mut tags)? {
        documents.add(files.starts_document());
        counters.iter_mut().enumerate().for_each(|(k, counters)| counters.add(&files, k + 1));
    }
    Ok(Read {
        types: tags.types().len(),
        predictions: counters.into_iter().map(|c| c.finish(asked, tags.types())).collect(),
        documents: documents.count(),
        unit_of: documents.unit_of(),
        rareness: training.map(|training| training.rareness(tags.types())),
    })
}

/// The training data, if a file of it was named.
fn training(asked: &Asked, tags: &mut TagReader) -> Result<Option<Training>, InputError> {
    let Some(source) = &asked.train else { return Ok(None) };
    let alignment = Alignment { compare_tokens: false, keep_words: true };
    let mut file = Aligned::open(std::slice::from_ref(source), alignment)?;
    let mut training = Training::new(asked.mode);
    while file.advance(tags)? {
        training.add(file.tags(0), file.words());
    }
    Ok(Some(training))
}

/// What is counted of one prediction.
struct Counters<'t> {
    scorer: Scorer,
    matcher: Option<Matcher>,
    buckets: Option<Buckets<'t>>,
    units: Option<SentenceTallies>,
}

impl<'t> Counters<'t> {
    fn new(asked: &Asked, training: Option<&'t Training>) -> Self {
        let mode = asked.mode;
        Self {
            scorer: Scorer::new(mode),
            matcher: asked.matching.then(|| Matcher::new(mode)),
            buckets: asked.buckets.then(|| Buckets::new(mode, training)),
            units: asked.tests.any().then(|| SentenceTallies::new(mode)),
        }
    }

    fn add(&mut self, files: &Aligned<'_>, side: usize) {
        let (gold, predicted) = (files.tags(0), files.tags(side));
        self.scorer.add(gold, predicted);
        if let Some(matcher) = &mut self.matcher {
            matcher.add(gold, predicted);
        }
        if let Some(buckets) = &mut self.buckets {
            buckets.add(gold, predicted, files.words());
        }
        if let Some(units) = &mut self.units {
            units.add(gold, predicted);
        }
    }

    fn finish(self, asked: &Asked, types: &TypeSet) -> Prediction {
        let zero = asked.policy.zero_division;
        Prediction {
            scored: self.scorer.scored(types, &asked.policy),
            matched: self.matcher.map(|matcher| matcher.matched(types, zero)),
            buckets: self.buckets.map(|buckets| buckets.scores(zero)),
            units: self.units,
        }
    }
}

/// Which document each sentence is in.
struct Documents {
    sentences: usize,
    documents: usize,
    told: bool,
    /// Of each sentence, if it is wanted.
    document_of: Option<Vec<usize>>,
}

impl Documents {
    fn new(wanted: bool) -> Self {
        Self { sentences: 0, documents: 0, told: false, document_of: wanted.then(Vec::new) }
    }

    /// Adds a sentence. Those before the first start are a document of their own.
    fn add(&mut self, starts: bool) {
        self.told |= starts;
        self.documents += usize::from(starts || self.sentences == 0);
        self.sentences += 1;
        if let Some(of) = &mut self.document_of {
            of.push(self.documents - 1);
        }
    }

    fn count(&self) -> Option<usize> {
        self.told.then_some(self.documents)
    }

    fn unit_of(self) -> Vec<usize> {
        match self.document_of {
            Some(of) if self.told => of,
            Some(_) => (0..self.sentences).collect(),
            None => Vec::new(),
        }
    }
}
