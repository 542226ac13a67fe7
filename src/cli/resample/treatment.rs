//! What a method does to training data: it makes sentences, then repeats or shortens them.

use super::super::{CliError, Common, Exit};
use super::synonyms;
use crate::domain::{Entry, Parameter, ParameterKind, ParameterValue, Parameters, Part};
use crate::domain::{Sentence, TypeSet};
use crate::method::augment;
use crate::method::catalogue::METHODS;
use crate::method::resample::{self, Resampled};
use crate::spec::{self, did_you_mean};
use std::borrow::Cow;

/// The data-level parts of a method, in the order in which they are applied.
pub struct Treatment {
    augment: Option<Part>,
    resample: Option<Part>,
}

/// The data-level part that has this name, of whatever kind.
pub fn entry(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name)
}

fn all() -> impl Iterator<Item = &'static Entry> {
    resample::ENTRIES.iter().chain(augment::ENTRIES)
}

impl Treatment {
    /// What a method of the catalogue, or a part of that name, does with these parameters.
    pub fn named(name: &str, parameters: &[String]) -> Result<Self, CliError> {
        if let Some(entry) = augment::ENTRIES.iter().find(|entry| entry.name == name) {
            return Ok(Self { augment: Some(augmentation(entry, parameters)?), resample: None });
        }
        let method =
            spec::method_named(name, parameters).map_err(|found| CliError::listed(&found))?;
        let treatment = Self { augment: None, resample: method.resample };
        let is_baseline = METHODS.iter().any(|known| known.name == name && known.parts.is_empty());
        if treatment.changes_nothing() && !is_baseline {
            let known: Vec<&str> = all().map(|entry| entry.name).collect();
            let message = format!(
                "method `{name}` leaves the training data as it is: there is nothing to write; \
                 these change it: {}",
                known.join(", ")
            );
            return Err(CliError::new(Exit::Invalid, message));
        }
        Ok(treatment)
    }

    fn changes_nothing(&self) -> bool {
        self.augment.is_none() && self.resample.is_none()
    }

    /// Whether it draws at random.
    pub fn draws(&self) -> bool {
        self.augment.is_some()
    }

    /// Refuses where a count a sentence would not tell what comes out.
    pub fn check_counts(&self, method: &str) -> Result<(), CliError> {
        let why = match (&self.augment, &self.resample) {
            (Some(_), _) => "makes new sentences",
            (None, Some(part)) if !resample::repeats(&part.kind) => "shortens sentences",
            _ => return Ok(()),
        };
        let message = format!(
            "{method} {why}, so how often each one is used does not tell what comes out: \
             write the sentences with `--out FILE`"
        );
        Err(CliError::new(Exit::Usage, message))
    }

    /// What becomes of training data.
    pub fn apply<'a>(
        &self,
        types: &TypeSet,
        train: &'a [Sentence],
        seed: u64,
        common: &Common,
    ) -> Result<Resampled<'a>, CliError> {
        let Some(part) = &self.augment else {
            return resampled(self.resample.as_ref(), types, train);
        };
        let synonyms = synonyms::find(part, common)?;
        let mut rng = augment::stream(seed);
        let made = augment::augment(part, types, train, synonyms.as_deref(), &mut rng)
            .ok_or_else(|| unknown(part))?;
        let treated = resampled(self.resample.as_ref(), types, &made)?;
        let sentences = Cow::Owned(treated.sentences.into_owned());
        Ok(Resampled { sentences, copies: treated.copies })
    }
}

fn resampled<'a>(
    part: Option<&Part>,
    types: &TypeSet,
    train: &'a [Sentence],
) -> Result<Resampled<'a>, CliError> {
    match part {
        None => Ok(Resampled::unchanged(train)),
        Some(part) => resample::resample(part, types, train).ok_or_else(|| unknown(part)),
    }
}

