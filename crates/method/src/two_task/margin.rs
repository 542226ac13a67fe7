//! The AUC margin loss of one task (Yuan et al. 2021; nguyen2023, equation 3c). With h the sigmoid
//! of a word's logit, E₊ and E₋ the means over the positive and the negative words of a batch, and
//! m the margin, it is
//!
//! E₊(h − a)² + E₋(h − b)² + 2α(m + E₋h − E₊h) − α²
//!
//! to be minimised by the model, a and b, and maximised by α ≥ 0. At its inner optimum, a = E₊h, b
//! = E₋h and α = max(0, m + b − a), it is the mean over pairs of (m − h + h′)² as long as m > a −
//! b.
//!
//! LibAUC calls this its second version. Its first weighs the terms by p, the share of positives:
//! (1 − p) and p times sums over the class divided by all words, and p(1 − p) times the margin and
//! α²; with the batch's own p that is p(1 − p) times the second.
//!
//! A batch without positives has the terms of its negatives alone, E₋(h − b)² + 2αE₋h, and one
//! without negatives those of its positives, E₊(h − a)² − 2αE₊h: what each word adds to the loss of
//! a batch that has both. Nothing of it says anything of the other class's variable, nor of α,
//! whose optimum needs both means.

use super::state::{Slopes, TaskState};
use crate::loss::probabilities::sigmoid;

/// How the terms are weighed.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum MarginVersion {
    /// Means over each class: the paper's.
    Means,
    /// By the share of positives in the batch; by this one in a batch that has one class alone,
    /// whose own share would leave nothing of it.
    OfBatch(f64),
    /// By a share that stays the same.
    Fixed(f64),
}

/// The loss of a task.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Margin {
    pub version: MarginVersion,
    /// m
    pub margin: f64,
}

/// What a batch says of a task.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct MarginLoss {
    pub value: f64,
    /// Derivatives with respect to a, b and α.
    pub slopes: Slopes,
}

/// Of the positive words, the negative ones, and of the margin with α².
struct Weights {
    positive: f64,
    negative: f64,
    margin: f64,
}

impl Margin {
    /// E₊h and E₋h, each as far as a batch has such words.
    pub fn means(logits: &[f64], positive: &[bool]) -> [Option<f64>; 2] {
        let (mut sums, mut counts) = ([0.0; 2], [0.0; 2]);
        for (&logit, &positive) in logits.iter().zip(positive) {
            sums[usize::from(positive)] += sigmoid(logit);
            counts[usize::from(positive)] += 1.0;
        }
        let mean = |class: usize| (counts[class] > 0.0).then(|| sums[class] / counts[class]);
        [mean(1), mean(0)]
    }

    /// The loss of a batch; `gradient`, as long as the logits, is overwritten with its gradient
    /// with respect to them. `None` of a batch without words.
    pub fn of_batch(
        &self,
        state: &TaskState,
        logits: &[f64],
        positive: &[bool],
        gradient: &mut [f64],
    ) -> Option<MarginLoss> {
        gradient.fill(0.0);
        let [of_positives, of_negatives] = Self::means(logits, positive);
        let all = logits.len() as f64;
        let yes = positive.iter().filter(|positive| **positive).count() as f64;
        let no = all - yes;
        let weights = self.weights(yes / all);
        let &TaskState { a, b, alpha, .. } = state;
        let (mut spread, mut spread_below) = (0.0, 0.0);
        for ((slope, &logit), &positive) in gradient.iter_mut().zip(logits).zip(positive) {
            let h = sigmoid(logit);
            // dh/dlogit, without losing the digits of a sure word.
            let rise = h * sigmoid(-logit);
            *slope = rise
                * match positive {
                    true => {
                        spread += (h - a) * (h - a);
                        weights.positive * 2.0 * (h - a - alpha) / yes
                    }
                    false => {
                        spread_below += (h - b) * (h - b);
                        weights.negative * 2.0 * (h - b + alpha) / no
                    }
                };
        }
        let (value, of_alpha) = match (of_positives, of_negatives) {
            (Some(above), Some(below)) => {
                let gap = weights.margin * self.margin + weights.negative * below
                    - weights.positive * above;
                let value = weights.positive * spread / yes
                    + weights.negative * spread_below / no
                    + 2.0 * alpha * gap
                    - weights.margin * alpha * alpha;
                (value, Some(2.0 * gap - 2.0 * weights.margin * alpha))
            }
            (Some(above), None) => (weights.positive * (spread / yes - 2.0 * alpha * above), None),
            (None, Some(below)) => {
                (weights.negative * (spread_below / no + 2.0 * alpha * below), None)
            }
            (None, None) => return None,
        };
        let slopes = Slopes {
            a: of_positives.map(|mean| 2.0 * weights.positive * (a - mean)),
            b: of_negatives.map(|mean| 2.0 * weights.negative * (b - mean)),
            alpha: of_alpha,
        };
        Some(MarginLoss { value, slopes })
    }

    /// Given the share of positives in the batch.
    fn weights(&self, of_batch: f64) -> Weights {
        let p = match self.version {
            MarginVersion::Means => return Weights { positive: 1.0, negative: 1.0, margin: 1.0 },
            MarginVersion::OfBatch(_) if of_batch > 0.0 && of_batch < 1.0 => of_batch,
            MarginVersion::OfBatch(p) | MarginVersion::Fixed(p) => p,
        };
        Weights {
            positive: (1.0 - p) * of_batch,
            negative: p * (1.0 - of_batch),
            margin: p * (1.0 - p),
        }
    }
}
