//! The declarations of parts whose code needs tensors: embeddings, encoders and heads, and which checkpoints can be
//! read. `tailgrid` lists and checks them; the code is in `engine`, in a file of the same name.

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
