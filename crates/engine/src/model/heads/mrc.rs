//! Reading comprehension (Li et al. 2020, *A Unified MRC Framework for Named Entity Recognition*;
//! table 3 of nemoto2024): for each type the sentence is read behind a question for its entities.
//! Each word may begin an entity, by its first piece, or end one, by its last; a pair of both is an
//! entity if a third decision says so.
//!
//! Training weighs the three losses 1 : 1 : `match_weight`. Pairs are those of words that are, or
//! are taken for, a beginning and an end. Decoding is flat: each beginning goes with the nearest
//! end; of entities that overlap, of one type or of several, the one with the highest logits stays.
//!
//! The decision on pairs is a layer over the vectors of both words, written as the sum of a layer
//! over each: so a word goes through it once, not once for each partner.

use super::over_spans::{annotated, mark};
use super::{BatchLoss, Gold, PerToken, numbers, weighed};
use crate::model::batch::indices;
use crate::model::dropout::drop_some;
use burn::module::Module;
use burn::nn::{Linear, LinearConfig};
use burn::tensor::activation::gelu;
use burn::tensor::{Device, Tensor};
use domain::{Tag, TypeId};
use parts::heads::mrc::Mrc as Declared;
use std::ops::Range;

/// The decisions on words and on pairs of them.
#[derive(Module, Debug)]
pub struct Mrc {
    begins: Linear,
    ends: Linear,
    /// A pair's layer: the part of the word where it begins, and of the one where it ends.
    left: Linear,
    right: Linear,
    pair: Linear,
    #[module(skip)]
    types: usize,
    #[module(skip)]
    match_weight: f64,
    #[module(skip)]
    inner: usize,
    #[module(skip)]
    dropout: f64,
}

/// Places of a beginning and an end among all words of a batch.
type Pair = (usize, usize);

/// Columns of the logits: begins, ends, then what pairs are decided by.
const WORDS: usize = 2;

impl Mrc {
    pub fn new(declared: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        let inner = declared.match_width;
        let layer = |outputs| LinearConfig::new(input, outputs);
        Self {
            begins: layer(1).init(device),
            ends: layer(1).init(device),
            left: layer(inner).init(device),
            right: layer(inner).with_bias(false).init(device),
            pair: LinearConfig::new(inner, 1).init(device),
            types: tags / 2,
            match_weight: declared.match_weight,
            inner,
            dropout: declared.match_dropout,
        }
    }

