//! BERT: a stack of layers in which every piece attends to every other (devlin2019).

use super::embeddings::{Embeddings, pieces};
use super::layer::Layer;
use super::names::BERT;
use super::padding::Padding;
use super::settings::Settings;
use super::source::Source;
use crate::model::checkpoints::{CheckpointError, Weights};
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor};
use std::path::Path;

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
    pub fn new(settings: &Settings, device: &Device) -> Self {
        let source = Source::Fresh { range: settings.range, device };
        Self::read(&source, settings).expect("fresh parameters need no file")
    }

    /// The model of a folder; `dropout` replaces the shares that its configuration names.
    pub fn load(folder: &Path, dropout: f64, device: &Device) -> Result<Self, CheckpointError> {
        let settings = Settings::of_folder(folder)?.with_dropout(dropout);
        if settings.decoder.is_some() {
            let what = "this is a BART, which the encoder `bart` reads".to_owned();
            return Err(CheckpointError::Setting { path: folder.join("config.json"), what });
        }
        let prefixes = ["bert.", "roberta."];
        let weights = Weights::open(folder, &prefixes, "embeddings.word_embeddings.weight")?;
        Self::read(&Source::Stored { weights: &weights, device }, &settings)
    }

    fn read(source: &Source, settings: &Settings) -> Result<Self, CheckpointError> {
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

    /// Keeps the embeddings and the first `layers` layers as they are; a negative number keeps nothing.
    pub fn freeze(self, layers: i64) -> Self {
        let Ok(frozen) = usize::try_from(layers) else { return self };
        Self {
            pieces: self.pieces.no_grad(),
            embeddings: self.embeddings.no_grad(),
            layers: freeze(self.layers, frozen),
            ..self
        }
    }

    /// Numbers a piece.
    pub fn output(&self) -> usize {
        self.width
    }

    /// Rows × pieces, each row real up to its length, to the last layer's states.
    pub fn forward(&self, ids: Tensor<2, Int>, lengths: &[usize]) -> Tensor<3> {
        self.forward_texts(ids, None, lengths)
    }

    /// The same; `segments` says of which of two texts each piece is.
    pub fn forward_texts(
        &self,
        ids: Tensor<2, Int>,
        segments: Option<Tensor<2, Int>>,
        lengths: &[usize],
    ) -> Tensor<3> {
        let [_, longest] = ids.dims();
        let padding = Padding::new(lengths, longest);
        let states = self.embeddings.forward(&self.pieces, ids, segments);
        self.layers.iter().fold(states, |states, layer| layer.forward(states, None, &padding))
    }
}

/// Keeps the first layers as they are; their dropout stays.
pub fn freeze(layers: Vec<Layer>, frozen: usize) -> Vec<Layer> {
    let layer = |(i, layer): (usize, Layer)| if i < frozen { layer.no_grad() } else { layer };
    layers.into_iter().enumerate().map(layer).collect()
}
