//! The likeliest path.

use super::lanes::LANES;
use super::{Chain, Evidence};

/// The path of the highest score that the evidence allows, the first of equals, and its score.
///
/// Where no path is possible it is the first tag throughout, and the score is minus infinity.
pub(super) fn best_path(
    chain: &Chain,
    emissions: &[f32],
    evidence: Evidence<'_>,
) -> (Vec<usize>, f64) {
    let tags = chain.tags();
    let tokens = emissions.len() / tags;
    if tokens == 0 {
        return (vec![], 0.0);
    }
    let score =
        |t: usize, k: usize| f64::from(emissions[t * tags + k]) + evidence.log_weight(t, k, tags);
    let mut best: Vec<f64> = (0..tags).map(|k| chain.start()[k] + score(0, k)).collect();
    let mut next = vec![0.0; tags];
    let mut before = vec![0; tokens * tags];
    for t in 1..tokens {
        let came_from = &mut before[t * tags..(t + 1) * tags];
        advance(chain.transitions(), &best, &mut next, came_from);
        next.iter_mut().enumerate().for_each(|(to, path)| *path += score(t, to));
        std::mem::swap(&mut best, &mut next);
    }
    let ends = best.iter().zip(chain.end()).map(|(path, end)| path + end).enumerate();
    let (mut tag, highest) =
        ends.fold(
            (0, f64::NEG_INFINITY),
            |found, (tag, path)| {
                if path > found.1 { (tag, path) } else { found }
            },
        );
    let mut path = vec![tag; tokens];
    for t in (1..tokens).rev() {
        tag = before[t * tags + tag] as usize;
        path[t - 1] = tag;
    }
    (path, highest)
}

/// The best paths one tag further, and the tag that each came from.
fn advance(transitions: &[f64], best: &[f64], next: &mut [f64], came_from: &mut [u64]) {
    let tags = best.len();
    next.fill(f64::NEG_INFINITY);
    came_from.fill(0);
    for (from, (path, row)) in best.iter().zip(transitions.chunks_exact(tags)).enumerate() {
        let lanes = next.chunks_mut(LANES).zip(came_from.chunks_mut(LANES));
        for ((next, came_from), row) in lanes.zip(row.chunks(LANES)) {
            for ((next, came_from), transition) in next.iter_mut().zip(came_from).zip(row) {
                let path = path + transition;
                let better = path > *next;
                *next = if better { path } else { *next };
                *came_from = if better { from as u64 } else { *came_from };
            }
        }
    }
}
