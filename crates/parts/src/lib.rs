//! How parts are declared, and the declarations of those whose code needs tensors: embeddings, encoders and heads, and
//! which checkpoints can be read. `tailgrid` lists and checks them; the code is in `engine`, in a file of the same name.

mod capability;
mod declare;
mod entry;
mod setting;

pub use capability::{Capability, Need};
use domain::ModelSettings;
pub use domain::{ParameterValue, Parameters, Part};
pub use entry::{Entry, Parameter, ParameterKind, Preset, check, check_part, defaults};
pub use setting::{Registered, Setting};

pub mod embeddings;
pub mod encoders;
pub mod heads;
pub mod supported;

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

/// A field of a part's settings.
///
/// # Panics
///
/// Settings are checked where they are read, so that every parameter is there and allowed.
#[doc(hidden)]
pub fn value<T: Setting>(parameters: &Parameters, name: &str) -> T {
    let value = parameters.get(name).and_then(T::of);
    value.unwrap_or_else(|| {
        panic!("settings are checked where they are read, and `{name}` is not right")
    })
}
