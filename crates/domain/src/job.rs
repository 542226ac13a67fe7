//! A job: one point of the grid, and the settings that its key is made of.

use super::parameters::Parameters;
use super::{Shared, TrainingSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A job's key: a hash of the meaning of its settings (see `spec::key`), in hexadecimal.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobKey(pub String);

impl fmt::Display for JobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a job stands in the grid: the names that the grid's author gave. Names are for people and
/// tables; they are no part of the key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Point {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    pub seed: u64,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Point { corpus, scenario, model, method, seed } = self;
        write!(f, "{corpus}/{scenario}/{model}/{method}/{seed}")
    }
}

/// A registry entry chosen by name, with all its parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Part {
    pub kind: String,
    #[serde(flatten)]
    pub parameters: Parameters,
}

impl fmt::Display for Part {
    /// `focal {gamma: 2}`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters: Vec<String> =
            self.parameters.0.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        match parameters.is_empty() {
            true => f.write_str(&self.kind),
            false => write!(f, "{} {{{}}}", self.kind, parameters.join(", ")),
        }
    }
}

/// What a job's corpus is: its format with all parameters, and the digest of each of its files.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusIdentity {
    pub format: Part,
    /// File role (`train`, `dev`, `test`) to SHA-256 of its bytes; empty for a generated corpus.
    pub digests: BTreeMap<String, String>,
}

/// The parts of a model, and the digests of the files that they read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// None for an encoder that brings its own, as one with a checkpoint does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<Part>,
    pub encoder: Part,
    pub head: Part,
    /// What a head that asks questions asks for, by the type's name in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub queries: BTreeMap<String, String>,
    /// File role (`embeddings`, or a file's name in the checkpoint's folder) to SHA-256 of its
    /// bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

/// The parts of a method, applied in this order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodSettings {
    /// Adds changed sentences to the training data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<Part>,
    /// Repeats or shortens sentences of what there is then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resample: Option<Part>,
    /// What words without an annotation count as in sentences that may lack some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlabelled: Option<Part>,
    /// Which spans are taken for no entity while training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negatives: Option<Part>,
    pub loss: Part,
    /// The files that a part reads: role to SHA-256 of its bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

/// What a job is for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A result of the grid.
    #[default]
    Main,
    /// A try of a parameter search: it never sees the test set, and has no scores on it.
    Trial,
}

impl Stage {
    /// As the `stage` column has it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Main => "main",
            Stage::Trial => "trial",
        }
    }

    /// Whether it is a result of the grid.
    pub fn is_main(&self) -> bool {
        *self == Stage::Main
    }
}

/// Everything that affects a job's result, and nothing else. Its canonical JSON is what the key
/// hashes, so a field added here must be left out of the JSON at its default, or every key changes.
/// Jobs that differ in their seeds alone share the rest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSettings {
    /// The engine's version of what affects results.
    pub engine: String,
    pub corpus: Shared<CorpusIdentity>,
    /// What the scenario changes in the corpus; empty for `full`.
    pub scenario: Shared<Parameters>,
    pub model: Shared<ModelSettings>,
    pub method: Shared<MethodSettings>,
    pub training: Shared<TrainingSettings>,
    pub seed: u64,
    #[serde(default, skip_serializing_if = "Stage::is_main")]
    pub stage: Stage,
}
