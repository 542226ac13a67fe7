//! BERT's way to cut words: punctuation apart, then the longest known piece from the left.
//!
//! As in the code of devlin2019 (`BasicTokenizer`, `WordpieceTokenizer`), in the reading of Hugging
//! Face's `BertNormalizer`.

use icu_normalizer::DecomposingNormalizerBorrowed;
use regex::Regex;
use std::borrow::Cow;
use std::collections::HashMap;

/// What BERT's normaliser does to a text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Normaliser {
    /// Drop control characters.
    pub clean: bool,
    /// Every Chinese character is a word of its own.
    pub split_chinese: bool,
    pub strip_accents: bool,
    pub lower_case: bool,
}

/// A vocabulary of pieces.
#[derive(Debug)]
pub struct WordPiece {
    vocabulary: HashMap<String, i64>,
    normaliser: Normaliser,
    /// What a piece that does not begin a word is spelt with: `##`.
    prefix: String,
    /// A longer word is unknown, in characters.
    longest: usize,
    control: Regex,
    accent: Regex,
    word: Regex,
}

/// Signs of ASCII that Unicode does not count as punctuation and BERT does.
const SIGNS: &str = r"$+<=>^`|~";

/// The blocks that BERT counts as Chinese; Japanese kana and Korean are not among them.
const CHINESE: &str = r"\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B73F}\x{2B740}-\x{2B81F}\x{2B920}-\x{2CEAF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}";

impl WordPiece {
    /// A cutter of a vocabulary.
    pub fn new(
        vocabulary: HashMap<String, i64>,
        normaliser: Normaliser,
        prefix: String,
        longest: usize,
    ) -> Self {
        let regex = |pattern: &str| Regex::new(pattern).expect("a pattern of ours");
        let alone = if normaliser.split_chinese { CHINESE } else { "" };
        let alone = format!(r"\p{{P}}{}{alone}", regex::escape(SIGNS));
        Self {
            vocabulary,
            normaliser,
            prefix,
            longest,
            control: regex(r"[\x00\x{FFFD}[\p{Cc}\p{Cf}\p{Co}--[\t\n\r]]]"),
            accent: regex(r"\p{Mn}"),
            word: regex(&format!(r"[{alone}]|[^\s{alone}]+")),
        }
    }

    /// The pieces of a token; `unknown` for each word of it that cannot be spelt.
    pub fn pieces(&self, token: &str, unknown: i64) -> Vec<i64> {
        let text = self.normalise(token);
        let mut pieces = Vec::new();
        for word in self.word.find_iter(&text) {
            match self.spell(word.as_str()) {
                Some(spelt) => pieces.extend(spelt),
                None => pieces.push(unknown),
            }
        }
        pieces
    }

    fn normalise<'a>(&self, token: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(token);
        if self.normaliser.clean {
            text = self.control.replace_all(token, "");
        }
        if self.normaliser.strip_accents {
            let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(&text).into_owned();
            text = Cow::Owned(self.accent.replace_all(&apart, "").into_owned());
        }
        if self.normaliser.lower_case {
            // Character by character: a final sigma is no special case here.
            text = Cow::Owned(text.chars().flat_map(char::to_lowercase).collect());
        }
        text
    }

    /// The longest known piece, then the longest of the rest, to the end.
    fn spell(&self, word: &str) -> Option<Vec<i64>> {
        if word.chars().count() > self.longest {
            return None;
        }
        let mut pieces = Vec::new();
        let mut start = 0;
        let mut candidate = String::new();
        while start < word.len() {
            let ends = word[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            let ends: Vec<usize> = ends.collect();
            let (id, end) = ends.into_iter().rev().find_map(|end| {
                candidate.clear();
                if start > 0 {
                    candidate.push_str(&self.prefix);
                }
                candidate.push_str(&word[start..end]);
                Some((*self.vocabulary.get(&candidate)?, end))
            })?;
            pieces.push(id);
            start = end;
        }
        Some(pieces)
    }
}
