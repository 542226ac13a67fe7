//! Every operator: as dai2020 combines them.

use super::parameters::{COPIES, POWER, RATIO, REGENERATE, Regenerate, SYNONYMS};
use super::synonyms::Wanted;
use super::{Built, Draft, Original};
use parts::part;

part! {
    /// a generated sentence by each of the four operators: five times the data
    pub struct All("all") from "dai2020, section 4" {
        ratio: f64 as RATIO,
        power: f64 as POWER,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
        synonyms: Wanted as SYNONYMS,
    }
}

/// One sentence of each operator. Without synonyms there are three.
pub struct AllOperators<'a> {
    pub operators: Vec<Built<'a>>,
}

impl super::Operator for AllOperators<'_> {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        self.operators.iter().for_each(|operator| operator.generate(original, draft));
    }
}
