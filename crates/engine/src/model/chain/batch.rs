//! Many sentences at a time, in parallel: what a head asks for.
//!
//! Sentences are taken in groups of a fixed size, each added up on its own and the groups one after
//! the other, so that the threads decide who computes and never what.

use super::lanes::{LANES, Lane, blocks};
use super::{Chain, Evidence, Factors, Workspace, logarithms, spread_out, viterbi};
use rayon::prelude::*;
use std::ops::Range;

/// The tokens of a group, at least, but for the last: enough to be worth a thread's attention.
const GROUP: usize = 256;

/// The losses of some sentences, and the gradients of their sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Losses {
    /// By sentence: infinite if the evidence allows no path, which then adds nothing to the
    /// gradients; not a number if a score is none.
    pub losses: Vec<f64>,
    /// tokens × tags.
    pub emissions: Vec<f32>,
    /// from × to.
    pub transitions: Vec<f64>,
    /// By tag, of the first token.
    pub start: Vec<f64>,
    /// By tag, of the last token.
    pub end: Vec<f64>,
}

/// The negative log-likelihood of the evidence, by sentence, and the gradients of their sum.
///
/// `emissions` (tokens × tags) and the evidence hold the sentences one after the other, without
/// padding; `lengths` says where each ends.
pub fn loss_and_gradients(
    chain: &Chain,
    emissions: &[f32],
    lengths: &[usize],
    evidence: Evidence<'_>,
) -> Losses {
    let mut gradient = vec![0.0; emissions.len()];
    let groups = groups(chain, emissions, lengths, evidence, &mut gradient);
    let factors = Factors::new(chain);
    let sums: Vec<Sums> = groups
        .into_par_iter()
        .map_init(Memory::default, |memory, group| memory.losses(chain, factors.as_ref(), group))
        .collect();
    let tags = chain.tags();
    let zero = || vec![0.0; tags];
    let mut all = Losses {
        losses: Vec::with_capacity(lengths.len()),
        emissions: gradient,
        transitions: vec![0.0; tags * tags],
        start: zero(),
        end: zero(),
    };
    for sums in sums {
        all.losses.extend(sums.losses);
        add(&mut all.transitions, &sums.pairs);
        add(&mut all.start, &sums.start);
        add(&mut all.end, &sums.end);
        if let Some(factors) = &factors {
            factors.add_pairs(&sums.bare_pairs, &mut all.transitions);
        }
    }
    all
}

/// How likely each tag of each token is, given the evidence: tokens × tags. Zero throughout a
/// sentence in which no path is possible.
pub fn marginals(
    chain: &Chain,
    emissions: &[f32],
    lengths: &[usize],
    evidence: Evidence<'_>,
) -> Vec<f32> {
    let mut found = vec![0.0; emissions.len()];
    let groups = groups(chain, emissions, lengths, evidence, &mut found);
    let factors = Factors::new(chain);
    groups.into_par_iter().for_each_init(Memory::default, |memory, group| {
        let mut sums = Sums::new(chain.tags());
        for (sentence, into) in group.sentences(chain.tags()) {
            memory.sum(chain, factors.as_ref(), sentence, 1.0, &mut sums);
            write(&memory.marginals, chain.tags(), into);
        }
    });
    found
}

/// The tags of the likeliest path of each sentence that the evidence allows, one after the other.
pub fn best_paths(
    chain: &Chain,
    emissions: &[f32],
    lengths: &[usize],
    evidence: Evidence<'_>,
) -> Vec<usize> {
    // Viterbi writes no numbers beside the emissions, so the groups borrow none.
    let mut none = vec![0.0; emissions.len()];
    let groups = groups(chain, emissions, lengths, evidence, &mut none);
    let paths: Vec<Vec<usize>> = groups
        .into_par_iter()
        .map(|group| {
            let sentences = group.sentences(chain.tags());
            sentences
                .flat_map(|(s, _)| viterbi::best_path(chain, s.emissions, s.evidence).0)
                .collect()
        })
        .collect();
    paths.concat()
}

