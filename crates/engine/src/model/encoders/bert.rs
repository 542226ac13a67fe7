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
use domain::{Parameters, Precision};
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
    pub fn new(
        parameters: &Parameters,
        words: usize,
        device: &Device,
    ) -> Result<Self, SettingsError> {
        let (width, positions, stack) = stack(parameters);
        let settings = Settings::bert(words, width, positions, stack).checked()?;
        let settings = settings.with_dropout(parameters.real("dropout"));
        Ok(Self::around(transformer::Bert::new(&settings, device), parameters))
    }

    /// The parameters of a checkpoint.
    pub fn load(
        parameters: &Parameters,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let loaded = transformer::Bert::load(folder, parameters.real("dropout"), device)?;
        Ok(Self::around(loaded, parameters))
    }

    /// Fresh parameters of a checkpoint's shapes, to be filled in.
    pub fn like(
        parameters: &Parameters,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let settings = Settings::of_folder(folder)?.with_dropout(parameters.real("dropout"));
        Ok(Self::around(transformer::Bert::new(&settings, device), parameters))
    }

    fn around(transformer: transformer::Bert, parameters: &Parameters) -> Self {
        Self {
            transformer: transformer.freeze(parameters.integer("freeze_layers")),
            dropout: parameters.real("dropout"),
        }
    }

    /// Which piece of a word carries its tag.
    pub fn carrier(_: &Parameters) -> Carrier {
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

/// The sizes of a fresh transformer: width, positions, and each stack.
pub fn stack(parameters: &Parameters) -> (usize, usize, Stack) {
    let size = |name| parameters.integer(name).max(1) as usize;
    let stack = Stack { layers: size("layers"), heads: size("heads"), inner: size("inner") };
    (size("width"), size("max_pieces"), stack)
}
