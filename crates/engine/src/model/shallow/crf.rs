//! A linear-chain CRF over word vectors with CRFsuite's objective: Σ nll + c2·‖w‖², a weight for
//! each (dimension, tag) and each pair of tags that follow each other in training, no bias, no
//! weights for the start and the end of a sentence. A pair that never occurs has the score 0.
//!
//! CRFsuite counts how often a feature occurs by summing its values, and drops what occurs less
//! than zero times. For word vectors that is every dimension whose sum over a tag's tokens is
//! negative: about half of them. [`Kept::AsCrfsuite`] does the same, [`Kept::All`] keeps them.

use super::{Features, Sentences};
use crate::model::chain::{
    Chain, Evidence, Factors, LANES, Lane, Workspace, blocks, spread_out, sum_in_logarithms,
};
use rayon::prelude::*;
use std::ops::Range;

/// Which (dimension, tag) pairs have a weight.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Those whose values sum to zero or more over the tag's tokens.
    AsCrfsuite,
    /// All.
    All,
}

/// The tokens of the sentences that a thread takes at a time, at least.
const GROUP: usize = 512;
/// Words that a thread takes at a time.
const WORDS: usize = 256;

/// The objective.
pub struct CrfObjective<'a> {
    features: &'a dyn Features,
    sentences: &'a Sentences,
    tags: usize,
    c2: f64,
    /// Sentences with their copies, some at a time.
    groups: Vec<Vec<(Range<usize>, f64)>>,
    /// words × tags, then from × to: how often each occurs, copies counted.
    counts: Vec<f64>,
    pair_counts: Vec<f64>,
    /// Whether a parameter has a weight: dimension × tags, then from × to.
    kept: Vec<bool>,
    /// The tokens of each word, word after word, and where each word's begin.
    occurrences: Vec<u32>,
    starts: Vec<usize>,
    /// tokens × tags, in lanes.
    marginals: Vec<Lane>,
}

impl<'a> CrfObjective<'a> {
    /// The objective of some sentences, in which the tags of `observed` occur.
    pub fn new(
        features: &'a dyn Features,
        sentences: &'a Sentences,
        observed: &[usize],
        c2: f64,
        kept: Kept,
    ) -> Self {
        let (tags, places) = (observed.len(), sentences.places(observed));
        let mut counts = vec![0.0; features.words() * tags];
        let mut pair_counts = vec![0.0; tags * tags];
        for (tokens, copies) in sentences.iter() {
            let path = &places[tokens.clone()];
            for (word, tag) in sentences.words(tokens).iter().zip(path) {
                counts[*word as usize * tags + *tag as usize] += copies;
            }
            for pair in path.windows(2) {
                pair_counts[pair[0] as usize * tags + pair[1] as usize] += copies;
            }
        }
        let sums = features.pull_back(counts.clone(), tags);
        let of_dimension = sums.iter().map(|sum| kept == Kept::All || *sum >= 0.0);
        let kept = of_dimension.chain(pair_counts.iter().map(|count| *count > 0.0)).collect();
        let (occurrences, starts) = occurrences(features.words(), sentences);
        let marginals = vec![[0.0; LANES]; sentences.tokens() * blocks(tags)];
        let groups = groups(sentences);
        Self {
            features,
            sentences,
            tags,
            c2,
            groups,
            counts,
            pair_counts,
            kept,
            occurrences,
            starts,
            marginals,
        }
    }

    /// How many numbers are learnt, those that stay 0 among them: weights (dimension × tags), then
    /// transitions (from × to).
    pub fn parameters(&self) -> usize {
        self.kept.len()
    }

    /// The value at a point; `gradient` is overwritten with the gradient there.
    pub fn evaluate(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let (weights, transitions) = point.split_at(self.features.dimension() * self.tags);
        let scores = self.features.scores(weights, self.tags);
        let (of_weights, of_pairs) = gradient.split_at_mut(weights.len());
        of_pairs.fill(0.0);
        let paths = self.sum_paths(&scores, transitions, of_pairs);
        let gold = dot(&self.counts, &scores) + dot(&self.pair_counts, transitions);
        of_weights.copy_from_slice(&self.features.pull_back(self.by_word(), self.tags));
        of_pairs.iter_mut().zip(&self.pair_counts).for_each(|(part, count)| *part -= count);
        for ((part, weight), kept) in gradient.iter_mut().zip(point).zip(&self.kept) {
            *part = if *kept { *part + 2.0 * self.c2 * weight } else { 0.0 };
        }
        paths - gold + self.c2 * dot(point, point)
    }

