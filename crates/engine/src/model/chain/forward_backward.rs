//! Sums over all paths: the partition function, and how likely each tag and each pair of tags is.
//!
//! Scores are turned into factors once, and each step is scaled to sum to one (Rabiner 1989,
//! section V.A), so a step costs multiplications alone. The factors of tokens are rows of a table,
//! so that words which occur often are turned into factors once. Scores too far apart for that are
//! left to [`super::logarithms`].

use super::Chain;
use super::lanes::{LANES, Lane, add_outer, blocks, multiply, multiply_by, scale, times, total};

/// Scores further apart than this are not turned into factors: two steps of them would leave the
/// range of numbers, and a path that vanished could no longer catch up.
const FURTHEST: f64 = 300.0;
/// A sum below this has lost digits.
const TINIEST: f64 = 1e-200;
/// The product of the scales so far is taken out as a logarithm where it is smaller than this or
/// larger than its inverse.
const SMALL: f64 = 1e-100;

/// The factors of a chain, ready to sum paths with. Made once a batch.
#[derive(Clone, Debug)]
pub(in crate::model) struct Factors {
    tags: usize,
    /// exp(score − highest), a row for each tag that comes before.
    transitions: Vec<Lane>,
    /// The same, a row for each tag that comes after.
    turned: Vec<Lane>,
    start: Vec<Lane>,
    end: Vec<Lane>,
    /// The highest scores, which were taken out: of the ends together, of a transition.
    highest: [f64; 2],
}

/// Memory for one sentence after the other.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Workspace {
    /// How likely each tag is after the tokens up to it, a row a token.
    alpha: Vec<Lane>,
    /// What comes after, by the tag of a token, a row for each token but the first.
    after: Vec<Lane>,
    /// What undoes the scale of each step.
    scales: Vec<f64>,
    beta: Vec<Lane>,
}

/// exp(score − highest) of a row of scores, padded; the highest. `None` if scores are too far
/// apart, or not numbers.
pub(in crate::model) fn spread_out(
    scores: impl Iterator<Item = f64> + Clone,
    into: &mut [Lane],
) -> Option<f64> {
    let highest = scores.clone().fold(f64::NEG_INFINITY, f64::max);
    let far = |score: f64| !(score == f64::NEG_INFINITY || highest - score <= FURTHEST);
    if !highest.is_finite() || scores.clone().any(far) {
        return None;
    }
    into.fill([0.0; LANES]);
    for (factor, score) in into.as_flattened_mut().iter_mut().zip(scores) {
        *factor = (score - highest).exp();
    }
    Some(highest)
}

impl Factors {
    /// The factors of a chain's scores; `None` if they are too far apart.
    pub fn new(chain: &Chain) -> Option<Self> {
        let (tags, blocks) = (chain.tags(), blocks(chain.tags()));
        let mut rows = vec![[0.0; LANES]; blocks * 2];
        let (start, end) = rows.split_at_mut(blocks);
        let ends = spread_out(chain.start().iter().copied(), start)?
            + spread_out(chain.end().iter().copied(), end)?;
        let mut flat = vec![[0.0; LANES]; blocks * tags];
        let highest = spread_out(chain.transitions().iter().copied(), &mut flat)?;
        let flat = flat.as_flattened();
        let (mut transitions, mut turned) = (vec![[0.0; LANES]; blocks * tags], vec![]);
        turned.clone_from(&transitions);
        for from in 0..tags {
            for to in 0..tags {
                let factor = flat[from * tags + to];
                transitions.as_flattened_mut()[from * blocks * LANES + to] = factor;
                turned.as_flattened_mut()[to * blocks * LANES + from] = factor;
            }
        }
        let (start, end) = (start.to_vec(), end.to_vec());
        Some(Self { tags, transitions, turned, start, end, highest: [ends, highest] })
    }

    /// Adds the expected pairs that [`Workspace::sum`] left without their factors to `into`,
    /// from × to.
    pub fn add_pairs(&self, pairs: &[Lane], into: &mut [f64]) {
        let width = blocks(self.tags) * LANES;
        let rows = pairs.as_flattened().chunks_exact(width);
        let factors = self.transitions.as_flattened().chunks_exact(width);
        for ((into, pairs), factors) in into.chunks_exact_mut(self.tags).zip(rows).zip(factors) {
            for ((into, pair), factor) in into.iter_mut().zip(pairs).zip(factors) {
                *into += pair * factor;
            }
        }
    }
}

