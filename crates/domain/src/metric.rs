//! The headline score of tables and tests.

use std::fmt;
use std::str::FromStr;

/// A score that grids and `--metric` can name. It chooses what is shown, never what is trained.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Metric {
    /// Mean F1 over the types found in gold or prediction.
    #[default]
    MacroF1,
    /// F1 of all entities together.
    MicroF1,
    /// Mean F1 over the types of the gold: the same list for every method.
    MacroFixedF1,
    /// Mean F1 over types, weighted by support.
    WeightedF1,
    /// Mean F1 over types, of tokens.
    TokenMacroF1,
    /// F1 of all tokens in entities together.
    TokenMicroF1,
}

crate::named!(Metric {
    MacroF1 = "macro_f1",
    MicroF1 = "micro_f1",
    MacroFixedF1 = "macro_fixed_f1",
    WeightedF1 = "weighted_f1",
    TokenMacroF1 = "token_macro_f1",
    TokenMicroF1 = "token_micro_f1",
});

impl Metric {
    /// As tables and figures title it.
    pub fn title(self) -> &'static str {
        match self {
            Metric::MacroF1 => "macro-F1",
            Metric::MicroF1 => "micro-F1",
            Metric::MacroFixedF1 => "macro-F1 (gold types)",
            Metric::WeightedF1 => "weighted F1",
            Metric::TokenMacroF1 => "token macro-F1",
            Metric::TokenMicroF1 => "token micro-F1",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no metric's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no metric `{0}`: use macro_f1, micro_f1, macro_fixed_f1, weighted_f1, token_macro_f1 or token_micro_f1"
)]
pub struct UnknownMetric(pub String);

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let found = Metric::ALL.into_iter().find(|metric| metric.name() == name);
        found.ok_or_else(|| UnknownMetric(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for metric in Metric::ALL {
            assert_eq!(metric.name().parse(), Ok(metric));
            assert!(UnknownMetric(String::new()).to_string().contains(metric.name()));
        }
        assert_eq!("f2".parse::<Metric>(), Err(UnknownMetric("f2".into())));
    }
}
