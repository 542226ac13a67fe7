//! Weighted cross-entropy with logarithmic weights (WCE-2 of nemoto2024):
//! w_k = log₁₀((s − s_k) / s_k + β), with s the training tokens and s_k those of class k.

use super::TokenLoss;
use super::weighted::{REDUCTION, Weighted, WeightedReduction};
use parts::part;

part! {
    /// cross-entropy weighted by the logarithm of the inverse frequency of a token's class
    pub struct Wce2("wce-2") from "nemoto2024, section 3.2" needs Capability::Softmax {
        // From 1 on no weight is negative. At 1 the weight of O is close to 0, so that entities
        // weigh more against it than in `wce-1`.
        /// β: larger is milder; the paper tunes it in [1, 10]
        beta: f64 = 10.0 in 1.0..=1e6,
        reduction: WeightedReduction as REDUCTION,
    }
}

impl Wce2 {
    /// For classes of which each occurs so often in training.
    pub fn over(self, counts: &[u64]) -> Box<dyn TokenLoss> {
        let all = counts.iter().sum::<u64>() as f64;
        let weight = |&count: &u64| match count as f64 {
            0.0 => 0.0,
            count => ((all - count) / count + self.beta).log10(),
        };
        let weights = counts.iter().map(weight).collect();
        Box::new(Weighted { weights, reduction: self.reduction })
    }
}
