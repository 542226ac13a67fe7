//! The parameters of augmentation, described once for every entry that has them.

use parts::{Parameter, ParameterKind, choice};

/// How much of a sentence is changed.
pub const RATIO: Parameter = Parameter {
    name: "ratio",
    help: "the probability that a token, mention or segment is changed",
    kind: ParameterKind::Real { default: 0.3, min: 0.0, max: 1.0 },
};

/// How many sentences are made.
pub const COPIES: Parameter = Parameter {
    name: "copies",
    help: "how many sentences each operator makes of every original one",
    kind: ParameterKind::Integer { default: 1, min: 1, max: 100 },
};

/// How long the made sentences are kept.
pub const REGENERATE: Parameter = Parameter {
    name: "regenerate",
    help: "whether sentences are made once or anew in every epoch",
    kind: Regenerate::Once.kind(),
};

choice! {
    /// When sentences are made.
    pub enum Regenerate { Once = "once", EveryEpoch = "epoch" }
}

/// How much more likely frequent tokens are.
pub const POWER: Parameter = Parameter {
    name: "power",
    help: "tokens are drawn by their frequency to this power: 0 all alike, 1 as often as they occur",
    kind: ParameterKind::Real { default: 0.0, min: 0.0, max: 10.0 },
};

/// Where synonyms come from.
pub const SYNONYMS: Parameter = Parameter {
    name: "synonyms",
    help: "where synonyms come from: wordnet, vectors (of the model), a file of word<TAB>synonym lines, or none",
    // One value that means the same on every machine and for every model.
    kind: ParameterKind::Text { default: "none" },
};
