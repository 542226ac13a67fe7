//! Where synonyms come from: Princeton's WordNet, or a file of one's own.
//!
//! These readers are the only files that augmentation opens. What they answer depends on the bytes of
//! their files alone.

mod error;
mod tsv;
mod wordnet;

pub use error::SynonymsError;
pub use tsv::SynonymTable;
pub use wordnet::{FILES, WordNet};

use crate::domain::Part;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What helps where there are none.
pub const HOW_TO_GET: &str = "install WordNet's files (Debian: apt install wordnet-base), or set WNSEARCHDIR to their \
                              folder, or name a file of word<TAB>synonym lines as `synonyms`";

/// The role of a file of one's own among a method's files; WordNet's go by their names.
pub const ROLE: &str = "synonyms";

/// Something that knows synonyms.
pub trait Synonyms {
    /// The synonyms of a word as it is written, without that form itself, each once, always in the same
    /// order. One may have several words with spaces between them.
    fn of(&self, word: &str) -> Vec<String>;
}

/// The synonyms of a checked part, from its files; `None` for one that has none or takes them from a
/// model's vectors.
pub fn open(
    part: &Part,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Option<Box<dyn Synonyms>>, SynonymsError> {
    match part.parameters.text(super::SYNONYMS) {
        "wordnet" => {
            let folder =
                files.get(FILES[0]).and_then(|file| file.parent()).unwrap_or(Path::new(""));
            Ok(Some(Box::new(WordNet::open(folder)?)))
        }
        "file" => {
            let path = files.get(ROLE).map_or(Path::new(""), PathBuf::as_path);
            Ok(Some(Box::new(SynonymTable::open(path)?)))
        }
        _ => Ok(None),
    }
}

/// What the parameter `synonyms` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// WordNet where its files are found, else embeddings where a model has pretrained ones.
    Auto,
    /// WordNet's files, found on this machine.
    WordNet,
    /// Near neighbours in the model's pretrained embeddings.
    Embeddings,
    /// No synonyms at all.
    Nothing,
    /// A file of [`SynonymTable`].
    File(PathBuf),
}

impl Wanted {
    /// What a value of the parameter means; a file called like one of the words is written `./auto`.
    pub fn new(value: &str) -> Self {
        match value {
            "auto" => Wanted::Auto,
            "wordnet" => Wanted::WordNet,
            "embeddings" => Wanted::Embeddings,
            "none" => Wanted::Nothing,
            path => Wanted::File(path.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_word_of_its_own_is_a_file() {
        assert_eq!(Wanted::new("auto"), Wanted::Auto);
        assert_eq!(Wanted::new("none"), Wanted::Nothing);
        assert_eq!(Wanted::new("./none"), Wanted::File("./none".into()));
    }
}