fn unknown(part: &Part) -> CliError {
    CliError::new(Exit::Internal, format!("there is no data-level method `{}`", part.kind))
}

/// An augmentation with parameters, `NAME=VALUE` each.
fn augmentation(entry: &Entry, given: &[String]) -> Result<Part, CliError> {
    let mut parameters = Parameters::defaults(entry.parameters);
    for given in given {
        let (name, value) = checked(entry, given).map_err(|message| {
            CliError::new(Exit::Invalid, format!("{}: {message}", entry.name))
        })?;
        parameters.0.insert(name.to_owned(), value);
    }
    Ok(Part { kind: entry.name.to_owned(), parameters })
}

fn checked(entry: &Entry, given: &str) -> Result<(&'static str, ParameterValue), String> {
    let (name, value) =
        given.split_once('=').ok_or_else(|| format!("`{given}` has no value: write NAME=VALUE"))?;
    let (name, value) = (name.trim(), value.trim());
    let known = || entry.parameters.iter().map(|parameter| parameter.name);
    let Some(parameter) = entry.parameters.iter().find(|parameter| parameter.name == name) else {
        let hint = match did_you_mean(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", known().collect::<Vec<_>>().join(", ")),
        };
        return Err(format!("there is no parameter `{name}`: {hint}"));
    };
    let refused = |expected| format!("`{name}` is {expected}, not `{value}`");
    parameter.check(parsed(parameter, value)).map(|value| (parameter.name, value)).map_err(refused)
}

/// A value as its parameter's type, or as a text where it is none.
fn parsed(parameter: &Parameter, value: &str) -> ParameterValue {
    let number = match parameter.kind {
        ParameterKind::Integer { .. } => value.parse().ok().map(ParameterValue::Integer),
        ParameterKind::Real { .. } => value.parse().ok().map(ParameterValue::Real),
        ParameterKind::Bool { .. } => value.parse().ok().map(ParameterValue::Bool),
        _ => None,
    };
    number.unwrap_or_else(|| ParameterValue::Text(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, parameters: &[&str]) -> Result<Treatment, String> {
        let parameters: Vec<String> = parameters.iter().map(|p| (*p).to_owned()).collect();
        Treatment::named(name, &parameters).map_err(|error| error.message)
    }

    #[test]
    fn every_data_level_part_is_a_method() {
        for entry in all() {
            let treatment = named(entry.name, &[]).unwrap();
            let part = treatment.augment.or(treatment.resample).unwrap();
            assert_eq!(part.parameters, Parameters::defaults(entry.parameters), "{}", entry.name);
        }
    }

    #[test]
    fn parameters_of_augmentations_are_checked() {
        let part = named("all", &["ratio=0.5", "copies = 2", "synonyms=a=b.tsv"]).unwrap().augment;
        let parameters = part.unwrap().parameters;
        assert_eq!((parameters.real("ratio"), parameters.integer("copies")), (0.5, 2));
        assert_eq!(parameters.text("synonyms"), "a=b.tsv");
        for (given, expected) in [
            ("ratio=2", "all: `ratio` is a number from 0 to 1, not `2`"),
            ("copies=half", "all: `copies` is a whole number from 1 to 100, not `half`"),
            ("ration=1", "all: there is no parameter `ration`: did you mean `ratio`?"),
            ("zzz=1", "all: there is no parameter `zzz`: it has ratio, power, copies"),
            ("ratio", "all: `ratio` has no value: write NAME=VALUE"),
        ] {
            let error = named("all", &[given]).err().unwrap();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn counts_are_for_what_repeats_sentences() {
        let counts =
            |name: &str| named(name, &[]).unwrap().check_counts(name).map_err(|e| e.message);
        assert_eq!((counts("scr"), counts("original")), (Ok(()), Ok(())));
        assert!(counts("bus").unwrap_err().starts_with("bus shortens sentences"));
        assert!(counts("all").unwrap_err().contains("`--out FILE`"));
    }
}
