//! Cross-entropy, the loss of the untreated baseline: the mean of −log p over real tokens. A head
//! that decides on whole sentences has its own −log p, that of the sentence, which this loss stands
//! for there.

use super::probabilities::{Decision, doubt, softmax};
use super::{Mean, PointLoss, Question, TokenLoss};
use parts::part;

part! {
    /// mean negative log-probability of the gold tag; on a CRF head, of the gold sequence
    pub struct CrossEntropy("cross-entropy") {}
}

impl CrossEntropy {
    pub fn over(self, question: Question<'_>) -> Box<dyn TokenLoss> {
        match question {
            Question::Class { .. } => Box::new(Mean(self)),
            Question::YesNo => Box::new(Mean(Binary)),
        }
    }
}

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