    /// The logarithms of the sums over all paths, added up; leaves the marginals, and adds the
    /// expected pairs to `pairs`.
    fn sum_paths(&mut self, scores: &[f64], transitions: &[f64], pairs: &mut [f64]) -> f64 {
        let tags = self.tags;
        let chain = Chain::new(tags, transitions);
        let words = Words::new(scores, tags);
        let factors = Factors::new(&chain);
        let mut rest = &mut self.marginals[..];
        let mut tasks = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let tokens: usize = group.iter().map(|(tokens, _)| tokens.len()).sum();
            let (own, others) = rest.split_at_mut(tokens * blocks(tags));
            tasks.push((group, own));
            rest = others;
        }
        let sum = |workspace: &mut Workspace, (group, marginals): (&Vec<_>, &mut [Lane])| {
            let factors = factors.as_ref();
            words.sum_group(&chain, factors, self.sentences, (group, workspace), marginals)
        };
        let sums: Vec<Sums> = tasks.into_par_iter().map_init(Workspace::default, sum).collect();
        for sums in &sums {
            pairs.iter_mut().zip(&sums.pairs).for_each(|(to, pair)| *to += pair);
            if let Some(factors) = &factors {
                factors.add_pairs(&sums.bare_pairs, pairs);
            }
        }
        sums.iter().map(|sums| sums.value).sum()
    }

    /// Expected less observed tags, added up by word: words × tags.
    fn by_word(&self) -> Vec<f64> {
        let (tags, blocks) = (self.tags, blocks(self.tags));
        let mut by_word: Vec<f64> = self.counts.par_iter().map(|count| -count).collect();
        by_word.par_chunks_mut(WORDS * tags).enumerate().for_each(|(group, rows)| {
            let mut sum = vec![[0.0; LANES]; blocks];
            for (word, row) in rows.chunks_exact_mut(tags).enumerate() {
                let word = group * WORDS + word;
                sum.fill([0.0; LANES]);
                for token in &self.occurrences[self.starts[word]..self.starts[word + 1]] {
                    let marginals = &self.marginals[*token as usize * blocks..][..blocks];
                    for (sum, marginals) in sum.iter_mut().zip(marginals) {
                        sum.iter_mut().zip(marginals).for_each(|(sum, part)| *sum += part);
                    }
                }
                row.iter_mut().zip(sum.as_flattened()).for_each(|(row, sum)| *row += sum);
            }
        });
        by_word
    }
}

/// The factors of all words, and what was taken out of them.
struct Words<'a> {
    scores: &'a [f64],
    tags: usize,
    table: Vec<Lane>,
    /// `None` where a word's scores are too far apart to be factors.
    shifts: Vec<Option<f64>>,
}

/// What adds up over sentences.
struct Sums {
    value: f64,
    bare_pairs: Vec<Lane>,
    pairs: Vec<f64>,
}

impl<'a> Words<'a> {
    fn new(scores: &'a [f64], tags: usize) -> Self {
        let blocks = blocks(tags);
        let mut table = vec![[0.0; LANES]; scores.len() / tags * blocks];
        let rows = table.par_chunks_mut(blocks).zip(scores.par_chunks(tags));
        let shift = |(row, scores): (&mut [Lane], &[f64])| spread_out(scores.iter().copied(), row);
        let shifts = rows.with_min_len(WORDS).map(shift).collect();
        Self { scores, tags, table, shifts }
    }

    fn sum_group(
        &self,
        chain: &Chain,
        factors: Option<&Factors>,
        sentences: &Sentences,
        (group, workspace): (&[(Range<usize>, f64)], &mut Workspace),
        mut marginals: &mut [Lane],
    ) -> Sums {
        let (tags, blocks) = (self.tags, blocks(self.tags));
        let bare_pairs = vec![[0.0; LANES]; tags * blocks];
        let mut sums = Sums { value: 0.0, bare_pairs, pairs: vec![0.0; tags * tags] };
        for (tokens, copies) in group {
            let words = sentences.words(tokens.clone());
            let (own, others) = marginals.split_at_mut(words.len() * blocks);
            marginals = others;
            let shift: Option<f64> = words.iter().map(|word| self.shifts[*word as usize]).sum();
            let (rows, bare) = ((&self.table[..], words), &mut sums.bare_pairs);
            let sum = factors.zip(shift).and_then(|(factors, shift)| {
                Some(shift + workspace.sum(factors, rows, *copies, own, bare)?)
            });
            let sum = sum.unwrap_or_else(|| {
                let score = |t: usize, k: usize| self.scores[words[t] as usize * tags + k];
                let into = (own, &mut sums.pairs[..]);
                sum_in_logarithms(chain, (words.len(), score), Evidence::None, *copies, into)
            });
            sums.value += copies * sum;
        }
        sums
    }
}

fn groups(sentences: &Sentences) -> Vec<Vec<(Range<usize>, f64)>> {
    let (mut groups, mut group, mut tokens) = (Vec::new(), Vec::new(), 0);
    for (sentence, copies) in sentences.iter() {
        tokens += sentence.len();
        group.push((sentence, copies));
        if tokens >= GROUP {
            groups.push(std::mem::take(&mut group));
            tokens = 0;
        }
    }
    groups.extend(Some(group).filter(|group| !group.is_empty()));
    groups
}

/// The tokens of each word, and where each word's begin.
fn occurrences(words: usize, sentences: &Sentences) -> (Vec<u32>, Vec<usize>) {
    let of = sentences.words(0..sentences.tokens());
    let mut tokens: Vec<u32> = (0..of.len() as u32).collect();
    tokens.sort_by_key(|token| of[*token as usize]);
    let before =
        |word: usize| tokens.partition_point(|token| (of[*token as usize] as usize) < word);
    let starts = (0..=words).map(before).collect();
    (tokens, starts)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
