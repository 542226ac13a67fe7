//! The sizes of a transformer.

use crate::model::checkpoints::{CheckpointError, config};
use parts::supported::{self, Family};
use serde_json::Value;
use std::path::Path;
use thiserror::Error;

/// Sizes that do not go together.
#[derive(Debug, Error)]
#[error("a width of {width} is no multiple of {heads} attention heads")]
pub struct SettingsError {
    width: usize,
    heads: usize,
}

/// The function between the two linear layers of a block.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Activation {
    /// x·Φ(x), exact (hendrycks2016).
    Gelu,
    /// Its approximation by tanh.
    GeluTanh,
    Relu,
}

/// A stack of like layers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    pub layers: usize,
    pub heads: usize,
    /// Numbers a piece between the two linear layers of a block.
    pub inner: usize,
}

/// Everything that fixes a transformer's shape and arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformerSettings {
    /// Pieces of the vocabulary.
    pub pieces: usize,
    /// Numbers a piece.
    pub width: usize,
    pub encoder: Stack,
    /// BART's; BERT has none.
    pub decoder: Option<Stack>,
    /// The longest row in pieces.
    pub positions: usize,
    /// Rows of the table of positions before that of the first piece.
    pub offset: usize,
    /// Types of pieces; 0 where there is no table of them.
    pub types: usize,
    /// What is added to a variance.
    pub epsilon: f64,
    /// Share of a block's output that is dropped while training.
    pub dropout: f64,
    /// Share of attention that is dropped while training.
    pub attention_dropout: f64,
    /// Share of the inner numbers that is dropped while training.
    pub activation_dropout: f64,
    pub activation: Activation,
    /// Standard deviation of fresh parameters.
    pub range: f64,
    /// What word vectors are multiplied with.
    pub scale: f64,
    /// The piece that a decoder reads first.
    pub decoder_start: i64,
}

impl TransformerSettings {
    /// A fresh BERT of a chosen size.
    pub fn bert(pieces: usize, width: usize, positions: usize, encoder: Stack) -> Self {
        Self {
            pieces,
            width,
            encoder,
            decoder: None,
            positions,
            offset: 0,
            types: 2,
            epsilon: 1e-12,
            dropout: 0.1,
            attention_dropout: 0.1,
            activation_dropout: 0.0,
            activation: Activation::Gelu,
            range: 0.02,
            scale: 1.0,
            decoder_start: 0,
        }
    }

    /// The same with a decoder of the encoder's size, as BART has it.
    pub fn bart(pieces: usize, width: usize, positions: usize, stack: Stack) -> Self {
        Self {
            decoder: Some(stack),
            offset: 2,
            types: 0,
            epsilon: 1e-5,
            ..Self::bert(pieces, width, positions, stack)
        }
    }

    /// The settings, if the heads divide the width.
    pub fn checked(self) -> Result<Self, SettingsError> {
        let width = self.width;
        let stacks = [Some(self.encoder), self.decoder];
        match stacks.into_iter().flatten().find(|stack| !width.is_multiple_of(stack.heads)) {
            Some(Stack { heads, .. }) => Err(SettingsError { width, heads }),
            None => Ok(self),
        }
    }

    /// One share for everything that is dropped, as a grid sets it.
    pub fn with_dropout(self, share: f64) -> Self {
        Self { dropout: share, attention_dropout: share, ..self }
    }

    /// Those of a checkpoint's folder.
    pub fn of_folder(folder: &Path) -> Result<Self, CheckpointError> {
        let (path, file) = config(folder)?;
        Self::from_json(&path, &file)
    }

    /// As a checkpoint's `config.json` says.
    fn from_json(path: &Path, file: &Value) -> Result<Self, CheckpointError> {
        let read = Reader { path, file };
        match supported::family(file).map_err(|problem| read.wrong(&problem))? {
            Family::Bert => read.bert(0),
            // RoBERTa's positions begin behind that of padding.
            Family::Roberta => read.bert(read.count_or("pad_token_id", 1)? + 1),
            Family::Bart => read.bart(),
        }
    }
}

