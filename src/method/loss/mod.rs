//! Losses on token heads: what training minimises, over the real tokens of a batch.
//!
//! Padding never reaches a loss: the caller selects real tokens first. Class 0 is `O`.

mod cross_entropy;
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

losses!(cross_entropy, focal);

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

#[cfg(all(test, tensors))]
mod tests {
    use super::*;
    use crate::domain::ParameterValue;
    use burn::tensor::{Device, TensorData};
    use serde_json::Value;

    fn loss(kind: &str, gamma: Option<f64>) -> Box<dyn TokenLoss> {
        let mut parameters = Parameters::default();
        if let Some(gamma) = gamma {
            parameters.0.insert("gamma".into(), ParameterValue::Real(gamma));
        }
        build(&Part { kind: kind.into(), parameters }).unwrap()
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
                let (value, gradient) = value_and_gradient(&*loss("focal", Some(gamma)), case);
                assert_close(&[value], &floats(&expected["mean"]), name);
                assert_close(&gradient, &floats(&expected["grad_mean"]), name);
            }
        }
    }

    #[test]
    fn focal_without_focus_is_cross_entropy_even_where_the_model_is_certain() {
        let case = serde_json::json!({"logits": [[90.0, 0.0], [0.0, 0.5]], "labels": [0, 1]});
        let (ce, ce_gradient) = value_and_gradient(&*loss("cross-entropy", None), &case);
        let (focal, focal_gradient) = value_and_gradient(&*loss("focal", Some(0.0)), &case);
        assert_close(&[focal], &[ce], "value");
        assert_close(&focal_gradient, &ce_gradient, "gradient");
    }

    #[test]
    fn an_unknown_name_is_none() {
        assert!(build(&Part { kind: "hinge".into(), parameters: Parameters::default() }).is_none());
    }
}
