//! What a metric is called in tables, which rows of the metrics frame hold it, and how it is
//! defined, in the words that captions need.

use domain::Metric;
use store::{Level, Scope};

/// The level and scope of the rows that hold `metric`.
pub fn rows_of(metric: Metric) -> (Level, Scope) {
    match metric {
        Metric::MacroF1 => (Level::Span, Scope::Macro),
        Metric::MicroF1 => (Level::Span, Scope::Micro),
        Metric::MacroFixedF1 => (Level::Span, Scope::MacroFixed),
        Metric::WeightedF1 => (Level::Span, Scope::Weighted),
        Metric::TokenMacroF1 => (Level::Token, Scope::Macro),
        Metric::TokenMicroF1 => (Level::Token, Scope::Micro),
    }
}

/// The metric's name at the beginning of a title.
pub fn title(metric: Metric) -> String {
    let mut letters = metric.title().chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// How precision and recall of the same rows are averaged: the word before "precision".
pub fn averaging(metric: Metric) -> &'static str {
    match metric {
        Metric::MacroF1 => "macro",
        Metric::MicroF1 => "micro",
        Metric::MacroFixedF1 => "macro over gold types",
        Metric::WeightedF1 => "weighted",
        Metric::TokenMacroF1 => "token macro",
        Metric::TokenMicroF1 => "token micro",
    }
}

/// Whether F1 of the rows is the harmonic mean of their precision and recall. A macro F1 is the
/// mean of the types' F1, which is another number.
pub fn is_harmonic(metric: Metric) -> bool {
    matches!(metric, Metric::MicroF1 | Metric::TokenMicroF1)
}

/// How the score is made: what matches, what is averaged, what an absent type counts.
pub fn definition(metric: Metric) -> &'static str {
    match metric {
        Metric::MacroF1 => {
            "Entities match on exact span and type (conlleval rules); macro is the unweighted mean over \
             the types found in gold or prediction, where a ratio with nothing below it counts as 0."
        }
        Metric::MicroF1 => {
            "Entities match on exact span and type (conlleval rules); micro counts all types together, \
             and a ratio with nothing below it counts as 0."
        }
        Metric::MacroFixedF1 => {
            "Entities match on exact span and type (conlleval rules); macro is the unweighted mean over \
             the types of the gold test split, where a ratio with nothing below it counts as 0."
        }
        Metric::WeightedF1 => {
            "Entities match on exact span and type (conlleval rules); the mean over types is weighted by \
             their gold support, and a ratio with nothing below it counts as 0."
        }
        Metric::TokenMacroF1 => {
            "Tokens match on their type, B and I merged, O left out; macro is the unweighted mean over \
             the types found in gold or prediction, where a ratio with nothing below it counts as 0."
        }
        Metric::TokenMicroF1 => {
            "Tokens match on their type, B and I merged, O left out; micro counts all types together, \
             and a ratio with nothing below it counts as 0."
        }
    }
}

/// The headline, then macro- and micro-F1 where they are not the headline.
pub fn tabled(headline: Metric) -> Vec<Metric> {
    let mut metrics = vec![headline];
    metrics.extend([Metric::MacroF1, Metric::MicroF1].into_iter().filter(|m| *m != headline));
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_comes_first_and_nothing_twice() {
        assert_eq!(tabled(Metric::MacroF1), [Metric::MacroF1, Metric::MicroF1]);
        assert_eq!(tabled(Metric::MicroF1), [Metric::MicroF1, Metric::MacroF1]);
        assert_eq!(
            tabled(Metric::WeightedF1),
            [Metric::WeightedF1, Metric::MacroF1, Metric::MicroF1]
        );
    }

    #[test]
    fn titles_begin_with_a_capital() {
        assert_eq!(title(Metric::MacroF1), "Macro-F1");
        assert_eq!(title(Metric::TokenMicroF1), "Token micro-F1");
    }
}
