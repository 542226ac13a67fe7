//! Scenarios: the same corpus under harder conditions.
//!
//! A scenario changes the training sentences before any method sees them. What it draws depends on
//! the job's seed (or the scenario's own) and its parameters alone, so all methods and models of a
//! seed meet the same sentences and their scores can be paired. Test sentences keep their words;
//! only a scenario that changes what counts as an entity (`keep_types`, `merge_types`) changes
//! their tags.
//!
//! A scenario all of whose parameters are at their defaults changes nothing, and a parameter that a
//! job lacks changes nothing either: [`meant`] writes out the one default that does, beside others.
//! A new condition is its settings in [`Scenario`], one file, and one line in the list below;
//! conditions are met in the order of that list.

mod distant;
mod imbalance;
mod incomplete;
mod mask;
mod size;
mod types;

use super::CorpusError;
use super::chance::Chance;
use super::error::checked;
use domain::{Corpus, ParameterValue, Parameters};
use parts::scenario::DevSentences;
use parts::{Parameter, Scenario};
use std::collections::BTreeMap;

/// A corpus as a scenario left it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Applied {
    pub corpus: Corpus,
    /// What came out where a scenario can only aim, as the share of entity tokens, and where it
    /// does not say, as the sentences of dev.
    pub achieved: BTreeMap<String, f64>,
}

/// One condition.
struct Condition {
    /// Whether the settings go together, by themselves.
    check: fn(&Scenario) -> Result<(), CorpusError>,
    /// Changes the corpus.
    apply: fn(&mut Applied, &Draw<'_>) -> Result<(), CorpusError>,
}

const CONDITIONS: &[Condition] = &[
    types::CONDITION,
    incomplete::CONDITION,
    distant::CONDITION,
    imbalance::CONDITION,
    size::CONDITION,
    mask::CONDITION,
];

/// What a scenario can be told.
pub const PARAMETERS: &[Parameter] = Scenario::PARAMETERS;

/// What a condition draws by.
struct Draw<'a> {
    scenario: &'a Scenario,
    seed: u64,
}

impl Draw<'_> {
    /// The stream of random choices for a purpose.
    fn chance(&self, purpose: &str) -> Chance {
        Chance::new(purpose, self.seed)
    }
}

/// The parameters of a scenario as a job has them: those that change nothing are left out, so that
/// a job's key is that of its meaning.
pub fn meant(mut scenario: Parameters) -> Parameters {
    let dev = Scenario::new(&scenario).dev();
    let is_default = |name: &str, value: &ParameterValue| {
        PARAMETERS.iter().any(|p| p.name == name && p.default_value() == *value)
    };
    scenario.0.retain(|name, value| !is_default(name, value));
    let name = "dev_sentences".to_owned();
    match dev {
        DevSentences::All => drop(scenario.0.remove(&name)),
        DevSentences::Auto => {
            scenario.0.insert(name, ParameterValue::Text(DevSentences::AUTO.to_owned()));
        }
        // It stands there as it is.
        DevSentences::Exactly(_) => {}
    }
    scenario
}

/// Whether the parameters of a scenario are allowed and go together: no corpus is looked at.
pub fn check(scenario: &Parameters) -> Result<(), CorpusError> {
    typed(scenario).map(drop)
}

/// Applies a scenario to a corpus with the job's seed.
pub fn apply(corpus: Corpus, scenario: &Parameters, seed: u64) -> Result<Applied, CorpusError> {
    let scenario = typed(scenario)?;
    let seed = if scenario.seed == 0 { seed } else { scenario.seed };
    let draw = Draw { scenario: &scenario, seed };
    let mut applied = Applied { corpus, achieved: BTreeMap::new() };
    for condition in CONDITIONS {
        (condition.apply)(&mut applied, &draw)?;
    }
    Ok(applied)
}

fn typed(given: &Parameters) -> Result<Scenario, CorpusError> {
    let mut normal = checked(PARAMETERS, given)?;
    // What is not given keeps the meaning that it has then.
    normal.0.retain(|name, _| given.get(name).is_some());
    let scenario = Scenario::new(&normal);
    CONDITIONS.iter().try_for_each(|condition| (condition.check)(&scenario))?;
    Ok(scenario)
}

/// An error unless the setting that another one refines is set too: each with its name and whether
/// it is.
fn needs(
    (parameter, is_set): (&'static str, bool),
    (other, is_other_set): (&'static str, bool),
) -> Result<(), CorpusError> {
    if !is_set || is_other_set {
        return Ok(());
    }
    let problem = format!("it says more of `{other}`, which is not set");
    Err(CorpusError::setting(parameter, problem))
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
