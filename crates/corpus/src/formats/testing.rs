//! What the tests of several formats need: fixtures, parameters, and sentences on a line each.

use crate::CorpusError;
use crate::load::FileContent;
use crate::remark::Remark;
use domain::{ParameterValue, Parameters, Sentence, Tag, TypeSet};
use parts::{Parameter, ParameterKind};
use std::path::{Path, PathBuf};

/// Where a fixture is.
pub fn path(format: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(format).join(name)
}

/// The bytes of a fixture.
pub fn fixture(format: &str, name: &str) -> Vec<u8> {
    std::fs::read(path(format, name)).expect("the fixture")
}

/// The defaults with some values set, each as its parameter has it.
pub fn parameters(of: &[Parameter], set: &[(&str, &str)]) -> Parameters {
    let mut parameters = parts::defaults(of);
    for &(name, text) in set {
        let parameter = of.iter().find(|p| p.name == name).expect("a parameter of the entry");
        let number = text.parse().ok().map(ParameterValue::Integer);
        let value = match parameter.kind {
            ParameterKind::Integer { .. } => number.expect("a whole number"),
            ParameterKind::Bool { .. } => ParameterValue::Bool(text == "true"),
            ParameterKind::Column { .. } | ParameterKind::Count { .. } => {
                number.unwrap_or_else(|| ParameterValue::Text(text.to_owned()))
            }
            _ => ParameterValue::Text(text.to_owned()),
        };
        parameters.0.insert(name.to_owned(), value);
    }
    parameters
}

/// What a reader made of a file.
#[derive(Debug)]
pub struct Read {
    pub content: FileContent,
    pub types: TypeSet,
}

/// Reads with an empty set of types.
pub fn read(
    read: impl FnOnce(&mut TypeSet) -> Result<FileContent, CorpusError>,
) -> Result<Read, CorpusError> {
    let mut types = TypeSet::default();
    let content = read(&mut types)?;
    Ok(Read { content, types })
}

impl Read {
    /// The sentences, one a line: tokens escaped, entities with their tag.
    pub fn shown(&self) -> Vec<String> {
        let show = |(token, &tag): (&str, &Tag)| match tag {
            Tag::Outside => escaped(token),
            tag => format!("{}/{}", escaped(token), self.types.show(tag)),
        };
        let line = |sentence: &Sentence| {
            sentence.tokens.iter().zip(&sentence.tags).map(show).collect::<Vec<_>>().join(" ")
        };
        self.content.sentences.iter().map(line).collect()
    }

    /// What the reader had to say, in words.
    pub fn remarks(self) -> Vec<String> {
        self.content.remarks.into_vec().iter().map(Remark::to_string).collect()
    }
}

/// A token with everything escaped that is no letter or number.
fn escaped(token: &str) -> String {
    let shown = |c: char| match c.is_alphanumeric() {
        true => c.to_string(),
        false => c.escape_default().to_string(),
    };
    token.chars().map(shown).collect()
}
