//! Weighted cross-entropy by inverse class frequency (WCE-1 of nemoto2024): w_k = s / s_k, with s the
//! training tokens and s_k those of class k, B and I of a type apart.
//!
//! The paper says nothing of a normalisation. Weights are rescaled to a mean of 1 over the classes that
//! occur, so that the learning rate means the same as without them; `scale: raw` leaves them as they are.

use super::weighted::{REDUCTION, Weighted};
use super::{Question, TokenLoss};
use domain::{Entry, Parameter, ParameterKind, Parameters};

pub const ENTRY: Entry = Entry {
    name: "wce-1",
    help: "cross-entropy weighted by the inverse frequency of a token's class",
    parameters: &[
        Parameter {
            name: "scale",
            help: "weights with a mean of 1 over classes, or s / s_k itself",
            kind: ParameterKind::Choice { default: "mean", of: &["mean", "raw"] },
        },
        REDUCTION,
    ],
    needs: "a softmax head",
    source: "nemoto2024, section 3.2",
};

pub fn new(parameters: &Parameters, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
    let Question::Class { counts } = question else { return None };
    let all = counts.iter().sum::<u64>() as f64;
    let mut weights: Vec<f64> = counts.iter().map(|&count| weight(count, all)).collect();
    if parameters.text("scale") != "raw" {
        let occurring = counts.iter().filter(|count| **count > 0).count().max(1) as f64;
        let mean = weights.iter().sum::<f64>() / occurring;
        weights.iter_mut().for_each(|weight| *weight /= mean.max(f64::MIN_POSITIVE));
    }
    Some(Box::new(Weighted::new(weights, parameters.text("reduction"))))
}

fn weight(count: u64, all: f64) -> f64 {
    if count == 0 { 0.0 } else { all / count as f64 }
}
