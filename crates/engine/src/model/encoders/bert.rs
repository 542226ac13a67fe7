//! BERT: a pretrained transformer encoder, or a small fresh one.
//!
//! With a checkpoint a word is its pieces, and the first of them carries its tag; a fresh one reads
//! whole words.

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
use parts::encoders::bert::Bert as Declared;

/// The encoder.
#[derive(Module, Debug)]
pub struct Bert {
    transformer: transformer::Bert,
    #[module(skip)]
    dropout: f64,
}

impl Bert {
    /// The encoder that a model names.
    pub fn new(
        declared: &Declared,
        origin: Origin<'_>,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let Declared { layers, heads, inner, width, max_pieces, dropout, freeze_layers } =
            *declared;
        let transformer = match origin {
            Origin::Fresh { words } => {
                let stack = Stack { layers, heads, inner };
                let settings =
                    TransformerSettings::bert(words, width, max_pieces, stack).checked()?;
                transformer::Bert::new(&settings.with_dropout(dropout), device)
            }
            Origin::Checkpoint(Checkpoint { folder, has_weights: true }) => {
                transformer::Bert::load(folder, dropout, device)?
            }
            Origin::Checkpoint(Checkpoint { folder, .. }) => {
                let settings = TransformerSettings::of_folder(folder)?.with_dropout(dropout);
                transformer::Bert::new(&settings, device)
            }
        };
        Ok(Self { transformer: transformer.freeze(freeze_layers), dropout })
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
