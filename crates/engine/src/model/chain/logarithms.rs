//! The same sums in logarithms, for scores too far apart to be factors: slower, and always right.

use super::lanes::{LANES, Lane, blocks};
use super::{Chain, Evidence};

/// The logarithm of the sum over all paths that the evidence allows. Overwrites `marginals` with
/// how likely each tag is and adds to `pairs` (from × to) how likely each pair is, both times
/// `weight`.
///
/// Minus infinity if no path is possible; not a number if a score is none. Then nothing is added,
/// and the marginals are zero.
pub(in crate::model) fn sum<S: Fn(usize, usize) -> f64>(
    chain: &Chain,
    (tokens, score): (usize, S),
    evidence: Evidence<'_>,
    weight: f64,
    (marginals, pairs): (&mut [Lane], &mut [f64]),
) -> f64 {
    let tags = chain.tags();
    marginals.fill([0.0; LANES]);
    if tokens == 0 {
        return 0.0;
    }
    let score = |t: usize, k: usize| score(t, k) + evidence.log_weight(t, k, tags);
    let transition = |from: usize, to: usize| chain.transitions()[from * tags + to];
    let alpha = forward(chain, tokens, score);
    let last = alpha[(tokens - 1) * tags..].iter().zip(chain.end());
    let total = log_sum(last.map(|(alpha, end)| alpha + end));
    if !total.is_finite() {
        return total;
    }
    let width = blocks(tags) * LANES;
    let mut beta = chain.end().to_vec();
    for t in (0..tokens).rev() {
        let row = &mut marginals.as_flattened_mut()[t * width..];
        for k in 0..tags {
            row[k] = weight * (alpha[t * tags + k] + beta[k] - total).exp();
        }
        if t == 0 {
            break;
        }
        let mut earlier = vec![0.0; tags];
        for from in 0..tags {
            let paths = (0..tags).map(|to| transition(from, to) + score(t, to) + beta[to]);
            earlier[from] = log_sum(paths.clone());
            for (to, path) in paths.enumerate() {
                let share = (alpha[(t - 1) * tags + from] + path - total).exp();
                pairs[from * tags + to] += weight * share;
            }
        }
        beta = earlier;
    }
    total
}

fn forward(chain: &Chain, tokens: usize, score: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let tags = chain.tags();
    let mut alpha = Vec::with_capacity(tokens * tags);
    alpha.extend(chain.start().iter().enumerate().map(|(k, start)| start + score(0, k)));
    for t in 1..tokens {
        for to in 0..tags {
            let before = alpha[(t - 1) * tags..t * tags].iter().enumerate();
            let paths = before.map(|(from, path)| path + chain.transitions()[from * tags + to]);
            let sum = log_sum(paths) + score(t, to);
            alpha.push(sum);
        }
    }
    alpha
}

/// ln Σ exp(x), minus infinity for a sum of nothing.
fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let highest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    match highest.is_infinite() {
        true => terms.sum(),
        false => highest + terms.map(|term| (term - highest).exp()).sum::<f64>().ln(),
    }
}
