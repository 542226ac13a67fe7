//! Focal loss: −(1 − p)^γ · log p of the gold class, the mean over real tokens (wang2022, equation
//! 8, its gradient equations 14 and 15; no α).
//!
//! For decisions between yes and no, the code that nemoto2024 used adds a little to both
//! probabilities and renormalises them: `smoothing`, 1e-4 there.

use super::probabilities::{Decision, doubt, softmax};
use super::{Mean, PointLoss, Question, TokenLoss};
use parts::{Parameter, ParameterKind, part};

part! {
    /// cross-entropy that fades for tokens the model is already sure of
    pub struct Focal("focal") from "wang2022, equation 8" needs Capability::TokenLevel {
        gamma: f64 as GAMMA,
        /// added to the probabilities of yes and no (head mrc alone); 1e-4 in the authors' code
        smoothing: f64 = 0.0 in 0.0..=1.0,
    }
}

/// γ of both forms of the loss.
pub const GAMMA: Parameter = Parameter {
    name: "gamma",
    help: "how fast sure tokens fade; 0 is cross-entropy",
    kind: ParameterKind::Real { default: 2.0, min: 0.0, max: 10.0 },
};

/// Keeps the gradient of (1 − p)^γ finite where p rounds to 1 and γ < 1.
const SMALLEST_DOUBT: f64 = 1e-12;

impl Focal {
    pub fn over(self, question: Question<'_>) -> Box<dyn TokenLoss> {
        match question {
            Question::Class { .. } => Box::new(Mean(self)),
            Question::YesNo => Box::new(Mean(Binary(self))),
        }
    }
}

impl PointLoss for Focal {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let log_p = softmax(logits, gold, gradient);
        let (p, doubt) = (gradient[gold], doubt(gradient, gold).max(SMALLEST_DOUBT));
        let fade = doubt.powf(self.gamma);
        // Equation 15.
        let slope = fade - self.gamma * p * doubt.powf(self.gamma - 1.0) * log_p;
        gradient[gold] = -doubt;
        gradient.iter_mut().for_each(|part| *part *= slope);
        -fade * log_p
    }
}

struct Binary(Focal);

impl PointLoss for Binary {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let Decision { right, wrong, log_right, sign } = Decision::new(logits[0], gold == 1);
        let Focal { gamma, smoothing } = self.0;
        let whole = 1.0 + 2.0 * smoothing;
        let log_p = match smoothing {
            0.0 => log_right,
            smoothing => ((right + smoothing) / whole).ln(),
        };
        let (value, slope) = fading(gamma, log_p, (wrong + smoothing) / whole);
        // Of log p by the logit: 1 − p without smoothing.
        gradient[0] = sign * slope * right * wrong / (right + smoothing).max(f64::MIN_POSITIVE);
        value
    }
}

/// −(1 − p)^γ log p, and its derivative with respect to log p.
pub fn fading(gamma: f64, log_p: f64, doubt: f64) -> (f64, f64) {
    let (p, doubt) = (log_p.exp(), doubt.max(SMALLEST_DOUBT));
    let fade = doubt.powf(gamma);
    (-fade * log_p, gamma * p * doubt.powf(gamma - 1.0) * log_p - fade)
}
