//! BERT: a pretrained transformer encoder, or a small fresh one.
//!
//! With a checkpoint a word is its pieces, and the first of them carries its tag; a fresh one reads
//! whole words.

use crate::{Parameter, ParameterKind, Preset, part};

part! {
    /// BERT, from a checkpoint or with fresh parameters
    pub struct Bert("bert") from "devlin2019"
        gives Capability::Pieces, Capability::Context
    {
        freeze_layers: i64 as FREEZE_LAYERS,
        max_pieces: usize as MAX_PIECES,
        dropout: f64 as DROPOUT,
        width: usize as WIDTH,
        layers: usize as LAYERS,
        heads: usize as HEADS,
        inner: usize as INNER,
    }
}

/// AdamW with a warm-up and a linear decay, clipped, as the code of the authors of BERT has it;
/// longer, so that few sentences can be learned.
pub const TRAINING: &[(&str, Preset)] = &[
    ("epochs", Preset::Whole(10)),
    ("min_updates", Preset::Whole(600)),
    ("batch", Preset::Whole(16)),
    ("learning_rate", Preset::Number(1e-4)),
    ("warm_up", Preset::Number(0.1)),
    ("schedule", Preset::Word("linear")),
    ("clip", Preset::Number(1.0)),
];

pub(super) const FREEZE_LAYERS: Parameter = Parameter {
    name: "freeze_layers",
    help: "keep the embeddings and so many first layers as they are; -1 trains everything",
    kind: ParameterKind::Integer { default: -1, min: -1, max: 1000 },
};
pub(super) const MAX_PIECES: Parameter = Parameter {
    name: "max_pieces",
    help: "pieces per window; a longer sentence is read in several windows, each with context around it",
    kind: ParameterKind::Integer { default: 512, min: 8, max: 8192 },
};
pub(super) const DROPOUT: Parameter = Parameter {
    name: "dropout",
    help: "share dropped while training, in every layer and after the last",
    kind: ParameterKind::Real { default: 0.1, min: 0.0, max: 0.95 },
};
pub(super) const WIDTH: Parameter = Parameter {
    name: "width",
    help: "numbers per word, where parameters are fresh",
    kind: ParameterKind::Integer { default: 128, min: 1, max: 8192 },
};
pub(super) const LAYERS: Parameter = Parameter {
    name: "layers",
    help: "layers of each stack, where parameters are fresh",
    kind: ParameterKind::Integer { default: 2, min: 1, max: 200 },
};
pub(super) const HEADS: Parameter = Parameter {
    name: "heads",
    help: "attention heads per layer, where parameters are fresh; they divide the width",
    kind: ParameterKind::Integer { default: 2, min: 1, max: 1024 },
};
pub(super) const INNER: Parameter = Parameter {
    name: "inner",
    help: "numbers per word inside a layer, where parameters are fresh",
    kind: ParameterKind::Integer { default: 512, min: 1, max: 65536 },
};
