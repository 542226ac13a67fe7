//! BART: a pretrained encoder and decoder over the same sentence (the seq2seq model of nguyen2023),
//! or a small fresh one.
//!
//! A word is its decoder's state at the word's last piece; with `part: encoder` the decoder is left
//! out and the first piece carries the tag, as with BERT.

use super::bert::{DROPOUT, FREEZE_LAYERS, HEADS, INNER, LAYERS, MAX_PIECES, WIDTH};
use crate::{Parameter, choice, part};

part! {
    /// BART, from a checkpoint or with fresh parameters
    pub struct Bart("bart") from "lewis2020; nguyen2023, section Model Architecture and Embedding"
        gives Capability::Pieces, Capability::Context
    {
        part: States as PART,
        freeze_layers: i64 as FREEZE_LAYERS,
        max_pieces: usize as MAX_PIECES,
        dropout: f64 as DROPOUT,
        width: usize as WIDTH,
        layers: usize as LAYERS,
        heads: usize as HEADS,
        inner: usize as INNER,
    }
}

const PART: Parameter = Parameter {
    name: "part",
    help: "whose states are tagged; `encoder` leaves the decoder out",
    kind: States::Decoder.kind(),
};

choice! {
    /// Whose states are tagged.
    pub enum States { Decoder = "decoder", Encoder = "encoder" }
}
