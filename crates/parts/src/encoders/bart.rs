//! BART: a pretrained encoder and decoder over the same sentence (the seq2seq model of nguyen2023), or a
//! small fresh one.
//!
//! A word is its decoder's state at the word's last piece; with `part: encoder` the decoder is left out and
//! the first piece carries the tag, as with BERT.

use super::bert::{DROPOUT, FREEZE_LAYERS, HEADS, INNER, LAYERS, MAX_PIECES, WIDTH};
use domain::{Entry, Parameter, ParameterKind};

pub const ENTRY: Entry = Entry {
    name: "bart",
    help: "BART, from a checkpoint or with fresh parameters",
    parameters: &[PART, FREEZE_LAYERS, MAX_PIECES, DROPOUT, WIDTH, LAYERS, HEADS, INNER],
    needs: "",
    source: "lewis2020; nguyen2023, section Model Architecture and Embedding",
};

const PART: Parameter = Parameter {
    name: "part",
    help: "whose states are tagged; `encoder` leaves the decoder out",
    kind: ParameterKind::Choice { default: "decoder", of: &["decoder", "encoder"] },
};

pub use super::bert::TRAINING;
