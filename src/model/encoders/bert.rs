//! BERT: a pretrained transformer encoder, or a small fresh one.
//!
//! With a checkpoint a word is its pieces, and the first of them carries its tag; a fresh one reads whole
//! words.

use crate::domain::{Entry, Parameter, ParameterKind, Preset};

pub const ENTRY: Entry = Entry {
    name: "bert",
    help: "BERT, from a checkpoint or with fresh parameters",
    parameters: &[FREEZE_LAYERS, MAX_PIECES, DROPOUT, WIDTH, LAYERS, HEADS, INNER],
    needs: "",
    source: "devlin2019",
};

/// AdamW with a warm-up and a linear decay, clipped, as google-research's code has it (METHODS E); longer, so that few
/// sentences can be learned.
pub const TRAINING: &[(&str, Preset)] = &[
    ("epochs", Preset::Whole(10)),
    ("min_updates", Preset::Whole(600)),
    ("batch", Preset::Whole(16)),
    ("learning_rate", Preset::Number(1e-4)),
    ("warm_up", Preset::Number(0.1)),
    ("schedule", Preset::Word("linear")),
    ("clip", Preset::Number(1.0)),
];

pub(super) const FREEZE_LAYERS: Parameter = Parameter {
    name: "freeze_layers",
    help: "keep the embeddings and so many first layers as they are; -1 trains everything",
    kind: ParameterKind::Integer { default: -1, min: -1, max: 1000 },
};
pub(super) const MAX_PIECES: Parameter = Parameter {
    name: "max_pieces",
    help: "pieces a window; a longer sentence is read in several windows, each with context around it",
    kind: ParameterKind::Integer { default: 512, min: 8, max: 8192 },
};
pub(super) const DROPOUT: Parameter = Parameter {
    name: "dropout",
    help: "share dropped while training, in every layer and after the last",
    kind: ParameterKind::Real { default: 0.1, min: 0.0, max: 0.95 },
};
pub(super) const WIDTH: Parameter = Parameter {
    name: "width",
    help: "numbers a word, where parameters are fresh",
    kind: ParameterKind::Integer { default: 128, min: 1, max: 8192 },
};
pub(super) const LAYERS: Parameter = Parameter {
    name: "layers",
    help: "layers of each stack, where parameters are fresh",
    kind: ParameterKind::Integer { default: 2, min: 1, max: 200 },
};
pub(super) const HEADS: Parameter = Parameter {
    name: "heads",
    help: "attention heads a layer, where parameters are fresh; they divide the width",
    kind: ParameterKind::Integer { default: 2, min: 1, max: 1024 },
};
pub(super) const INNER: Parameter = Parameter {
    name: "inner",
    help: "numbers a word inside a layer, where parameters are fresh",
    kind: ParameterKind::Integer { default: 512, min: 1, max: 65536 },
};

#[cfg(tensors)]
pub use tensors::Bert;
#[cfg(tensors)]
pub(super) use tensors::stack;

#[cfg(tensors)]
mod tensors {
    use crate::domain::{Parameters, Precision};
    use crate::model::Batch;
    use crate::model::checkpoints::CheckpointError;
    use crate::model::dropout::drop_some;
    use crate::model::tokenisation::Carrier;
    use crate::model::transformer::{self, Settings, SettingsError, Stack};
    use burn::module::Module;
    use burn::tensor::{Device, Tensor};
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
}
