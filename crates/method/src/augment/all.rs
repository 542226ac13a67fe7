//! Every operator: as dai2020 combines them.

use super::parameters::{COPIES, POWER, RATIO, REGENERATE, SYNONYMS};
use super::{Built, Draft, Ground, Original, available};
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "all",
    help: "a generated sentence by each of the four operators: five times the data",
    parameters: &[RATIO, POWER, COPIES, REGENERATE, SYNONYMS],
    needs: "",
    source: "dai2020, section 4",
};

/// One sentence of each operator. Without synonyms there are three.
pub struct Operator<'a> {
    operators: Vec<Built<'a>>,
}

impl<'a> Operator<'a> {
    /// Builds the operators.
    pub fn new(ground: Ground<'_, 'a>) -> Self {
        Self { operators: available(ground) }
    }
}

impl super::Operator for Operator<'_> {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        self.operators.iter().for_each(|operator| operator.generate(original, draft));
    }
}