impl Workspace {
    /// The logarithm of the sum over all paths of a sentence, whose tokens' factors are the given
    /// rows of `table`. Overwrites `marginals` with how likely each tag is, times `weight`, and
    /// adds to `pairs` how likely each pair is, times `weight` and without the transition's own
    /// factor.
    ///
    /// `None`, and nothing written, if the sum leaves the range of numbers.
    pub fn sum(
        &mut self,
        factors: &Factors,
        (table, rows): (&[Lane], &[u32]),
        weight: f64,
        marginals: &mut [Lane],
        pairs: &mut [Lane],
    ) -> Option<f64> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: this processor has the instructions.
            return unsafe { self.sum_with_avx2(factors, (table, rows), weight, marginals, pairs) };
        }
        self.sum_with_any(factors, (table, rows), weight, marginals, pairs)
    }

    /// The same code for wider registers; the bits are the same.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn sum_with_avx2(
        &mut self,
        factors: &Factors,
        sentence: (&[Lane], &[u32]),
        weight: f64,
        marginals: &mut [Lane],
        pairs: &mut [Lane],
    ) -> Option<f64> {
        self.sum_with_any(factors, sentence, weight, marginals, pairs)
    }

    #[inline(always)]
    pub(super) fn sum_with_any(
        &mut self,
        factors: &Factors,
        (table, rows): (&[Lane], &[u32]),
        weight: f64,
        marginals: &mut [Lane],
        pairs: &mut [Lane],
    ) -> Option<f64> {
        let Some(steps) = rows.len().checked_sub(1) else { return Some(0.0) };
        let blocks = blocks(factors.tags);
        let (logarithm, end) = self.forward(factors, table, rows)?;
        self.backward(factors, (table, rows), weight / end, marginals);
        let before = &self.alpha[..steps * blocks];
        add_outer(pairs, factors.tags, before, &self.after[..steps * blocks]);
        let [ends, transition] = factors.highest;
        Some(logarithm + end.ln() + ends + transition * steps as f64)
    }

    /// Fills in `alpha`; the logarithm of what it was scaled by, and the sum of the last row's
    /// numbers times the factors of an end.
    #[inline(always)]
    fn forward(&mut self, factors: &Factors, table: &[Lane], rows: &[u32]) -> Option<(f64, f64)> {
        let blocks = blocks(factors.tags);
        self.alpha.resize(rows.len() * blocks, [0.0; LANES]);
        self.scales.resize(rows.len(), 0.0);
        let (mut logarithm, mut product) = (0.0, 1.0);
        for (t, row) in rows.iter().enumerate() {
            let (before, now) = self.alpha.split_at_mut(t * blocks);
            let now = &mut now[..blocks];
            match t {
                0 => now.copy_from_slice(&factors.start),
                _ => times(&before[(t - 1) * blocks..], &factors.transitions, factors.tags, now),
            }
            multiply_by(now, &table[*row as usize * blocks..][..blocks]);
            let sum = total(now);
            // Also where it is not a number.
            if !(sum >= TINIEST && sum.is_finite()) {
                return None;
            }
            self.scales[t] = 1.0 / sum;
            scale(now, self.scales[t]);
            product *= sum;
            // Steps have a factor of up to the number of tags: a long sentence grows beyond all
            // numbers, too.
            if !(SMALL..=1.0 / SMALL).contains(&product) {
                logarithm += f64::ln(product);
                product = 1.0;
            }
        }
        self.beta.clone_from(&factors.end);
        multiply_by(&mut self.beta, &self.alpha[(rows.len() - 1) * blocks..]);
        let end = total(&self.beta);
        (end >= TINIEST).then(|| (logarithm + product.ln(), end))
    }

    /// Fills in `after` and the marginals; `weight` rides along from the last token.
    #[inline(always)]
    fn backward(
        &mut self,
        factors: &Factors,
        (table, rows): (&[Lane], &[u32]),
        weight: f64,
        marginals: &mut [Lane],
    ) {
        let blocks = blocks(factors.tags);
        self.after.resize(rows.len() * blocks, [0.0; LANES]);
        self.beta.clone_from(&factors.end);
        scale(&mut self.beta, weight);
        for (t, row) in rows.iter().enumerate().rev() {
            let marginals = &mut marginals[t * blocks..][..blocks];
            multiply(marginals, &self.beta, &self.alpha[t * blocks..][..blocks], 1.0);
            if t == 0 {
                return;
            }
            let after = &mut self.after[(t - 1) * blocks..][..blocks];
            let token = &table[*row as usize * blocks..][..blocks];
            multiply(after, &self.beta, token, self.scales[t]);
            times(after, &factors.turned, factors.tags, &mut self.beta);
        }
    }
}
