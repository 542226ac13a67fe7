//! sC: smoothed resampling incorporating count (wang2022, equation 1).

use super::{Function, SentenceCounts, Variant};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "sc",
    help: "sentence resampling by the count of entity tokens",
    parameters: &[],
    needs: "",
    source: "wang2022, equation 1",
};

pub const FUNCTION: Function = Function::Copies(copies);

/// 1 + Σ c; paper and script agree.
fn copies(sentence: &SentenceCounts, _variant: Variant) -> f64 {
    1.0 + sentence.count()
}
