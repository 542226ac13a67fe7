//! Heads: from a token's vector to its tag.

pub mod biaffine;
pub mod binary;
pub mod crf;
pub mod mrc;
pub mod softmax;
pub mod span;
pub mod two_task;

use domain::Entry;

/// Every head.
pub const ENTRIES: &[Entry] = &[
    softmax::ENTRY,
    crf::ENTRY,
    mrc::ENTRY,
    binary::ENTRY,
    span::ENTRY,
    biaffine::ENTRY,
    two_task::ENTRY,
];

/// Whether a head decides on spans.
pub fn is_over_spans(name: &str) -> bool {
    name == span::ENTRY.name || name == biaffine::ENTRY.name
}

/// Whether a head decides between yes and no, word by word, instead of choosing a class for each.
pub fn says_yes_or_no(name: &str) -> bool {
    [mrc::ENTRY.name, two_task::ENTRY.name].contains(&name)
}

/// Whether a head reads a sentence behind a question for each type.
pub fn asks_questions(name: &str) -> bool {
    name == mrc::ENTRY.name
}

/// Whether a head decides yes or no for each word and entity type.
pub fn decides_each_type(name: &str) -> bool {
    name == binary::ENTRY.name
}
