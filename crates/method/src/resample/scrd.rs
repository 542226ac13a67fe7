//! sCRD: smoothed resampling incorporating count, rareness and density (wang2022, equation 3).

use super::{SentenceCounts, VARIANT, Variant};
use parts::part;

part! {
    /// sentence resampling by count, rareness and density of entity tokens
    pub struct Scrd("scrd") from "wang2022, equation 3" {
        variant: Variant as VARIANT,
    }
}

impl Scrd {
    /// Paper: 1 + ⌈Σ r·c / √l⌉; script: ⌈(1 + Σ r·c) / √l⌉.
    pub fn copies(&self, sentence: &SentenceCounts) -> f64 {
        let (sum, length) = (sentence.rare_count(), sentence.root_length());
        match self.variant {
            Variant::Paper => 1.0 + (sum / length).ceil(),
            Variant::Code => ((1.0 + sum) / length).ceil(),
        }
    }
}
