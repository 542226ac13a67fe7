//! The parameters of the synthetic corpus, and which of them go together.

use crate::CorpusError;
use parts::part;

part! {
    /// a built-in corpus of invented words with a long tail of entity types, made from a seed
    pub struct Synthetic("synthetic") {
        /// sentences in train
        sentences: usize = 1_200 in 20..=1_000_000,
        /// sentences in dev
        dev_sentences: usize = 400 in 1..=1_000_000,
        /// sentences in test
        test_sentences: usize = 600 in 1..=1_000_000,
        /// tokens per sentence, on average
        mean_length: usize = 17 in 8..=100,
        /// different words outside entities
        vocabulary: usize = 3_000 in 100..=100_000,
        /// entity types
        types: usize = 6 in 1..=12,
        /// mentions of the rarest type for each of the commonest
        tail: f64 = 0.25 in 0.01..=1.0,
        /// share of tokens in entities
        entity_tokens: f64 = 0.05 in 0.001..=0.3,
        /// share of sentences with an entity
        entity_sentences: f64 = 0.36 in 0.01..=1.0,
        /// share of known names that are also ordinary words
        ambiguity: f64 = 0.3 in 0.0..=1.0,
        /// share of mentions in dev and test whose name is not in train
        unseen: f64 = 0.4 in 0.0..=1.0,
        /// share of unambiguous names beside a word that announces their type
        cues: f64 = 0.75 in 0.0..=1.0,
        /// another seed, another corpus
        seed: u64 = 1 in 0..,
    }
}

/// The parameter that test alone depends on.
pub(crate) const TEST_SIZE: &str = "test_sentences";

/// Names of the types, from the commonest on.
const TYPE_NAMES: [&str; 12] = [
    "person", "location", "group", "product", "work", "event", "facility", "species", "vehicle",
    "award", "law", "dish",
];

/// Tokens of a name, by the rank of the name in its type: any stretch of ranks has about the same
/// mean, so the commonest names cannot tip the share of entity tokens.
pub(super) const NAME_LENGTHS: [usize; 20] =
    [1, 2, 1, 2, 1, 2, 1, 3, 1, 2, 1, 2, 1, 1, 2, 3, 1, 1, 2, 1];

/// Tokens that a mention needs in a sentence, with the words around it.
const ROOM_OF_A_MENTION: f64 = 4.0;

impl Synthetic {
    /// The names of the types, the commonest first.
    pub(super) fn type_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        TYPE_NAMES.into_iter().take(self.types)
    }

    /// How many mentions a sentence with entities needs to reach the share of entity tokens.
    pub(super) fn mentions_a_sentence(&self) -> f64 {
        self.entity_tokens / self.tokens_a_mention()
    }

    /// The share of tokens that are in entities where each sentence that has one has one only.
    fn tokens_a_mention(&self) -> f64 {
        let name_length = NAME_LENGTHS.iter().sum::<usize>() as f64 / NAME_LENGTHS.len() as f64;
        name_length / self.mean_length as f64 * self.entity_sentences
    }

    /// Whether the shares can be had together.
    pub(crate) fn check(&self) -> Result<(), CorpusError> {
        let least = self.tokens_a_mention();
        let most = least * self.mean_length as f64 / ROOM_OF_A_MENTION;
        let Self { entity_tokens, entity_sentences, mean_length, .. } = self;
        if (least..=most).contains(entity_tokens) {
            return Ok(());
        }
        let problem = format!(
            "with entity_sentences {entity_sentences} and mean_length {mean_length} it can be {least:.4} to {most:.4}, \
             not {entity_tokens}"
        );
        Err(CorpusError::setting("entity_tokens", problem))
    }
}
