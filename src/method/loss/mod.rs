//! Losses on token heads: what training minimises, over the real tokens of a batch.
//!
//! Padding never reaches a loss: the caller selects real tokens first. Class 0 is `O`.

mod cross_entropy;
mod dice;
mod focal;

use crate::domain::Entry;

#[cfg(tensors)]
use {
    crate::domain::{Parameters, Part},
    burn::tensor::activation::log_softmax,
    burn::tensor::{Int, Tensor},
};

/// A loss over tokens.
#[cfg(tensors)]
pub trait TokenLoss {
    /// The scalar to minimise, from `logits` of shape tokens × classes and the gold class of each.
    fn forward(&self, logits: Tensor<2>, gold: Tensor<1, Int>) -> Tensor<1>;

    /// The same loss token by token, if it is a sum over tokens: what shallow models minimise.
    fn point(&self) -> Option<&dyn PointLoss> {
        None
    }
}

/// A loss of one token, in double precision.
#[cfg(tensors)]
pub trait PointLoss: Sync {
    /// The loss of a token whose class is `gold`; `gradient` is overwritten with its gradient with
    /// respect to the logits.
    fn value_and_gradient(&self, logits: &[f64], gold: usize, gradient: &mut [f64]) -> f64;
}

macro_rules! losses {
    ($($module:ident),*) => {
        /// Every loss.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

        #[cfg(tensors)]
        fn constructor(kind: &str) -> Option<fn(&Parameters) -> Box<dyn TokenLoss>> {
            match kind {
                $(kind if kind == $module::ENTRY.name => Some($module::new),)*
                _ => None,
            }
        }
    };
}

losses!(cross_entropy, focal, dice);

/// The loss that a method names; `None` if there is none of that name.
#[cfg(tensors)]
pub fn build(part: &Part) -> Option<Box<dyn TokenLoss>> {
    constructor(&part.kind).map(|new| new(&part.parameters))
}

/// log p of each token's gold class under the softmax of its logits.
#[cfg(tensors)]
fn gold_log_probability(logits: Tensor<2>, gold: Tensor<1, Int>) -> Tensor<1> {
    log_softmax(logits, 1).gather(1, gold.unsqueeze_dim(1)).squeeze_dim(1)
}

/// The probabilities of one token's classes; log p of the gold one.
#[cfg(tensors)]
fn softmax(logits: &[f64], gold: usize, probabilities: &mut [f64]) -> f64 {
    let highest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for (probability, logit) in probabilities.iter_mut().zip(logits) {
        *probability = (logit - highest).exp();
        sum += *probability;
    }
    let share = 1.0 / sum;
    probabilities.iter_mut().for_each(|probability| *probability *= share);
    logits[gold] - highest - sum.ln()
}

/// 1 − p of the gold class, without losing the digits of a small difference.
#[cfg(tensors)]
fn doubt(probabilities: &[f64], gold: usize) -> f64 {
    let others = probabilities.iter().enumerate().filter(|(class, _)| *class != gold);
    others.map(|(_, probability)| probability).sum()
}

#[cfg(all(test, tensors))]
mod tests {
    use super::*;
    use crate::domain::ParameterValue;
    use burn::tensor::{Device, TensorData};
    use serde_json::Value;

    fn loss(kind: &str, parameter: Option<(&str, f64)>) -> Box<dyn TokenLoss> {
        let entry = ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        if let Some((name, value)) = parameter {
            parameters.0.insert(name.into(), ParameterValue::Real(value));
        }
        build(&Part { kind: kind.into(), parameters }).unwrap()
    }

