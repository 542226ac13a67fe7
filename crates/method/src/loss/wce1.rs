//! Weighted cross-entropy by inverse class frequency (WCE-1 of nemoto2024): w_k = s / s_k, with s
//! the training tokens and s_k those of class k, B and I of a type apart.
//!
//! The paper says nothing of a normalisation. Weights are rescaled to a mean of 1 over the classes
//! that occur, so that the learning rate means the same as without them; `scale: raw` leaves them
//! as they are.

use super::TokenLoss;
use super::weighted::{REDUCTION, Weighted, WeightedReduction};
use parts::{choice, part};

choice! {
    /// How weights are scaled.
    pub enum Scale { Mean = "mean", Raw = "raw" }
}

part! {
    /// cross-entropy weighted by the inverse frequency of a token's class
    pub struct Wce1("wce-1") from "nemoto2024, section 3.2" needs Capability::Softmax {
        /// weights with a mean of 1 over classes, or s / s_k itself
        scale: Scale = Mean,
        reduction: WeightedReduction as REDUCTION,
    }
}

impl Wce1 {
    /// For classes of which each occurs so often in training.
    pub fn over(self, counts: &[u64]) -> Box<dyn TokenLoss> {
        let all = counts.iter().sum::<u64>() as f64;
        let mut weights: Vec<f64> = counts.iter().map(|&count| weight(count, all)).collect();
        if self.scale == Scale::Mean {
            let occurring = counts.iter().filter(|count| **count > 0).count().max(1) as f64;
            let mean = weights.iter().sum::<f64>() / occurring;
            weights.iter_mut().for_each(|weight| *weight /= mean.max(f64::MIN_POSITIVE));
        }
        Box::new(Weighted { weights, reduction: self.reduction })
    }
}

fn weight(count: u64, all: f64) -> f64 {
    if count == 0 { 0.0 } else { all / count as f64 }
}
