//! Records for tests, of this room and of those above it.

use super::{
    Folder, JobRecord, KeptFile, Provenance, RECORD_VERSION, SearchRecord, Status, Timings,
    TrialRecord, TrialState,
};
use domain::{
    Backend, CorpusIdentity, Counts, Dimension, Effort, EngineInfo, Epoch, Failure, JobKey,
    JobSettings, LevelScores, Maximised, MethodSettings, ModelSettings, Outcome, ParameterValue,
    Parameters, Part, Point, Processor, Range, Scale, Scores, TrainingSettings, TrainingVerdict,
};
use std::collections::BTreeMap;

fn part(kind: &str) -> Part {
    Part { kind: kind.to_owned(), parameters: Parameters::default() }
}

pub fn settings(seed: u64) -> JobSettings {
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

pub fn point(method: &str, seed: u64) -> Point {
    let [corpus, scenario, model] = ["synthetic", "full", "shallow"].map(str::to_owned);
    Point { corpus, scenario, model, method: method.to_owned(), seed }
}

fn level(f1: f64) -> LevelScores {
    let counts = Counts { precision: f1, recall: f1, f1, support: 10, predicted: 10, correct: 5 };
    let types = ["place", "person"].map(|name| (name.to_owned(), counts)).into();
    LevelScores { micro: counts, macro_: counts, macro_fixed: counts, weighted: counts, types }
}

pub fn outcome() -> Outcome {
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

pub fn processor(name: &str) -> Processor {
    let name = name.to_owned();
    let instructions = BTreeMap::new();
    Processor { name, vendor: None, family: None, model: None, stepping: None, instructions }
}

pub fn done(key: &str, method: &str, seed: u64) -> JobRecord {
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

pub fn failed(key: &str, method: &str, seed: u64) -> JobRecord {
    JobRecord {
        status: Status::Failed,
        outcome: None,
        failure: Some(Failure::Vanished { code: 3 }),
        ..done(key, method, seed)
    }
}

pub fn folder(results: &std::path::Path, records: &[JobRecord]) -> Folder {
    let folder = Folder::new(results, "grid").unwrap();
    folder.prepare().unwrap();
    for record in records {
        folder.job(&record.job).unwrap().create().unwrap();
        folder.write_record(record).unwrap();
    }
    folder
}

/// A folder with one finished job and its predictions.
pub fn folder_with_predictions(results: &std::path::Path, key: &str, text: &str) -> Folder {
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

/// A search of `n` trials whose score is a bump over its first parameter.
pub fn search(n: usize) -> SearchRecord {
    let dimension = |name: &str, range| Dimension {
        path: format!("method.loss.{name}"),
        name: name.to_owned(),
        range,
    };
    let trial = |trial: usize| {
        let written = |x: f64| -> f64 { format!("{x:.5e}").parse().unwrap() };
        let x = written((trial as f64 * 0.618_034).fract());
        let rate = written(10f64.powf(-5.0 + 3.0 * (trial as f64 * 0.414_214).fract()));
        let failed = trial % 9 == 4;
        TrialRecord {
            trial,
            job: JobKey(format!("{trial:020x}")),
            values: vec![ParameterValue::Real(x), ParameterValue::Real(rate)],
            state: if failed { TrialState::Failed } else { TrialState::Done },
            score: (!failed).then(|| 0.4 + 0.3 * (-((x - 0.3) / 0.3).powi(2)).exp()),
        }
    };
    let history: Vec<TrialRecord> = (1..=n).map(trial).collect();
    let best = history.iter().max_by(|a, b| a.score.partial_cmp(&b.score).unwrap());
    let [corpus, scenario, model, method] = ["wnut17", "full", "bilstm", "mom"].map(str::to_owned);
    SearchRecord {
        corpus,
        scenario,
        model,
        method,
        job_seed: 1,
        maximise: Maximised::MicroF1,
        trials: n,
        batch: 4,
        startup: 10,
        seed: 1,
        parameters: vec![
            dimension("lambda", Range::Real { low: 0.0, high: 1.0, scale: Scale::Linear }),
            dimension("rate", Range::Real { low: 1e-5, high: 1e-2, scale: Scale::Log }),
        ],
        chosen: best.map(|trial| trial.trial),
        history,
    }
}
