//! sCR: smoothed resampling incorporating count and rareness (wang2022, equation 2).

use super::{SentenceCounts, VARIANT, Variant};
use parts::part;

part! {
    /// sentence resampling by count and rareness of entity tokens
    pub struct Scr("scr") from "wang2022, equation 2" {
        variant: Variant as VARIANT,
    }
}

impl Scr {
    /// Paper: 1 + ⌈√Σ r·c⌉; script: ⌈√(1 + Σ r·c)⌉.
    pub fn copies(&self, sentence: &SentenceCounts) -> f64 {
        let sum = sentence.rare_count();
        match self.variant {
            Variant::Paper => 1.0 + sum.sqrt().ceil(),
            Variant::Code => (1.0 + sum).sqrt().ceil(),
        }
    }
}
