//! The grid as checked and expanded: what every other module gets to see of it.

use super::diagnostic::Diagnostic;
use super::search::Search;
use domain::{JobKey, JobSettings, Metric, Point, ReportPlan, Shared, Stopping};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A grid without an error in it. Names are in the order of the file.
#[derive(Clone, Debug)]
pub struct Grid {
    pub name: String,
    /// YAML to keep beside the results: the file, under comments that name base and sets.
    pub as_run: String,
    pub corpora: Vec<String>,
    pub scenarios: Vec<String>,
    pub models: Vec<String>,
    pub methods: Vec<String>,
    pub seeds: Vec<u64>,
    /// The method that the others are compared with.
    pub baseline: Option<String>,
    pub metric: Metric,
    pub limits: Limits,
    /// Looks at comparisons before all seeds are there.
    pub stopping: Option<Stopping>,
    /// What its report shows beside what every report does.
    pub report: ReportPlan,
    /// Corpus by corpus, then scenario, model, method, seed. Two points of the same meaning have
    /// the same key.
    pub jobs: Vec<Job>,
    /// In the order of the jobs that wait for them.
    pub searches: Vec<Search>,
    /// Whether the files of its corpora, models and methods were not looked at.
    pub is_without_files: bool,
    pub warnings: Vec<Diagnostic>,
}

/// One point of the grid.
#[derive(Clone, Debug)]
pub struct Job {
    pub key: JobKey,
    pub point: Point,
    pub settings: JobSettings,
    /// File role to path, the roles of the corpus's digests.
    pub files: Shared<BTreeMap<String, PathBuf>>,
    /// The same for the model's.
    pub model_files: Shared<BTreeMap<String, PathBuf>>,
    /// The same for the method's.
    pub method_files: Shared<BTreeMap<String, PathBuf>>,
    /// Why this combination makes no sense, if it makes none.
    pub not_applicable: Option<String>,
    /// The overrides that formed the settings, as `explain` shows them.
    pub overrides: Arc<[String]>,
    /// Which of the grid's searches finds some of its settings.
    pub search: Option<usize>,
    /// Whether that search has yet to choose: until then settings and key are not the job's own.
    pub waits: bool,
}

/// What a job may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
    /// Further tries after a failure that another try may mend.
    pub retries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, memory: None, retries: 1 }
    }
}
