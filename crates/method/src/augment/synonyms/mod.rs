//! Where synonyms come from: Princeton's WordNet, or a file of one's own.
//!
//! These readers are the only files that augmentation opens. What they answer depends on the bytes
//! of their files alone.

mod error;
mod tsv;
mod wordnet;

pub use error::SynonymsError;
pub use tsv::SynonymTable;
pub use wordnet::{FILES, WordNet};

use super::Augmentation;
use domain::{ParameterValue, Part};
use parts::Setting;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How to get WordNet, and what to use in its place.
pub const HOW_TO_GET: &str = "install WordNet's files (Debian: apt install wordnet-base) or set WNSEARCHDIR to their folder; \
                              or set `synonyms` to `vectors`, to a file of word<TAB>synonym lines, or to `none`";

/// What to set where a part has no synonyms.
pub const HOW_TO_SET: &str = "set `synonyms` to `wordnet` (Debian: apt install wordnet-base), `vectors`, or a file of \
                              word<TAB>synonym lines";

/// The role of a file of one's own among a method's files; WordNet's go by their names.
pub const ROLE: &str = "synonyms";

/// Something that knows synonyms.
pub trait Synonyms {
    /// The synonyms of a word as it is written, without that form itself, each once, always in the
    /// same order. One may have several words with spaces between them.
    fn of(&self, word: &str) -> Vec<String>;
}

/// The synonyms of a checked part, from its files; `None` for one that has none or takes them from
/// a model's vectors.
pub fn open(
    part: &Part,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Option<Box<dyn Synonyms>>, SynonymsError> {
    match Augmentation::read(part).synonyms() {
        Some(Wanted::WordNet) => {
            let folder =
                files.get(FILES[0]).and_then(|file| file.parent()).unwrap_or(Path::new(""));
            Ok(Some(Box::new(WordNet::open(folder)?)))
        }
        Some(Wanted::File(_)) => {
            let path = files.get(ROLE).map_or(Path::new(""), PathBuf::as_path);
            Ok(Some(Box::new(SynonymTable::open(path)?)))
        }
        _ => Ok(None),
    }
}

/// What the parameter `synonyms` asks for. In the settings of a job no path is left: a file is
/// `file` there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// WordNet's files, found on this machine.
    WordNet,
    /// Near neighbours in the model's pretrained vectors.
    Vectors,
    /// No synonyms at all.
    Nothing,
    /// A file of [`SynonymTable`].
    File(PathBuf),
    /// A value of earlier versions, and what to write instead.
    Former { value: &'static str, instead: &'static str },
}

impl Wanted {
    /// What a value of the parameter means; a file with the name of one of the words is written
    /// `./none`.
    pub fn new(value: &str) -> Self {
        match value {
            "wordnet" => Wanted::WordNet,
            "vectors" => Wanted::Vectors,
            "none" => Wanted::Nothing,
            "auto" => Wanted::Former {
                value: "auto",
                instead: "write `wordnet`, `vectors`, a file or `none`",
            },
            "embeddings" => {
                Wanted::Former { value: "embeddings", instead: "it is called `vectors`" }
            }
            path => Wanted::File(path.into()),
        }
    }

    /// As the settings of a job have it.
    pub fn word(&self) -> &'static str {
        match self {
            Wanted::WordNet => "wordnet",
            Wanted::Vectors => "vectors",
            Wanted::Nothing | Wanted::Former { .. } => "none",
            Wanted::File(_) => "file",
        }
    }
}

impl Setting for Wanted {
    fn of(value: &ParameterValue) -> Option<Self> {
        String::of(value).map(|text| Wanted::new(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_a_known_word_is_a_file() {
        assert_eq!(Wanted::new("vectors"), Wanted::Vectors);
        assert_eq!(Wanted::new("none"), Wanted::Nothing);
        assert!(matches!(Wanted::new("auto"), Wanted::Former { .. }));
        assert_eq!(Wanted::new("./none"), Wanted::File("./none".into()));
    }
}
