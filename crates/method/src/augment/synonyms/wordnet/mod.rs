//! Princeton's WordNet from its database files (wndb(5WN)), which Debian has in `wordnet-base`.
//!
//! Answers as NLTK's `wordnet.synsets(word)` with all lemma names of those synsets: any part of
//! speech, in lower case, with the base forms that exceptions and endings lead to. Index files are
//! held as they are, synsets are read where they stand. A damaged line is as if it were not there.

mod index;
mod morphology;
mod synset;

use super::{Synonyms, SynonymsError};
use index::Index;
use morphology::Exceptions;
use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The files that decide what [`WordNet`] answers.
pub const FILES: [&str; 12] = [
    "index.noun",
    "index.verb",
    "index.adj",
    "index.adv",
    "data.noun",
    "data.verb",
    "data.adj",
    "data.adv",
    "noun.exc",
    "verb.exc",
    "adj.exc",
    "adv.exc",
];

/// WordNet's words of a language's four parts of speech.
#[derive(Debug)]
pub struct WordNet {
    parts: Vec<PartOfSpeech>,
}

/// What WordNet has of a part of speech.
#[derive(Debug)]
struct PartOfSpeech {
    index: Index,
    exceptions: Exceptions,
    endings: &'static [(&'static str, &'static str)],
    synsets: File,
}

impl WordNet {
    /// Opens the files in a folder.
    pub fn open(folder: &Path) -> Result<Self, SynonymsError> {
        let parts = morphology::ENDINGS.iter().map(|(name, endings)| {
            let data = folder.join(format!("data.{name}"));
            Ok(PartOfSpeech {
                index: Index::open(&folder.join(format!("index.{name}")))?,
                exceptions: Exceptions::open(&folder.join(format!("{name}.exc")))?,
                endings,
                synsets: File::open(&data).map_err(SynonymsError::unreadable(&data))?,
            })
        });
        Ok(Self { parts: parts.collect::<Result<_, _>>()? })
    }

    /// Where its files are on this machine: in the folder that WordNet's own variables name, or
    /// where packages put them.
    pub fn find() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let named = [variable("WNSEARCHDIR"), variable("WNHOME").map(|home| home.join("dict"))];
        let usual = ["/usr/share/wordnet", "/usr/local/share/wordnet"].map(PathBuf::from);
        let folders = named.into_iter().flatten().chain(usual);
        folders.into_iter().find(|folder| FILES.iter().all(|name| folder.join(name).is_file()))
    }
}

impl PartOfSpeech {
    /// Calls for every name of every synset of a word in lower case.
    fn names(&self, word: &str, mut tell: impl FnMut(&str)) {
        let forms = morphology::forms(word, &self.exceptions, self.endings);
        for (place, form) in forms.iter().enumerate() {
            if !forms[..place].contains(form) {
                for offset in self.index.synsets(form) {
                    synset::names(&self.synsets, offset, &mut tell);
                }
            }
        }
    }
}

impl Synonyms for WordNet {
    fn of(&self, word: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let lower = word.to_lowercase();
        for part in &self.parts {
            part.names(&lower, |name| {
                let name = spaced(name);
                if name != word && !found.iter().any(|known| *known == name) {
                    found.push(name.into_owned());
                }
            });
        }
        found
    }
}

/// A name with spaces between its words.
fn spaced(name: &str) -> Cow<'_, str> {
    match name.contains(['_', '-']) {
        true => Cow::Owned(name.replace(['_', '-'], " ")),
        false => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The made-up WordNet; the engine's package lies in a folder of the repository.
    fn fixture() -> PathBuf {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut folders = folders.map(|folder| folder.join("tests/fixtures/wordnet"));
        folders.find(|folder| folder.is_dir()).expect("the fixture")
    }

    fn synonyms(word: &str) -> Vec<String> {
        WordNet::open(&fixture()).unwrap().of(word)
    }

    #[test]
    fn every_part_of_speech_adds_its_synsets_in_their_order() {
        assert_eq!(synonyms("car"), ["auto", "motor car", "railway car", "race"]);
        assert_eq!(synonyms("box"), ["pack up"]);
        assert_eq!(synonyms("galore"), ["many"], "without their markers");
        assert_eq!(synonyms("unknown"), [""; 0]);
    }

    #[test]
    fn only_the_form_itself_is_left_out() {
        assert_eq!(synonyms("paris"), ["Paris", "city of light"]);
        assert_eq!(synonyms("Paris"), ["city of light"]);
        assert_eq!(synonyms("CAR"), ["car", "auto", "motor car", "railway car", "race"]);
    }

    #[test]
    fn inflected_words_are_found_by_their_base_forms() {
        assert_eq!(synonyms("Boxes"), ["box", "pack up"]);
        assert_eq!(synonyms("mice"), ["mouse", "pointing device"]);
        assert_eq!(synonyms("bigger"), [""; 0], "NLTK has no rule for doubled letters");
        assert_eq!(synonyms("raced"), ["race", "car"]);
    }

    #[test]
    fn a_synset_with_many_names_is_read_whole() {
        let names = synonyms("name_number_7");
        assert_eq!(
            (names.len(), names[0].as_str(), names[80].as_str()),
            (81, "many", "name number 79")
        );
    }

    #[test]
    fn what_is_damaged_is_as_if_it_were_not_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in FILES {
            fs::copy(fixture().join(name), folder.path().join(name)).unwrap();
        }
        let data = folder.path().join("data.noun");
        let whole = fs::read(&data).unwrap();
        let undamaged = synonyms("car");
        for length in (0..whole.len()).step_by(19) {
            fs::write(&data, &whole[..length]).unwrap();
            let found = WordNet::open(folder.path()).unwrap().of("car");
            assert!(found.iter().all(|name| undamaged.contains(name)), "{length}: {found:?}");
            assert!(found.contains(&"race".to_owned()), "{length}: {found:?}");
        }
        fs::remove_file(&data).unwrap();
        let error = WordNet::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("data.noun: cannot be read"), "{error}");
    }
}
