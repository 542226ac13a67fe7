//! LOCAL STUB, to be dropped: enough of the grid for the runner's own tests.

use crate::domain::{
    Backend, CorpusIdentity, JobKey, JobSettings, MethodSettings, ModelSettings, Parameters, Part,
    Point, TrainingSettings,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub struct LoadOptions<'a> {
    pub sets: &'a [String],
    pub corpora: &'a Path,
    pub engine: &'a str,
}

#[derive(Clone, Debug)]
pub struct Grid {
    pub name: String,
    pub as_run: String,
    pub methods: Vec<String>,
    pub seeds: Vec<u64>,
    pub limits: Limits,
    pub jobs: Vec<Job>,
    pub warnings: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub key: JobKey,
    pub point: Point,
    pub settings: JobSettings,
    pub files: BTreeMap<String, PathBuf>,
    pub not_applicable: Option<String>,
    pub overrides: Arc<[String]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    pub memory: Option<u64>,
    pub retries: u32,
}

#[derive(Clone, Debug)]
pub struct Diagnostic(pub String);
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
#[derive(Clone, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|d| writeln!(f, "{d}"))
    }
}

pub struct Selection(Option<String>);
#[derive(Debug, thiserror::Error)]
#[error("bad selection")]
pub struct SelectionError;
impl Selection {
    pub fn parse(only: Option<&str>, _not: Option<&str>) -> Result<Self, SelectionError> {
        Ok(Self(only.map(str::to_owned)))
    }
    pub fn matches(&self, point: &Point, status: &str) -> bool {
        let Some(only) = &self.0 else { return true };
        *only == format!("method={}", point.method)
            || *only == format!("seed={}", point.seed)
            || *only == format!("status={status}")
    }
}

fn part(kind: &str) -> Part {
    Part { kind: kind.to_owned(), parameters: Parameters::default() }
}

pub fn load(path: &Path, options: &LoadOptions<'_>) -> Result<Grid, Diagnostics> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Diagnostics(vec![Diagnostic(format!("{}: {e}", path.display()))]))?;
    let value: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let name = value["name"].as_str().unwrap().to_owned();
    let methods: Vec<String> = value["methods"]
        .as_sequence()
        .unwrap()
        .iter()
        .map(|m| m.as_str().unwrap().to_owned())
        .collect();
    let set = options.sets.iter().find_map(|set| set.strip_prefix("seeds=")?.parse().ok());
    let seeds: Vec<u64> = (1..=set.unwrap_or(value["seeds"].as_u64().unwrap())).collect();
    let limits = Limits {
        time: value["limits"]["time"].as_str().map(|t| humantime::parse_duration(t).unwrap()),
        memory: value["limits"]["memory"].as_str().map(|t| t.parse::<bytesize::ByteSize>().unwrap().0),
        retries: value["limits"]["retries"].as_u64().unwrap_or(1) as u32,
    };
    let epochs = value["training"]["epochs"].as_u64().unwrap_or(3) as usize;
    let mut jobs = Vec::new();
    for method in &methods {
        for &seed in &seeds {
            let settings = JobSettings {
                engine: options.engine.to_owned(),
                corpus: CorpusIdentity { format: part("synthetic"), digests: BTreeMap::new() },
                scenario: Parameters::default(),
                model: ModelSettings {
                    embeddings: part("random"),
                    encoder: part("shallow"),
                    head: part("softmax"),
                },
                method: MethodSettings { resample: Some(part(method)), loss: part("ce") },
                training: TrainingSettings {
                    epochs,
                    batch: 32,
                    learning_rate: 1e-3,
                    patience: 0,
                    select_by: "micro_f1".to_owned(),
                    threads: 1,
                    backend: Backend::Flex,
                    device: "cpu".to_owned(),
                },
                seed,
            };
            let hash = Sha256::digest(serde_json::to_vec(&settings).unwrap());
            let key = hash.iter().take(16).map(|b| format!("{b:02x}")).collect();
            jobs.push(Job {
                key: JobKey(key),
                point: Point {
                    corpus: "synthetic".into(),
                    scenario: "full".into(),
                    model: "shallow".into(),
                    method: method.clone(),
                    seed,
                },
                settings,
                files: BTreeMap::new(),
                not_applicable: None,
                overrides: Arc::from([]),
            });
        }
    }
    Ok(Grid { name, as_run: text, methods, seeds, limits, jobs, warnings: Vec::new() })
}
