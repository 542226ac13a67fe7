//! sCR: smoothed resampling incorporating count and rareness (wang2022, equation 2).

use super::{Function, PARAMETERS, SentenceCounts, Variant};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "scr",
    help: "sentence resampling by count and rareness of entity tokens",
    parameters: PARAMETERS,
    needs: "",
    source: "wang2022, equation 2",
};

pub const FUNCTION: Function = Function::Copies(copies);

/// Paper: 1 + ⌈√Σ r·c⌉; script: ⌈√(1 + Σ r·c)⌉.
fn copies(sentence: &SentenceCounts, variant: Variant) -> f64 {
    let sum = sentence.rare_count();
    match variant {
        Variant::Paper => 1.0 + sum.sqrt().ceil(),
        Variant::Code => (1.0 + sum).sqrt().ceil(),
    }
}
