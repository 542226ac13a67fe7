//! BART: a pretrained encoder and decoder over the same sentence (the seq2seq model of nguyen2023), or a
//! small fresh one.
//!
//! A word is its decoder's state at the word's last piece; with `part: encoder` the decoder is left out and
//! the first piece carries the tag, as with BERT.

use crate::model::Batch;
use crate::model::checkpoints::CheckpointError;
use crate::model::dropout::drop_some;
use crate::model::encoders::bert::stack;
use crate::model::tokenisation::Carrier;
use crate::model::transformer::{self, Settings, SettingsError};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use domain::{Parameters, Precision};
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
    pub fn new(
        parameters: &Parameters,
        words: usize,
        device: &Device,
    ) -> Result<Self, SettingsError> {
        let (width, positions, stack) = stack(parameters);
        let mut settings = Settings::bart(words, width, positions, stack).checked()?;
        if encoder_only(parameters) {
            settings.decoder = None;
        }
        let settings = settings.with_dropout(parameters.real("dropout"));
        Ok(Self::around(transformer::Bart::new(&settings, device), parameters))
    }

    /// The parameters of a checkpoint.
    pub fn load(
        parameters: &Parameters,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let dropout = parameters.real("dropout");
        let loaded = transformer::Bart::load(folder, encoder_only(parameters), dropout, device)?;
        Ok(Self::around(loaded, parameters))
    }

    /// Fresh parameters of a checkpoint's shapes, to be filled in.
    pub fn like(
        parameters: &Parameters,
        folder: &Path,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let mut settings = Settings::of_folder(folder)?;
        if encoder_only(parameters) {
            settings.decoder = None;
        }
        let settings = settings.with_dropout(parameters.real("dropout"));
        Ok(Self::around(transformer::Bart::new(&settings, device), parameters))
    }

    fn around(transformer: transformer::Bart, parameters: &Parameters) -> Self {
        Self {
            transformer: transformer.freeze(parameters.integer("freeze_layers")),
            dropout: parameters.real("dropout"),
        }
    }

    /// Which piece of a word carries its tag.
    pub fn carrier(parameters: &Parameters) -> Carrier {
        if encoder_only(parameters) { Carrier::First } else { Carrier::Last }
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

fn encoder_only(parameters: &Parameters) -> bool {
    parameters.text("part") == "encoder"
}
