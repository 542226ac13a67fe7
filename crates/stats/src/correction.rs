//! Corrections for a family of tests, by name.

use super::{benjamini_hochberg, bonferroni, holm};

/// How the p-values of a family are corrected.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Correction {
    /// Bounds the probability of any false finding in the family; never weaker than Bonferroni.
    #[default]
    Holm,
    /// Bounds the probability of any false finding in the family.
    Bonferroni,
    /// Bounds the expected share of false findings among the findings.
    BenjaminiHochberg,
}

impl Correction {
    /// All of them, the default first.
    pub const ALL: [Correction; 3] =
        [Correction::Holm, Correction::Bonferroni, Correction::BenjaminiHochberg];

    /// The adjusted p-values, in the order of the given ones.
    pub fn adjust(self, p_values: &[f64]) -> Vec<f64> {
        match self {
            Correction::Holm => holm(p_values),
            Correction::Bonferroni => bonferroni(p_values),
            Correction::BenjaminiHochberg => benjamini_hochberg(p_values),
        }
    }

    /// As options and JSON write it.
    pub fn name(self) -> &'static str {
        match self {
            Correction::Holm => "holm",
            Correction::Bonferroni => "bonferroni",
            Correction::BenjaminiHochberg => "bh",
        }
    }

    /// As tables head it.
    pub fn title(self) -> &'static str {
        match self {
            Correction::Holm => "Holm",
            Correction::Bonferroni => "Bonferroni",
            Correction::BenjaminiHochberg => "BH",
        }
    }
}
