//! Weighted negative sampling (li2022, equations 3 to 5): spans that the model in training is
//! unsure of are drawn more often, those that it takes for entities less often.
//!
//! A span weighs exp(r/T), and spans are drawn one after the other without replacement. That needs
//! the model's probabilities of few spans: candidates are proposed uniformly and taken with
//! probability exp((r − R)/T), where no r exceeds R, and what is taken already is passed over. No r
//! is below 0, so a proposal whose random number is below exp(−R/T) is taken whatever the model
//! thinks of it; once there are enough of those, no more is proposed, and the model is asked for
//! the other proposals alone, once. Where about as many proposals as candidates would be needed,
//! all candidates are looked at and those with the largest r/T + Gumbel noise drawn, which has the
//! same distribution (Vieira 2014).

use super::{COUNT, Candidates, Count, LAMBDA};
use domain::Span;
use parts::{choice, part};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

choice! {
    /// Whose probabilities weigh spans.
    pub enum Probabilities { Training = "training", Evaluation = "evaluation" }
}

part! {
    /// some spans, those rather that the model is unsure of and does not take for entities
    pub struct Weighted("weighted") from "li2022, equations 3 to 5" needs Capability::Span {
        lambda: f64 as LAMBDA,
        count: Count as COUNT,
        /// μ, how strongly spans that look like entities are avoided
        mu: f64 = 8.0 in 0.0..=1000.0,
        /// whether v compares O with the entity labels alone, not with all labels
        entity_only: bool = false,
        /// those of the pass that is trained on, or of one more without any dropout
        probabilities: Probabilities = Training,
    }
}

/// The entropy of probabilities: u of equation 4, in nats.
pub fn uncertainty(probabilities: &[f64]) -> f64 {
    probabilities.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum()
}

/// The softmax of a span's scores.
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().fold(f64::NEG_INFINITY, |highest, score| highest.max(*score));
    let mut probabilities: Vec<f64> = scores.iter().map(|score| (score - highest).exp()).collect();
    let sum: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|p| *p /= sum);
    probabilities
}

/// What weighs spans in an epoch.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Weighting {
    mu: f64,
    entity_only: bool,
    /// Labels of a span, O among them.
    labels: usize,
    temperature: f64,
}

impl Weighting {
    pub fn new(&Weighted { mu, entity_only, .. }: &Weighted, labels: usize) -> Self {
        Self { mu, entity_only, labels, temperature: 1.0 }
    }

    /// T = √(C − c) for C epochs, of which `epoch` is the c-th, from 0 (li2022, section 4, in the
    /// text).
    pub fn in_epoch(mut self, epoch: usize, epochs: usize) -> Self {
        self.temperature = (epochs.saturating_sub(epoch).max(1) as f64).sqrt();
        self
    }

    /// r = u·(1 + v)^μ with v = z_O − max z (equations 5 and 3). The maximum is over all labels, so
    /// v is 0 where O is the likeliest and below 0 elsewhere; or over the entity labels alone.
    pub fn weigh(&self, probabilities: &[f64]) -> f64 {
        let others = if self.entity_only { &probabilities[1..] } else { probabilities };
        let highest = others.iter().fold(0.0, |highest: f64, p| highest.max(*p));
        uncertainty(probabilities) * (1.0 + probabilities[0] - highest).powf(self.mu)
    }

    /// R: no span weighs more.
    fn bound(&self) -> f64 {
        let most = if self.entity_only { 2f64.powf(self.mu) } else { 1.0 };
        (self.labels.max(1) as f64).ln() * most
    }

    /// How likely a proposed span is taken.
    fn chance(&self, r: f64) -> f64 {
        ((r - self.bound()) / self.temperature).exp()
    }

    /// How likely it is taken at least.
    fn sure(&self) -> f64 {
        self.chance(0.0)
    }
}

/// A draw from one sentence: asks for the weights of some spans, and is decided when it hears them.
#[derive(Debug)]
pub struct Draw {
    candidates: Candidates,
    wanted: usize,
    weighting: Weighting,
    procedure: Procedure,
    /// The candidates whose r has to be told, by their places.
    asked: BTreeSet<usize>,
}

/// How what is drawn is found.
#[derive(Debug)]
enum Procedure {
    /// Takes some of these, in this order: each if a number below 1 is small enough.
    Proposals(Vec<(usize, f64)>),
    /// Takes the best of all.
    Best,
}

impl Draw {
    pub fn new(
        candidates: Candidates,
        wanted: usize,
        weighting: Weighting,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let count = candidates.count();
        let wanted = wanted.min(count);
        let sure = weighting.sure();
        let (procedure, asked) = match wanted > 0 && wanted as f64 >= count as f64 * sure {
            true => (Procedure::Best, (0..count).collect()),
            false => proposed(count, wanted, sure, rng),
        };
        Self { candidates, wanted, weighting, procedure, asked }
    }

    /// The spans whose weights are needed.
    pub fn asked(&self) -> Vec<Span> {
        self.asked.iter().map(|&place| self.candidates.span(place)).collect()
    }

    /// What is drawn, given r of each span that was asked for.
    pub fn decide(self, weights: impl IntoIterator<Item = f64>, rng: &mut ChaCha8Rng) -> Vec<Span> {
        let known: BTreeMap<usize, f64> = self.asked.iter().copied().zip(weights).collect();
        let drawn = match &self.procedure {
            Procedure::Proposals(proposals) => self.accepted(proposals, &known),
            Procedure::Best => self.best(&known, rng),
        };
        drawn.into_iter().map(|place| self.candidates.span(place)).collect()
    }

    /// The first proposals that are taken, each once.
    fn accepted(&self, proposals: &[(usize, f64)], known: &BTreeMap<usize, f64>) -> Vec<usize> {
        let sure = self.weighting.sure();
        let is_taken = |place: usize, number: f64| {
            let is_likely = |&r: &f64| number < self.weighting.chance(r);
            number < sure || known.get(&place).is_some_and(is_likely)
        };
        let taken = proposals.iter().filter(|(place, number)| is_taken(*place, *number));
        let mut seen = BTreeSet::new();
        let each_once = taken.map(|(place, _)| *place).filter(|place| seen.insert(*place));
        each_once.take(self.wanted).collect()
    }

    /// The candidates with the largest keys.
    fn best(&self, known: &BTreeMap<usize, f64>, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let key = |r: f64, rng: &mut ChaCha8Rng| r / self.weighting.temperature + gumbel(rng);
        let mut keys: Vec<(f64, usize)> =
            known.iter().map(|(&place, &r)| (key(r, rng), place)).collect();
        keys.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        keys.into_iter().take(self.wanted).map(|(_, place)| place).collect()
    }
}

/// Proposals, until enough of them are taken for sure; and those whose r decides.
fn proposed(
    count: usize,
    wanted: usize,
    sure: f64,
    rng: &mut ChaCha8Rng,
) -> (Procedure, BTreeSet<usize>) {
    let (mut proposals, mut taken, mut asked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    while taken.len() < wanted {
        let (place, number) = (rng.random_range(0..count), rng.random());
        proposals.push((place, number));
        if number < sure {
            taken.insert(place);
        } else if !taken.contains(&place) {
            asked.insert(place);
        }
    }
    (Procedure::Proposals(proposals), asked)
}

/// Gumbel noise: −ln(−ln x) of a number between 0 and 1.
fn gumbel(rng: &mut ChaCha8Rng) -> f64 {
    let uniform: f64 = rng.random();
    -(-uniform.max(f64::MIN_POSITIVE).ln()).ln()
}
