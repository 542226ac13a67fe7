//! Focal loss for several classes: −(1 − p)^γ · log p, the mean over real tokens (wang2022,
//! equation 8, its gradient equations 14 and 15; no α).

use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "focal",
    help: "cross-entropy that fades for tokens the model is already sure of",
    parameters: &[Parameter {
        name: "gamma",
        help: "how fast sure tokens fade; 0 is cross-entropy",
        kind: ParameterKind::Real { default: 2.0, min: 0.0, max: 10.0 },
    }],
    needs: "a token head",
    source: "wang2022, equation 8",
};

#[cfg(tensors)]
pub use tensors::new;

#[cfg(tensors)]
mod tensors {
    use super::super::{PointLoss, TokenLoss, doubt, gold_log_probability, softmax};
    use crate::domain::Parameters;
    use burn::tensor::{Int, Tensor};

    /// Keeps the gradient of (1 − p)^γ finite where p rounds to 1 and γ < 1.
    const SMALLEST_DOUBT: f64 = 1e-12;

    struct Focal {
        gamma: f64,
    }

    pub fn new(parameters: &Parameters) -> Box<dyn TokenLoss> {
        Box::new(Focal { gamma: parameters.real("gamma") })
    }

    impl TokenLoss for Focal {
        fn forward(&self, logits: Tensor<2>, gold: Tensor<1, Int>) -> Tensor<1> {
            let log_p = gold_log_probability(logits, gold);
            let doubt = log_p.clone().exp().neg().add_scalar(1.0).clamp_min(SMALLEST_DOUBT);
            (doubt.powf_scalar(self.gamma) * log_p).mean().neg()
        }

        fn point(&self) -> Option<&dyn PointLoss> {
            Some(self)
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
}
