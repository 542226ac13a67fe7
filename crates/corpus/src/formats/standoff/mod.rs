//! From a text and the spans of characters that are annotated in it to sentences with tags: what
//! all formats share whose annotations stand off from the text.
//!
//! What always holds: an annotation becomes an entity, or is counted in a remark, or is an error
//! with its place; neither a sentence nor a token ends inside an entity; and every character of a
//! document but white space is in a token. Nothing here reads files.

mod annotation;
mod documents;
mod error;
mod marks;
mod offsets;
mod overlap;
mod rules;
mod sentences;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod tokens;

pub(super) use annotation::Annotation;
pub(super) use documents::Documents;
pub use error::{AnnotationError, AnnotationPlace};
pub(super) use rules::of_one_piece;
pub use rules::{Discontinuous, Overlap, Sentences, SpanRules, Unit};

use std::ops::Range;

/// Whether a character is never part of a word. A NUL cannot be written to a text file, so it is
/// no token either.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\0'
}

/// A part of a text without white space around it; empty if there is nothing else in it.
fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let whole = &text[part.clone()];
    let start = part.end - whole.trim_start_matches(is_space).len();
    start..start + whole.trim_matches(is_space).len()
}
