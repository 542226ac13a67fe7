//! Base forms of inflected words (morphy(7WN), in the order and with the rules of NLTK's).

use super::SynonymsError;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

/// Endings, and what a base form has in their place.
type Endings = &'static [(&'static str, &'static str)];

/// The parts of speech as files call them, with their endings.
pub const ENDINGS: [(&str, Endings); 4] = [
    (
        "noun",
        &[
            ("s", ""),
            ("ses", "s"),
            ("ves", "f"),
            ("xes", "x"),
            ("zes", "z"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("men", "man"),
            ("ies", "y"),
        ],
    ),
    (
        "verb",
        &[
            ("s", ""),
            ("ies", "y"),
            ("es", "e"),
            ("es", ""),
            ("ed", "e"),
            ("ed", ""),
            ("ing", "e"),
            ("ing", ""),
        ],
    ),
    ("adj", &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")]),
    ("adv", &[]),
];

/// `*.exc`: inflected forms that no ending explains.
#[derive(Debug, Default)]
pub struct Exceptions(HashMap<String, Vec<String>>);

impl Exceptions {
    /// Reads a file: an inflected form and its base forms a line.
    pub fn open(path: &Path) -> Result<Self, SynonymsError> {
        let bytes = std::fs::read(path).map_err(SynonymsError::unreadable(path))?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            words.next().map(|inflected| (inflected, words.collect()))
        };
        Self(text.lines().filter_map(line).collect())
    }
}

/// The word itself, then its base forms: its exceptions, or if it has none, what its endings lead
/// to.
pub fn forms<'w>(
    word: &'w str,
    exceptions: &Exceptions,
    endings: &[(&str, &str)],
) -> Vec<Cow<'w, str>> {
    let mut forms = vec![Cow::Borrowed(word)];
    match exceptions.0.get(word) {
        Some(base) => forms.extend(base.iter().cloned().map(Cow::Owned)),
        None => forms.extend(endings.iter().filter_map(|(ending, base)| {
            word.strip_suffix(ending).map(|stem| Cow::Owned(format!("{stem}{base}")))
        })),
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_take_the_place_of_endings() {
        let exceptions = Exceptions::parse("mice mouse\n\naxes ax axis\nlonely\nmice mus\n");
        let nouns = ENDINGS[0].1;
        assert_eq!(forms("axes", &exceptions, nouns), ["axes", "ax", "axis"]);
        assert_eq!(forms("mice", &exceptions, nouns), ["mice", "mus"], "the last line counts");
        assert_eq!(forms("boxes", &exceptions, nouns), ["boxes", "boxe", "box"]);
        assert_eq!(forms("s", &exceptions, nouns), ["s", ""]);
        assert_eq!(forms("née", &exceptions, nouns), ["née"]);
    }

    #[test]
    fn endings_are_tried_in_order() {
        let none = Exceptions::default();
        assert_eq!(forms("loves", &none, ENDINGS[1].1), ["loves", "love", "love", "lov"]);
        assert_eq!(forms("nicer", &none, ENDINGS[2].1), ["nicer", "nic", "nice"]);
        assert_eq!(forms("fast", &none, ENDINGS[3].1), ["fast"]);
    }
}
