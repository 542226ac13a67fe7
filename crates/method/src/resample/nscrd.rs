//! nsCRD: normalised and smoothed resampling incorporating count, rareness and density (wang2022, equation 4).

use super::{Function, PARAMETERS, SentenceCounts, Variant};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "nscrd",
    help: "like scrd, with repeated tokens of one type counting less",
    parameters: PARAMETERS,
    needs: "",
    source: "wang2022, equation 4",
};

pub const FUNCTION: Function = Function::Copies(copies);

/// Paper: 1 + ⌈Σ r·√c / √l⌉; script: ⌈(1 + Σ r·√c) / √l⌉.
fn copies(sentence: &SentenceCounts, variant: Variant) -> f64 {
    let (sum, length) = (sentence.smooth_rare_count(), sentence.root_length());
    match variant {
        Variant::Paper => 1.0 + (sum / length).ceil(),
        Variant::Code => ((1.0 + sum) / length).ceil(),
    }
}
