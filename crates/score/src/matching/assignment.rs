//! Which gold entity each prediction takes.

use super::{Categories, Criterion};
use domain::EntitySpan;

/// A prediction must cover this share of a gold entity's tokens to overlap it, in per cent:
/// nervaluate's default, which only an entity of more than a hundred tokens can miss.
const LEAST_OVERLAP: usize = 1;

/// The categories of one sentence. `taken` is room to work in.
pub(super) fn assign(
    criterion: Criterion,
    gold: &[EntitySpan],
    predicted: &[EntitySpan],
    taken: &mut Vec<bool>,
) -> Categories {
    taken.clear();
    taken.resize(gold.len(), false);
    let mut found = Categories::default();
    let mut first = 0;
    for prediction in predicted {
        // Both sides are in order and free of overlaps: what ends before this prediction is out of
        // reach for all that follow.
        while gold.get(first).is_some_and(|entity| entity.end <= prediction.start) {
            first += 1;
        }
        let near = (first..gold.len())
            .take_while(|&i| gold[i].start < prediction.end)
            .filter(|&i| !taken[i] && overlaps(prediction, &gold[i]));
        let chosen = if let Some(full) = full_match(criterion, prediction, gold, near.clone()) {
            found.correct += 1;
            Some(full)
        } else {
            near.clone().next().inspect(|_| match criterion {
                Criterion::Partial => found.partial += 1,
                _ => found.incorrect += 1,
            })
        };
        match chosen {
            Some(index) => taken[index] = true,
            None => found.spurious += 1,
        }
    }
    found.missed = taken.iter().filter(|taken| !**taken).count() as u64;
    found
}

/// The gold entity among `near` that meets the criterion; by type the one with the closest ends,
/// the first of those.
fn full_match(
    criterion: Criterion,
    prediction: &EntitySpan,
    gold: &[EntitySpan],
    mut near: impl Iterator<Item = usize>,
) -> Option<usize> {
    let same_ends = |i: usize| (gold[i].start, gold[i].end) == (prediction.start, prediction.end);
    let same_type = |i: usize| gold[i].entity_type == prediction.entity_type;
    match criterion {
        Criterion::Strict => near.find(|&i| same_ends(i) && same_type(i)),
        Criterion::Exact | Criterion::Partial => near.find(|&i| same_ends(i)),
        Criterion::EntType => {
            near.filter(|&i| same_type(i)).min_by_key(|&i| distance(prediction, &gold[i]))
        }
    }
}

fn overlaps(prediction: &EntitySpan, gold: &EntitySpan) -> bool {
    let end = prediction.end.min(gold.end);
    let shared = end.saturating_sub(prediction.start.max(gold.start));
    shared > 0 && shared * 100 >= LEAST_OVERLAP * (gold.end - gold.start)
}

/// How far the ends are apart, added up.
fn distance(prediction: &EntitySpan, gold: &EntitySpan) -> usize {
    prediction.start.abs_diff(gold.start) + prediction.end.abs_diff(gold.end)
}
