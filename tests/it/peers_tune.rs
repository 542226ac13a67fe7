//! The densities and rankings of parameter searches against Optuna's, on random histories:
//! `make test-peers` only.

use crate::peers_stats::compare;
use domain::{Ended, ParameterValue, Range, Scale, Trial};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sweep::proposals::{Parzen, ranked, split};

fn range(rng: &mut ChaCha8Rng) -> Range {
    let scale = if rng.random_bool(0.4) { Scale::Log } else { Scale::Linear };
    match rng.random_range(0..4) {
        0 => {
            let low = rng.random_range(1..6);
            Range::Integer { low, high: low + [1, 7, 200][rng.random_range(0..3)], scale }
        }
        1 => {
            let values = (0..rng.random_range(2..7)).map(|n| ParameterValue::Text(format!("v{n}")));
            Range::Values { values: values.collect() }
        }
        _ if scale == Scale::Log => {
            let low = 10f64.powi(rng.random_range(-6..-1));
            Range::Real { low, high: low * 10f64.powi(rng.random_range(1..5)), scale }
        }
        _ => {
            let low = rng.random_range(-3.0..3.0);
            Range::Real { low, high: low + [0.1, 1.0, 10.0][rng.random_range(0..3)], scale }
        }
    }
}

fn value(rng: &mut ChaCha8Rng, range: &Range) -> ParameterValue {
    match range {
        Range::Values { values } => values[rng.random_range(0..values.len())].clone(),
        Range::Integer { low, high, .. } => ParameterValue::Integer(rng.random_range(*low..=*high)),
        Range::Real { low, high, scale: Scale::Linear } => {
            ParameterValue::Real(rng.random_range(*low..*high))
        }
        Range::Real { low, high, .. } => {
            ParameterValue::Real(rng.random_range(low.ln()..high.ln()).exp().clamp(*low, *high))
        }
    }
}

/// A history of some length. From the 26th observation on older ones weigh less, and which of two
/// equal ones is the older is left to how numpy sorts them: whole numbers come in short histories.
fn case(rng: &mut ChaCha8Rng) -> Value {
    let range = range(rng);
    let most = if matches!(range, Range::Integer { .. }) { 25 } else { 120 };
    let n = rng.random_range(1..=most);
    let trials: Vec<Trial> = (0..n)
        .map(|_| {
            let score = (rng.random_range(0.0..1.0f64) * 100.0).round() / 100.0;
            let ended = if rng.random_bool(0.1) { Ended::Failed } else { Ended::Score(score) };
            Trial { values: vec![value(rng, &range)], ended: Some(ended) }
        })
        .collect();
    let candidates: Vec<ParameterValue> = (0..24).map(|_| value(rng, &range)).collect();
    let (good, others) = split(&trials);
    let column = |trials: &[&Trial]| -> Vec<ParameterValue> {
        trials.iter().map(|trial| trial.values[0].clone()).collect()
    };
    let (l, g) = (Parzen::new(&range, &column(&good)), Parzen::new(&range, &column(&others)));
    let best = ranked(&l, &g, candidates.clone()).swap_remove(0).value;
    let log = |parzen: &Parzen| -> Vec<f64> {
        candidates.iter().map(|value| parzen.log_density(value)).collect()
    };
    json!({
        "range": range, "candidates": candidates, "log_l": log(&l), "log_g": log(&g),
        "history": trials.iter().map(|trial| &trial.values[0]).collect::<Vec<_>>(),
        "scores": trials.iter().map(|trial| trial.ended.unwrap().score()).collect::<Vec<_>>(),
        "best": candidates.iter().position(|value| *value == best),
    })
}

#[test]
#[ignore = "needs other packages: make test-peers"]
fn peers_tune_find_no_difference() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let cases: Vec<Value> = (0..500).map(|_| case(&mut rng)).collect();
    compare("tpe.py", &cases);
}

#[test]
#[ignore = "needs other packages: make test-peers"]
fn peers_tune_notice_a_difference() {
    let mut case = case(&mut ChaCha8Rng::seed_from_u64(2));
    compare("tpe.py", std::slice::from_ref(&case));
    case["log_g"][3] = json!(case["log_g"][3].as_f64().unwrap() + 1e-6);
    let noticed = std::panic::catch_unwind(|| compare("tpe.py", std::slice::from_ref(&case)));
    assert!(noticed.is_err());
}
