//! Weighted negative sampling (li2022, equations 3 to 5): spans that the model in training is unsure of are drawn
//! more often, those that it takes for entities less often.
//!
//! A span weighs exp(r/T), and spans are drawn one after the other without replacement. That needs the model's
//! probabilities of few spans: each draw proposes candidates uniformly and takes one with probability exp((r − R)/T), where
//! no r exceeds R; one that is taken already is passed over. What comes out has exactly the wanted distribution, whatever
//! was proposed before, so a draw may at any time look at all candidates and go on with the largest of r/T + Gumbel
//! noise, which has the same distribution (Vieira 2014): it does where proposals would be no fewer than candidates.

use super::{COUNT, Candidates, LAMBDA};
use crate::domain::{Entry, Parameter, ParameterKind, Parameters, Span};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

pub const ENTRY: Entry = Entry {
    name: "weighted",
    help: "some spans, those rather that the model is unsure of and does not take for entities",
    parameters: &[
        LAMBDA,
        COUNT,
        Parameter {
            name: "mu",
            help: "μ, how strongly spans that look like entities are avoided",
            kind: ParameterKind::Real { default: 8.0, min: 0.0, max: 1000.0 },
        },
        Parameter {
            name: "entity_only",
            help: "whether v compares O with the entity labels alone, not with all labels",
            kind: ParameterKind::Bool { default: false },
        },
        Parameter {
            name: "probabilities",
            help: "those of the pass that is trained on, or of one more without any dropout",
            kind: ParameterKind::Choice { default: "training", of: &["training", "evaluation"] },
        },
    ],
    needs: "a span head",
    source: "li2022, equations 3 to 5",
};

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
    pub fn new(parameters: &Parameters, labels: usize) -> Self {
        let (mu, entity_only) = (parameters.real("mu"), parameters.flag("entity_only"));
        Self { mu, entity_only, labels, temperature: 1.0 }
    }

    /// T = √(C − c) for C epochs, of which `epoch` is the c-th, from 0 (li2022, section 4, in the text).
    pub fn in_epoch(mut self, epoch: usize, epochs: usize) -> Self {
        self.temperature = (epochs.saturating_sub(epoch).max(1) as f64).sqrt();
        self
    }

    /// r = u·(1 + v)^μ with v = z_O − max z (equations 5 and 3). The maximum is over all labels, so v is 0 where O is the
    /// likeliest and below 0 elsewhere; or over the entity labels alone.
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

    /// How many proposals a draw takes at most, on average.
    fn proposals(&self) -> f64 {
        (self.bound() / self.temperature).exp()
    }
}

/// A draw from one sentence that is under way: asks for the weights of some spans, hears them, and asks again until it
/// has what is wanted.
#[derive(Debug)]
pub struct Draw {
    candidates: Candidates,
    wanted: usize,
    weighting: Weighting,
    /// The candidates that were drawn, by their places.
    drawn: Vec<usize>,
    /// r of the candidates that were asked for.
    known: BTreeMap<usize, f64>,
    /// Those whose r is to be told next.
    asked: Vec<usize>,
    next: Next,
}

/// What a draw does with the weights it asked for.
#[derive(Debug)]
enum Next {
    /// Takes some of these, in this order: each if a number below 1 is small enough.
    Accept(Vec<(usize, f64)>),
    /// Takes the best of all.
    Best,
}

impl Draw {
    pub fn new(candidates: Candidates, wanted: usize, weighting: Weighting) -> Self {
        let wanted = wanted.min(candidates.count());
        let next = Next::Accept(vec![]);
        let (drawn, known) = (Vec::with_capacity(wanted), BTreeMap::new());
        Self { candidates, wanted, weighting, drawn, known, asked: vec![], next }
    }

    /// The spans whose weights are needed; none once the draw is over.
    pub fn ask(&mut self, rng: &mut ChaCha8Rng) -> Vec<Span> {
        self.asked.clear();
        while self.drawn.len() < self.wanted && self.asked.is_empty() {
            self.propose(rng);
            if self.asked.is_empty() {
                self.take(rng);
            }
        }
        self.asked.iter().map(|&place| self.candidates.span(place)).collect()
    }

    /// Hears r of the spans that were asked for, in their order, and draws.
    pub fn hear(&mut self, weights: impl IntoIterator<Item = f64>, rng: &mut ChaCha8Rng) {
        self.known.extend(self.asked.drain(..).zip(weights));
        self.take(rng);
    }

    /// What was drawn.
    pub fn spans(&self) -> Vec<Span> {
        self.drawn.iter().map(|&place| self.candidates.span(place)).collect()
    }

    /// Draws what is to be looked at next.
    fn propose(&mut self, rng: &mut ChaCha8Rng) {
        let count = self.candidates.count();
        let missing = (self.wanted - self.drawn.len()) as f64;
        let expected = missing * self.weighting.proposals();
        if expected >= (count - self.known.len().min(count)) as f64 {
            self.asked.extend((0..count).filter(|place| !self.known.contains_key(place)));
            self.next = Next::Best;
            return;
        }
        // A few more than expected, so that few sentences have to ask twice.
        let number = (1.25 * expected).ceil() as usize + 4;
        let proposals: Vec<(usize, f64)> =
            (0..number).map(|_| (rng.random_range(0..count), rng.random())).collect();
        for (place, _) in &proposals {
            if !self.known.contains_key(place) && !self.asked.contains(place) {
                self.asked.push(*place);
            }
        }
        self.next = Next::Accept(proposals);
    }

    /// Takes what can be taken now that the weights are known.
    fn take(&mut self, rng: &mut ChaCha8Rng) {
        let Weighting { temperature, .. } = self.weighting;
        match std::mem::replace(&mut self.next, Next::Accept(vec![])) {
            Next::Accept(proposals) => {
                let bound = self.weighting.bound();
                for (place, chance) in proposals {
                    let likely = |r: &f64| chance < ((r - bound) / temperature).exp();
                    let taken = self.drawn.contains(&place);
                    if !taken && self.known.get(&place).is_some_and(likely) {
                        self.drawn.push(place);
                        if self.drawn.len() == self.wanted {
                            return;
                        }
                    }
                }
            }
            Next::Best => {
                let rest = self.known.iter().filter(|(place, _)| !self.drawn.contains(place));
                let mut keys: Vec<(f64, usize)> =
                    rest.map(|(&place, r)| (r / temperature + gumbel(rng), place)).collect();
                keys.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
                let missing = self.wanted - self.drawn.len();
                self.drawn.extend(keys.into_iter().take(missing).map(|(_, place)| place));
            }
        }
    }
}

/// Gumbel noise: −ln(−ln x) of a number between 0 and 1.
fn gumbel(rng: &mut ChaCha8Rng) -> f64 {
    let uniform: f64 = rng.random();
    -(-uniform.max(f64::MIN_POSITIVE).ln()).ln()
}
