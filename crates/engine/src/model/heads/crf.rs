//! A conditional random field over a sentence's tags (Lafferty et al. 2001): a linear layer scores
//! the tags of each token, a matrix the pairs of neighbouring tags.
//!
//! The loss is the mean over sentences of −log p(tags | sentence). Its sums over paths run in plain
//! Rust ([`crate::model::chain`]), and their derivatives reach the encoder in one step: the loss
//! handed to autodiff is the inner product of the scores with those derivatives, whose gradient
//! they are.

use super::{BatchLoss, Gold, PerToken, numbers, solved};
use crate::model::chain::{Chain, Evidence, Mask, best_paths, loss_and_gradients, marginals};
use crate::model::shallow::Solution;
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Device, Distribution, Tensor, TensorData};
use parts::heads::crf::Crf as Declared;

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
    pub fn new(declared: &Declared, input: usize, tags: usize, device: &Device) -> Self {
        let bound = (3.0 / tags as f64).sqrt();
        let uniform = Distribution::Uniform(-bound, bound);
        Self {
            linear: LinearConfig::new(input, tags).init(device),
            transitions: Param::from_tensor(Tensor::random([tags, tags], uniform, device)),
            constraints: declared.constraints,
        }
    }

    /// Tokens × input to tokens × tags.
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        self.linear.forward(states)
    }

    /// −log p of the gold paths, the mean over sentences.
    pub fn loss(&self, logits: Tensor<2>, gold: Gold<'_>, _: PerToken<'_>) -> BatchLoss {
        self.loss_of(logits, gold.sentences, Evidence::Path(gold.classes))
    }

    /// −log p of what is known of the paths, the mean over sentences.
    pub fn loss_of(
        &self,
        logits: Tensor<2>,
        sentences: &[usize],
        known: Evidence<'_>,
    ) -> BatchLoss {
        let emissions: Vec<f32> = numbers(logits.clone());
        let sums = loss_and_gradients(&self.chain(), &emissions, sentences, known);
        let share = 1.0 / sentences.len().max(1) as f64;
        let weights = |numbers: Vec<f32>, like: &Tensor<2>| {
            let data = TensorData::new(numbers, like.dims());
            Tensor::<2>::from_data(data, &like.device()) * share
        };
        let transitions = self.transitions.val();
        let emitted = logits.clone() * weights(sums.emissions, &logits);
        let pairs = sums.transitions.iter().map(|gradient| *gradient as f32).collect();
        let moved = transitions.clone() * weights(pairs, &transitions);
        BatchLoss {
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
            let (from, to) = (solution.observed[pair / classes], solution.observed[pair % classes]);
            pairs[from * tags + to] = *score as f32;
        }
        let pairs = Tensor::from_data(TensorData::new(pairs, [tags, tags]), device);
        let transitions = Param::from_tensor(pairs);
        Self { linear: solved(solution, tags, device), transitions, ..self }
    }

    /// The best path of each sentence.
    pub fn decode(&self, logits: Tensor<2>, sentences: &[usize]) -> Vec<usize> {
        self.best(logits, sentences, Evidence::None)
    }

    /// The best path of each sentence that agrees with what is known.
    pub fn best(&self, logits: Tensor<2>, sentences: &[usize], known: Evidence<'_>) -> Vec<usize> {
        best_paths(&self.chain(), &numbers::<f32, 2>(logits), sentences, known)
    }

    /// How likely each tag of each token is, given what is known: tokens × tags.
    pub fn marginals(
        &self,
        logits: Tensor<2>,
        sentences: &[usize],
        known: Evidence<'_>,
    ) -> Vec<f32> {
        marginals(&self.chain(), &numbers::<f32, 2>(logits), sentences, known)
    }

    /// The scores of pairs of tags.
    fn chain(&self) -> Chain {
        let tags = self.transitions.dims()[0];
        let chain = Chain::new(tags, &numbers::<f32, 2>(self.transitions.val()));
        if self.constraints { chain.masked(&Mask::bio(tags)) } else { chain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::device;
    use domain::Backend;
    use serde_json::Value;

    fn flat(value: &Value) -> Vec<f32> {
        match value {
            Value::Array(items) => items.iter().flat_map(flat).collect(),
            number => vec![number.as_f64().unwrap() as f32],
        }
    }

    fn close(actual: &[f32], expected: &[f32], what: &str) {
        assert_eq!(actual.len(), expected.len(), "{what}");
        for (a, e) in actual.iter().zip(expected) {
            assert!((a - e).abs() < 2e-5 * (1.0 + e.abs()), "{what}: {a} is not {e}");
        }
    }

    /// A field with a case's transitions; its logits are what goes in.
    fn field(case: &Value, device: &Device) -> Crf {
        let tags = case["K"].as_u64().unwrap() as usize;
        let identity = (0..tags * tags).map(|i| f32::from(u8::from(i / tags == i % tags)));
        let square = |numbers: Vec<f32>| {
            Tensor::<2>::from_data(TensorData::new(numbers, [tags, tags]), device)
        };
        let linear = Linear { weight: Param::from_tensor(square(identity.collect())), bias: None };
        let transitions = Param::from_tensor(square(flat(&case["transitions_from_to"])));
        Crf { linear, transitions, constraints: false }
    }

    /// The loss of a case, and its gradients with respect to emissions and transitions.
    fn loss(case: &Value, known: Evidence<'_>, device: &Device) -> (f32, [Vec<f32>; 2]) {
        let field = field(case, device);
        let emissions = flat(&case["emissions"]);
        let words = case["T"].as_u64().unwrap() as usize;
        let shape = [words, emissions.len() / words];
        let states = Tensor::<2>::from_data(TensorData::new(emissions, shape), device);
        let states = states.require_grad();
        let loss = field.loss_of(field.logits(states.clone()), &[words], known);
        let gradients = loss.tensor.backward();
        let of = |tensor: Tensor<2>| {
            tensor.grad(&gradients).unwrap().into_data().iter::<f32>().collect()
        };
        (loss.value as f32, [of(states), of(field.transitions.val())])
    }

    /// The slopes of a case's loss by the numbers under `name`.
    fn slopes(case: &Value, name: &str, known: Evidence<'_>) -> Vec<f32> {
        const STEP: f64 = 1.0 / 128.0;
        let tags = case["K"].as_u64().unwrap() as usize;
        let moved = |place: usize, step: f64| {
            let mut case = case.clone();
            let number = &mut case[name][place / tags][place % tags];
            *number = (number.as_f64().unwrap() + step).into();
            let chain = Chain::new(tags, &flat(&case["transitions_from_to"]));
            let words = case["T"].as_u64().unwrap() as usize;
            loss_and_gradients(&chain, &flat(&case["emissions"]), &[words], known).losses[0]
        };
        let slope = |place| (moved(place, STEP) - moved(place, -STEP)) / (2.0 * STEP);
        (0..flat(&case[name]).len()).map(|place| slope(place) as f32).collect()
    }

    #[test]
    fn partial_and_soft_annotations_match_the_reference_vectors() {
        let text = include_str!("../../../../../tests/vectors/crf.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        // The head has no scores of first and last tags.
        let plain = |case: &&Value| {
            ["start", "end"].iter().all(|name| flat(&case[*name]).iter().all(|n| *n == 0.0))
        };
        let cases: Vec<&Value> =
            vectors["cases"].as_array().unwrap().iter().filter(plain).collect();
        assert!(cases.len() >= 4);
        let all = [Backend::Libtorch, Backend::Flex];
        for device in all.iter().filter_map(|&backend| device(backend, "cpu").ok()) {
            let device = device.autodiff();
            for case in &cases {
                let tags = case["K"].as_u64().unwrap() as usize;
                let partial = &case["partial"];
                let row = |row: &Value| {
                    let row = flat(row);
                    (0..tags).map(move |tag| row.contains(&(tag as f32)))
                };
                let allowed: Vec<bool> =
                    partial["allowed"].as_array().unwrap().iter().flat_map(row).collect();
                let known = Evidence::Allowed(&allowed);
                let (value, [emissions, transitions]) = loss(case, known, &device);
                close(&[value], &flat(&partial["partial_nll"]), "partial");
                close(&emissions, &flat(&partial["grad_emissions"]), "partial, emissions");
                let numerical = slopes(case, "transitions_from_to", known);
                let far = transitions.iter().zip(&numerical).any(|(a, b)| (a - b).abs() > 1e-3);
                assert!(!far, "partial: {transitions:?} {numerical:?}");
                let soft = flat(&case["soft"]["q"]);
                let known = Evidence::Soft(&soft);
                let (value, found) = loss(case, known, &device);
                close(&[value], &flat(&case["soft"]["soft_nll"]), "soft");
                for (name, found) in ["emissions", "transitions_from_to"].iter().zip(found) {
                    let numerical = slopes(case, name, known);
                    let far = found.iter().zip(&numerical).any(|(a, b)| (a - b).abs() > 1e-3);
                    assert!(!far, "soft, {name}: {found:?} {numerical:?}");
                }
                let logits = |field: &Crf| {
                    let numbers = flat(&case["emissions"]);
                    let shape = [numbers.len() / tags, tags];
                    field.logits(Tensor::from_data(TensorData::new(numbers, shape), &device))
                };
                let field = field(case, &device);
                let words = [case["T"].as_u64().unwrap() as usize];
                let known = Evidence::Allowed(&allowed);
                let best = field.best(logits(&field), &words, known);
                let best: Vec<f32> = best.into_iter().map(|tag| tag as f32).collect();
                assert_eq!(best, flat(&partial["constrained_viterbi"]));
                let marginals = field.marginals(logits(&field), &words, known);
                close(&marginals, &flat(&partial["constrained_marginals"]), "marginals");
            }
        }
    }
}
