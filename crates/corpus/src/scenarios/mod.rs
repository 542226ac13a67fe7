//! Scenarios: the same corpus under harder conditions.
//!
//! A scenario changes the training sentences before any method sees them. What it draws depends on
//! the job's seed (or the scenario's own) and its parameters alone, so all methods and models of a
//! seed meet the same sentences and their scores can be paired. Test sentences keep their words; only
//! a scenario that changes what counts as an entity (`keep_types`, `merge_types`) changes their tags.
//!
//! A scenario all of whose parameters are at their defaults changes nothing, and a parameter that a job
//! lacks changes nothing either: [`meant`] writes out the one default that does, beside others. A new
//! condition is one file with its parameters and one line in the list below; conditions are met in the
//! order of that list.

mod distant;
mod imbalance;
mod incomplete;
mod mask;
mod size;
mod types;

use super::CorpusError;
use super::chance::Chance;
use domain::{Corpus, ParameterValue, Parameters};
use parts::{Parameter, ParameterKind};
use std::collections::BTreeMap;

/// A corpus as a scenario left it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Applied {
    pub corpus: Corpus,
    /// What came out where a scenario can only aim, as the share of entity tokens, and where it does
    /// not say, as the sentences of dev.
    pub achieved: BTreeMap<String, f64>,
}

/// One condition.
struct Condition {
    parameters: &'static [Parameter],
    /// Whether the parameters go together, by themselves.
    check: fn(&Parameters) -> Result<(), CorpusError>,
    /// Changes the corpus.
    apply: fn(&mut Applied, &Draw<'_>) -> Result<(), CorpusError>,
}

macro_rules! conditions {
    ($($condition:ident),+ $(,)?) => {
        const CONDITIONS: &[Condition] = &[$($condition::CONDITION),+];
        const LISTS: &[&[Parameter]] = &[$($condition::CONDITION.parameters),+, &[SEED]];
    };
}

conditions![types, incomplete, distant, imbalance, size, mask];

const SEED: Parameter = Parameter {
    name: "seed",
    help: "draw by this seed for every job, not by the job's own; 0 takes the job's",
    kind: ParameterKind::Integer { default: 0, min: 0, max: i64::MAX },
};

/// What a scenario can be told.
pub const PARAMETERS: &[Parameter] = &flattened::<{ length(LISTS) }>(LISTS);

const fn length(lists: &[&[Parameter]]) -> usize {
    let (mut total, mut at) = (0, 0);
    while at < lists.len() {
        total += lists[at].len();
        at += 1;
    }
    total
}

const fn flattened<const N: usize>(lists: &[&[Parameter]]) -> [Parameter; N] {
    let mut all = [SEED; N];
    let (mut next, mut list) = (0, 0);
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            all[next] = lists[list][at];
            next += 1;
            at += 1;
        }
        list += 1;
    }
    all
}

/// What a condition draws by.
struct Draw<'a> {
    scenario: &'a Parameters,
    seed: u64,
}

impl Draw<'_> {
    /// The stream of random choices for a purpose.
    fn chance(&self, purpose: &str) -> Chance {
        Chance::new(purpose, self.seed)
    }

    /// A whole number, `None` at its default of 0.
    fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(self.scenario.integer(name)).ok().filter(|&n| n > 0)
    }

    /// A number, its default where it is not given.
    fn number(&self, name: &str) -> f64 {
        let default = PARAMETERS.iter().find(|parameter| parameter.name == name);
        match (self.scenario.get(name).cloned()).or(default.map(Parameter::default_value)) {
            Some(ParameterValue::Real(number)) => number,
            Some(ParameterValue::Integer(number)) => number as f64,
            _ => 0.0,
        }
    }

    /// A share, `None` at its default of 0 and where it is not given.
    fn share(&self, name: &str) -> Option<f64> {
        Some(self.scenario.real(name)).filter(|&share| share > 0.0)
    }
}

/// The parameters of a scenario as a job has them: those that change nothing are left out, so that a
/// job's key is that of its meaning.
pub fn meant(mut scenario: Parameters) -> Parameters {
    let dev = size::Dev::of(&scenario);
    let is_default = |name: &str, value: &ParameterValue| {
        PARAMETERS.iter().any(|p| p.name == name && p.default_value() == *value)
    };
    scenario.0.retain(|name, value| !is_default(name, value));
    dev.write(&mut scenario);
    scenario
}

/// Whether the parameters of a scenario go together, by themselves: no corpus is looked at.
pub fn check(scenario: &Parameters) -> Result<(), CorpusError> {
    CONDITIONS.iter().try_for_each(|condition| (condition.check)(scenario))
}

/// Applies a scenario to a corpus with the job's seed.
pub fn apply(corpus: Corpus, scenario: &Parameters, seed: u64) -> Result<Applied, CorpusError> {
    check(scenario)?;
    let own = scenario.integer(SEED.name).unsigned_abs();
    let draw = Draw { scenario, seed: if own == 0 { seed } else { own } };
    let mut applied = Applied { corpus, achieved: BTreeMap::new() };
    for condition in CONDITIONS {
        (condition.apply)(&mut applied, &draw)?;
    }
    Ok(applied)
}

/// An error unless the parameter that another one refines is given too.
fn needs(
    scenario: &Parameters,
    parameter: &'static str,
    other: &'static str,
) -> Result<(), CorpusError> {
    if !is_set(scenario, parameter) || is_set(scenario, other) {
        return Ok(());
    }
    let problem = format!("it says more of `{other}`, which is not set");
    Err(CorpusError::setting(parameter, problem))
}

/// Whether a parameter is given and not at its default.
fn is_set(scenario: &Parameters, name: &str) -> bool {
    let default = PARAMETERS.iter().find(|parameter| parameter.name == name);
    scenario
        .get(name)
        .is_some_and(|value| default.is_none_or(|parameter| parameter.default_value() != *value))
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
