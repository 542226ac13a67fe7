//! nsCRD: normalised and smoothed resampling incorporating count, rareness and density (wang2022,
//! equation 4).

use super::{SentenceCounts, VARIANT, Variant};
use parts::part;

part! {
    /// like scrd, with repeated tokens of one type counting less
    pub struct Nscrd("nscrd") from "wang2022, equation 4" {
        variant: Variant as VARIANT,
    }
}

impl Nscrd {
    /// Paper: 1 + ⌈Σ r·√c / √l⌉; script: ⌈(1 + Σ r·√c) / √l⌉.
    pub fn copies(&self, sentence: &SentenceCounts) -> f64 {
        let (sum, length) = (sentence.smooth_rare_count(), sentence.root_length());
        match self.variant {
            Variant::Paper => 1.0 + (sum / length).ceil(),
            Variant::Code => ((1.0 + sum) / length).ceil(),
        }
    }
}
