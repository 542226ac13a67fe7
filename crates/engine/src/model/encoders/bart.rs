//! BART: a pretrained encoder and decoder over the same sentence (the seq2seq model of nguyen2023),
//! or a small fresh one.
//!
//! A word is its decoder's state at the word's last piece; with `part: encoder` the decoder is left
//! out and the first piece carries the tag, as with BERT.

use super::Origin;
use crate::model::Batch;
use crate::model::checkpoints::Checkpoint;
use crate::model::dropout::drop_some;
use crate::model::tagger::ModelError;
use crate::model::tokenisation::Carrier;
use crate::model::transformer::{self, Stack, TransformerSettings};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use domain::Precision;
use parts::encoders::bart::{Bart as Declared, States};

/// The encoder.
#[derive(Module, Debug)]
pub struct Bart {
    transformer: transformer::Bart,
    #[module(skip)]
    dropout: f64,
}

impl Bart {
    /// The encoder that a model names.
    pub fn new(
        declared: &Declared,
        origin: Origin<'_>,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let Declared { layers, heads, inner, width, max_pieces, dropout, freeze_layers, .. } =
            *declared;
        let alone = encoder_only(declared);
        let fresh = |settings: TransformerSettings| {
            let decoder = settings.decoder.filter(|_| !alone);
            let settings = TransformerSettings { decoder, ..settings }.with_dropout(dropout);
            transformer::Bart::new(&settings, device)
        };
        let transformer = match origin {
            Origin::Fresh { words } => {
                let stack = Stack { layers, heads, inner };
                fresh(TransformerSettings::bart(words, width, max_pieces, stack).checked()?)
            }
            Origin::Checkpoint(Checkpoint { folder, has_weights: true }) => {
                transformer::Bart::load(folder, alone, dropout, device)?
            }
            Origin::Checkpoint(Checkpoint { folder, .. }) => {
                fresh(TransformerSettings::of_folder(folder)?)
            }
        };
        Ok(Self { transformer: transformer.freeze(freeze_layers), dropout })
    }

    /// Which piece of a word carries its tag.
    pub fn carrier(declared: &Declared) -> Carrier {
        if encoder_only(declared) { Carrier::First } else { Carrier::Last }
    }

    /// Computes matrix products in another precision.
    pub fn with_precision(self, precision: Precision) -> Self {
        Self { transformer: self.transformer.with_precision(precision), ..self }
    }

    /// What matrix products are computed in.
    pub fn precision(&self) -> Precision {
        self.transformer.precision()
    }

    /// Numbers a word.
    pub fn output(&self) -> usize {
        self.transformer.output()
    }

    /// Places × output.
    pub fn forward(&self, batch: &Batch) -> Tensor<2> {
        let states = self.transformer.forward(batch.ids.clone(), &batch.lengths);
        drop_some(states, self.dropout)
    }
}

fn encoder_only(declared: &Declared) -> bool {
    declared.part == States::Encoder
}
