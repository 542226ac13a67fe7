//! sCRD: smoothed resampling incorporating count, rareness and density (wang2022, equation 3).

use super::{Function, PARAMETERS, SentenceCounts, Variant};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "scrd",
    help: "sentence resampling by count, rareness and density of entity tokens",
    parameters: PARAMETERS,
    needs: "",
    source: "wang2022, equation 3",
};

pub const FUNCTION: Function = Function::Copies(copies);

/// Paper: 1 + ⌈Σ r·c / √l⌉; script: ⌈(1 + Σ r·c) / √l⌉.
fn copies(sentence: &SentenceCounts, variant: Variant) -> f64 {
    let (sum, length) = (sentence.rare_count(), sentence.root_length());
    match variant {
        Variant::Paper => 1.0 + (sum / length).ceil(),
        Variant::Code => ((1.0 + sum) / length).ceil(),
    }
}
