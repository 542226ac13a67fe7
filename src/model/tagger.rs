//! A whole model: words to vectors to states to tags.

use super::batch::Batch;
use super::embeddings::Embeddings;
use super::encoders::Encoder;
use super::heads::Head;
use crate::domain::{ModelSettings, Part};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use thiserror::Error;

/// A part that this engine does not have.
#[derive(Debug, Error)]
#[error("this engine has no {slot} `{kind}`")]
pub struct UnknownPart {
    slot: &'static str,
    kind: String,
}

/// A tagger of any parts.
#[derive(Module, Debug)]
pub struct Tagger {
    embeddings: Embeddings,
    encoder: Encoder,
    head: Head,
}

impl Tagger {
    /// A model with fresh parameters on `device`.
    pub fn new(
        settings: &ModelSettings,
        rows: usize,
        tags: usize,
        device: &Device,
    ) -> Result<Self, UnknownPart> {
        let ModelSettings { embeddings, encoder, head } = settings;
        let unknown = |slot, part: &Part| UnknownPart { slot, kind: part.kind.clone() };
        let embeddings = Embeddings::new(embeddings, rows, device)
            .ok_or_else(|| unknown("embeddings", embeddings))?;
        let encoder = Encoder::new(encoder, embeddings.dimension(), device)
            .ok_or_else(|| unknown("encoder", encoder))?;
        let head =
            Head::new(head, encoder.output(), tags, device).ok_or_else(|| unknown("head", head))?;
        Ok(Self { embeddings, encoder, head })
    }

    /// The logits of the batch's real tokens, sentence by sentence: tokens × tags.
    pub fn logits(&self, batch: &Batch) -> Tensor<2> {
        let vectors = self.embeddings.forward(batch.words.clone());
        let states = self.encoder.forward(vectors, batch);
        let [sentences, length, width] = states.dims();
        let states = states.reshape([sentences * length, width]).select(0, batch.real.clone());
        self.head.logits(states)
    }

    /// The predicted class of each real token, sentence by sentence.
    pub fn predict(&self, batch: &Batch) -> Vec<usize> {
        self.head.decode(self.logits(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Backend, Parameters};
    use crate::model::{embeddings, encoders};

    fn settings(encoder: &str) -> ModelSettings {
        let entry = encoders::ENTRIES.iter().find(|entry| entry.name == encoder).unwrap();
        let mut parameters = Parameters::defaults(entry.parameters);
        if encoder == "bilstm" {
            parameters.0.insert("hidden".into(), crate::domain::ParameterValue::Integer(8));
        }
        let random = embeddings::ENTRIES[0];
        ModelSettings {
            embeddings: Part {
                kind: random.name.into(),
                parameters: Parameters::defaults(random.parameters),
            },
            encoder: Part { kind: encoder.into(), parameters },
            head: Part { kind: "softmax".into(), parameters: Parameters::default() },
        }
    }

    fn backends() -> Vec<Device> {
        let all = [Backend::Libtorch, Backend::Flex];
        all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
    }

    fn logits(model: &Tagger, batch: &Batch) -> Vec<f32> {
        model.logits(batch).into_data().try_to_vec().unwrap()
    }

    #[test]
    fn a_sentence_does_not_depend_on_what_it_was_batched_with() {
        for device in backends() {
            for encoder in ["shallow", "bilstm"] {
                let model = Tagger::new(&settings(encoder), 20, 5, &device.clone().autodiff());
                let model = model.unwrap().valid();
                let sentence: &[i64] = &[4, 9, 2, 7];
                let others: [&[i64]; 2] = [&[3], &[5, 6, 7, 8, 9, 10, 11, 12, 13]];
                let alone = logits(&model, &Batch::new(&[sentence], &device));
                let mixed = logits(&model, &Batch::new(&[others[0], sentence, others[1]], &device));
                let padded = Batch::with_more_padding(7, &[sentence], &device);
                let padded = logits(&model, &padded);
                assert_eq!(alone.len(), 4 * 5);
                for (i, value) in alone.iter().enumerate() {
                    // Its logits stand behind those of the one token before it.
                    assert!((value - mixed[5 + i]).abs() < 1e-5, "{encoder}, mixed lengths");
                    assert!((value - padded[i]).abs() < 1e-5, "{encoder}, more padding");
                }
            }
        }
    }

    #[test]
    fn a_part_that_is_not_there_is_named() {
        let mut settings = settings("shallow");
        settings.head.kind = "crf".into();
        let unknown = Tagger::new(&settings, 20, 5, &Device::flex()).unwrap_err();
        assert_eq!(unknown.to_string(), "this engine has no head `crf`");
    }

    #[test]
    fn dropout_is_off_at_prediction() {
        for device in backends() {
            let autodiff = device.clone().autodiff();
            let model = Tagger::new(&settings("bilstm"), 20, 5, &autodiff).unwrap();
            let sentence: &[i64] = &[4, 9, 2, 7];
            let trained = |m: &Tagger| logits(m, &Batch::new(&[sentence], &autodiff));
            assert_ne!(trained(&model), trained(&model), "dropout is on while training");
            let valid = model.valid();
            let predicted = || logits(&valid, &Batch::new(&[sentence], &device));
            assert_eq!(predicted(), predicted());
        }
    }
}
