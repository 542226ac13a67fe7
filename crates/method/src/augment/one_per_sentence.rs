//! One operator for each generated sentence: how all transformations make the data of wang2022
//! twice as large (Table 6).

use super::parameters::{COPIES, POWER, RATIO, REGENERATE, Regenerate, SYNONYMS};
use super::synonyms::Wanted;
use super::{Built, Draft, Original};
use parts::part;

part! {
    /// each generated sentence by one operator, drawn from all four
    pub struct OnePerSentence("one-per-sentence") from "dai2020, section 3; wang2022, section 4.2" {
        ratio: f64 as RATIO,
        power: f64 as POWER,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
        synonyms: Wanted as SYNONYMS,
    }
}

/// Draws one of the operators, each equally likely. Without synonyms there are three.
pub struct OneOperator<'a> {
    pub operators: Vec<Built<'a>>,
}

impl super::Operator for OneOperator<'_> {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let operator = &self.operators[draft.below(self.operators.len())];
        operator.generate(original, draft);
    }
}
