//! Byte-level byte-pair encoding (GPT-2, RoBERTa, BART): bytes joined pair by pair, earlier pairs
//! first.
//!
//! A token is read with a space before it, as it would stand in running text; sennrich2016 has the
//! algorithm, radford2019 the bytes.

use regex::Regex;
use std::collections::HashMap;

/// A vocabulary of byte sequences and the pairs that join to them.
#[derive(Debug)]
pub struct BytePairs {
    vocabulary: HashMap<String, i64>,
    /// The rank of each pair.
    merges: HashMap<(String, String), usize>,
    /// By byte: the character that it is written as.
    letters: Vec<char>,
    word: Regex,
}

/// What is never joined to what follows it (radford2019); stretches of white space see `words`.
const WORD: &str = r"^(?:'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+)";

/// A longer stretch, in bytes, is unknown as a whole: joining takes the square of its length.
const LONGEST: usize = 1000;

impl BytePairs {
    /// A cutter of a vocabulary; `merges` in the order of their rank.
    pub fn new(vocabulary: HashMap<String, i64>, merges: Vec<(String, String)>) -> Self {
        Self {
            vocabulary,
            merges: merges.into_iter().enumerate().map(|(rank, pair)| (pair, rank)).collect(),
            letters: letters(),
            word: Regex::new(WORD).expect("a pattern of ours"),
        }
    }

    /// The pieces of a token; `unknown` for each that the vocabulary lacks.
    pub fn pieces(&self, token: &str, unknown: i64) -> Vec<i64> {
        if token.is_empty() {
            return Vec::new();
        }
        let text = format!(" {token}");
        let spelt = self.words(&text).into_iter().flat_map(|word| self.join(word));
        spelt.map(|piece| self.vocabulary.get(&piece).copied().unwrap_or(unknown)).collect()
    }

    /// The stretches within which bytes are joined. White space that is followed by a word leaves
    /// its last character to that word.
    fn words<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut words = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match self.word.find(rest) {
                Some(found) => found.end(),
                None => {
                    let run = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
                    let last = rest[..run].chars().next_back().map_or(0, char::len_utf8);
                    let alone = run == rest.len() || run <= first.len_utf8();
                    if alone { run.max(first.len_utf8()) } else { run - last }
                }
            };
            let (word, behind) = rest.split_at(length);
            words.push(word);
            rest = behind;
        }
        words
    }

    /// A word's bytes, joined until no pair of neighbours is known.
    fn join(&self, word: &str) -> Vec<String> {
        if word.len() > LONGEST {
            return vec![String::new()];
        }
        let letter = |byte: u8| self.letters[usize::from(byte)].to_string();
        let mut parts: Vec<String> = word.bytes().map(letter).collect();
        loop {
            let rank = |i: usize| {
                let pair = (parts[i].clone(), parts[i + 1].clone());
                Some((*self.merges.get(&pair)?, i))
            };
            let Some((best, at)) = (0..parts.len().saturating_sub(1)).filter_map(rank).min() else {
                return parts;
            };
            self.join_all(&mut parts, best, at);
        }
    }

    /// Joins every occurrence of the pair of this rank, from the left; the first is at `at`.
    fn join_all(&self, parts: &mut Vec<String>, best: usize, mut at: usize) {
        while at + 1 < parts.len() {
            let pair = (parts[at].clone(), parts[at + 1].clone());
            if self.merges.get(&pair) == Some(&best) {
                let right = parts.remove(at + 1);
                parts[at].push_str(&right);
            }
            at += 1;
        }
    }
}

/// Printable bytes stand for themselves, the others for characters from U+0100 on (radford2019).
fn letters() -> Vec<char> {
    let mut next = 0x100;
    let letter = |byte: u8| match byte {
        0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF => char::from(byte),
        _ => {
            next += 1;
            char::from_u32(next - 1).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    };
    (0..=u8::MAX).map(letter).collect()
}
