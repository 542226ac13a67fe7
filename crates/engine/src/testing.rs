//! A small job for tests.

use domain::{
    Backend, CorpusIdentity, JobKey, JobRequest, JobSettings, MethodSettings, ModelSettings,
    ParameterValue, Part, Point, TrainingSettings,
};
use parts::Entry;

/// An entry of a registry with its defaults.
pub fn part(entries: &[Entry], kind: &str) -> Part {
    entries.iter().find(|entry| entry.name == kind).unwrap().part()
}

/// Four epochs on flex.
pub fn training() -> TrainingSettings {
    TrainingSettings {
        epochs: 4,
        batch: 16,
        patience: 0,
        backend: Backend::Flex,
        ..Default::default()
    }
}

/// A shallow model on sixty generated sentences.
pub fn request() -> JobRequest {
    let mut format = part(corpus::formats::ENTRIES, "synthetic");
    for split in ["sentences", "dev_sentences", "test_sentences"] {
        format.parameters.0.insert(split.into(), ParameterValue::Integer(60));
    }
    let name = || "x".to_owned();
    JobRequest {
        job: JobKey(name()),
        point: Point { corpus: name(), scenario: name(), model: name(), method: name(), seed: 1 },
        settings: JobSettings {
            engine: "1".into(),
            corpus: CorpusIdentity { format, digests: Default::default() }.into(),
            scenario: parts::defaults(corpus::scenarios::PARAMETERS).into(),
            model: ModelSettings {
                embeddings: Some(part(parts::embeddings::ENTRIES, "random")),
                encoder: part(parts::encoders::ENTRIES, "shallow"),
                head: part(parts::heads::ENTRIES, "softmax"),
                queries: Default::default(),
                digests: Default::default(),
            }
            .into(),
            method: MethodSettings {
                augment: None,
                resample: None,
                unlabelled: None,
                negatives: None,
                loss: part(method::loss::ENTRIES, "cross-entropy"),
                digests: Default::default(),
            }
            .into(),
            training: training().into(),
            seed: 1,
            stage: Default::default(),
        },
        files: Default::default(),
        model_files: Default::default(),
        method_files: Default::default(),
        predictions: Default::default(),
        kept_model: None,
    }
}
