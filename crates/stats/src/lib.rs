//! The statistics behind `compare`, `power`, `score` and the tables: paired tests, their
//! corrections and effect sizes, resampling, ranks across corpora, power and sequential rules.
//!
//! Everything here is a pure function of numbers. What has no answer (a test of one pair, a number
//! that is not finite) is `None`, so a finite input never gives `NaN`. What draws random numbers
//! takes a seed and gives the same answer for it everywhere. Samples are differences of scores, on
//! the scale 0..1 or 0..100: see [`NOISE`].

mod benjamini_hochberg;
mod bonferroni;
mod bootstrap;
mod correction;
mod draws;
mod effect_size;
mod ellipse;
mod f1_measure;
mod friedman;
mod holm;
mod moments;
mod nemenyi;
pub mod normal;
mod paired_resampling;
mod paired_t;
mod permutation;
mod power;
mod quadrature;
mod quantile;
mod sequential;
#[cfg(test)]
mod simulation;
mod stochastic_order;
mod student;
mod unit_table;
mod wilcoxon;

pub use benjamini_hochberg::benjamini_hochberg;
pub use bonferroni::bonferroni;
pub use bootstrap::{
    Bootstrap, ERROR_RESAMPLES, LEAST_FOR_BCA, RESAMPLES, bca_interval, bootstrap_standard_error,
    percentile_interval,
};
pub use correction::Correction;
pub use effect_size::{cohens_dz, hedges_gz};
pub use ellipse::{Ellipse, LEAST_FOR_ELLIPSE, mean_ellipse};
pub use f1_measure::F1Measure;
pub use friedman::{Friedman, friedman};
pub use holm::holm;
pub use moments::{mean, sd};
pub use nemenyi::{Nemenyi, nemenyi};
pub use paired_resampling::{
    PairedResampling, Spread, approximate_randomisation, paired_bootstrap,
};
pub use paired_t::{PairedT, paired_t};
pub use permutation::{SignFlip, sign_flip};
pub use power::{MOST_PAIRS, effect_interval, given_effect_interval, pairs_needed, power};
pub use sequential::{Look, Spending, boundaries};
pub use stochastic_order::{StochasticOrder, almost_stochastic_order};
pub use unit_table::{UnitCounts, UnitTable};
pub use wilcoxon::{Wilcoxon, wilcoxon, wilcoxon_approximation};

/// Differences closer than this are the same number.
///
/// Equal steps of a score (0.7 - 0.6 and 0.4 - 0.3) differ in their last bits once they are
/// subtracted; taken at its word, such noise makes a tie an order and a constant gain a t of 10^15.
/// One entity in a million moves F1 by about 10^-6, so nothing real is as small as this.
pub const NOISE: f64 = 1e-10;

/// Whether all values are the same but for [`NOISE`].
fn all_equal(values: &[f64]) -> bool {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high - low <= NOISE
}

/// A difference on the grid of [`NOISE`], so that ties and zeros are exact.
fn without_noise(difference: f64) -> f64 {
    let steps = difference / NOISE;
    // Beyond the integers that a double holds exactly the grid is finer than the number.
    if steps.abs() < 2f64.powi(53) { steps.round() } else { steps }
}

/// The p-values of a family, 1 in the place of what is none, and their places from the smallest to
/// the largest.
fn ordered(p_values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let p_values: Vec<f64> = p_values.iter().map(|&p| as_p_value(p)).collect();
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    (p_values, order)
}

/// A p-value; 1 in the place of what is none, as of a test that found nothing.
fn as_p_value(p: f64) -> f64 {
    if (0.0..=1.0).contains(&p) { p } else { 1.0 }
}

#[cfg(test)]
mod quoted {
    //! Numbers that the documentation quotes, held to what a test finds.

    /// Fails unless the documentation says this, word by word.
    #[track_caller]
    pub fn assert_said(words: &str) {
        let text = include_str!("../../../docs/statistics.md");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "docs/statistics.md does not say: {words}");
    }
}

#[cfg(test)]
mod vectors {
    //! Reference values from scipy 1.17.1 and statsmodels.

    use serde_json::Value;

    /// The cases of one section of the file.
    pub fn section(name: &str) -> Vec<Value> {
        let text = include_str!("../../../tests/vectors/stats.json");
        let file: Value = serde_json::from_str(text).unwrap();
        file[name].as_array().unwrap().clone()
    }

    /// A list of numbers.
    pub fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    }

    /// `a - b` of a paired case.
    pub fn differences(case: &Value) -> Vec<f64> {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        a.iter().zip(&b).map(|(a, b)| a - b).collect()
    }

    /// Fails unless both are equal to ten digits.
    #[track_caller]
    pub fn assert_close(found: f64, expected: &Value) {
        let expected = expected.as_f64().unwrap();
        let allowed = 1e-10 * expected.abs().max(1e-3);
        assert!((found - expected).abs() <= allowed, "found {found}, expected {expected}");
    }

    /// Fails unless both lists are equal to ten digits.
    #[track_caller]
    pub fn assert_all_close(found: &[f64], expected: &Value) {
        let expected = expected.as_array().unwrap();
        assert_eq!(found.len(), expected.len());
        found.iter().zip(expected).for_each(|(found, expected)| assert_close(*found, expected));
    }
}
