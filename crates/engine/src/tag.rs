//! Tags sentences with a kept model: JSON lists of tokens on standard input, lists of tags on
//! standard output, one a line.

use super::predict::predict;
use crate::model::{BackendError, KeptError, device, load, set_threads};
use domain::{Backend, Sentence};
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;
use thiserror::Error;

/// Sentences that are read before some are tagged: enough for full batches, few enough to stream.
const CHUNK: usize = 1024;

/// Why nothing more is tagged.
#[derive(Debug, Error)]
pub enum TagError {
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Model(#[from] KeptError),
    #[error("line {line} of the request is no list of tokens: {source}")]
    Line { line: usize, source: serde_json::Error },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Tags what comes on standard input.
pub fn tag(model: &Path, backend: Backend, threads: usize) -> Result<(), TagError> {
    set_threads(threads);
    let device = device(backend, "cpu")?;
    let mut kept = load(model, &device)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut lines = io::stdin().lock().lines().enumerate();
    loop {
        let mut sentences = Vec::with_capacity(CHUNK);
        for (number, line) in lines.by_ref().take(CHUNK) {
            let tokens: Vec<String> = serde_json::from_str(&line?)
                .map_err(|source| TagError::Line { line: number + 1, source })?;
            let tokens = tokens.iter().map(String::as_str).collect();
            sentences.push(Sentence { tokens, tags: vec![] });
        }
        if sentences.is_empty() {
            return Ok(out.flush()?);
        }
        let rows: Vec<_> = sentences.iter().map(|sentence| kept.reader.read(sentence)).collect();
        for tags in predict(&kept.model, &rows, kept.reader.characters(), &device) {
            let tags: Vec<String> =
                tags.into_iter().map(|tag| kept.types.show(tag).to_string()).collect();
            writeln!(out, "{}", serde_json::to_string(&tags).unwrap_or_default())?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Reader, Tagger, Units, Vocabulary, save};
    use crate::prepare::prepare;
    use crate::testing::{part, request};
    use burn::module::Module;
    use burn::tensor::Device;
    use domain::{ParameterValue, Part, Precision};
    use parts::Entry;

    fn small(entries: &[Entry], kind: &str, set: &[(&str, i64)]) -> Part {
        let mut part = part(entries, kind);
        for (name, value) in set {
            part.parameters.0.insert((*name).into(), ParameterValue::Integer(*value));
        }
        part
    }

    #[test]
    fn a_kept_model_predicts_what_it_predicted() {
        let spelt: &[(&str, i64)] = &[("hidden", 4), ("characters", 3)];
        let tiny: &[(&str, i64)] = &[("width", 8), ("inner", 8), ("max_pieces", 8)];
        let models = [
            ("shallow", [].as_slice(), "softmax"),
            ("bilstm", spelt, "crf"),
            ("bilstm", spelt, "binary"),
            ("bert", tiny, "softmax"),
            ("bert", tiny, "mrc"),
            ("bilstm", spelt, "span"),
            ("shallow", [].as_slice(), "biaffine"),
            ("bilstm", spelt, "two-task"),
        ];
        for (encoder, set, head) in models {
            let mut request = request();
            request.settings.model.encoder = small(parts::encoders::ENTRIES, encoder, set);
            request.settings.model.head = part(parts::heads::ENTRIES, head);
            if encoder == "bert" {
                request.settings.model.embeddings = None;
            }
            let data = prepare(&request).unwrap();
            let (device, settings) = (Device::flex(), &request.settings.model);
            let autodiff = device.clone().autodiff();
            let model = Tagger::new(settings, &data.material, data.types.tag_count(), &autodiff);
            let model = model.unwrap().valid();
            // Of a head with two tasks, as if training had moved them.
            let moved: Vec<f32> = (0..2 * data.types.len()).map(|i| 0.1 * i as f32 - 0.2).collect();
            let model = model.with_thresholds(&moved).with_precision(Precision::Bf16);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model.safetensors");
            save(&path, settings, &data.types, &data.material, &model).unwrap();
            let before = predict(&model, &data.test, data.material.reader.characters(), &device);
            let mut kept = load(&path, &device).unwrap();
            let rows: Vec<_> = data.corpus_test.iter().map(|s| kept.reader.read(s)).collect();
            let after = predict(&kept.model, &rows, kept.reader.characters(), &device);
            if head == "softmax" {
                assert!(before.iter().flatten().any(|tag| *tag != before[0][0]), "tags differ");
            }
            assert_eq!(before, after, "{encoder}");
            if let Some(head) = kept.model.two_task() {
                assert_eq!(head.thresholds(), moved);
            }
            assert_eq!(kept.types, data.types);
            assert_eq!(kept.model.precision(), model.precision());
            assert_eq!(model.precision() == Precision::Bf16, encoder == "bert");
        }
    }

    #[test]
    fn a_word_without_a_row_is_told() {
        let request = request();
        let mut data = prepare(&request).unwrap();
        let device = Device::flex();
        let tags = data.types.tag_count();
        let settings = &request.settings.model;
        let model = Tagger::new(settings, &data.material, tags, &device).unwrap();
        let vocabulary = Vocabulary::with_rows([("lost".to_owned(), 9)], 3, None);
        data.material.reader = Reader::new(Units::Words(vocabulary));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        save(&path, settings, &data.types, &data.material, &model).unwrap();
        let error = load(&path, &device).err().unwrap().to_string();
        assert!(error.contains("rows that its vectors have not"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_kept_model_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let error = |path: &Path| load(path, &Device::flex()).err().unwrap().to_string();
        assert!(error(&path).contains("cannot read"));
        for content in ["", "nonsense", "\u{8}\0\0\0\0\0\0\0{}      "] {
            std::fs::write(&path, content).unwrap();
            assert!(error(&path).contains("not a model kept by tailgrid"), "{}", error(&path));
        }
    }
}
