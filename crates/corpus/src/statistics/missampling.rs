//! How likely negative sampling leaves unlabelled entities alone: theorem 1 of li2022, for the
//! sentences of a corpus.
//!
//! A sentence of n tokens has n(n+1)/2 spans. Of those that are not annotated k = ⌈λn⌉ are drawn as
//! negatives, uniformly and without replacement; an unlabelled entity among them is missampled. The
//! theorem bounds the probability that none is, from below, where entities are sparse: no more of
//! them, labelled or not, than √n. Its bounds are functions of n and λ alone.

use super::counts::share;
use domain::Sentence;
use serde::Serialize;
use std::collections::BTreeMap;

/// The negatives of a sentence, k = ⌈λn⌉.
fn negatives(tokens: u64, lambda: f64) -> u64 {
    (lambda * tokens as f64).ceil() as u64
}

/// The spans that negatives are drawn from.
fn candidates(tokens: u64, annotated: u64) -> u64 {
    (tokens * (tokens + 1) / 2).saturating_sub(annotated)
}

/// The premise of the theorem: no more entities than √n, in whole numbers.
fn is_sparse(tokens: u64, entities: u64) -> bool {
    entities * entities <= tokens
}

/// The probability that no unlabelled entity is drawn: Π_{i<k} (1 - #ŷ / (n(n+1)/2 - m - i)). Where
/// there are fewer spans than negatives, all are drawn.
fn clean_probability(candidates: u64, unlabelled: u64, negatives: u64) -> f64 {
    if unlabelled == 0 {
        return 1.0;
    }
    let drawn = negatives.min(candidates);
    if drawn + unlabelled > candidates {
        return 0.0;
    }
    (0..drawn).map(|i| 1.0 - unlabelled as f64 / (candidates - i) as f64).product()
}

/// The first bound, (1 - 2√n / (n(n-1) + 2))^⌈λn⌉.
fn power_bound(tokens: u64, lambda: f64) -> f64 {
    (1.0 - worst_draw(tokens)).powf(negatives(tokens, lambda) as f64)
}

/// The second, 1 - 2(λn + 1)√n / (n(n-1) + 2), by Bernoulli's inequality and ⌈λn⌉ < λn + 1.
fn linear_bound(tokens: u64, lambda: f64) -> f64 {
    1.0 - (lambda * tokens as f64 + 1.0) * worst_draw(tokens)
}

/// The last, 1 - 4λ√n / (n-1). It is below the second only where [`last_step_holds`]; elsewhere the
/// theorem does not show that it is a bound.
fn last_bound(tokens: u64, lambda: f64) -> f64 {
    let n = tokens as f64;
    1.0 - 4.0 * lambda * n.sqrt() / (n - 1.0)
}

/// Whether the last bound is below the second. Written out, (λn + 1)(n - 1) < 2λ(n(n-1) + 2), or
/// λ > (n - 1) / (n² - n + 4): about λn > 1, which the paper does not ask for.
fn last_step_holds(tokens: u64, lambda: f64) -> bool {
    let n = tokens as f64;
    lambda * (n * n - n + 4.0) > n - 1.0
}

/// 2√n / (n(n-1) + 2): at least the probability that one draw takes an unlabelled entity.
fn worst_draw(tokens: u64) -> f64 {
    let n = tokens as f64;
    2.0 * n.sqrt() / (n * (n - 1.0) + 2.0)
}

/// What theorem 1 says of some sentences. Shares and means are over sentences, 0 if there are none.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Missampling {
    pub lambda: f64,
    /// Sentences with no more entities than √tokens: those that the theorem is about.
    pub premise_share: f64,
    /// Over those, as the next two: the mean of each bound. One below 0 says nothing and counts as
    /// 0.
    pub power_bound: f64,
    pub linear_bound: f64,
    pub last_bound: f64,
    /// Those of them for which the last bound is below the second, as the theorem says it is.
    pub last_step_share: f64,
    pub masked: Vec<Masked>,
}

/// What is expected if each entity, by itself, is masked with a probability: the exact mean over
/// all masks.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
pub struct Masked {
    pub mask: f64,
    /// The probability that a sentence has no missampled entity, over all sentences.
    pub clean_probability: f64,
    /// The same over the sentences that the theorem is about.
    pub clean_probability_in_premise: f64,
    /// Missampled entities over negatives, of each sentence; of one without negatives it is 0.
    pub missampling_rate: f64,
    /// Over the negatives of all sentences.
    pub pooled_missampling_rate: f64,
}