struct Reader<'a> {
    path: &'a Path,
    file: &'a Value,
}

/// No size of a transformer is larger; a larger one is a damaged file.
const LARGEST: u64 = 1 << 24;

impl Reader<'_> {
    fn bert(&self, offset: usize) -> Result<TransformerSettings, CheckpointError> {
        let stack = Stack {
            layers: self.count("num_hidden_layers")?,
            heads: self.count("num_attention_heads")?,
            inner: self.count("intermediate_size")?,
        };
        let rows = self.count("max_position_embeddings")?;
        let positions = rows.checked_sub(offset).filter(|&n| n > 2);
        let positions = positions.ok_or_else(|| self.wrong("it leaves no positions"))?;
        let settings = TransformerSettings {
            offset,
            types: self.count_or("type_vocab_size", 2)?,
            epsilon: self.real_or("layer_norm_eps", 1e-12)?,
            dropout: self.share("hidden_dropout_prob", 0.1)?,
            attention_dropout: self.share("attention_probs_dropout_prob", 0.1)?,
            activation: self.activation("hidden_act")?,
            range: self.real_or("initializer_range", 0.02)?,
            ..TransformerSettings::bert(
                self.count("vocab_size")?,
                self.count("hidden_size")?,
                positions,
                stack,
            )
        };
        self.checked(settings)
    }

    fn bart(&self) -> Result<TransformerSettings, CheckpointError> {
        let stack = |side: &str| {
            Ok(Stack {
                layers: self.count(&format!("{side}_layers"))?,
                heads: self.count(&format!("{side}_attention_heads"))?,
                inner: self.count(&format!("{side}_ffn_dim"))?,
            })
        };
        let width = self.count("d_model")?;
        let scaled = self.file["scale_embedding"].as_bool().unwrap_or(false);
        let settings = TransformerSettings {
            decoder: Some(stack("decoder")?),
            dropout: self.share("dropout", 0.1)?,
            attention_dropout: self.share("attention_dropout", 0.0)?,
            activation_dropout: self.share("activation_dropout", 0.0)?,
            activation: self.activation("activation_function")?,
            range: self.real_or("init_std", 0.02)?,
            scale: if scaled { (width as f64).sqrt() } else { 1.0 },
            decoder_start: self.count_or("decoder_start_token_id", 2)? as i64,
            ..TransformerSettings::bart(
                self.count("vocab_size")?,
                width,
                self.count("max_position_embeddings")?,
                stack("encoder")?,
            )
        };
        self.checked(settings)
    }

    fn checked(
        &self,
        settings: TransformerSettings,
    ) -> Result<TransformerSettings, CheckpointError> {
        let settings = settings.checked().map_err(|error| self.wrong(&error.to_string()))?;
        if settings.decoder_start >= settings.pieces as i64 {
            return Err(self.wrong("decoder_start_token_id is not in the vocabulary"));
        }
        Ok(settings)
    }

    fn count(&self, key: &str) -> Result<usize, CheckpointError> {
        let found = self.file[key].as_u64().filter(|n| (1..=LARGEST).contains(n));
        let wrong = || self.wrong(&format!("`{key}` is missing, or no number from 1 to {LARGEST}"));
        found.map(|n| n as usize).ok_or_else(wrong)
    }

    fn count_or(&self, key: &str, usual: usize) -> Result<usize, CheckpointError> {
        match &self.file[key] {
            Value::Null => Ok(usual),
            value => {
                let found = value.as_u64().filter(|&n| n <= LARGEST);
                let wrong = || self.wrong(&format!("`{key}` is no number from 0 to {LARGEST}"));
                found.map(|n| n as usize).ok_or_else(wrong)
            }
        }
    }

    fn real_or(&self, key: &str, usual: f64) -> Result<f64, CheckpointError> {
        match &self.file[key] {
            Value::Null => Ok(usual),
            value => {
                let found = value.as_f64().filter(|x| x.is_finite() && *x > 0.0);
                found.ok_or_else(|| self.wrong(&format!("`{key}` is no positive number")))
            }
        }
    }

    fn share(&self, key: &str, usual: f64) -> Result<f64, CheckpointError> {
        let found = self.file[key].as_f64().unwrap_or(usual);
        let wrong = || self.wrong(&format!("`{key}` is no share from 0 to below 1"));
        Some(found).filter(|x| (0.0..1.0).contains(x)).ok_or_else(wrong)
    }

    fn activation(&self, key: &str) -> Result<Activation, CheckpointError> {
        match self.file[key].as_str().unwrap_or("gelu") {
            "gelu" => Ok(Activation::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
            "relu" => Ok(Activation::Relu),
            other => Err(self.wrong(&format!("the function `{other}` is not supported"))),
        }
    }

    fn wrong(&self, what: &str) -> CheckpointError {
        CheckpointError::Setting { path: self.path.to_owned(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bert() -> Value {
        json!({
            "model_type": "bert", "vocab_size": 30, "hidden_size": 12, "num_hidden_layers": 2,
            "num_attention_heads": 3, "intermediate_size": 24, "max_position_embeddings": 16,
        })
    }

    /// The settings after some keys were changed.
    fn read(base: Value, changes: &[(&str, Value)]) -> Result<TransformerSettings, String> {
        let mut file = base;
        for (key, value) in changes {
            file[*key] = value.clone();
        }
        TransformerSettings::from_json(Path::new("config.json"), &file)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_file_does_not_say_is_as_transformers_has_it() {
        let settings = read(bert(), &[]).unwrap();
        let stack = Stack { layers: 2, heads: 3, inner: 24 };
        assert_eq!(settings, TransformerSettings::bert(30, 12, 16, stack));
        let roberta = [("model_type", json!("roberta")), ("pad_token_id", json!(1))];
        let settings = read(bert(), &roberta).unwrap();
        assert_eq!((settings.offset, settings.positions), (2, 14));
    }

    #[test]
    fn a_setting_that_cannot_be_used_is_named() {
        let cases = [
            (
                "model_type",
                json!("t5"),
                "model_type `t5` is not supported: bert, roberta and bart are",
            ),
            ("model_type", json!(null), "model_type (missing) is not supported"),
            ("vocab_size", json!(null), "`vocab_size` is missing, or no number from 1 to"),
            ("hidden_size", json!(0), "`hidden_size` is missing, or no number from 1 to"),
            ("num_hidden_layers", json!(-3), "`num_hidden_layers` is missing"),
            ("intermediate_size", json!(1u64 << 60), "`intermediate_size` is missing"),
            ("num_attention_heads", json!(5), "a width of 12 is no multiple of 5 attention heads"),
            (
                "hidden_dropout_prob",
                json!(1.0),
                "`hidden_dropout_prob` is no share from 0 to below 1",
            ),
            ("layer_norm_eps", json!(0), "`layer_norm_eps` is no positive number"),
            ("hidden_act", json!("swish"), "the function `swish` is not supported"),
            ("position_embedding_type", json!("relative_key"), "positions of type `relative_key`"),
            ("type_vocab_size", json!("two"), "`type_vocab_size` is no number from 0 to"),
        ];
        for (key, value, told) in cases {
            let error = read(bert(), &[(key, value)]).unwrap_err();
            assert!(error.starts_with("config.json: ") && error.contains(told), "{key}: {error}");
        }
        let roberta = [("model_type", json!("roberta")), ("max_position_embeddings", json!(3))];
        assert!(read(bert(), &roberta).unwrap_err().contains("leaves no positions"));
        let bart = json!({
            "model_type": "bart", "vocab_size": 30, "d_model": 12, "max_position_embeddings": 16,
            "encoder_layers": 1, "encoder_attention_heads": 3, "encoder_ffn_dim": 8,
            "decoder_layers": 1, "decoder_attention_heads": 3, "decoder_ffn_dim": 8,
        });
        assert!(read(bart.clone(), &[]).is_ok());
        let error = read(bart, &[("decoder_start_token_id", json!(30))]).unwrap_err();
        assert!(error.contains("decoder_start_token_id is not in the vocabulary"), "{error}");
    }
}
