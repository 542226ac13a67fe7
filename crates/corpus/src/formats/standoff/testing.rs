//! What tests of formats with spans need: parameters by name, fixtures, and sentences that read
//! well.

use crate::load::FileContent;
use crate::{CorpusError, Loaded, formats};
use domain::{ParameterValue, Parameters, Part, Sentence, Tag, TypeSet};
use parts::Parameter;
use std::path::{Path, PathBuf};

/// What a reader gives.
pub type Read = Result<(FileContent, TypeSet), CorpusError>;

/// The defaults of a list of parameters with some set.
pub fn parameters(of: &[Parameter], set: &[(&str, &str)]) -> Parameters {
    let mut parameters = parts::defaults(of);
    for &(name, value) in set {
        let slot = parameters.0.get_mut(name).expect("a parameter of the entry");
        *slot = ParameterValue::Text(value.to_owned());
    }
    parameters
}

/// A file or folder under `tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

/// Loads a corpus of fixtures by the name of its format.
pub fn load(
    format: &str,
    parameters: Parameters,
    roles: &[(&str, &str)],
) -> Result<Loaded, CorpusError> {
    let files = roles.iter().map(|(role, path)| (role.to_string(), fixture(path))).collect();
    formats::load(&Part { kind: format.into(), parameters }, &files)
}

/// Sentences, one a line: tokens escaped, entities with their tag.
pub fn shown(sentences: &[Sentence], types: &TypeSet) -> Vec<String> {
    let show = |(token, &tag): (&str, &Tag)| match tag {
        Tag::Outside => token.to_owned(),
        tag => format!("{token}/{}", types.show(tag)),
    };
    let line = |sentence: &Sentence| {
        sentence.tokens.iter().zip(&sentence.tags).map(show).collect::<Vec<_>>().join(" ")
    };
    sentences.iter().map(line).collect()
}

/// The sentences of what was read.
pub fn lines(read: Read) -> Vec<String> {
    let (content, types) = read.unwrap();
    shown(&content.sentences, &types)
}

/// The remarks of what was read, in words.
pub fn remarks(read: Read) -> Vec<String> {
    read.unwrap().0.remarks.into_vec().iter().map(ToString::to_string).collect()
}

/// Why nothing was read.
pub fn message(read: Read) -> String {
    read.unwrap_err().to_string()
}
