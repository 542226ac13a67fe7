//! The parameters of the synthetic corpus, and which of them go together.

use crate::CorpusError;
use domain::Parameters;
use parts::{Entry, Need, Parameter, ParameterKind};

/// What the registry says of the synthetic corpus.
pub(crate) const ENTRY: Entry = Entry {
    name: "synthetic",
    help: "a built-in corpus of invented words with a long tail of entity types, made from a seed",
    parameters: PARAMETERS,
    needs: Need::Nothing,
    gives: &[],
    source: "",
};

/// The parameter that test alone depends on.
pub(crate) const TEST_SIZE: &str = "test_sentences";

const fn integer(
    name: &'static str,
    help: &'static str,
    default: i64,
    min: i64,
    max: i64,
) -> Parameter {
    Parameter { name, help, kind: ParameterKind::Integer { default, min, max } }
}

const fn share(
    name: &'static str,
    help: &'static str,
    default: f64,
    min: f64,
    max: f64,
) -> Parameter {
    Parameter { name, help, kind: ParameterKind::Real { default, min, max } }
}

const PARAMETERS: &[Parameter] = &[
    integer("sentences", "sentences in train", 1_200, 20, 1_000_000),
    integer("dev_sentences", "sentences in dev", 400, 1, 1_000_000),
    integer(TEST_SIZE, "sentences in test", 600, 1, 1_000_000),
    integer("mean_length", "tokens a sentence, on average", 17, 8, 100),
    integer("vocabulary", "different words outside entities", 3_000, 100, 100_000),
    integer("types", "entity types", 6, 1, TYPE_NAMES.len() as i64),
    share("tail", "mentions of the rarest type for each of the commonest", 0.25, 0.01, 1.0),
    share("entity_tokens", "share of tokens in entities", 0.05, 0.001, 0.3),
    share("entity_sentences", "share of sentences with an entity", 0.36, 0.01, 1.0),
    share("ambiguity", "share of known names that are also ordinary words", 0.3, 0.0, 1.0),
    share("unseen", "share of mentions in dev and test whose name is not in train", 0.4, 0.0, 1.0),
    share(
        "cues",
        "share of unambiguous names beside a word that announces their type",
        0.75,
        0.0,
        1.0,
    ),
    integer("seed", "another seed, another corpus", 1, 0, i64::MAX),
];

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

/// Checked parameters.
pub(super) struct Settings {
    pub sentences: usize,
    pub dev_sentences: usize,
    pub test_sentences: usize,
    pub mean_length: usize,
    pub vocabulary: usize,
    pub types: usize,
    pub tail: f64,
    pub entity_sentences: f64,
    /// Mentions in a sentence that has one, on average.
    pub mentions_a_sentence: f64,
    pub ambiguity: f64,
    pub unseen: f64,
    pub cues: f64,
    pub seed: u64,
}

impl Settings {
    /// The settings, if they can go together.
    pub fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        for parameter in PARAMETERS {
            let value = parameters.get(parameter.name).cloned();
            let value = value.unwrap_or_else(|| parameter.default_value());
            parameter.check(value).map_err(|expected| {
                CorpusError::setting(parameter.name, format!("it should be {expected}"))
            })?;
        }
        let mut filled = parts::defaults(PARAMETERS);
        filled.0.extend(parameters.0.clone());
        let count = |name| filled.integer(name).unsigned_abs() as usize;
        let (length, sentences) = (count("mean_length"), filled.real("entity_sentences"));
        Ok(Self {
            sentences: count("sentences"),
            dev_sentences: count("dev_sentences"),
            test_sentences: count(TEST_SIZE),
            mean_length: length,
            vocabulary: count("vocabulary"),
            types: count("types"),
            tail: filled.real("tail"),
            entity_sentences: sentences,
            mentions_a_sentence: mentions_a_sentence(
                filled.real("entity_tokens"),
                sentences,
                length,
            )?,
            ambiguity: filled.real("ambiguity"),
            unseen: filled.real("unseen"),
            cues: filled.real("cues"),
            seed: filled.integer("seed").unsigned_abs(),
        })
    }

    /// The names of the types, the commonest first.
    pub fn type_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        TYPE_NAMES.into_iter().take(self.types)
    }
}

/// How many mentions a sentence with entities needs to reach the share of entity tokens.
fn mentions_a_sentence(tokens: f64, sentences: f64, length: usize) -> Result<f64, CorpusError> {
    let name_length = NAME_LENGTHS.iter().sum::<usize>() as f64 / NAME_LENGTHS.len() as f64;
    let tokens_a_mention = name_length / length as f64 * sentences;
    let (least, most) = (tokens_a_mention, tokens_a_mention * length as f64 / ROOM_OF_A_MENTION);
    if (least..=most).contains(&tokens) {
        return Ok(tokens / tokens_a_mention);
    }
    let problem = format!(
        "with entity_sentences {sentences} and mean_length {length} it can be {least:.4} to {most:.4}, \
         not {tokens}"
    );
    Err(CorpusError::setting("entity_tokens", problem))
}
