//! BERT: a pretrained transformer encoder, or a small fresh one.
//!
//! With a checkpoint a word is its pieces, and the first of them carries its tag; a fresh one reads whole
//! words.

use crate::model::Batch;
use crate::model::checkpoints::CheckpointError;
use crate::model::dropout::drop_some;
use crate::model::tokenisation::Carrier;
use crate::model::transformer::{self, Settings, SettingsError, Stack};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use domain::Precision;
use parts::encoders::bert::Bert as Declared;
use std::path::Path;

/// The encoder.
#[derive(Module, Debug)]
pub struct Bert {
    transformer: transformer::Bert,
    #[module(skip)]
    dropout: f64,
}

impl Bert {
    /// Fresh parameters for so many words.
    pub fn new(declared: &Declared, words: usize, device: &Device) -> Result<Self, SettingsError> {
        let Declared { layers, heads, inner, width, max_pieces, .. } = *declared;
        let stack = Stack { layers, heads, inner };
        let settings = Settings::bert(words, width, max_pieces, stack).checked()?;
        let settings = settings.with_dropout(declared.dropout);
        Ok(Self::around(transformer::Bert::new(&settings, device), declared))
    }

    /// The parameters of a checkpoint.
    pub fn load(
        declared: &Declared,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let loaded = transformer::Bert::load(folder, declared.dropout, device)?;
        Ok(Self::around(loaded, declared))
    }

    /// Fresh parameters of a checkpoint's shapes, to be filled in.
    pub fn like(
        declared: &Declared,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let settings = Settings::of_folder(folder)?.with_dropout(declared.dropout);
        Ok(Self::around(transformer::Bert::new(&settings, device), declared))
    }

    fn around(transformer: transformer::Bert, declared: &Declared) -> Self {
        Self { transformer: transformer.freeze(declared.freeze_layers), dropout: declared.dropout }
    }

    /// Which piece of a word carries its tag.
    pub fn carrier(_: &Declared) -> Carrier {
        Carrier::First
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
        let (ids, segments) = (batch.ids.clone(), batch.segments.clone());
        drop_some(self.transformer.forward(ids, segments, &batch.lengths), self.dropout)
    }
}
