//! Cross-entropy with a weight for each class.

use super::cross_entropy::CrossEntropy;
use super::{PointLoss, TokenLoss, Tokens, weighted_sum};
use parts::{Parameter, choice};

choice! {
    /// What the weighted sum is divided by.
    pub enum WeightedReduction { Weights = "weights", Tokens = "tokens" }
}

/// The parameter that says so.
pub const REDUCTION: Parameter = Parameter {
    name: "reduction",
    help: "divide by the sum of the tokens' weights, or by their number",
    kind: WeightedReduction::Weights.kind(),
};

/// w · −log p of one token, w by its class.
pub struct Weighted {
    /// Of each class; one that training lacks has none.
    pub weights: Vec<f64>,
    pub reduction: WeightedReduction,
}

impl Weighted {
    fn weight(&self, class: usize) -> f64 {
        self.weights.get(class).copied().unwrap_or(0.0)
    }
}

impl TokenLoss for Weighted {
    fn batch(&self, tokens: Tokens<'_>, gradient: &mut [f64]) -> f64 {
        let whole = match self.reduction {
            WeightedReduction::Weights => tokens.gold.iter().map(|&class| self.weight(class)).sum(),
            WeightedReduction::Tokens => tokens.gold.len() as f64,
        };
        // A batch of nothing that counts teaches nothing.
        let share = if whole > 0.0 { 1.0 / whole } else { 0.0 };
        weighted_sum(self, tokens, gradient, |_, _| share)
    }

    fn point(&self) -> Option<&dyn PointLoss> {
        Some(self)
    }
}

impl PointLoss for Weighted {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let weight = self.weight(gold);
        let value = CrossEntropy {}.value_and_gradient(logits, gold, gradient);
        gradient.iter_mut().for_each(|part| *part *= weight);
        weight * value
    }
}
