//! How long the models of a grid will be trained, as `plan` says it.

use super::output::printable;
use domain::Point;
use serde_json::{Value, json};
use sweep::Budget;

/// Places that are named; the JSON has all.
const MOST_PLACES: usize = 6;

fn place(budget: &Budget<'_>) -> String {
    let Point { corpus, scenario, model, .. } = budget.point;
    printable(&format!("{corpus}/{scenario}/{model}"))
}

/// As other programs read them.
pub fn json(budgets: &[Budget<'_>]) -> Value {
    budgets.iter().map(json_of).collect()
}

fn json_of(budget: &Budget<'_>) -> Value {
    let Point { corpus, scenario, model, .. } = budget.point;
    json!({
        "corpus": corpus, "scenario": scenario, "model": model,
        "train_sentences": budget.sentences, "updates": budget.updates,
        "updates_of_epochs": budget.of_epochs, "is_short": budget.is_short(),
    })
}

/// What is worth knowing before a run.
pub fn text(budgets: &[Budget<'_>]) -> String {
    let short = budgets.iter().filter(|budget| budget.is_short());
    let short = short.map(|budget| format!("{} ({})", place(budget), budget.updates));
    let raised = budgets.iter().filter(|budget| budget.is_raised());
    let raised = raised
        .map(|budget| format!("{} ({} for {})", place(budget), budget.updates, budget.of_epochs));
    let short = shown(short.collect()).map(|places| {
        format!(
            "warning: fewer than {} updates, in which neural models hardly ever learn: {places}; \
             raise training.epochs or training.updates\n",
            Budget::FEW
        )
    });
    let raised = shown(raised.collect()).map(|places| {
        format!(
            "note: a small corpus is trained for training.min_updates updates, which is more than training.epochs \
             passes: {places}\n"
        )
    });
    short.into_iter().chain(raised).collect()
}

/// The first places, and how many more there are.
fn shown(mut places: Vec<String>) -> Option<String> {
    let more = places.len().saturating_sub(MOST_PLACES);
    places.truncate(MOST_PLACES);
    let listed = places.join(", ");
    match more {
        0 if listed.is_empty() => None,
        0 => Some(listed),
        more => Some(format!("{listed} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{BudgetRule, JobSettings, TrainingSettings};
    use store::testing;

    fn settings(encoder: &str, training: TrainingSettings) -> JobSettings {
        let mut settings = testing::settings(1);
        settings.model.encoder.kind = encoder.to_owned();
        settings.training = training.into();
        settings
    }

    fn said(encoder: &str, training: TrainingSettings, sentences: usize) -> String {
        let point = testing::point("original", 1);
        let budget = Budget::new(&point, &settings(encoder, training), sentences);
        text(&Vec::from_iter(budget))
    }

    #[test]
    fn short_budgets_of_neural_models_are_warned_of() {
        let training = || TrainingSettings { batch: 32, epochs: 15, ..Default::default() };
        insta::assert_snapshot!(said("bilstm", training(), 300), @"warning: fewer than 300 updates, in which neural models hardly ever learn: synthetic/full/shallow (150); raise training.epochs or training.updates");
        assert_eq!(said("shallow", training(), 300), "", "not a neural model");
        assert_eq!(said("bilstm", training(), 640), "", "300 updates");
        let bounded = TrainingSettings { tokens: 500, ..training() };
        assert_eq!(said("bilstm", bounded, 300), "", "only training can tell");
        let passes = TrainingSettings { budget: BudgetRule::Passes, ..training() };
        assert!(said("bilstm", passes, 300).contains("(150)"));
    }

    #[test]
    fn a_floor_that_lengthens_training_is_noted() {
        let floor = TrainingSettings { batch: 32, min_updates: 1000, ..Default::default() };
        insta::assert_snapshot!(said("bilstm", floor.clone(), 300), @"note: a small corpus is trained for training.min_updates updates, which is more than training.epochs passes: synthetic/full/shallow (1000 for 200)");
        assert_eq!(said("bilstm", floor.clone(), 1600), "", "20 passes of 50 updates are enough");
        let outright = TrainingSettings { updates: Some(5000), ..floor };
        assert_eq!(said("bilstm", outright, 300), "", "nobody is surprised by what was asked for");
    }

    #[test]
    fn many_places_are_counted() {
        let places = |n: usize| shown((0..n).map(|i| i.to_string()).collect());
        assert_eq!(places(0), None);
        assert_eq!(places(2).unwrap(), "0, 1");
        assert_eq!(places(9).unwrap(), "0, 1, 2, 3, 4, 5 and 3 more");
    }
}
