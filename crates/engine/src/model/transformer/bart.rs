//! BART: an encoder, and a decoder that reads the same pieces from left to right (lewis2020).
//!
//! The decoder's input is the encoder's, one to the right, its start piece first; so its state at a
//! piece has read the pieces before it, and the whole row through the encoder. A word's state is
//! that at its last piece.

use super::bert::freeze;
use super::embeddings::{Embeddings, pieces};
use super::host;
use super::layer::Layer;
use super::names::{DECODER, ENCODER, Names};
use super::settings::{Stack, TransformerSettings};
use super::source::ParameterSource;
use crate::model::batch::integers;
use crate::model::checkpoints::{CheckpointError, Weights};
use crate::model::padded::Padded;
use burn::module::Module;
use burn::nn::Embedding;
use burn::tensor::{Device, Int, Tensor};
use domain::Precision;
use std::path::Path;
#[cfg(feature = "libtorch")]
use {crate::model::passes::BatchRows, crate::model::torch, std::sync::Arc};

/// One of BART's two stacks.
#[derive(Module, Debug)]
pub(super) struct Side {
    pub(super) embeddings: Embeddings,
    pub(super) layers: Vec<Layer>,
}

impl Side {
    fn read(
        source: &ParameterSource,
        side: &str,
        names: &Names,
        settings: &TransformerSettings,
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

    #[cfg(feature = "libtorch")]
    fn forward_on_torch(
        &self,
        pieces: &Embedding,
        ids: Vec<i64>,
        context: Option<&Tensor<2>>,
        lengths: &[usize],
        rows: &Arc<BatchRows>,
    ) -> Tensor<2> {
        let states = torch::embeddings(&self.embeddings, pieces, ids, None, lengths);
        torch::layers(&self.layers, states, context, rows)
    }

    pub(super) fn forward_on_burn(
        &self,
        pieces: &Embedding,
        ids: Tensor<2, Int>,
        context: Option<&Tensor<3>>,
        rows: &Padded<'_>,
    ) -> Tensor<3> {
        let states = self.embeddings.forward_on_burn(pieces, ids, None);
        let layers = self.layers.iter();
        layers.fold(states, |states, layer| layer.forward_on_burn(states, context, rows))
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
    pub fn new(settings: &TransformerSettings, device: &Device) -> Self {
        let source = ParameterSource::Fresh { range: settings.range, device };
        Self::read(&source, settings).expect("fresh parameters need no file")
    }

    /// The model of a folder, or its encoder alone; `dropout` replaces the shares that its
    /// configuration names.
    pub fn load(
        folder: &Path,
        encoder_only: bool,
        dropout: f64,
        device: &Device,
    ) -> Result<Self, CheckpointError> {
        let mut settings = TransformerSettings::of_folder(folder)?.with_dropout(dropout);
        if settings.decoder.is_none() {
            let what = "this is a BERT, which the encoder `bert` reads".to_owned();
            return Err(CheckpointError::Setting { path: folder.join("config.json"), what });
        }
        if encoder_only {
            settings.decoder = None;
        }
        let weights = Weights::open(folder, &["model."], "encoder.embed_positions.weight")?;
        Self::read(&ParameterSource::Stored { weights: &weights, device }, &settings)
    }

    fn read(
        source: &ParameterSource,
        settings: &TransformerSettings,
    ) -> Result<Self, CheckpointError> {
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

    /// Keeps the embeddings and the first `layers` layers as they are, the encoder's before the
    /// decoder's; a negative number keeps nothing.
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

    /// Computes matrix products in another precision.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        let layers = self.decoder.iter_mut().flat_map(|decoder| &mut decoder.layers);
        for layer in self.encoder.layers.iter_mut().chain(layers) {
            layer.precision = precision;
        }
        self
    }

    /// What matrix products are computed in.
    pub fn precision(&self) -> Precision {
        self.encoder.layers.first().map_or(Precision::F32, |layer| layer.precision)
    }

    /// Numbers a piece.
    pub fn output(&self) -> usize {
        self.width
    }

    /// The pieces of rows of these lengths, one after the other, to the last layer's states: the
    /// decoder's where there is one; pieces × width.
    pub fn forward(&self, ids: Tensor<1, Int>, lengths: &[usize]) -> Tensor<2> {
        let shifted = self.decoder.as_ref().map(|_| self.shifted(ids.clone(), lengths));
        #[cfg(feature = "libtorch")]
        if crate::model::device::is_libtorch(&ids.device()) {
            let rows = Arc::new(BatchRows::new(lengths));
            let run = |side: &Side, ids, context| {
                side.forward_on_torch(&self.pieces, host(ids), context, lengths, &rows)
            };
            let states = run(&self.encoder, ids, None);
            return match self.decoder.as_ref().zip(shifted) {
                None => states,
                Some((decoder, shifted)) => run(decoder, shifted, Some(&states)),
            };
        }
        self.forward_on_burn(ids, shifted, lengths)
    }

    /// The same on Burn's operations, which need padding.
    fn forward_on_burn(
        &self,
        ids: Tensor<1, Int>,
        shifted: Option<Tensor<1, Int>>,
        lengths: &[usize],
    ) -> Tensor<2> {
        let rows = Padded::new(lengths);
        let run = |side: &Side, ids, context| {
            side.forward_on_burn(&self.pieces, rows.block_of_numbers(ids), context, &rows)
        };
        let states = run(&self.encoder, ids, None);
        rows.places(match self.decoder.as_ref().zip(shifted) {
            None => states,
            Some((decoder, shifted)) => run(decoder, shifted, Some(&states)),
        })
    }

    /// Every row one to the right, the start piece first.
    fn shifted(&self, ids: Tensor<1, Int>, lengths: &[usize]) -> Tensor<1, Int> {
        let device = ids.device();
        let mut ids = host(ids);
        let mut first = 0;
        for &length in lengths {
            let row = &mut ids[first..first + length];
            row.rotate_right(length.min(1));
            row.iter_mut().take(1).for_each(|id| *id = self.start);
            first += length;
        }
        integers(ids, &device)
    }
}
