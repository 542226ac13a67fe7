//! Words on two sides that had unequal numbers of updates.

use super::{Caution, Doubt};

/// `the comparison of scr with the baseline of bilstm mixes the method with 2.6 × the updates; …`
pub fn unequal(cautions: &[&Caution], quote: &str) -> String {
    let Caution { model, against, against_model, is_against_baseline, .. } = cautions[0];
    let other = match is_against_baseline {
        true => "the baseline".to_owned(),
        false => format!("{quote}{against}{quote}"),
    };
    // The model is named once where both sides have the same.
    let (of, what) = match model == against_model {
        true => (String::new(), "method"),
        false => (format!(" of {model}"), "model"),
    };
    let with = format!("{of} with {other} of {against_model}");
    let fix = "give both the same number with training.budget: updates or training.updates";
    let who = |name: fn(&Caution, &str) -> String| {
        together(&cautions.iter().map(|caution| name(caution, quote)).collect::<Vec<_>>())
    };
    match cautions {
        [Caution { doubt: Doubt::UnequalUpdates { ratio }, .. }] => format!(
            "the comparison of {}{with} mixes the {what} with {} the updates; {fix}",
            who(Caution::name),
            times(*ratio)
        ),
        _ => format!(
            "the comparisons of {}{with} mix the {what} with so many times the updates; {fix}",
            who(Caution::with_ratio)
        ),
    }
}

impl Caution {
    /// `scr (2.6 ×)`
    fn with_ratio(&self, quote: &str) -> String {
        match self.doubt {
            Doubt::UnequalUpdates { ratio } => format!("{} ({})", self.name(quote), times(ratio)),
            _ => self.name(quote),
        }
    }
}

/// `2.6 ×`
pub fn times(ratio: f64) -> String {
    if ratio < 1.0 { format!("{ratio:.2} ×") } else { format!("{ratio:.1} ×") }
}

/// `a`, `a and b`, `a, b and c`.
pub fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
