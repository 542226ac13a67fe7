//! sC: smoothed resampling incorporating count (wang2022, equation 1).

use super::SentenceCounts;
use parts::part;

part! {
    /// sentence resampling by the count of entity tokens
    pub struct Sc("sc") from "wang2022, equation 1" {}
}

impl Sc {
    /// 1 + Σ c; paper and script agree.
    pub fn copies(&self, sentence: &SentenceCounts) -> f64 {
        1.0 + sentence.count()
    }
}
