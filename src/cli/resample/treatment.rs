//! What a method does to training data: it makes sentences, then repeats or shortens them.

use super::super::{CliError, Common, Exit};
use crate::cli::output::message;
use domain::{Part, Sentence, TypeSet};
use method::augment::synonyms::{self, HOW_TO_SET, Wanted};
use method::augment::{self, Augmentation, Synonyms};
use method::catalogue::METHODS;
use method::resample::{self, Resampled, Resampler};
use method::treatment::treat;
use parts::Entry;
use spec::{self, NamedMethod};
use std::path::{Path, PathBuf};

/// A method that changes training data.
pub struct Treatment(NamedMethod);

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
        let method =
            spec::method_named(name, parameters).map_err(|found| CliError::listed(&found))?;
        let treatment = Self(method);
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

    fn augment(&self) -> Option<&Part> {
        self.0.settings.augment.as_ref()
    }

    fn changes_nothing(&self) -> bool {
        self.augment().is_none() && self.0.settings.resample.is_none()
    }

    /// Whether it draws at random.
    pub fn draws(&self) -> bool {
        self.augment().is_some()
    }

    /// Refuses where a count a sentence would not tell what comes out.
    pub fn check_counts(&self, method: &str) -> Result<(), CliError> {
        let why = match (self.augment(), &self.0.settings.resample) {
            (Some(_), _) => "makes new sentences",
            (None, Some(part)) if !Resampler::read(part).repeats() => "shortens sentences",
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
        let synonyms = self.synonyms(common)?;
        let (settings, mut rng) = (&self.0.settings, augment::stream(seed));
        Ok(treat(settings, types, train, synonyms.as_deref(), &mut rng))
    }

    /// The synonyms of a method that uses any; says which they are.
    fn synonyms(&self, common: &Common) -> Result<Option<Box<dyn Synonyms>>, CliError> {
        let Some(part) = self.augment() else { return Ok(None) };
        let augmentation = Augmentation::read(part);
        let Some(wanted) = augmentation.synonyms() else { return Ok(None) };
        let invalid = |message: String| CliError::new(Exit::Invalid, message);
        if *wanted == Wanted::Vectors {
            let message = "`synonyms: vectors` takes the vectors of a model, and `resample` has no model: \
                           use `wordnet`, a file or `none`";
            return Err(invalid(message.to_owned()));
        }
        let found = synonyms::open(part, &self.0.files).map_err(|e| invalid(e.to_string()))?;
        // Where synonyms are all that a part is about, a file without them would only repeat the
        // data.
        if found.is_none() && augmentation.needs_synonyms() {
            let message = format!("`{}` has no synonyms: {HOW_TO_SET}", part.kind);
            return Err(invalid(message));
        }
        if !common.quiet {
            match &found {
                Some(_) => message!("synonyms: {}", self.source(wanted)),
                None => message!("note: without synonym replacement: {HOW_TO_SET}"),
            }
        }
        Ok(found)
    }

    fn source(&self, wanted: &Wanted) -> String {
        let file = self.0.files.values().next().map_or(Path::new(""), PathBuf::as_path);
        match wanted {
            Wanted::WordNet => format!("WordNet in {}", file.parent().unwrap_or(file).display()),
            _ => file.display().to_string(),
        }
    }
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
            let settings = named(entry.name, &[]).unwrap().0.settings;
            let part = settings.augment.or(settings.resample).unwrap();
            let defaults = entry.defaults();
            assert_eq!(part.parameters, defaults, "{}", entry.name);
        }
    }

    #[test]
    fn parameters_of_augmentations_are_checked() {
        let part = named("all", &["ratio=0.5", "copies = 2", "synonyms=none"]).unwrap();
        let parameters = &part.augment().unwrap().parameters;
        assert_eq!(
            (parameters.value::<f64>("ratio").unwrap(), parameters.value::<i64>("copies").unwrap()),
            (0.5, 2)
        );
        for (given, expected) in [
            ("ratio=2", "expected a number from 0 to 1"),
            ("copies=half", "expected a whole number from 1 to 100"),
            ("ration=1", "did you mean `ratio`?"),
            ("synonyms=nowhere.tsv", "nowhere.tsv: there is no such file"),
        ] {
            let error = named("all", &[given]).err().unwrap();
            assert!(error.contains(expected), "{error}");
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
