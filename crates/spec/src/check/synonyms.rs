//! Where an augmentation's synonyms come from: decided when a grid is read, so that it is in a
//! job's key.
//!
//! The parameter `synonyms` of the checked settings is `wordnet` or `file`, with the digests of
//! their files, or `vectors` or `none`; no path is left in it. It never depends on the machine or
//! on the model: what cannot be had is an error, or `n/a` with the reason.

use super::Checker;
use super::axes::CheckedMethod;
use super::models::FileToDigest;
use crate::source::Span;
use domain::ParameterValue;
use method::augment::synonyms::{FILES, HOW_TO_GET, ROLE, SynonymTable, Wanted, WordNet};
use method::augment::{Augmentation, SYNONYMS};
use std::path::{Path, PathBuf};

impl Checker<'_> {
    /// Puts the source of synonyms into a method that uses any, with its files.
    pub fn synonyms(&mut self, what: &str, at: Span, method: &mut CheckedMethod) -> Option<()> {
        let Some(part) = &mut method.settings.augment else { return Some(()) };
        let augmentation = Augmentation::read(part);
        let Some(wanted) = augmentation.synonyms() else { return Some(()) };
        let files = match wanted {
            Wanted::Nothing | Wanted::Vectors => vec![],
            Wanted::File(path) => vec![(ROLE.to_owned(), self.sources.base(at).join(path))],
            Wanted::Former { value, instead } => {
                let message = format!("{what}: `synonyms: {value}` is not accepted any more");
                let error = self.at(at, message).help(instead);
                self.tell(at, error);
                return None;
            }
            Wanted::WordNet if self.without_files => vec![],
            Wanted::WordNet => {
                let Some(folder) = WordNet::find() else {
                    let error = self.at(at, format_args!("{what}: WordNet's files are not found"));
                    self.tell(at, error.help(HOW_TO_GET));
                    return None;
                };
                of_wordnet(&folder)
            }
        };
        let word = ParameterValue::Text(wanted.word().to_owned());
        part.parameters.0.insert(SYNONYMS.name.to_owned(), word);
        for (role, path) in files {
            let file = FileToDigest { role, path, at, help: HOW_TO_GET.to_owned() };
            let digest = self.model_file(what, &file)?;
            // A file of one's own is small: what is wrong with it is known before anything runs.
            if file.role == ROLE
                && !self.without_files
                && let Err(error) = SynonymTable::open(&file.path)
            {
                self.error(at, format_args!("{what}: {error}"));
                return None;
            }
            method.settings.digests.insert(file.role.clone(), digest);
            method.files.insert(file.role, file.path);
        }
        Some(())
    }
}

fn of_wordnet(folder: &Path) -> Vec<(String, PathBuf)> {
    FILES.iter().map(|name| ((*name).to_owned(), folder.join(name))).collect()
}
