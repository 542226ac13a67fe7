//! Weighted cross-entropy with logarithmic weights (WCE-2 of nemoto2024):
//! w_k = log₁₀((s − s_k) / s_k + β), with s the training tokens and s_k those of class k.

use super::weighted::{REDUCTION, Weighted};
use super::{Question, TokenLoss};
use domain::{Entry, Parameter, ParameterKind, Parameters};

pub const ENTRY: Entry = Entry {
    name: "wce-2",
    help: "cross-entropy weighted by the logarithm of the inverse frequency of a token's class",
    parameters: &[
        Parameter {
            name: "beta",
            help: "β: larger is milder; the paper tunes it in [1, 10]",
            // From 1 on no weight is negative. At 1 the weight of O is close to 0, so that entities weigh more against
            // it than in `wce-1`.
            kind: ParameterKind::Real { default: 10.0, min: 1.0, max: 1e6 },
        },
        REDUCTION,
    ],
    needs: "a softmax head",
    source: "nemoto2024, section 3.2",
};

pub fn new(parameters: &Parameters, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
    let Question::Class { counts } = question else { return None };
    let (all, beta) = (counts.iter().sum::<u64>() as f64, parameters.real("beta"));
    let weight = |&count: &u64| match count as f64 {
        0.0 => 0.0,
        count => ((all - count) / count + beta).log10(),
    };
    let weights = counts.iter().map(weight).collect();
    Some(Box::new(Weighted::new(weights, parameters.text("reduction"))))
}