    fn doubles(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(doubles).collect(),
            number => vec![number.as_f64().unwrap()],
        }
    }

    fn floats(value: &Value) -> Vec<f32> {
        match value {
            Value::Array(items) => items.iter().flat_map(floats).collect(),
            number => vec![number.as_f64().unwrap() as f32],
        }
    }

    /// The loss and its gradient with respect to the logits.
    fn value_and_gradient(loss: &dyn TokenLoss, case: &Value) -> (f32, Vec<f32>) {
        let device = Device::flex().autodiff();
        let gold: Vec<i64> =
            case["labels"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
        let logits = floats(&case["logits"]);
        let shape = [gold.len(), logits.len() / gold.len()];
        let logits = Tensor::<2>::from_data(TensorData::new(logits, shape), &device).require_grad();
        let gold =
            Tensor::<1, Int>::from_data(TensorData::new(gold.clone(), [gold.len()]), &device);
        let loss = loss.forward(logits.clone(), gold);
        let gradient = logits.grad(&loss.backward()).unwrap();
        (loss.into_scalar::<f32>(), gradient.into_data().try_to_vec().unwrap())
    }

    fn assert_close(actual: &[f32], expected: &[f32], what: &str) {
        assert_eq!(actual.len(), expected.len(), "{what}");
        for (a, e) in actual.iter().zip(expected) {
            assert!((a - e).abs() < 2e-6 * (1.0 + e.abs()), "{what}: {a} is not {e}");
        }
    }

    #[test]
    fn values_and_gradients_match_the_reference_vectors() {
        let text = include_str!("../../../tests/vectors/losses.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        for case in vectors["multiclass"].as_array().unwrap() {
            let (value, gradient) = value_and_gradient(&*loss("cross-entropy", None), case);
            assert_close(&[value], &floats(&case["ce"]["mean"]), "cross-entropy");
            assert_close(&gradient, &floats(&case["ce"]["grad_mean"]), "its gradient");
            let focal = case.as_object().unwrap().iter().filter(|(k, _)| k.starts_with("focal_g"));
            for (name, expected) in focal {
                let gamma: f64 = name.trim_start_matches("focal_g").parse().unwrap();
                let (value, gradient) =
                    value_and_gradient(&*loss("focal", Some(("gamma", gamma))), case);
                assert_close(&[value], &floats(&expected["mean"]), name);
                assert_close(&gradient, &floats(&expected["grad_mean"]), name);
            }
            for (name, smoothing) in [("dice_deep_batch_s1e-05", 1e-5), ("dice_deep_batch_s1", 1.0)]
            {
                let dice = loss("dice", Some(("smoothing", smoothing)));
                let (value, gradient) = value_and_gradient(&*dice, case);
                assert_close(&[value], &floats(&case[name]["value"]), name);
                assert_close(&gradient, &floats(&case[name]["grad"]), name);
            }
        }
    }

    /// The losses of a case's tokens, and the gradients of their sum.
    fn by_point(loss: &dyn TokenLoss, case: &Value) -> (Vec<f64>, Vec<f64>) {
        let (logits, gold) = (doubles(&case["logits"]), doubles(&case["labels"]));
        let classes = logits.len() / gold.len();
        let mut gradient = vec![0.0; logits.len()];
        let tokens = logits.chunks(classes).zip(gradient.chunks_mut(classes)).zip(&gold);
        let values = tokens.map(|((logits, gradient), gold)| {
            loss.point().unwrap().value_and_gradient(logits, *gold as usize, gradient)
        });
        (values.collect(), gradient)
    }

    #[test]
    fn token_by_token_they_match_them_too() {
        let text = include_str!("../../../tests/vectors/losses.json");
        let vectors: Value = serde_json::from_str(text).unwrap();
        let close = |actual: &[f64], expected: &[f64], what: &str| {
            assert_eq!(actual.len(), expected.len(), "{what}");
            for (a, e) in actual.iter().zip(expected) {
                assert!((a - e).abs() < 1e-7 * (1.0 + e.abs()), "{what}: {a} is not {e}");
            }
        };
        let kinds = [("ce", "cross-entropy"), ("focal_g", "focal"), ("dice_appendixB_g", "dice")];
        let mut compared = 0;
        for case in vectors["multiclass"].as_array().unwrap() {
            for (name, expected) in case.as_object().unwrap() {
                let kind = kinds.iter().find_map(|(prefix, kind)| {
                    Some((*kind, name.strip_prefix(prefix)?))
                        .filter(|(_, rest)| rest.is_empty() || rest.parse::<f64>().is_ok())
                });
                let Some((kind, gamma)) = kind else { continue };
                let gamma = gamma.parse().ok().map(|gamma| ("gamma", gamma));
                let (values, gradient) = by_point(&*loss(kind, gamma), case);
                close(&values, &doubles(&expected["per_token"]), name);
                let tokens = values.len() as f64;
                let sum = match expected.get("grad_sum_analytic") {
                    Some(sum) => doubles(sum),
                    None => doubles(&expected["grad_mean"]).iter().map(|g| g * tokens).collect(),
                };
                close(&gradient, &sum, name);
                compared += 1;
            }
        }
        assert!(compared > 30, "{compared}");
    }

    #[test]
    fn focal_without_focus_is_cross_entropy_even_where_the_model_is_certain() {
        let case = serde_json::json!({"logits": [[90.0, 0.0], [0.0, 0.5]], "labels": [0, 1]});
        let (ce, ce_gradient) = value_and_gradient(&*loss("cross-entropy", None), &case);
        let (focal, focal_gradient) =
            value_and_gradient(&*loss("focal", Some(("gamma", 0.0))), &case);
        assert_close(&[focal], &[ce], "value");
        assert_close(&focal_gradient, &ce_gradient, "gradient");
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert!(build(&Part { kind: "hinge".into(), parameters: Parameters::default() }).is_none());
    }
}