/// Looks at sentences with λ and some probabilities that an entity is masked.
pub fn missampling<'s>(
    sentences: impl IntoIterator<Item = &'s Sentence>,
    lambda: f64,
    masks: &[f64],
) -> Missampling {
    // By entities and tokens: everything else of a sentence does not matter.
    let mut alike: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for sentence in sentences {
        let place = (sentence.entities().count() as u64, sentence.len() as u64);
        *alike.entry(place).or_default() += 1;
    }
    let all: u64 = alike.values().sum();
    let sparse = || alike.iter().filter(|((entities, tokens), _)| is_sparse(*tokens, *entities));
    let in_premise: u64 = sparse().map(|(_, count)| count).sum();
    let mean = |bound: fn(u64, f64) -> f64| {
        let sum = |((_, tokens), count): (&(u64, u64), &u64)| {
            bound(*tokens, lambda).max(0.0) * *count as f64
        };
        sparse().map(sum).sum::<f64>() / in_premise.max(1) as f64
    };
    let holding = sparse().filter(|((_, tokens), _)| last_step_holds(*tokens, lambda));
    Missampling {
        lambda,
        premise_share: share(in_premise, all),
        power_bound: mean(power_bound),
        linear_bound: mean(linear_bound),
        last_bound: mean(last_bound),
        last_step_share: share(holding.map(|(_, count)| count).sum(), in_premise),
        masked: masks.iter().map(|mask| masked(&alike, lambda, *mask)).collect(),
    }
}

fn masked(alike: &BTreeMap<(u64, u64), u64>, lambda: f64, mask: f64) -> Masked {
    let (mut all, mut sparse) = (Expected::default(), Expected::default());
    let mut weights = vec![1.0];
    for (&(entities, tokens), &count) in alike {
        while (weights.len() as u64) <= entities {
            add_entity(&mut weights, mask);
        }
        let expected = Expected::of(tokens, &weights, negatives(tokens, lambda));
        all.add(expected, count);
        if is_sparse(tokens, entities) {
            sparse.add(expected, count);
        }
    }
    Masked {
        mask,
        clean_probability: all.mean(all.clean),
        clean_probability_in_premise: sparse.mean(sparse.clean),
        missampling_rate: all.mean(all.rate),
        pooled_missampling_rate: if all.drawn > 0.0 { all.missampled / all.drawn } else { 0.0 },
    }
}

/// One more entity in the distribution of the number of masked ones, which is binomial.
fn add_entity(weights: &mut Vec<f64>, mask: f64) {
    weights.push(0.0);
    for masked in (0..weights.len()).rev() {
        let before = if masked > 0 { weights[masked - 1] } else { 0.0 };
        weights[masked] = weights[masked] * (1.0 - mask) + before * mask;
    }
}

/// Sums over sentences, each the mean over its masks.
#[derive(Copy, Clone, Default)]
struct Expected {
    sentences: f64,
    clean: f64,
    rate: f64,
    missampled: f64,
    drawn: f64,
}

impl Expected {
    /// Of one sentence; `weights` has the probability of each number of masked entities.
    fn of(tokens: u64, weights: &[f64], negatives: u64) -> Self {
        let mut found = Self { sentences: 1.0, ..Self::default() };
        let entities = weights.len() as u64 - 1;
        for (unlabelled, weight) in (0..).zip(weights) {
            let candidates = candidates(tokens, entities - unlabelled);
            let drawn = negatives.min(candidates) as f64;
            // Each draw is an unlabelled entity with the same probability.
            let rate = share(unlabelled, candidates);
            found.clean += weight * clean_probability(candidates, unlabelled, negatives);
            found.rate += weight * rate;
            found.missampled += weight * rate * drawn;
            found.drawn += weight * drawn;
        }
        found
    }

    fn add(&mut self, other: Self, times: u64) {
        let times = times as f64;
        self.sentences += other.sentences * times;
        self.clean += other.clean * times;
        self.rate += other.rate * times;
        self.missampled += other.missampled * times;
        self.drawn += other.drawn * times;
    }

    fn mean(&self, sum: f64) -> f64 {
        if self.sentences > 0.0 { sum / self.sentences } else { 0.0 }
    }
}

#[cfg(test)]
mod tests;
