//! A whole model: sentences as numbers to vectors to states to tags.

use super::batch::Batch;
use super::checkpoints::{Checkpoint, CheckpointError};
use super::embeddings::Embeddings;
use super::encoders::{Encoder, Origin, PieceEncoder};
use super::heads::two_task::TwoTask;
use super::heads::{Crf, Head};
use super::reader::Reader;
use super::shallow::Solution;
use super::transformer::SettingsError;
use super::vocabulary::Vocabulary;
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use domain::{ModelSettings, Precision};
use parts::encoders;
use thiserror::Error;

/// Why a model cannot be made.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A part that this engine does not have.
    #[error("this engine has no {slot} `{kind}`")]
    UnknownPart { slot: &'static str, kind: String },
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// What a model is made with besides its settings.
pub struct Material {
    pub reader: Reader,
    /// Pretrained vectors in the order of the reader's rows.
    pub vectors: Option<TensorData>,
    /// Where a pretrained encoder comes from.
    pub checkpoint: Option<Checkpoint>,
}

/// An encoder of words, with their vectors.
#[derive(Module, Debug)]
pub struct WordEncoder {
    embeddings: Embeddings,
    encoder: Encoder,
}

/// From a batch to one vector per place.
#[derive(Module, Debug)]
#[allow(clippy::large_enum_variant, reason = "a job has one")]
pub enum Body {
    Words(WordEncoder),
    Pieces(PieceEncoder),
}

/// A tagger of any parts.
#[derive(Module, Debug)]
pub struct Tagger {
    body: Body,
    head: Head,
}

impl Tagger {
    /// A model on `device`, with fresh parameters where nothing is pretrained.
    pub fn new(
        settings: &ModelSettings,
        material: &Material,
        tags: usize,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let body = Body::new(settings, material, device)?;
        let head = Head::new(&settings.head, body.output(), tags, device);
        Ok(Self { body, head })
    }

    /// Computes a transformer's matrix products in another precision; other encoders have f32
    /// alone.
    pub fn with_precision(mut self, precision: Precision) -> Self {
        self.body = match self.body {
            Body::Pieces(encoder) => Body::Pieces(encoder.with_precision(precision)),
            body => body,
        };
        self
    }

    /// What matrix products are computed in.
    pub fn precision(&self) -> Precision {
        match &self.body {
            Body::Pieces(encoder) => encoder.precision(),
            Body::Words(_) => Precision::F32,
        }
    }

    /// The same model with the parameters that full-batch training found for its head.
    pub fn with_solution(mut self, solution: &Solution, device: &Device) -> Self {
        self.head = self.head.with_solution(solution, device);
        self
    }

    /// Its head, if that has two tasks.
    pub fn two_task(&self) -> Option<&TwoTask> {
        match &self.head {
            Head::TwoTask(head) => Some(head),
            _ => None,
        }
    }

    /// The same model, which never finds types that training never shows, where its head would.
    pub fn of_seen_types(mut self, counts: &[u64]) -> Self {
        self.head = match self.head {
            Head::TwoTask(head) => Head::TwoTask(head.of_seen_types(counts)),
            head => head,
        };
        self
    }

    /// The same model with other thresholds, where its head has any.
    pub fn with_thresholds(mut self, thresholds: &[f32]) -> Self {
        self.head = match self.head {
            Head::TwoTask(head) => Head::TwoTask(head.with_thresholds(thresholds)),
            head => head,
        };
        self
    }

    /// The vectors of the batch's words in their context, sentence by sentence.
    pub fn states(&self, batch: &Batch) -> Tensor<2> {
        batch.words(self.body.forward(batch))
    }

    /// What decides.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The logits of the batch's words, sentence by sentence: words × tags.
    pub fn logits(&self, batch: &Batch) -> Tensor<2> {
        self.head.logits(self.states(batch))
    }

    /// The head, if it is a random field: what is known of some tags goes in there.
    pub fn field(&self) -> Option<&Crf> {
        self.head.field()
    }

    /// The predicted class of each word, sentence by sentence.
    pub fn predict(&self, batch: &Batch) -> Vec<usize> {
        self.head.decode(self.logits(batch), &batch.sentences)
    }
}

fn unknown(slot: &'static str, kind: &str) -> ModelError {
    ModelError::UnknownPart { slot, kind: kind.to_owned() }
}

impl Body {
    fn new(
        settings: &ModelSettings,
        material: &Material,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let origin = match &material.checkpoint {
            Some(checkpoint) => Origin::Checkpoint(checkpoint),
            None => {
                Origin::Fresh { words: material.reader.vocabulary().map_or(0, Vocabulary::rows) }
            }
        };
        let declared = encoders::Encoder::read(&settings.encoder);
        match PieceEncoder::new(&declared, origin, device) {
            Some(encoder) => encoder.map(Body::Pieces),
            None => WordEncoder::new(settings, &declared, material, device).map(Body::Words),
        }
    }

    /// Numbers per place.
    fn output(&self) -> usize {
        match self {
            Body::Words(body) => body.encoder.output(),
            Body::Pieces(encoder) => encoder.output(),
        }
    }

    /// Places × output.
    fn forward(&self, batch: &Batch) -> Tensor<2> {
        match self {
            Body::Words(body) => {
                body.encoder.forward(body.embeddings.forward(batch.ids.clone()), batch)
            }
            Body::Pieces(encoder) => encoder.forward(batch),
        }
    }
}

impl WordEncoder {
    fn new(
        settings: &ModelSettings,
        declared: &encoders::Encoder,
        material: &Material,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let rows = material.reader.vocabulary().map_or(0, Vocabulary::rows);
        let part = settings.embeddings.as_ref().ok_or_else(|| unknown("embeddings", "none"))?;
        let embeddings = Embeddings::new(part, rows, material.vectors.clone(), device)
            .ok_or_else(|| unknown("embeddings", &part.kind))?;
        let alphabet = material.reader.alphabet();
        let encoder = Encoder::new(declared, embeddings.dimension(), alphabet, device)
            .ok_or_else(|| unknown("encoder", &settings.encoder.kind))?;
        Ok(Self { embeddings, encoder })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Row, Units};
    use domain::{Backend, ParameterValue, Part};
    use parts::Capability;

    fn part(entries: &[parts::Entry], kind: &str, set: &[(&str, i64)]) -> Part {
        let entry = entries.iter().find(|entry| entry.name == kind).unwrap();
        let mut parameters = entry.defaults();
        for (name, value) in set {
            parameters.0.insert((*name).into(), ParameterValue::Integer(*value));
        }
        Part { kind: kind.into(), parameters }
    }

    fn settings((encoder, set): (&str, &[(&str, i64)]), head: &str) -> ModelSettings {
        let embeddings = (!encoders::can(encoder, Capability::Pieces))
            .then(|| part(parts::embeddings::ENTRIES, "random", &[]));
        ModelSettings {
            embeddings,
            encoder: part(parts::encoders::ENTRIES, encoder, set),
            head: part(parts::heads::ENTRIES, head, &[]),
            queries: Default::default(),
            digests: Default::default(),
        }
    }

    /// Twenty words.
    fn material() -> Material {
        let vocabulary = Vocabulary::with_rows([], 20, None);
        Material { reader: Reader::new(Units::Words(vocabulary)), vectors: None, checkpoint: None }
    }

    fn with_characters() -> Material {
        let mut material = material();
        material.reader.vocabulary_mut().unwrap().spell("0123456789".chars());
        material
    }

    fn backends() -> Vec<Device> {
        let all = [Backend::Libtorch, Backend::Flex];
        all.iter().filter_map(|&backend| crate::model::device(backend, "cpu").ok()).collect()
    }

    fn rows(ids: &[i64]) -> [Row; 1] {
        let spellings = ids.iter().map(|id| (id % 3) as u32).collect();
        [Row { spellings, ..Row::of_words(ids.to_vec()) }]
    }

    const CHARACTERS: [&[i64]; 3] = [&[2, 3, 4], &[5], &[6, 7]];

    fn characters(material: &Material) -> Vec<Vec<i64>> {
        match material.reader.alphabet() {
            0 => vec![],
            _ => CHARACTERS.iter().map(|spelling| spelling.to_vec()).collect(),
        }
    }

    fn logits(model: &Tagger, batch: &Batch) -> Vec<f32> {
        model.logits(batch).into_data().try_to_vec().unwrap()
    }

    #[test]
    fn a_sentence_does_not_depend_on_what_it_was_batched_with() {
        let small: &[(&str, i64)] = &[("hidden", 8)];
        let spelt: &[(&str, i64)] = &[("hidden", 8), ("characters", 3)];
        let tiny: &[(&str, i64)] = &[("width", 8), ("inner", 16)];
        let encoders = [
            (("shallow", [].as_slice()), material()),
            (("bilstm", small), material()),
            (("bilstm", spelt), with_characters()),
            (("bert", tiny), material()),
            (("bart", tiny), material()),
        ];
        let sentence = rows(&[4, 9, 2, 7]);
        let (word, long) = (rows(&[3]), rows(&[5, 6, 7, 8, 9, 10, 11, 12, 13]));
        let like = rows(&[8, 3, 3, 5]);
        // Each batch with the words before the sentence.
        let batches: [(&[&[Row]], usize); 6] = [
            (&[&word, &sentence, &long], 1),
            (&[&long, &sentence, &word], 9),
            (&[&sentence, &word], 0),
            (&[&like, &sentence], 4),
            (&[&word, &long, &long, &like, &word, &sentence], 24),
            (&[&sentence, &long, &sentence], 13),
        ];
        for device in backends() {
            for (encoder, material) in &encoders {
                for head in ["softmax", "crf", "span", "biaffine"] {
                    let autodiff = device.clone().autodiff();
                    let model = Tagger::new(&settings(*encoder, head), material, 5, &autodiff);
                    let model = model.unwrap().valid();
                    let characters = characters(material);
                    let batch = |rows: &[&[Row]]| Batch::new(rows, &characters, &device);
                    let alone = batch(&[&sentence]);
                    let wanted = logits(&model, &alone);
                    let width = wanted.len() / 4;
                    assert!(width == 5 || head == "span" || head == "biaffine");
                    assert_eq!(wanted, logits(&model, &alone), "{encoder:?}, again");
                    let predicted = model.predict(&alone);
                    for (rows, before) in batches {
                        let mixed = batch(rows);
                        let found = logits(&model, &mixed);
                        for (a, b) in wanted.iter().zip(&found[before * width..]) {
                            assert!((a - b).abs() < 1e-5, "{encoder:?}, {before} words before it");
                        }
                        assert_eq!(predicted, model.predict(&mixed)[before..before + 4]);
                    }
                    let one_word = logits(&model, &batch(&[&word]));
                    for (a, b) in one_word.iter().zip(logits(&model, &batch(&[&word, &long]))) {
                        assert!((a - b).abs() < 1e-5, "{encoder:?}, one word alone");
                    }
                }
            }
        }
    }

    #[test]
    fn an_empty_batch_has_no_states() {
        for device in backends() {
            for (encoder, material) in
                [("shallow", material()), ("bilstm", material()), ("bilstm", with_characters())]
            {
                let set: &[(&str, i64)] =
                    if encoder == "bilstm" { &[("hidden", 8), ("characters", 3)] } else { &[] };
                let autodiff = device.clone().autodiff();
                let model =
                    Tagger::new(&settings((encoder, set), "softmax"), &material, 5, &autodiff);
                let characters = characters(&material);
                for rows in [&[][..], &[&[] as &[Row]], &[&[Row::default()]]] {
                    let model = model.as_ref().unwrap();
                    let batch = |device| Batch::new(rows, &characters, device);
                    assert_eq!(model.states(&batch(&autodiff)).dims()[0], 0, "{encoder}");
                    assert_eq!(model.clone().valid().states(&batch(&device)).dims()[0], 0);
                }
            }
        }
    }

    #[test]
    fn a_part_that_is_not_there_is_named() {
        let mut settings = settings(("shallow", &[]), "softmax");
        settings.embeddings = None;
        let unknown = Tagger::new(&settings, &material(), 5, &Device::flex()).unwrap_err();
        assert_eq!(unknown.to_string(), "this engine has no embeddings `none`");
    }

    #[test]
    fn dropout_is_off_at_prediction() {
        for device in backends() {
            let autodiff = device.clone().autodiff();
            let settings = settings(("bilstm", &[("hidden", 8)]), "softmax");
            let model = Tagger::new(&settings, &material(), 5, &autodiff).unwrap();
            let sentence = rows(&[4, 9, 2, 7]);
            let trained = |m: &Tagger| logits(m, &Batch::new(&[&sentence], &[], &autodiff));
            assert_ne!(trained(&model), trained(&model), "dropout is on while training");
            let valid = model.valid();
            let predicted = || logits(&valid, &Batch::new(&[&sentence], &[], &device));
            assert_eq!(predicted(), predicted());
        }
    }
}
