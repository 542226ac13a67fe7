//! The statistics behind `compare` and the tables: paired tests, their corrections and effect sizes.
//!
//! Everything here is a pure function of numbers. What has no answer (a test of one pair, a number
//! that is not finite) is `None`, so a finite input never gives `NaN`. Samples are differences of
//! scores, on the scale 0..1 or 0..100: see [`NOISE`].

mod draws;
mod effect_size;
mod f1_measure;
mod holm;
mod moments;
mod paired_resampling;
mod paired_t;
mod quantile;
mod unit_table;
mod wilcoxon;

pub use effect_size::cohens_dz;
pub use f1_measure::F1Measure;
pub use holm::holm;
pub use moments::{mean, sd};
pub use paired_resampling::{
    PairedResampling, Spread, approximate_randomisation, paired_bootstrap,
};
pub use paired_t::{PairedT, paired_t};
pub use unit_table::{UnitCounts, UnitTable};
pub use wilcoxon::{Wilcoxon, wilcoxon};

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

#[cfg(test)]
mod vectors {
    //! Reference values from scipy 1.17.1 and statsmodels.

    use serde_json::Value;

    /// The cases of one section of the file.
    pub fn section(name: &str) -> Vec<Value> {
        let text = include_str!("../../tests/vectors/stats.json");
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
}
