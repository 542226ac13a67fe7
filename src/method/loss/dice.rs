//! Dice loss, in the two forms of wang2022: over a batch for deep models, token by token for shallow
//! ones.
//!
//! A deep model's is one ratio over all real tokens and classes, O among them: 1 − (2Σyp + s) / (Σp² +
//! Σy² + s), as the authors' code has it. A shallow model's is the sum over tokens and classes of
//! 1 − (2py + γ) / (p² + y² + γ), as the paper's Appendix B has it.

use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "dice",
    help: "one minus the overlap of predicted and gold classes",
    parameters: &[
        Parameter {
            name: "smoothing",
            help: "s, added to both sides of the batch's ratio (deep models)",
            kind: ParameterKind::Real { default: 1e-5, min: 1e-12, max: 1e6 },
        },
        Parameter {
            name: "gamma",
            help: "γ, added to both sides of each token's ratio (shallow models)",
            kind: ParameterKind::Real { default: 1.0, min: 1e-12, max: 1e6 },
        },
    ],
    needs: "a token head",
    source: "wang2022, equation 20 and Appendix A.3",
};

#[cfg(tensors)]
pub use tensors::new;

#[cfg(tensors)]
mod tensors {
    use super::super::{PointLoss, TokenLoss, softmax};
    use crate::domain::Parameters;
    use burn::tensor::activation;
    use burn::tensor::{Int, Tensor};

    /// Probabilities are kept off 0 and 1, as the authors' code does.
    const CLIP: f64 = 1e-6;

    struct Dice {
        smoothing: f64,
        gamma: f64,
    }

    pub fn new(parameters: &Parameters) -> Box<dyn TokenLoss> {
        let (smoothing, gamma) = (parameters.real("smoothing"), parameters.real("gamma"));
        Box::new(Dice { smoothing, gamma })
    }

    impl TokenLoss for Dice {
        fn forward(&self, logits: Tensor<2>, gold: Tensor<1, Int>) -> Tensor<1> {
            // Σy² counts the tokens: each has one gold class.
            let tokens = gold.dims()[0] as f64;
            let p = activation::softmax(logits, 1).clamp(CLIP, 1.0 - CLIP);
            let both = p.clone().gather(1, gold.unsqueeze_dim(1)).sum();
            let all = p.powi_scalar(2).sum().add_scalar(tokens + self.smoothing);
            (both.mul_scalar(2.0).add_scalar(self.smoothing) / all).neg().add_scalar(1.0)
        }

        fn point(&self) -> Option<&dyn PointLoss> {
            Some(self)
        }
    }

    impl PointLoss for Dice {
        fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
            softmax(logits, gold, gradient);
            let (p, gamma) = (gradient[gold], self.gamma);
            let bottom = p * p + 1.0 + gamma;
            let mut value = 1.0 - (2.0 * p + gamma) / bottom;
            // Appendix B.2: a(p − y) − v, where vⱼ = pⱼΣb − bⱼ and b is 0 for the gold class.
            let a = 2.0 * (1.0 - p) * (1.0 + gamma + p) * p / (bottom * bottom);
            let b = |p: f64| 2.0 * gamma * p * p / (p * p + gamma).powi(2);
            let mut sum = 0.0;
            for p in others(gradient, gold) {
                value += 1.0 - gamma / (*p * *p + gamma);
                sum += b(*p);
            }
            others(gradient, gold).for_each(|p| *p = (a - sum) * *p + b(*p));
            gradient[gold] = a * (p - 1.0) - p * sum;
            value
        }
    }

    /// The numbers of all classes but the gold one.
    fn others(numbers: &mut [f64], gold: usize) -> impl Iterator<Item = &mut f64> {
        let other = move |(class, number)| (class != gold).then_some(number);
        numbers.iter_mut().enumerate().filter_map(other)
    }
}
