//! Two small models that show what a corpus can teach: one knows words alone, one their neighbours.

use domain::{Corpus, Sentence, Tag, Tokens};
use std::collections::{HashMap, HashSet};

type Prediction = Vec<Vec<Tag>>;
type Span = (usize, usize, usize, Tag);

/// The tag that each word has most often in train, `O` for unknown words.
pub fn commonest_tag(corpus: &Corpus) -> Prediction {
    let mut counts: HashMap<&str, HashMap<Tag, usize>> = HashMap::new();
    for sentence in &corpus.train {
        for (word, &tag) in sentence.tokens.iter().zip(&sentence.tags) {
            *counts.entry(word).or_default().entry(tag).or_default() += 1;
        }
    }
    let commonest = |word: &str| {
        let tags = counts.get(word).into_iter().flatten();
        tags.max_by_key(|&(&tag, &n)| (n, std::cmp::Reverse(tag)))
            .map_or(Tag::Outside, |(&tag, _)| tag)
    };
    corpus.test.iter().map(|sentence| sentence.tokens.iter().map(commonest).collect()).collect()
}

/// An averaged perceptron (Collins 2002, decoding greedily) over the word, its neighbours and the
/// tag before. Words met once in train stand for the unknown ones.
pub fn perceptron(corpus: &Corpus) -> Prediction {
    let mut model = Perceptron::new(corpus);
    for _ in 0..10 {
        corpus.train.iter().for_each(|sentence| model.learn(sentence));
    }
    model.average();
    corpus.test.iter().map(|sentence| model.predict(&sentence.tokens)).collect()
}

type Feature<'c> = (usize, &'c str);

struct Perceptron<'c> {
    tags: usize,
    known: HashSet<&'c str>,
    weights: HashMap<Feature<'c>, Vec<f64>>,
    /// Sum of each update times the step at which it was made.
    dated: HashMap<Feature<'c>, Vec<f64>>,
    step: f64,
}

const TAG_NAMES: [&str; 25] = [
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "19", "20", "21", "22", "23", "24",
];

impl<'c> Perceptron<'c> {
    fn new(corpus: &'c Corpus) -> Self {
        let (mut once, mut known) = (HashSet::new(), HashSet::new());
        for word in corpus.train.iter().flat_map(|sentence| sentence.tokens.iter()) {
            if !once.insert(word) {
                known.insert(word);
            }
        }
        let (weights, dated) = (HashMap::new(), HashMap::new());
        Self { tags: corpus.types.tag_count(), known, weights, dated, step: 1.0 }
    }

    fn features(&self, tokens: &'c Tokens, index: usize, before: usize) -> Vec<Feature<'c>> {
        let word = |offset: isize| {
            let word = index.checked_add_signed(offset).and_then(|at| tokens.get(at));
            word.map_or("edge", |word| self.known.get(word).copied().unwrap_or("?"))
        };
        let mut features: Vec<Feature<'_>> = [-2, -1, 0, 1, 2]
            .iter()
            .enumerate()
            .map(|(kind, &offset)| (kind, word(offset)))
            .collect();
        features.extend([(5, TAG_NAMES[before]), (6, "bias")]);
        features
    }

    fn best(&self, features: &[Feature<'c>]) -> usize {
        let mut scores = vec![0.0; self.tags];
        for weights in features.iter().filter_map(|feature| self.weights.get(feature)) {
            scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += weight);
        }
        (0..self.tags).rev().max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap_or(0)
    }

    fn learn(&mut self, sentence: &'c Sentence) {
        let mut before = 0;
        for (index, gold) in sentence.tags.iter().map(|tag| tag.index()).enumerate() {
            let features = self.features(&sentence.tokens, index, before);
            let guess = self.best(&features);
            if guess != gold {
                features.iter().for_each(|&feature| self.update(feature, gold, guess));
            }
            (before, self.step) = (guess, self.step + 1.0);
        }
    }

    fn update(&mut self, feature: Feature<'c>, gold: usize, guess: usize) {
        for (table, amount) in [(&mut self.weights, 1.0), (&mut self.dated, self.step)] {
            let weights = table.entry(feature).or_insert_with(|| vec![0.0; self.tags]);
            weights[gold] += amount;
            weights[guess] -= amount;
        }
    }

    fn average(&mut self) {
        for (feature, weights) in &mut self.weights {
            let dated = &self.dated[feature];
            weights.iter_mut().zip(dated).for_each(|(weight, dated)| *weight -= dated / self.step);
        }
    }

    fn predict(&self, tokens: &'c Tokens) -> Vec<Tag> {
        let mut before = 0;
        let next = |index| {
            before = self.best(&self.features(tokens, index, before));
            Tag::from_index(before)
        };
        (0..tokens.len()).map(next).collect()
    }
}

/// Span-level macro-F1 on test, over the types of the corpus.
pub fn macro_f1(corpus: &Corpus, predicted: &Prediction) -> f64 {
    let gold: HashSet<Span> = spans(corpus.test.iter().map(|sentence| sentence.tags.as_slice()));
    let found: HashSet<Span> = spans(predicted.iter().map(Vec::as_slice));
    let of = |type_: Tag| {
        let count = |set: &HashSet<Span>| set.iter().filter(|span| span.3 == type_).count();
        let correct = gold.intersection(&found).filter(|span| span.3 == type_).count();
        2.0 * correct as f64 / (count(&gold) + count(&found)).max(1) as f64
    };
    corpus.types.ids().map(|id| of(Tag::Begin(id))).sum::<f64>() / corpus.types.len() as f64
}

/// Entities as sentence, start, end and the tag they begin with; a stray `I-` begins one.
fn spans<'t>(sentences: impl Iterator<Item = &'t [Tag]>) -> HashSet<Span> {
    let mut spans = HashSet::new();
    for (sentence, tags) in sentences.enumerate() {
        let mut start = 0;
        for end in 1..=tags.len() {
            if let Some(entity_type) = tags[end - 1].entity_type() {
                if tags.get(end) == Some(&Tag::Inside(entity_type)) {
                    continue;
                }
                spans.insert((sentence, start, end, Tag::Begin(entity_type)));
            }
            start = end;
        }
    }
    spans
}