    /// The states of the words' first pieces, then of their last, to a row a word and question.
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let [both, _] = states.dims();
        let words = both / 2;
        let firsts = states.clone().narrow(0, 0, words);
        let lasts = states.narrow(0, words, words);
        let decided = [self.begins.forward(firsts.clone()), self.ends.forward(lasts.clone())];
        let paired = [self.left.forward(firsts), self.right.forward(lasts)];
        Tensor::cat(decided.into_iter().chain(paired).collect(), 1)
    }

    /// The method's loss of the three decisions; classes are tags.
    pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, loss: PerToken<'_>) -> BatchLoss {
        let asked = self.asked(gold.sentences);
        let (entities, [begins, ends]) = self.answers(gold.classes, gold.sentences);
        let weights = 2.0 + self.match_weight;
        let mut tensors = Vec::with_capacity(3);
        let mut value = 0.0;
        for (column, classes) in [&begins, &ends].into_iter().enumerate() {
            let column = logits.clone().narrow(1, column, 1);
            let (tensor, of_words) = weighed(column, Gold { classes, sentences: &asked }, loss);
            tensors.push(tensor / weights);
            value += of_words / weights;
        }
        let pairs = self.pairs(&logits, &asked, [&begins, &ends]);
        if self.match_weight > 0.0 && !pairs.is_empty() {
            let is_entity = |pair| usize::from(entities.binary_search(pair).is_ok());
            let classes: Vec<usize> = pairs.iter().map(is_entity).collect();
            let share = self.match_weight / weights;
            let gold = Gold { classes: &classes, sentences: &[pairs.len()] };
            let (tensor, of_pairs) = weighed(self.decide(&logits, &pairs), gold, loss);
            tensors.push(tensor * share);
            value += of_pairs * share;
        }
        let tensor = Tensor::cat(tensors, 0).sum();
        BatchLoss { tensor, value, count: begins.len() }
    }

    /// The tag of each word.
    pub fn decode(&self, logits: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
        let asked = self.asked(sentences);
        let [begins, ends] = self.words(&logits);
        let mut pairs: Vec<Pair> = Vec::new();
        let mut first = 0;
        for words in asked {
            pairs.extend(nearest_ends(first..first + words, &begins, &ends));
            first += words;
        }
        let matches = match self.match_weight > 0.0 && !pairs.is_empty() {
            true => numbers(self.decide(&logits, &pairs)),
            false => vec![f64::MIN_POSITIVE; pairs.len()],
        };
        let scored = pairs.into_iter().zip(matches).filter(|(_, matched)| *matched > 0.0);
        let score = |(begin, end): Pair, matched: f64| begins[begin] + ends[end] + matched;
        let found = scored.map(|(pair, matched)| (score(pair, matched), pair)).collect();
        self.tags(found, sentences)
    }

    /// Words of each sentence behind each question.
    fn asked(&self, sentences: &[usize]) -> Vec<usize> {
        sentences.iter().flat_map(|&words| std::iter::repeat_n(words, self.types)).collect()
    }

    /// The entities of the tags as pairs, in order, and which words behind a question begin and end
    /// one.
    fn answers(&self, gold: &[usize], sentences: &[usize]) -> (Vec<Pair>, [Vec<usize>; 2]) {
        let all = gold.len() * self.types;
        let (mut begins, mut ends) = (vec![0; all], vec![0; all]);
        let mut pairs = Vec::new();
        let (mut first, mut unit) = (0, 0);
        for &words in sentences {
            for (span, label) in annotated(&gold[first..first + words]) {
                let start = unit + (label - 1) * words;
                let pair = (start + span.start, start + span.end - 1);
                begins[pair.0] = 1;
                ends[pair.1] = 1;
                pairs.push(pair);
            }
            first += words;
            unit += words * self.types;
        }
        pairs.sort_unstable();
        (pairs, [begins, ends])
    }

    /// The pairs to decide on: of words behind the same question that begin and end an entity, or
    /// that the model takes for such.
    fn pairs(&self, logits: &Tensor<2>, asked: &[usize], gold: [&[usize]; 2]) -> Vec<Pair> {
        let [begins, ends] = self.words(logits);
        let mut pairs = Vec::new();
        let mut first = 0;
        for &words in asked {
            for begin in first..first + words {
                for end in begin..first + words {
                    let taken = begins[begin] > 0.0 && ends[end] > 0.0;
                    if taken || (gold[0][begin] == 1 && gold[1][end] == 1) {
                        pairs.push((begin, end));
                    }
                }
            }
            first += words;
        }
        pairs
    }

    /// A logit a pair.
    fn decide(&self, logits: &Tensor<2>, pairs: &[Pair]) -> Tensor<2> {
        let device = logits.device();
        let part = |column| logits.clone().narrow(1, column, self.inner);
        let (firsts, lasts): (Vec<usize>, Vec<usize>) = pairs.iter().copied().unzip();
        let begins = part(WORDS).select(0, indices(firsts, &device));
        let ends = part(WORDS + self.inner).select(0, indices(lasts, &device));
        self.pair.forward(drop_some(gelu(begins + ends), self.dropout))
    }

    /// The logits of beginnings and of ends.
    fn words(&self, logits: &Tensor<2>) -> [Vec<f64>; 2] {
        [0, 1].map(|column| numbers(logits.clone().narrow(1, column, 1)))
    }

    /// Tags from entities with their scores; the best of those that overlap.
    fn tags(&self, mut found: Vec<(f64, Pair)>, sentences: &[usize]) -> Vec<usize> {
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        let mut tags = vec![Tag::Outside; sentences.iter().sum()];
        // For each question's words where they begin, and the first of the sentence's tags.
        let mut units = Vec::with_capacity(sentences.len() * self.types);
        let (mut word, mut tag) = (0, 0);
        for &words in sentences {
            for id in 0..self.types {
                units.push((word, tag, TypeId(id as u16)));
                word += words;
            }
            tag += words;
        }
        for (_, (begin, end)) in found {
            let unit = units.partition_point(|(first, ..)| *first <= begin).saturating_sub(1);
            let (first, tag, id) = units[unit];
            mark(&mut tags[tag + begin - first..=tag + end - first], id);
        }
        tags.into_iter().map(Tag::index).collect()
    }
}

