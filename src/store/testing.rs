//! Records to test with.

use super::{Folder, JobRecord, KeptFile, Provenance, RECORD_VERSION, Status, Timings};
use crate::domain::{
    Backend, CorpusIdentity, Counts, Effort, EngineInfo, Epoch, Failure, JobKey, JobSettings,
    LevelScores, MethodSettings, ModelSettings, Outcome, Parameters, Part, Point, Processor,
    Scores, TrainingSettings, TrainingVerdict,
};
use std::collections::BTreeMap;

fn part(kind: &str) -> Part {
    Part { kind: kind.to_owned(), parameters: Parameters::default() }
}

pub(crate) fn settings(seed: u64) -> JobSettings {
    JobSettings {
        engine: "test-1".to_owned(),
        corpus: CorpusIdentity { format: part("synthetic"), digests: BTreeMap::new() }.into(),
        scenario: Default::default(),
        model: ModelSettings {
            embeddings: Some(part("random")),
            encoder: part("shallow"),
            head: part("softmax"),
            queries: Default::default(),
            digests: BTreeMap::new(),
        }
        .into(),
        method: MethodSettings {
            augment: None,
            resample: None,
            unlabelled: None,
            negatives: None,
            loss: part("cross-entropy"),
            digests: Default::default(),
        }
        .into(),
        training: TrainingSettings { backend: Backend::Flex, ..Default::default() }.into(),
        seed,
        stage: Default::default(),
    }
}

pub(crate) fn point(method: &str, seed: u64) -> Point {
    let [corpus, scenario, model] = ["synthetic", "full", "shallow"].map(str::to_owned);
    Point { corpus, scenario, model, method: method.to_owned(), seed }
}

fn level(f1: f64) -> LevelScores {
    let counts = Counts { precision: f1, recall: f1, f1, support: 10, predicted: 10, correct: 5 };
    let types = ["place", "person"].map(|name| (name.to_owned(), counts)).into();
    LevelScores { micro: counts, macro_: counts, macro_fixed: counts, weighted: counts, types }
}

pub(crate) fn outcome() -> Outcome {
    let scores = Scores { span: level(0.5), token: level(0.625), outside: None };
    let epoch = |epoch: usize| Epoch {
        epoch,
        updates: 50 * epoch as u64,
        loss: 1.0 / epoch as f64,
        dev_micro_f1: 0.5,
        dev_macro_f1: 0.25,
        added: [("mean_uncertainty".to_owned(), 0.75)].into(),
        seconds: 0.1,
    };
    Outcome {
        observed: BTreeMap::new(),
        best_epoch: 2,
        epochs: vec![epoch(1), epoch(2)],
        train_sentences: 100,
        train_tokens: 1000,
        sentence_factor: 1.5,
        token_factor: 1.25,
        type_shares: Default::default(),
        achieved: Default::default(),
        effort: Some(Effort { budget: 100, updates: 100, tokens_seen: 2000, passes: 2.0 }),
        verdict: Some(TrainingVerdict::Converged),
        parameters: 77,
        dev: scores.clone(),
        test: Some(scores),
        weights: Some("5e884898da".to_owned()),
        train_seconds: 0.2,
        peak_rss_mb: 12.5,
        engine: EngineInfo { version: "0.1.0".to_owned(), backend: "test".to_owned() },
    }
}

pub(crate) fn processor(name: &str) -> Processor {
    let name = name.to_owned();
    let instructions = BTreeMap::new();
    Processor { name, vendor: None, family: None, model: None, stepping: None, instructions }
}

pub(crate) fn done(key: &str, method: &str, seed: u64) -> JobRecord {
    JobRecord {
        version: RECORD_VERSION,
        job: JobKey(key.to_owned()),
        point: point(method, seed),
        settings: settings(seed),
        status: Status::Done,
        failure: None,
        outcome: Some(outcome()),
        partial: None,
        files: Default::default(),
        provenance: Provenance {
            tailgrid: "0.1.0".to_owned(),
            platform: "test".to_owned(),
            host: "0011aabb".to_owned(),
            processor: Some(processor("test")),
        },
        attempts: 1,
        timings: Timings { started_at: "2026-01-01T00:00:00Z".to_owned(), seconds: 0.5 },
    }
}

pub(crate) fn failed(key: &str, method: &str, seed: u64) -> JobRecord {
    JobRecord {
        status: Status::Failed,
        outcome: None,
        failure: Some(Failure::Vanished { code: 3 }),
        ..done(key, method, seed)
    }
}

pub(crate) fn folder(results: &std::path::Path, records: &[JobRecord]) -> Folder {
    let folder = Folder::new(results, "grid").unwrap();
    folder.prepare().unwrap();
    for record in records {
        folder.job(&record.job).unwrap().create().unwrap();
        folder.write_record(record).unwrap();
    }
    folder
}

/// A folder with one finished job and its predictions.
pub(crate) fn folder_with_predictions(results: &std::path::Path, key: &str, text: &str) -> Folder {
    let folder = folder(results, &[]);
    let mut record = done(key, "sc", 1);
    let job = folder.job(&record.job).unwrap();
    job.create().unwrap();
    let attempt = job.attempt(KeptFile::Predictions);
    std::fs::write(&attempt, text).unwrap();
    let sum = job.adopt(KeptFile::Predictions, &attempt).unwrap();
    record.files.insert(KeptFile::Predictions.name().to_owned(), sum);
    folder.write_record(&record).unwrap();
    folder
}
