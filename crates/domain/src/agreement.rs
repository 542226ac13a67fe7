//! When two outcomes of one job agree although kinds of processors do not give the same bits.
//!
//! Another kind of processor adds the same numbers in another order, so weights differ in their
//! last bits from the first update on and losses soon after. What does not depend on that must be
//! the same, and the scores must be close.

use super::{LevelScores, Outcome, Processor, Scores};
use std::fmt;

/// How far apart an average F1 of the same job may be on two kinds of processors.
pub const SCORE_TOLERANCE: f64 = 0.02;

/// A number of two outcomes that is too different.
#[derive(Clone, PartialEq, Debug)]
pub struct Apart {
    /// The path of the number in the outcome, `test.span.micro.f1`.
    pub what: String,
    pub values: [f64; 2],
    /// How different it may be.
    pub tolerance: f64,
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, values: [one, other], tolerance } = self;
        match *tolerance {
            0.0 => write!(f, "{what}: {one} and {other}"),
            _ => write!(f, "{what}: {one:.4} and {other:.4}, more than {tolerance} apart"),
        }
    }
}

impl Processor {
    /// Whether both are known and of one kind.
    pub fn is_one_kind(one: Option<&Self>, other: Option<&Self>) -> bool {
        one.is_some() && one == other
    }
}

/// What two outcomes of one job from different kinds of processors do not agree in.
pub fn apart(one: &Outcome, other: &Outcome) -> Vec<Apart> {
    let [ones, others] = [one, other].map(compared);
    let mut found = Vec::new();
    if ones.len() != others.len() {
        let (what, values) =
            ("test".to_owned(), [one, other].map(|o| o.test.iter().count() as f64));
        found.push(Apart { what, values, tolerance: 0.0 });
    }
    for ((what, a, tolerance), (_, b, _)) in ones.into_iter().zip(others) {
        if (a - b).abs() > tolerance {
            found.push(Apart { what, values: [a, b], tolerance });
        }
    }
    found
}

/// Path, value and tolerance of every number that is compared.
fn compared(outcome: &Outcome) -> Vec<(String, f64, f64)> {
    let exact = |what: &str, count: u64| (what.to_owned(), count as f64, 0.0);
    let mut numbers = vec![
        exact("train_sentences", outcome.train_sentences),
        exact("train_tokens", outcome.train_tokens),
        exact("parameters", outcome.parameters),
    ];
    let test = outcome.test.iter().map(|scores| ("test", scores));
    for (split, Scores { span, token, .. }) in [("dev", &outcome.dev)].into_iter().chain(test) {
        for (level, scores) in [("span", span), ("token", token)] {
            let LevelScores { micro, macro_, macro_fixed, weighted, .. } = scores;
            numbers.push(exact(&format!("{split}.{level}.micro.support"), micro.support));
            for (average, counts) in [
                ("micro", micro),
                ("macro", macro_),
                ("macro_fixed", macro_fixed),
                ("weighted", weighted),
            ] {
                numbers.push((format!("{split}.{level}.{average}.f1"), counts.f1, SCORE_TOLERANCE));
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_processor_is_of_no_kind() {
        let [one, other] = ["A", "B"].map(|name| Processor {
            name: name.to_owned(),
            vendor: None,
            family: Some(6),
            model: None,
            stepping: None,
            instructions: [("libtorch".to_owned(), "AVX2".to_owned())].into(),
        });
        assert!(Processor::is_one_kind(Some(&one), Some(&one.clone())));
        for pair in [(Some(&one), Some(&other)), (Some(&one), None), (None, None)] {
            assert!(!Processor::is_one_kind(pair.0, pair.1));
        }
        assert_eq!(one.to_string(), "A (family 6, libtorch: AVX2)");
        let apart = Apart { what: "x.f1".into(), values: [0.5, 0.75], tolerance: 0.02 };
        assert_eq!(apart.to_string(), "x.f1: 0.5000 and 0.7500, more than 0.02 apart");
    }
}
