//! The searches of a grid: one for every corpus, scenario and model that a tuned method meets.
//!
//! A trial is a job like any other, but for its stage: its settings and files name no test file (of
//! a corpus in one file, the test sentences are dropped). The jobs that wait for a search get its
//! choice written into their settings, and with it the key that the same values written by hand
//! would have.

use super::grid::{Grid, Job};
use super::key::{Keys, waiting};
use super::training;
use domain::{
    JobKey, JobSettings, ParameterValue, Parameters, Point, Progress, SearchPlan, Stage,
    TrainingSettings,
};
use serde_json::Value;

/// One search.
#[derive(Clone, Debug)]
pub struct Search {
    pub plan: SearchPlan,
    /// How far it has come; empty until the results are looked at.
    pub progress: Progress,
    /// A trial without its values: the point of its jobs, their settings and files.
    template: Job,
}

impl Search {
    /// The search for the values of a main job, whichever its seed: trials have that of the search.
    /// `None` if a path leads nowhere in its settings.
    pub(super) fn new(plan: SearchPlan, main: &Job) -> Option<Self> {
        let mut template = main.clone();
        template.settings.stage = Stage::Trial;
        template.settings.training.keep_model = false;
        template.settings.seed = plan.seed;
        template.point.seed = plan.seed;
        template.settings.corpus = corpus::without_test(&main.settings.corpus).into();
        let corpus = &template.settings.corpus;
        template.files.retain(|role, _| corpus.digests.contains_key(role));
        let there =
            |path: &str| set(&mut serde_json::to_value(&main.settings).ok()?, path, Value::Null);
        // Settings of training always exist, though some are not written at their defaults.
        let paths = plan.dimensions.iter().map(|dimension| dimension.path.as_str());
        paths.filter(|path| !path.starts_with(TRAINING)).try_for_each(there)?;
        Some(Self { plan, progress: Progress::default(), template })
    }

    /// Corpus, scenario, model and method, with the seed that trials are trained with.
    pub fn point(&self) -> &Point {
        &self.template.point
    }

    /// What stands for the whole search where jobs are told apart by their keys.
    pub fn key(&self) -> JobKey {
        Keys::new(&self.template.settings).of(self.template.settings.seed)
    }

    /// The job of a trial with these values.
    pub fn trial(&self, values: &[ParameterValue]) -> Job {
        let settings = self.with_values(&self.template.settings, values);
        Job { key: Keys::new(&settings).of(settings.seed), settings, ..self.template.clone() }
    }

    /// The same search for a main job whose files are known by now.
    pub(super) fn of(&self, main: &Job) -> Option<Self> {
        Self::new(self.plan.clone(), main)
    }

    /// The key of a job whose settings the search has yet to complete: no job runs under it.
    pub(super) fn waiting_key(&self, settings: &JobSettings) -> JobKey {
        waiting(&Keys::new(settings).of(settings.seed), &self.plan)
    }

    /// The settings with values in the places of the search's parameters.
    fn with_values(&self, settings: &JobSettings, values: &[ParameterValue]) -> JobSettings {
        let mut tree = serde_json::to_value(settings).expect("settings are maps with text keys");
        let mut of_training: Vec<(&str, &ParameterValue)> = Vec::new();
        for (dimension, value) in self.plan.dimensions.iter().zip(values) {
            match dimension.path.strip_prefix(TRAINING) {
                Some(name) => of_training.push((name, value)),
                None => {
                    let value = serde_json::to_value(value).expect("a value has a JSON form");
                    set(&mut tree, &dimension.path, value).expect("paths of a search are checked");
                }
            }
        }
        // Paths and values were checked against these settings: they are settings still.
        let keep_model = settings.training.keep_model;
        let mut settings: JobSettings =
            serde_json::from_value(tree).expect("checked values are settings");
        settings.training = trained_with(&settings.training, &of_training).into();
        // The tree has only what affects a result.
        settings.training.keep_model = keep_model;
        settings
    }
}

/// What paths to settings of training begin with.
const TRAINING: &str = "training.";

/// Settings of training with these values, as a grid would have them that gives these values
/// itself: what they replace under another name is at its default.
fn trained_with(
    training: &TrainingSettings,
    values: &[(&str, &ParameterValue)],
) -> TrainingSettings {
    let mut all = parts::defaults(training::PARAMETERS);
    let known = serde_json::to_value(training).and_then(serde_json::from_value);
    let known: Parameters = known.expect("settings of training are parameters");
    let replaced =
        |name: &str| values.iter().any(|(v, _)| training::replaced_by(v).contains(&name));
    all.0.extend(known.0.into_iter().filter(|(name, _)| !replaced(name)));
    all.0.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())));
    parts::check(training::PARAMETERS, &all).expect("values of a search are checked");
    TrainingSettings::new(all)
}

/// Replaces the value at a dotted path; `None` if there is none.
fn set(tree: &mut Value, path: &str, value: Value) -> Option<()> {
    let place = tree.pointer_mut(&format!("/{}", path.replace('.', "/")))?;
    *place = value;
    Some(())
}

impl Grid {
    /// Writes what a search chose into the jobs that wait for it.
    pub fn choose(&mut self, search: usize, values: &[ParameterValue]) {
        let Self { searches, jobs, .. } = self;
        let Some(found) = searches.get(search) else { return };
        for job in jobs.iter_mut().filter(|job| job.search == Some(search)) {
            job.settings = found.with_values(&job.settings, values);
            job.key = Keys::new(&job.settings).of(job.settings.seed);
            job.waits = false;
        }
    }
}
