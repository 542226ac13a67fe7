//! BART: an encoder, and a decoder that reads the same pieces from left to right (lewis2020).
//!
//! The decoder's input is the encoder's, one to the right, its start piece first; so its state at a piece
//! has read the pieces before it, and the whole row through the encoder. A word's state is that at its
//! last piece.

use super::bert::freeze;
use super::embeddings::{Embeddings, pieces};
use super::layer::Layer;
use super::names::{DECODER, ENCODER, Names};
use super::padding::Padding;
use super::settings::{Settings, Stack};
use super::source::Source;
use crate::model::checkpoints::{CheckpointError, Weights};
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor};
use std::path::Path;

/// One of BART's two stacks.
#[derive(Module, Debug)]
pub(super) struct Side {
    pub(super) embeddings: Embeddings,
    pub(super) layers: Vec<Layer>,
}

impl Side {
    fn read(
        source: &Source,
        side: &str,
        names: &Names,
        settings: &Settings,
        stack: Stack,
        decodes: bool,
    ) -> Result<Self, CheckpointError> {
        let positions = format!("{side}.embed_positions.weight");
        let norm = format!("{side}.layernorm_embedding");
        Ok(Self {
            embeddings: Embeddings::read(source, &positions, "", &norm, settings)?,
            layers: Layer::read_all(source, names, settings, stack, decodes)?,
        })
    }

    fn freeze(self, layers: usize) -> Self {
        Self { embeddings: self.embeddings.no_grad(), layers: freeze(self.layers, layers) }
    }

    pub(super) fn forward(
        &self,
        pieces: &Embedding,
        ids: Tensor<2, Int>,
        context: Option<&Tensor<3>>,
        padding: &Padding,
    ) -> Tensor<3> {
        let states = self.embeddings.forward(pieces, ids, None);
        self.layers.iter().fold(states, |states, layer| layer.forward(states, context, padding))
    }
}

/// BART without a head, or its encoder alone.
#[derive(Module, Debug)]
pub struct Bart {
    pub(super) pieces: Embedding,
    pub(super) encoder: Side,
    pub(super) decoder: Option<Side>,
    #[module(skip)]
    width: usize,
    #[module(skip)]
    start: i64,
}

impl Bart {
    /// A model with fresh parameters; without a decoder where the settings have none.
    pub fn new(settings: &Settings, device: &Device) -> Self {
        let source = Source::Fresh { range: settings.range, device };
        Self::read(&source, settings).expect("fresh parameters need no file")
    }

    /// The model of a folder, or its encoder alone; `dropout` replaces the shares that its configuration
    /// names.
    pub fn load(
        folder: &Path,
        encoder_only: bool,
        dropout: f64,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let mut settings = Settings::of_folder(folder)?.with_dropout(dropout);
        if settings.decoder.is_none() {
            let what = "this is a BERT, which the encoder `bert` reads".to_owned();
            return Err(CheckpointError::Setting { path: folder.join("config.json"), what });
        }
        if encoder_only {
            settings.decoder = None;
        }
        let weights = Weights::open(folder, &["model."], "encoder.embed_positions.weight")?;
        Self::read(&Source::Stored { weights: &weights, device }, &settings)
    }

    fn read(source: &Source, settings: &Settings) -> Result<Self, CheckpointError> {
        // Checkpoints hold the shared table under one of these names, sometimes under all.
        let table = |name| pieces(source, name, settings);
        let pieces = table("shared.weight")
            .or_else(|error| table("encoder.embed_tokens.weight").map_err(|_| error))?;
        let decoder = settings
            .decoder
            .map(|stack| Side::read(source, "decoder", &DECODER, settings, stack, true));
        Ok(Self {
            pieces,
            encoder: Side::read(source, "encoder", &ENCODER, settings, settings.encoder, false)?,
            decoder: decoder.transpose()?,
            width: settings.width,
            start: settings.decoder_start,
        })
    }

    /// Keeps the embeddings and the first `layers` layers as they are, the encoder's before the decoder's;
    /// a negative number keeps nothing.
    pub fn freeze(self, layers: i64) -> Self {
        let Ok(frozen) = usize::try_from(layers) else { return self };
        let of_decoder = frozen.saturating_sub(self.encoder.layers.len());
        Self {
            pieces: self.pieces.no_grad(),
            encoder: self.encoder.freeze(frozen),
            decoder: self.decoder.map(|decoder| decoder.freeze(of_decoder)),
            ..self
        }
    }

    /// Numbers a piece.
    pub fn output(&self) -> usize {
        self.width
    }

    /// Rows × pieces, each row real up to its length, to the last layer's states: the decoder's where
    /// there is one.
    pub fn forward(&self, ids: Tensor<2, Int>, lengths: &[usize]) -> Tensor<3> {
        let [_, longest] = ids.dims();
        let padding = Padding::new(lengths, longest);
        let states = self.encoder.forward(&self.pieces, ids.clone(), None, &padding);
        match &self.decoder {
            None => states,
            Some(decoder) => {
                decoder.forward(&self.pieces, self.shifted(ids), Some(&states), &padding)
            }
        }
    }

    /// Every row one to the right, the start piece first.
    fn shifted(&self, ids: Tensor<2, Int>) -> Tensor<2, Int> {
        let [rows, longest] = ids.dims();
        let start = Tensor::full([rows, 1], self.start, &ids.device());
        match longest {
            // Burn narrows to nothing by an error.
            0 | 1 => start,
            _ => Tensor::cat(vec![start, ids.narrow(1, 0, longest - 1)], 1),
        }
    }
}
