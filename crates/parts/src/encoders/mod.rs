//! Encoders: from word vectors, or from pieces of words, to what a head reads: one vector a token.

pub mod bart;
pub mod bert;
pub mod bilstm;
pub mod shallow;

use domain::{Entry, Preset};

/// Whether an encoder hands on word vectors as they are: no neural network.
pub fn is_shallow(name: &str) -> bool {
    name == shallow::ENTRY.name
}

macro_rules! encoders {
    (words: $($module:ident),*; pieces: $($piece_module:ident),*) => {
        /// Every encoder.
        pub const ENTRIES: &[Entry] = &[$($module::ENTRY,)* $($piece_module::ENTRY),*];

        /// Whether an encoder brings its own embeddings, of pieces of words if it has a checkpoint.
        pub fn reads_pieces(name: &str) -> bool {
            [$($piece_module::ENTRY.name),*].contains(&name)
        }

        /// What an encoder is usually trained with, where that is not what all are; one that reads
        /// pieces only with a checkpoint.
        pub fn training(name: &str) -> &'static [(&'static str, Preset)] {
            match name {
                $(kind if kind == $module::ENTRY.name => $module::TRAINING,)*
                $(kind if kind == $piece_module::ENTRY.name => $piece_module::TRAINING,)*
                _ => &[],
            }
        }
    };
}

encoders!(words: shallow, bilstm; pieces: bert, bart);
