//! BART: a pretrained encoder and decoder over the same sentence (the seq2seq model of nguyen2023), or a
//! small fresh one.
//!
//! A word is its decoder's state at the word's last piece; with `part: encoder` the decoder is left out and
//! the first piece carries the tag, as with BERT.

use crate::model::Batch;
use crate::model::checkpoints::CheckpointError;
use crate::model::dropout::drop_some;
use crate::model::tokenisation::Carrier;
use crate::model::transformer::{self, Settings, SettingsError, Stack};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use domain::Precision;
use parts::encoders::bart::{Bart as Declared, States};
use std::path::Path;

/// The encoder.
#[derive(Module, Debug)]
pub struct Bart {
    transformer: transformer::Bart,
    #[module(skip)]
    dropout: f64,
}

impl Bart {
    /// Fresh parameters for so many words.
    pub fn new(declared: &Declared, words: usize, device: &Device) -> Result<Self, SettingsError> {
        let Declared { layers, heads, inner, width, max_pieces, .. } = *declared;
        let stack = Stack { layers, heads, inner };
        let mut settings = Settings::bart(words, width, max_pieces, stack).checked()?;
        if encoder_only(declared) {
            settings.decoder = None;
        }
        let settings = settings.with_dropout(declared.dropout);
        Ok(Self::around(transformer::Bart::new(&settings, device), declared))
    }

    /// The parameters of a checkpoint.
    pub fn load(
        declared: &Declared,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let dropout = declared.dropout;
        let loaded = transformer::Bart::load(folder, encoder_only(declared), dropout, device)?;
        Ok(Self::around(loaded, declared))
    }

    /// Fresh parameters of a checkpoint's shapes, to be filled in.
    pub fn like(
        declared: &Declared,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let mut settings = Settings::of_folder(folder)?;
        if encoder_only(declared) {
            settings.decoder = None;
        }
        let settings = settings.with_dropout(declared.dropout);
        Ok(Self::around(transformer::Bart::new(&settings, device), declared))
    }

    fn around(transformer: transformer::Bart, declared: &Declared) -> Self {
        Self { transformer: transformer.freeze(declared.freeze_layers), dropout: declared.dropout }
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
