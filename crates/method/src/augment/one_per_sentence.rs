//! One operator for each generated sentence: how all transformations make the data of wang2022 twice as
//! large (Table 6).

use super::parameters::{COPIES, POWER, RATIO, REGENERATE, SYNONYMS};
use super::{Built, Draft, Ground, Original, available};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "one-per-sentence",
    help: "each generated sentence by one operator, drawn from all four",
    parameters: &[RATIO, POWER, COPIES, REGENERATE, SYNONYMS],
    needs: "",
    source: "dai2020, section 3; wang2022, section 4.2",
};

/// Draws one of the operators, each equally likely. Without synonyms there are three.
pub struct Operator<'a> {
    operators: Vec<Built<'a>>,
}

impl<'a> Operator<'a> {
    /// Builds the operators that it draws from.
    pub fn new(ground: Ground<'_, 'a>) -> Self {
        Self { operators: available(ground) }
    }
}

impl super::Operator for Operator<'_> {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let operator = &self.operators[draft.below(self.operators.len())];
        operator.generate(original, draft);
    }
}
