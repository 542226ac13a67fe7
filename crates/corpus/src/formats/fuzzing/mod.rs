//! The readers on bytes that nobody would call a corpus.
//!
//! The same functions serve `cargo fuzz` (see `fuzz/`) and a bounded loop in the ordinary tests.
//! The first bytes of an input choose the settings, the rest is the file. Whatever comes in, a
//! reader gives whole sentences in valid IOB2 or an error that a terminal can show; these functions
//! panic otherwise, and nothing but a test may call them.

use super::{ENTRIES, Format, find, reads};
use crate::CorpusError;
use crate::load::FileContent;
use domain::{ParameterValue, Parameters, Part, Sentence, Tag, TypeSet};
use parts::{Parameter, ParameterKind};

/// The names of the readers.
pub fn targets() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|entry| entry.name).filter(|name| reads(name).files)
}

/// Has the reader of this name read an input; whether it found sentences in it.
///
/// # Panics
/// If there is no such reader, or it does not do what it promises.
pub fn read(target: &str, input: &[u8]) -> bool {
    let entry = find(target).expect("a reader");
    let (choices, bytes) = input.split_at(entry.parameters.len().min(input.len()));
    let part = Part { kind: target.to_owned(), parameters: chosen(entry.parameters, choices) };
    let mut types = TypeSet::default();
    match read_bytes(&part, bytes, &mut types) {
        Ok(content) => {
            check_content(&content, &types);
            !content.sentences.is_empty()
        }
        Err(error) => {
            check_message(&error.to_string());
            false
        }
    }
}

fn read_bytes(part: &Part, bytes: &[u8], types: &mut TypeSet) -> Result<FileContent, CorpusError> {
    let format = Format::new(part)?;
    let reader = format.reader().expect("a format of files");
    reader.check()?;
    reader.read_bytes(bytes, types)
}

/// Settings by a byte each: the default for half of them and where there is none.
fn chosen(parameters: &[Parameter], choices: &[u8]) -> Parameters {
    let mut chosen = parts::defaults(parameters);
    for (parameter, &choice) in parameters.iter().zip(choices) {
        if let Some(choice) = choice.checked_sub(128) {
            chosen.0.insert(parameter.name.to_owned(), value(parameter, choice));
        }
    }
    chosen
}

fn value(parameter: &Parameter, choice: u8) -> ParameterValue {
    const TEXTS: &[&str] =
        &["", "O", "UNK", "#", "é", " ", "tab", "space", "whitespace", "B-x", "w"];
    let number = i64::from(choice % 9) - 4;
    let pick = |of: &[&str]| ParameterValue::Text(of[usize::from(choice) % of.len()].to_owned());
    match parameter.kind {
        ParameterKind::Bool { .. } => ParameterValue::Bool(choice.is_multiple_of(2)),
        ParameterKind::Integer { min, max, .. } => ParameterValue::Integer(number.clamp(min, max)),
        ParameterKind::Real { min, max, .. } => {
            ParameterValue::Real(if choice < 64 { min } else { max })
        }
        ParameterKind::Choice { of, .. } | ParameterKind::Named { of, .. } => pick(of),
        ParameterKind::Column { .. } if choice < 96 => ParameterValue::Integer(number),
        ParameterKind::Text { .. } | ParameterKind::Column { .. } => pick(TEXTS),
        ParameterKind::Count { min, .. } if choice < 96 => ParameterValue::Integer(number.max(min)),
        ParameterKind::Count { words, .. } | ParameterKind::Strength { words, .. } => pick(words),
        ParameterKind::Names | ParameterKind::Part { .. } => parameter.default_value(),
    }
}

fn check_content(content: &FileContent, types: &TypeSet) {
    let FileContent { sentences, documents, remarks } = content;
    sentences.iter().for_each(|sentence| check_sentence(sentence, types));
    assert!(documents.is_sorted(), "documents out of order: {documents:?}");
    assert!(
        documents.iter().all(|&first| first <= sentences.len()),
        "a document after the last one"
    );
    for remark in remarks.clone().into_vec() {
        assert!(remark.count > 0, "a remark on nothing");
        check_message(&remark.to_string());
    }
}

fn check_sentence(sentence: &Sentence, types: &TypeSet) {
    assert!(!sentence.is_empty(), "a sentence without a token");
    assert_eq!(sentence.len(), sentence.tags.len(), "tokens and tags");
    assert!(sentence.tokens.iter().all(|token| !token.is_empty()), "an empty token");
    let mut previous = None;
    for &tag in &sentence.tags {
        let entity_type = tag.entity_type();
        let follows = !matches!(tag, Tag::Inside(_)) || previous == entity_type;
        assert!(follows, "not IOB2: {:?}", sentence.tags);
        assert!(tag.index() < types.tag_count(), "a tag of no type");
        previous = entity_type;
    }
}

/// What is shown, a problem a line, obeys nobody who wrote the file.
fn check_message(message: &str) {
    let is_shown = |line: &str| !line.is_empty() && !line.contains(char::is_control);
    assert!(!message.is_empty() && message.lines().all(is_shown), "{message:?}");
}

#[cfg(test)]
mod tests;
