//! What a reader must know of a method whatever a grid calls it: that it is an oracle, and where
//! its synonyms come from.

use super::view::Settings;

/// Settings that make a method an oracle, and what it knows that nobody has who lacks annotations.
const ORACLES: [(&str, &str, &str); 3] = [
    ("loss.prior", "oracle", "how many annotations of train are missing"),
    (
        "negatives",
        "by-uncertainty",
        "which annotations of train are missing, and never draws one of them",
    ),
    (
        "negatives.masked",
        "excluded",
        "which annotations of train are missing, and never draws one of them",
    ),
];

/// Settings of synonyms, and what they mean.
const SYNONYMS: [(&str, &str, &str); 4] = [
    ("augment.synonyms", "wordnet", "draws synonyms from WordNet"),
    ("augment.synonyms", "vectors", "draws synonyms from the word vectors of the model"),
    ("augment.synonyms", "file", "draws synonyms from a file of the user"),
    ("augment.synonyms", "none", "has no synonym replacement"),
];

/// The remarks on a method, one sentence each.
pub fn of(method: &str, settings: &Settings) -> Vec<String> {
    let is_set = |(name, value, _): &&(&str, &str, &str)| {
        settings.words.get(*name).is_some_and(|word| word == value)
    };
    let oracles = ORACLES.iter().filter(is_set);
    let oracles = oracles.map(|(_, _, known)| format!("{method} is an oracle: it knows {known}."));
    let synonyms = SYNONYMS.iter().filter(is_set);
    oracles.chain(synonyms.map(|(_, _, drawn)| format!("{method} {drawn}."))).collect()
}
