//! Shallow models: the whole training data at every step, L-BFGS until the gradient vanishes.

use super::lbfgs::{self, Minimum, Stop, minimise};
use crate::model::shallow::{CrfObjective, Features, Kept, Sentences, SoftmaxObjective, Solution};
use method::loss::PointLoss;

/// What is minimised.
#[derive(Copy, Clone)]
pub enum Objective<'a> {
    /// Σ loss + ‖W‖²/2C over tokens, as scikit-learn's `LogisticRegression`.
    Softmax { loss: &'a dyn PointLoss, c: f64 },
    /// Σ nll + c2·‖w‖² over sentences, as CRFsuite.
    Crf { c2: f64, kept: Kept },
}

/// What was learnt, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    pub solution: Solution,
    /// The objective at the solution.
    pub objective: f64,
    pub iterations: usize,
    /// How often the objective was computed.
    pub evaluations: usize,
    /// The largest part of the gradient at the solution.
    pub slope: f64,
    pub stop: Stop,
}

impl Fit {
    /// Whether it ended because nothing was left to gain, by the tolerances or by the arithmetic.
    pub fn converged(&self) -> bool {
        matches!(self.stop, Stop::Converged | Stop::Stuck)
    }
}

/// Trains a shallow model from zero. `tell` hears of every iteration (its number, the objective)
/// and may end it with `false`. Threads are those of rayon's global pool and of the features'
/// backend.
pub fn fit(
    features: &dyn Features,
    sentences: &Sentences,
    objective: Objective<'_>,
    settings: &lbfgs::Settings,
    mut tell: impl FnMut(usize, f64) -> bool,
) -> Fit {
    // Words that the training sentences lack would be multiplied for nothing.
    let occurring = sentences.occurring();
    let (features, sentences) = (features.only(&occurring), sentences.renumbered(&occurring));
    let (features, sentences) = (&*features, &sentences);
    let observed = sentences.observed();
    let tell = |iteration: usize, value: f64, _: &[f64]| tell(iteration, value);
    let weights = features.dimension() * observed.len();
    match objective {
        Objective::Softmax { loss, c } => {
            let loss = |logits: &[f64], gold: usize, gradient: &mut [f64]| {
                loss.value_and_gradient(logits, gold, gradient)
            };
            let softmax = SoftmaxObjective::new(features, &loss, sentences, &observed, c);
            let start = vec![0.0; softmax.parameters()];
            let evaluate = &mut |point: &[f64], into: &mut [f64]| softmax.evaluate(point, into);
            let mut found = minimise(evaluate, start, settings, tell);
            let bias = found.point.split_off(weights);
            finish(found, |weights| Solution { observed, weights, bias, transitions: vec![] })
        }
        Objective::Crf { c2, kept } => {
            let mut crf = CrfObjective::new(features, sentences, &observed, c2, kept);
            let start = vec![0.0; crf.parameters()];
            let evaluate = &mut |point: &[f64], into: &mut [f64]| crf.evaluate(point, into);
            let mut found = minimise(evaluate, start, settings, tell);
            let transitions = found.point.split_off(weights);
            finish(found, |weights| Solution { observed, weights, bias: vec![], transitions })
        }
    }
}

fn finish(found: Minimum, solution: impl FnOnce(Vec<f64>) -> Solution) -> Fit {
    let Minimum { point, value, iterations, evaluations, slope, stop } = found;
    Fit { solution: solution(point), objective: value, iterations, evaluations, slope, stop }
}

#[cfg(test)]
mod tests;
