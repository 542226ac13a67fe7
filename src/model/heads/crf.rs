//! A conditional random field over a sentence's tags (Lafferty et al. 2001): a linear layer scores the
//! tags of each token, a matrix the pairs of neighbouring tags.
//!
//! The loss is the mean over sentences of −log p(tags | sentence). Its sums over paths run in plain
//! Rust ([`crate::model::chain`]), and their derivatives reach the encoder in one step: the loss handed
//! to autodiff is the inner product of the scores with those derivatives, whose gradient they are.

use crate::domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "crf",
    help: "a conditional random field: the best sequence of tags for the whole sentence",
    parameters: &[Parameter {
        name: "constraints",
        help: "forbid tags that cannot follow each other (I-X only after B-X or I-X), while training too",
        kind: ParameterKind::Bool { default: false },
    }],
    needs: "",
    source: "wang2022, section 4.1",
};

#[cfg(tensors)]
pub use tensors::Crf;

#[cfg(tensors)]
mod tensors {
    use super::super::{Loss, PerToken, solved};
    use crate::domain::Parameters;
    use crate::model::chain::{Chain, Evidence, Mask, best_paths, loss_and_gradients};
    use crate::model::shallow::Solution;
    use burn::module::{Module, Param};
    use burn::nn::{Linear, LinearConfig};
    use burn::tensor::{Device, Distribution, Tensor, TensorData};

    /// Scores of tags and of pairs of tags.
    #[derive(Module, Debug)]
    pub struct Crf {
        pub linear: Linear,
        /// from × to
        pub transitions: Param<Tensor<2>>,
        #[module(skip)]
        constraints: bool,
    }

    impl Crf {
        /// Fresh weights; the transitions as Glorot and Bengio (2010) draw them.
        pub fn new(parameters: &Parameters, input: usize, tags: usize, device: &Device) -> Self {
            let bound = (3.0 / tags as f64).sqrt();
            let uniform = Distribution::Uniform(-bound, bound);
            Self {
                linear: LinearConfig::new(input, tags).init(device),
                transitions: Param::from_tensor(Tensor::random([tags, tags], uniform, device)),
                constraints: parameters.flag("constraints"),
            }
        }

        /// Tokens × input to tokens × tags.
        pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
            self.linear.forward(states)
        }

        /// −log p of the gold paths, the mean over sentences.
        pub fn loss(
            &self,
            logits: Tensor<2>,
            gold: &[usize],
            sentences: &[usize],
            _: PerToken<'_>,
        ) -> Loss {
            let emissions = numbers(logits.clone());
            let sums =
                loss_and_gradients(&self.chain(), &emissions, sentences, Evidence::Path(gold));
            let share = 1.0 / sentences.len().max(1) as f64;
            let weights = |numbers: Vec<f32>, like: &Tensor<2>| {
                let data = TensorData::new(numbers, like.dims());
                Tensor::<2>::from_data(data, &like.device()) * share
            };
            let transitions = self.transitions.val();
            let emitted = logits.clone() * weights(sums.emissions, &logits);
            let pairs = sums.transitions.iter().map(|gradient| *gradient as f32).collect();
            let moved = transitions.clone() * weights(pairs, &transitions);
            Loss {
                tensor: emitted.sum() + moved.sum(),
                value: sums.losses.iter().sum::<f64>() * share,
                count: sentences.len(),
            }
        }

        /// The same head with what full-batch training found.
        pub fn with_solution(self, solution: &Solution, device: &Device) -> Self {
            let tags = self.transitions.dims()[0];
            let classes = solution.observed.len();
            let mut pairs = vec![0.0; tags * tags];
            for (pair, score) in solution.transitions.iter().enumerate() {
                let (from, to) =
                    (solution.observed[pair / classes], solution.observed[pair % classes]);
                pairs[from * tags + to] = *score as f32;
            }
            let pairs = Tensor::from_data(TensorData::new(pairs, [tags, tags]), device);
            let transitions = Param::from_tensor(pairs);
            Self { linear: solved(solution, tags, device), transitions, ..self }
        }

        /// The best path of each sentence.
        pub fn decode(&self, logits: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
            best_paths(&self.chain(), &numbers(logits), sentences, Evidence::None)
        }

        /// The scores of pairs of tags.
        fn chain(&self) -> Chain {
            let tags = self.transitions.dims()[0];
            let chain = Chain::new(tags, &numbers(self.transitions.val()));
            if self.constraints { chain.masked(&Mask::bio(tags)) } else { chain }
        }
    }

    fn numbers(tensor: Tensor<2>) -> Vec<f32> {
        tensor.into_data().iter::<f32>().collect()
    }
}
