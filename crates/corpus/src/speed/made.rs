//! A corpus of the shape and size of OntoNotes 5, made from a seed: the same sentences as
//! `.gold_conll` and in two columns.
//!
//! The shape is that of the English part as CoNLL-2012 has it: sentences of 18 words on the mean,
//! words of five letters by a law of Zipf's kind, an entity in every tenth word, 18 types, a column
//! for each predicate, documents of some 500 words.

use super::super::chance::Chance;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Tokens of OntoNotes 5.
pub const TOKENS: usize = 2_200_000;

const TYPES: [&str; 18] = [
    "CARDINAL",
    "DATE",
    "EVENT",
    "FAC",
    "GPE",
    "LANGUAGE",
    "LAW",
    "LOC",
    "MONEY",
    "NORP",
    "ORDINAL",
    "ORG",
    "PERCENT",
    "PERSON",
    "PRODUCT",
    "QUANTITY",
    "TIME",
    "WORK_OF_ART",
];
const PARTS_OF_SPEECH: [&str; 8] = ["NN", "IN", "DT", "NNP", "VBD", "JJ", ",", "NNS"];
const PARSES: [&str; 6] = ["*", "(TOP(S(NP*", "*)", "(NP*", "(VP*", "*)))"];
const DOCUMENT: usize = 500;

/// Writes both files.
pub fn write(gold_conll: &Path, columns: &Path) -> std::io::Result<()> {
    let mut conll = BufWriter::with_capacity(1 << 16, File::create(gold_conll)?);
    let mut plain = BufWriter::with_capacity(1 << 16, File::create(columns)?);
    let mut chance = Chance::new("size of OntoNotes", 1);
    let words = vocabulary(&mut chance);
    let (mut tokens, mut document, mut in_document) = (0, 0, DOCUMENT);
    while tokens < TOKENS {
        if in_document >= DOCUMENT {
            if document > 0 {
                writeln!(conll, "#end document")?;
            }
            (document, in_document) = (document + 1, 0);
            writeln!(
                conll,
                "#begin document (nw/wsj/{:02}/wsj_{document:04}); part 000",
                document % 25
            )?;
        }
        let length = 1 + chance.below(35);
        write_sentence(&mut conll, &mut plain, length, document, &words, &mut chance)?;
        tokens += length;
        in_document += length;
    }
    writeln!(conll, "#end document")?;
    conll.flush()?;
    plain.flush()
}

fn write_sentence(
    conll: &mut impl Write,
    plain: &mut impl Write,
    length: usize,
    document: usize,
    words: &[String],
    chance: &mut Chance,
) -> std::io::Result<()> {
    let predicates = "*    ".repeat(length / 8);
    let mut left = 0;
    let mut entity_type = TYPES[0];
    for index in 0..length {
        let begins = left == 0 && chance.below(16) == 0;
        if begins {
            entity_type = *chance.pick(&TYPES);
            left = (1 + chance.below(3)).min(length - index);
        }
        let (bracket, tag) = match (begins, left) {
            (_, 0) => ("*".to_owned(), "O".to_owned()),
            (true, 1) => (format!("({entity_type})"), format!("B-{entity_type}")),
            (true, _) => (format!("({entity_type}*"), format!("B-{entity_type}")),
            (false, 1) => ("*)".to_owned(), format!("I-{entity_type}")),
            (false, _) => ("*".to_owned(), format!("I-{entity_type}")),
        };
        left = left.saturating_sub(1);
        let word = word(words, chance);
        let (part, parse) = (chance.pick(&PARTS_OF_SPEECH), chance.pick(&PARSES));
        writeln!(
            conll,
            "nw/wsj/{:02}/wsj_{document:04}   0   {index:>2}   {word:>12}   {part:>4}   {parse:>11}   \
             -   -   -   -   {bracket:>13}   {predicates}-",
            document % 25
        )?;
        writeln!(plain, "{word}\t{tag}")?;
    }
    writeln!(conll)?;
    writeln!(plain)
}

/// Words of one to nine letters, some of them with one that is not ASCII.
fn vocabulary(chance: &mut Chance) -> Vec<String> {
    let letter = |chance: &mut Chance| match chance.below(200) {
        0 => 'é',
        n => char::from(b'a' + (n % 26) as u8),
    };
    (0..40_000)
        .map(|_| {
            let length = 1 + chance.below(5) + chance.below(5);
            (0..length).map(|_| letter(chance)).collect()
        })
        .collect()
}

/// A common word more often than a rare one.
fn word<'w>(words: &'w [String], chance: &mut Chance) -> &'w str {
    let most = 1 + chance.below(words.len());
    &words[chance.below(most)]
}
