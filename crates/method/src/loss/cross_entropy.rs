//! Cross-entropy, the loss of the untreated baseline: the mean of −log p over real tokens. A head that
//! decides on whole sentences has its own −log p, that of the sentence, which this loss stands for there.

use super::probabilities::{Decision, doubt, softmax};
use super::{Mean, PointLoss, Question, TokenLoss};
use domain::{Entry, Parameters};

pub const ENTRY: Entry = Entry {
    name: "cross-entropy",
    help: "mean negative log-probability of the gold tag; on a CRF head, of the gold sequence",
    parameters: &[],
    needs: "",
    source: "",
};

pub fn new(_: &Parameters, question: Question<'_>) -> Option<Box<dyn TokenLoss>> {
    Some(match question {
        Question::Class { .. } => Box::new(Mean(CrossEntropy)),
        Question::YesNo => Box::new(Mean(Binary)),
    })
}

/// Of one token among several classes.
pub struct CrossEntropy;

impl PointLoss for CrossEntropy {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let log_p = softmax(logits, gold, gradient);
        gradient[gold] = -doubt(gradient, gold);
        -log_p
    }
}

struct Binary;

impl PointLoss for Binary {
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
        let decision = Decision::new(logits[0], gold == 1);
        gradient[0] = -decision.sign * decision.wrong;
        -decision.log_right
    }
}
