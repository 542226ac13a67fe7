//! The synonyms that an augmentation asks for, from the files of this machine.

use super::super::{CliError, Common, Exit};
use crate::domain::Part;
use crate::method::augment::synonyms::{SynonymTable, SynonymsError, Wanted, WordNet};
use crate::method::augment::{self, Synonyms};

const HOW_TO_GET: &str = "install WordNet's files (Debian: apt install wordnet-base) or set WNSEARCHDIR to \
                          their folder, or name a file of word<TAB>synonym lines: --param synonyms=FILE";

/// The synonyms of a part that uses any; says which they are.
pub fn find(part: &Part, common: &Common) -> Result<Option<Box<dyn Synonyms>>, CliError> {
    if !augment::uses_synonyms(&part.kind) {
        return Ok(None);
    }
    let found: Option<(String, Box<dyn Synonyms>)> =
        match Wanted::new(part.parameters.text("synonyms")) {
            Wanted::Nothing => None,
            Wanted::Auto => wordnet()?,
            Wanted::WordNet => match wordnet()? {
                None => {
                    return Err(invalid(format!("WordNet's files are not found: {HOW_TO_GET}")));
                }
                found => found,
            },
            Wanted::Embeddings => {
                let message = "synonyms from embeddings are for grids, whose models have some: \
                           --param synonyms=wordnet, or a file";
                return Err(invalid(message.to_owned()));
            }
            Wanted::File(path) => {
                let table = SynonymTable::open(&path).map_err(unreadable)?;
                Some((path.display().to_string(), Box::new(table)))
            }
        };
    if found.is_none() {
        check_needed(part)?;
    }
    if !common.quiet {
        match &found {
            Some((source, _)) => eprintln!("synonyms: {source}"),
            None => eprintln!("note: no synonyms, so none are put in: {HOW_TO_GET}"),
        }
    }
    Ok(found.map(|(_, synonyms)| synonyms))
}

fn wordnet() -> Result<Option<(String, Box<dyn Synonyms>)>, CliError> {
    let Some(folder) = WordNet::find() else { return Ok(None) };
    let wordnet = WordNet::open(&folder).map_err(unreadable)?;
    Ok(Some((format!("WordNet in {}", folder.display()), Box::new(wordnet))))
}

/// Where synonyms are all that a part is about, a file without them would only repeat the data.
fn check_needed(part: &Part) -> Result<(), CliError> {
    let entry = augment::ENTRIES.iter().find(|entry| entry.name == part.kind);
    match entry.is_some_and(|entry| !entry.needs.is_empty()) {
        true => Err(invalid(format!("{} has no synonyms to draw from: {HOW_TO_GET}", part.kind))),
        false => Ok(()),
    }
}

fn unreadable(error: SynonymsError) -> CliError {
    invalid(error.to_string())
}

fn invalid(message: String) -> CliError {
    CliError::new(Exit::Invalid, message)
}