/// One sentence.
#[derive(Copy, Clone)]
struct Sentence<'a> {
    emissions: &'a [f32],
    evidence: Evidence<'a>,
}

/// Neighbouring sentences, with the place for their results, which is shaped as their emissions.
struct Group<'a> {
    emissions: &'a [f32],
    lengths: &'a [usize],
    evidence: Evidence<'a>,
    results: &'a mut [f32],
}

fn groups<'a>(
    chain: &Chain,
    emissions: &'a [f32],
    lengths: &'a [usize],
    evidence: Evidence<'a>,
    mut results: &'a mut [f32],
) -> Vec<Group<'a>> {
    let (tags, tokens) = (chain.tags(), lengths.iter().sum::<usize>());
    assert_eq!(emissions.len(), tokens * tags, "a score for every tag of every token");
    assert!(evidence.fits(tokens, tags), "evidence for every token");
    let mut groups = Vec::new();
    let (mut first, mut begin, mut end) = (0, 0, 0);
    for (sentence, length) in lengths.iter().enumerate() {
        end += length;
        if end - begin >= GROUP || sentence + 1 == lengths.len() {
            let (own, others) = results.split_at_mut((end - begin) * tags);
            groups.push(Group {
                emissions: &emissions[begin * tags..end * tags],
                lengths: &lengths[first..=sentence],
                evidence: evidence.of(begin..end, tags),
                results: own,
            });
            (first, begin, results) = (sentence + 1, end, others);
        }
    }
    groups
}

impl<'a> Group<'a> {
    /// Each sentence, with the place for its results.
    fn sentences(self, tags: usize) -> impl Iterator<Item = (Sentence<'a>, &'a mut [f32])> {
        let Group { emissions, lengths, evidence, mut results } = self;
        let mut begin = 0;
        lengths.iter().map(move |length| {
            let tokens: Range<usize> = begin..begin + length;
            begin = tokens.end;
            let (own, others) = std::mem::take(&mut results).split_at_mut(length * tags);
            results = others;
            let scores = &emissions[tokens.start * tags..tokens.end * tags];
            (Sentence { emissions: scores, evidence: evidence.of(tokens, tags) }, own)
        })
    }
}

/// What adds up over the sentences of a group.
struct Sums {
    losses: Vec<f64>,
    /// Expected pairs without their transitions' factors, which all sentences share.
    bare_pairs: Vec<Lane>,
    /// Pairs as they are.
    pairs: Vec<f64>,
    start: Vec<f64>,
    end: Vec<f64>,
}

impl Sums {
    fn new(tags: usize) -> Self {
        let bare_pairs = vec![[0.0; LANES]; tags * blocks(tags)];
        let zero = || vec![0.0; tags];
        Self {
            losses: vec![],
            bare_pairs,
            pairs: vec![0.0; tags * tags],
            start: zero(),
            end: zero(),
        }
    }
}

/// What a thread needs for one sentence after the other.
#[derive(Default)]
struct Memory {
    workspace: Workspace,
    /// Factors and marginals, a row a token.
    table: Vec<Lane>,
    marginals: Vec<Lane>,
    known: Vec<Lane>,
    /// 0, 1, 2 …: each token has a row of its own.
    rows: Vec<u32>,
}

impl Memory {
    fn losses(&mut self, chain: &Chain, factors: Option<&Factors>, group: Group<'_>) -> Sums {
        let tags = chain.tags();
        let mut sums = Sums::new(tags);
        for (sentence, gradient) in group.sentences(tags) {
            let known = self.sum(chain, factors, sentence, -1.0, &mut sums);
            if !known.is_finite() {
                sums.losses.push(-known);
                continue;
            }
            std::mem::swap(&mut self.known, &mut self.marginals);
            let free = Sentence { evidence: Evidence::None, ..sentence };
            let all = self.sum(chain, factors, free, 1.0, &mut sums);
            sums.losses.push(all - known);
            add(self.marginals.as_flattened_mut(), self.known.as_flattened());
            write(&self.marginals, tags, gradient);
            if let Some(last) = self.marginals.len().checked_sub(blocks(tags)) {
                add(&mut sums.start, self.marginals.as_flattened());
                add(&mut sums.end, self.marginals[last..].as_flattened());
            }
        }
        sums
    }

