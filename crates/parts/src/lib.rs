//! How parts are declared, and the declarations of those whose code is elsewhere: embeddings,
//! encoders, heads and scenarios, and which checkpoints can be read. `tailgrid` lists and checks
//! them; the code of the first three is in `engine`, in a file of the same name.

mod declare;

use domain::ModelSettings;
pub use domain::declare::*;
pub use domain::{ParameterValue, Parameters, Part, choice, settings};

pub mod embeddings;
pub mod encoders;
pub mod heads;
pub mod scenario;
pub mod supported;

pub use scenario::Scenario;

/// The files of a checkpoint's folder that decide what the model computes.
pub const CHECKPOINT_FILES: &[&str] = &[
    "config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
    "model.safetensors.index.json",
];

/// Whether a model has pretrained vectors as they are and nothing behind them but its head.
pub fn are_frozen_vectors(model: &ModelSettings) -> bool {
    use embeddings::{Embeddings, pretrained::Pretrained};
    let reads_context = encoders::can(&model.encoder.kind, Capability::Context);
    let vectors = model.embeddings.as_ref().filter(|_| !reads_context);
    let vectors = vectors.filter(|part| embeddings::can(&part.kind, Capability::Pretrained));
    vectors.map(Embeddings::read).is_some_and(|embeddings| {
        matches!(embeddings, Embeddings::Pretrained(Pretrained { frozen: true, .. }))
    })
}