/// Each beginning among some words with the first end that is not before it.
fn nearest_ends(words: Range<usize>, begins: &[f64], ends: &[f64]) -> Vec<Pair> {
    let begin = |word: &usize| begins[*word] > 0.0;
    let nearest = |begin: usize| (begin..words.end).find(|&word| ends[word] > 0.0);
    let beginnings = words.clone().filter(begin);
    beginnings.filter_map(|begin| Some((begin, nearest(begin)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::TensorData;

    /// Two types; sentences of two and three words.
    const SENTENCES: [usize; 2] = [2, 3];

    fn head() -> Mrc {
        Mrc::new(&Declared::read(&Declared::ENTRY.defaults()), 4, 5, &Device::flex())
    }

    fn index(tags: &[Tag]) -> Vec<usize> {
        tags.iter().map(|tag| tag.index()).collect()
    }

    #[test]
    fn entities_become_answers_to_their_types_question() {
        let [a, b] = [TypeId(0), TypeId(1)];
        let gold =
            index(&[Tag::Begin(b), Tag::Inside(b), Tag::Begin(a), Tag::Outside, Tag::Begin(b)]);
        let (pairs, [begins, ends]) = head().answers(&gold, &SENTENCES);
        // Words behind questions: a a, b b, then a a a, b b b.
        assert_eq!(pairs, [(2, 3), (4, 4), (9, 9)]);
        assert_eq!(begins, [0, 0, 1, 0, 1, 0, 0, 0, 0, 1]);
        assert_eq!(ends, [0, 0, 0, 1, 1, 0, 0, 0, 0, 1]);
        let found = pairs.into_iter().map(|pair| (1.0, pair)).collect();
        assert_eq!(head().tags(found, &SENTENCES), gold, "and back");
    }

    #[test]
    fn of_entities_that_overlap_the_best_stays() {
        let [a, b] = [TypeId(0), TypeId(1)];
        let found = vec![(1.0, (4, 5)), (2.0, (8, 9)), (0.5, (2, 3)), (0.4, (1, 1))];
        let expected = [Tag::Begin(b), Tag::Inside(b), Tag::Outside, Tag::Begin(b), Tag::Inside(b)];
        assert_eq!(head().tags(found, &SENTENCES), index(&expected));
        let found = vec![(1.0, (4, 5)), (2.0, (9, 9))];
        let expected = [Tag::Outside, Tag::Outside, Tag::Begin(a), Tag::Inside(a), Tag::Begin(b)];
        assert_eq!(head().tags(found, &SENTENCES), index(&expected));
    }

    #[test]
    fn beginnings_meet_ends_as_the_reference_vectors_have_it() {
        let text = include_str!("../../../../../tests/vectors/neg_sampling.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let cases = vectors["mrc_nearest_end"].as_array().unwrap();
        assert_eq!(cases.len(), 10);
        for case in cases {
            let logits = |name: &str| -> Vec<f64> {
                let words = case[name].as_array().unwrap().iter();
                words.map(|yes| if yes == 1 { 0.7 } else { -0.7 }).collect()
            };
            let (begins, ends) = (logits("start"), logits("end"));
            let found = nearest_ends(0..begins.len(), &begins, &ends);
            let pairs = case["nearest_end_pairs_inclusive"].as_array().unwrap().iter();
            let place = |pair: &serde_json::Value, k: usize| pair[k].as_u64().unwrap() as usize;
            let expected: Vec<Pair> = pairs.map(|pair| (place(pair, 0), place(pair, 1))).collect();
            assert_eq!(found, expected, "{case}");
        }
    }

    #[test]
    fn each_beginning_goes_with_the_nearest_end() {
        // One type, no decision on pairs: begins and ends are the logits themselves.
        let mut head =
            Mrc::new(&Declared::read(&Declared::ENTRY.defaults()), 4, 3, &Device::flex());
        head.match_weight = 0.0;
        let width = WORDS + 2 * head.inner;
        let row = |begin: f32, end: f32| {
            let mut row = vec![0.0; width];
            (row[0], row[1]) = (begin, end);
            row
        };
        let rows = [row(3.0, -1.0), row(-1.0, 2.0), row(-1.0, 1.0), row(1.0, -1.0)].concat();
        let logits = TensorData::new(rows, [4, width]);
        let logits = Tensor::<2>::from_data(logits, &Device::flex());
        let a = TypeId(0);
        let expected = [Tag::Begin(a), Tag::Inside(a), Tag::Outside, Tag::Outside];
        assert_eq!(head.decode(logits, &[4]), index(&expected));
    }

    #[test]
    fn pairs_are_decided_as_one_layer_over_both_words_decides_them() {
        let (head, device) = (head(), Device::flex());
        let states = Tensor::<2>::random([8, 4], burn::tensor::Distribution::Default, &device);
        let logits = head.logits(states.clone());
        let found = numbers::<f64, 2>(head.decide(&logits, &[(0, 1), (3, 3)]));
        for (pair, found) in [(0, 1), (3, 3)].into_iter().zip(found) {
            let begin = states.clone().narrow(0, pair.0, 1);
            let end = states.clone().narrow(0, 4 + pair.1, 1);
            let weights = [head.left.weight.val(), head.right.weight.val()];
            let layer = Tensor::cat(vec![begin, end], 1).matmul(Tensor::cat(weights.into(), 0));
            let bias = head.left.bias.as_ref().unwrap().val().unsqueeze_dim(0);
            let plain = head.pair.forward(gelu(layer + bias)).into_scalar::<f32>() as f64;
            assert!((plain - found).abs() < 1e-6, "{plain} {found}");
        }
    }
}