    /// The logarithm of the sum over the paths that the evidence allows; leaves their marginals in
    /// `marginals`, times `weight`, and adds their pairs to `into`.
    fn sum(
        &mut self,
        chain: &Chain,
        factors: Option<&Factors>,
        sentence: Sentence<'_>,
        weight: f64,
        into: &mut Sums,
    ) -> f64 {
        let (tags, Sentence { emissions, evidence }) = (chain.tags(), sentence);
        let tokens = emissions.len() / tags;
        self.marginals.clear();
        self.marginals.resize(tokens * blocks(tags), [0.0; LANES]);
        if let Evidence::Path(path) = evidence {
            return self.follow(chain, emissions, path, weight, into);
        }
        if let Some(factors) = factors
            && let Some(shift) = self.load(tags, sentence)
            && let Some(logarithm) = {
                let rows = (&self.table[..], &self.rows[..tokens]);
                let pairs = &mut into.bare_pairs;
                self.workspace.sum(factors, rows, weight, &mut self.marginals, pairs)
            }
        {
            return logarithm + shift;
        }
        let score = |t: usize, k: usize| f64::from(emissions[t * tags + k]);
        let into = (&mut self.marginals[..], &mut into.pairs[..]);
        logarithms::sum(chain, (tokens, score), evidence, weight, into)
    }

    /// Fills in the tokens' factors; what was taken out of them.
    fn load(&mut self, tags: usize, Sentence { emissions, evidence }: Sentence<'_>) -> Option<f64> {
        let (tokens, blocks) = (emissions.len() / tags, blocks(tags));
        self.table.resize(tokens * blocks, [0.0; LANES]);
        if self.rows.len() < tokens {
            self.rows = (0..tokens as u32).collect();
        }
        let rows = emissions.chunks_exact(tags).zip(self.table.chunks_exact_mut(blocks));
        rows.enumerate().try_fold(0.0, |shift, (t, (scores, row))| {
            let scores = scores.iter().map(|score| f64::from(*score));
            Some(
                shift
                    + match evidence {
                        Evidence::None => spread_out(scores, row)?,
                        _ => {
                            let weigh = |(k, score)| score + evidence.log_weight(t, k, tags);
                            spread_out(scores.enumerate().map(weigh), row)?
                        }
                    },
            )
        })
    }

    /// The score of one path, which is then certain.
    fn follow(
        &mut self,
        chain: &Chain,
        emissions: &[f32],
        path: &[usize],
        weight: f64,
        into: &mut Sums,
    ) -> f64 {
        let (tags, width) = (chain.tags(), blocks(chain.tags()) * LANES);
        let (Some(first), Some(last)) = (path.first(), path.last()) else { return 0.0 };
        let pairs = || path.windows(2).map(|pair| pair[0] * tags + pair[1]);
        let tokens = || path.iter().enumerate();
        let score = chain.start()[*first]
            + chain.end()[*last]
            + tokens().map(|(t, tag)| f64::from(emissions[t * tags + tag])).sum::<f64>()
            + pairs().map(|pair| chain.transitions()[pair]).sum::<f64>();
        if score.is_finite() {
            let marginals = self.marginals.as_flattened_mut();
            tokens().for_each(|(t, tag)| marginals[t * width + tag] = weight);
            pairs().for_each(|pair| into.pairs[pair] += weight);
        }
        score
    }
}

fn add(to: &mut [f64], numbers: &[f64]) {
    to.iter_mut().zip(numbers).for_each(|(to, number)| *to += number);
}

/// Rows of lanes to rows of tags.
fn write(rows: &[Lane], tags: usize, into: &mut [f32]) {
    for (row, into) in rows.chunks_exact(blocks(tags)).zip(into.chunks_exact_mut(tags)) {
        into.iter_mut().zip(row.as_flattened()).for_each(|(into, number)| *into = *number as f32);
    }
}
