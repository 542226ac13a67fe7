//! Cross-entropy, the loss of the untreated baseline: the mean of −log p over real tokens. A head that
//! decides on whole sentences has its own −log p, that of the sentence, which this loss stands for there.

use crate::domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "cross-entropy",
    help: "mean negative log-probability of the gold tag; on a CRF head, of the gold sequence",
    parameters: &[],
    needs: "",
    source: "",
};

#[cfg(tensors)]
pub use tensors::new;

#[cfg(tensors)]
mod tensors {
    use super::super::{PointLoss, TokenLoss, gold_log_probability, softmax};
    use crate::domain::Parameters;
    use burn::tensor::{Int, Tensor};

    struct CrossEntropy;

    pub fn new(_: &Parameters) -> Box<dyn TokenLoss> {
        Box::new(CrossEntropy)
    }

    impl TokenLoss for CrossEntropy {
        fn forward(&self, logits: Tensor<2>, gold: Tensor<1, Int>) -> Tensor<1> {
            gold_log_probability(logits, gold).mean().neg()
        }

        fn point(&self) -> Option<&dyn PointLoss> {
            Some(self)
        }
    }

    impl PointLoss for CrossEntropy {
        fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64 {
            let log_p = softmax(logits, gold, gradient);
            gradient[gold] -= 1.0;
            -log_p
        }
    }
}
