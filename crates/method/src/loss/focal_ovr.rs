//! Focal loss, one class against the rest (nemoto2024, section 3.2): every class is a yes or no of
//! its own by a sigmoid, −(1 − p)^γ · log p of each is added up over classes, the mean over tokens.
//!
//! The paper says no more than "extended with one-versus-rest"; the tag is the class of the highest
//! sigmoid.

use super::focal::{GAMMA, fading};
use super::probabilities::Decision;
use super::{Mean, PointLoss, TokenLoss};
use parts::part;

part! {
    /// focal loss with each class a decision of its own against the rest
    pub struct FocalOvr("focal-ovr") from "nemoto2024, section 3.2" needs Capability::Softmax {
        gamma: f64 as GAMMA,
    }
}

impl FocalOvr {
    pub fn over_classes(self) -> Box<dyn TokenLoss> {
        Box::new(Mean(self))
    }
}

impl PointLoss for FocalOvr {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (class, (&logit, part)) in logits.iter().zip(gradient).enumerate() {
            let Decision { wrong, log_right, sign, .. } = Decision::new(logit, class == gold);
            let (value, slope) = fading(self.gamma, log_right, wrong);
            sum += value;
            *part = sign * slope * wrong;
        }
        sum
    }
}
