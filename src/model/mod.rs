//! model

pub mod embeddings;
pub mod encoders;
pub mod heads;
