//! BERT: a stack of layers in which every piece attends to every other (devlin2019).

use super::embeddings::{Embeddings, pieces};
use super::layer::Layer;
use super::names::BERT;
use super::settings::TransformerSettings;
use super::source::ParameterSource;
use crate::model::checkpoints::{CheckpointError, Weights};
use crate::model::padded::Padded;
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor};
use domain::Precision;
use std::path::Path;
#[cfg(feature = "libtorch")]
use {super::host, crate::model::passes::BatchRows, crate::model::torch, std::sync::Arc};

/// A transformer encoder without a head.
#[derive(Module, Debug)]
pub struct Bert {
    pub(super) pieces: Embedding,
    pub(super) embeddings: Embeddings,
    pub(super) layers: Vec<Layer>,
    #[module(skip)]
    width: usize,
}

impl Bert {
    /// A model with fresh parameters.
    pub fn new(settings: &TransformerSettings, device: &Device) -> Self {
        let source = ParameterSource::Fresh { range: settings.range, device };
        Self::read(&source, settings).expect("fresh parameters need no file")
    }

    /// The model of a folder; `dropout` replaces the shares that its configuration names.
    pub fn load(folder: &Path, dropout: f64, device: &Device) -> Result<Self, CheckpointError> {
        let settings = TransformerSettings::of_folder(folder)?.with_dropout(dropout);
        if settings.decoder.is_some() {
            let what = "this is a BART, which the encoder `bart` reads".to_owned();
            return Err(CheckpointError::Setting { path: folder.join("config.json"), what });
        }
        let prefixes = ["bert.", "roberta."];
        let weights = Weights::open(folder, &prefixes, "embeddings.word_embeddings.weight")?;
        Self::read(&ParameterSource::Stored { weights: &weights, device }, &settings)
    }

    fn read(
        source: &ParameterSource,
        settings: &TransformerSettings,
    ) -> Result<Self, CheckpointError> {
        Ok(Self {
            pieces: pieces(source, "embeddings.word_embeddings.weight", settings)?,
            embeddings: Embeddings::read(
                source,
                "embeddings.position_embeddings.weight",
                "embeddings.token_type_embeddings.weight",
                "embeddings.LayerNorm",
                settings,
            )?,
            layers: Layer::read_all(source, &BERT, settings, settings.encoder, false)?,
            width: settings.width,
        })
    }

    /// Keeps the embeddings and the first `layers` layers as they are; a negative number keeps
    /// nothing.
    pub fn freeze(self, layers: i64) -> Self {
        let Ok(frozen) = usize::try_from(layers) else { return self };
        Self {
            pieces: self.pieces.no_grad(),
            embeddings: self.embeddings.no_grad(),
            layers: freeze(self.layers, frozen),
            ..self
        }
    }

    /// Computes matrix products in another precision.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.layers.iter_mut().for_each(|layer| layer.precision = precision);
        self
    }

    /// What matrix products are computed in.
    pub fn precision(&self) -> Precision {
        self.layers.first().map_or(Precision::F32, |layer| layer.precision)
    }

    /// Numbers a piece.
    pub fn output(&self) -> usize {
        self.width
    }

    /// The pieces of rows of these lengths, one after the other, to the last layer's states: pieces
    /// × width. `segments` says of which of two texts each piece is.
    pub fn forward(
        &self,
        ids: Tensor<1, Int>,
        segments: Option<Tensor<1, Int>>,
        lengths: &[usize],
    ) -> Tensor<2> {
        #[cfg(feature = "libtorch")]
        if crate::model::device::is_libtorch(&ids.device()) {
            let rows = Arc::new(BatchRows::new(lengths));
            let (ids, segments) = (host(ids), segments.map(host));
            let states = torch::embeddings(&self.embeddings, &self.pieces, ids, segments, lengths);
            return torch::layers(&self.layers, states, None, &rows);
        }
        self.forward_on_burn(ids, segments, lengths)
    }

    /// The same on Burn's operations, which need padding.
    pub fn forward_on_burn(
        &self,
        ids: Tensor<1, Int>,
        segments: Option<Tensor<1, Int>>,
        lengths: &[usize],
    ) -> Tensor<2> {
        let rows = Padded::new(lengths);
        let segments = segments.map(|segments| rows.block_of_numbers(segments));
        let ids = rows.block_of_numbers(ids);
        let states = self.embeddings.forward_on_burn(&self.pieces, ids, segments);
        let layers = self.layers.iter();
        rows.places(layers.fold(states, |states, layer| layer.forward_on_burn(states, None, &rows)))
    }
}

/// Keeps the first layers as they are; their dropout stays.
pub fn freeze(layers: Vec<Layer>, frozen: usize) -> Vec<Layer> {
    let layer = |(i, layer): (usize, Layer)| if i < frozen { layer.no_grad() } else { layer };
    layers.into_iter().enumerate().map(layer).collect()
}
