//! `--plan FILE`: exactly the jobs that were to do when `plan --json` was printed.
//!
//! A plan names keys. Where the grid, its options or its data give other keys now, what the user
//! looked at is not what would run, so nothing starts.

use domain::{JobKey, Point, Stage};
use serde::Deserialize;
use spec::{Grid, Search};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a saved plan cannot be run.
#[derive(Debug, Error)]
pub enum PlanFileError {
    #[error("cannot read the plan {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("{} is no plan: {error}; make one with `tailgrid plan GRID --json`", path.display())]
    NoPlan { path: PathBuf, error: serde_json::Error },
    #[error("{} is a plan of `{plan}`, not of `{grid}`", path.display())]
    OtherGrid { path: PathBuf, plan: String, grid: String },
    #[error("{} has nothing to do in it", path.display())]
    NothingToDo { path: PathBuf },
    /// The grid gives other jobs now.
    #[error("{message}")]
    Changed { message: String },
}

/// Differences that are shown, at most.
const SHOWN: usize = 5;

/// What is read of `plan --json`; it may have more.
#[derive(Debug, Deserialize)]
struct PlanFile {
    grid: String,
    jobs: Vec<PlannedJob>,
}

#[derive(Debug, Deserialize)]
struct PlannedJob {
    /// None where a search had yet to decide.
    key: Option<JobKey>,
    #[serde(flatten)]
    point: Point,
    state: String,
    stage: String,
    trial: Option<usize>,
}

impl PlannedJob {
    fn is_trial(&self) -> bool {
        self.stage == Stage::Trial.name()
    }
}

/// The jobs of a plan that were to do.
#[derive(Debug)]
pub(super) struct SavedPlan {
    jobs: HashSet<Point>,
    searches: HashSet<Point>,
}

impl SavedPlan {
    /// Reads a plan and holds it against the grid as it is now.
    pub fn read(path: &Path, grid: &Grid) -> Result<Self, PlanFileError> {
        let named = || path.to_owned();
        let text = std::fs::read_to_string(path)
            .map_err(|error| PlanFileError::Unreadable { path: named(), error })?;
        let file: PlanFile = serde_json::from_str(&text)
            .map_err(|error| PlanFileError::NoPlan { path: named(), error })?;
        if file.grid != grid.name {
            let (plan, grid) = (file.grid, grid.name.clone());
            return Err(PlanFileError::OtherGrid { path: named(), plan, grid });
        }
        let todo: Vec<PlannedJob> =
            file.jobs.into_iter().filter(|job| job.state == "todo").collect();
        if todo.is_empty() {
            return Err(PlanFileError::NothingToDo { path: named() });
        }
        let changes = changes(&todo, grid);
        if !changes.is_empty() {
            let message = refusal(&path.display().to_string(), todo.len(), &changes);
            return Err(PlanFileError::Changed { message });
        }
        let (trials, mains): (Vec<_>, Vec<_>) = todo.into_iter().partition(PlannedJob::is_trial);
        let points = |jobs: Vec<PlannedJob>| jobs.into_iter().map(|job| job.point).collect();
        Ok(Self { jobs: points(mains), searches: points(trials) })
    }

    /// Whether a job was to do.
    pub fn has(&self, point: &Point) -> bool {
        self.jobs.contains(point)
    }

    /// Whether a trial of a search was to do.
    pub fn has_search(&self, point: &Point) -> bool {
        self.searches.contains(point)
    }
}

/// What the grid says otherwise than the plan, a line each.
fn changes(todo: &[PlannedJob], grid: &Grid) -> Vec<String> {
    let jobs: HashMap<&Point, &JobKey> =
        grid.jobs.iter().filter(|job| !job.waits).map(|job| (&job.point, &job.key)).collect();
    let applicable = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    let known: HashSet<&Point> = applicable.map(|job| &job.point).collect();
    let searches: HashMap<&Point, &Search> =
        grid.searches.iter().map(|search| (search.point(), search)).collect();
    let change = |planned: &PlannedJob| {
        let point = &planned.point;
        let now = match planned.is_trial() {
            true => match searches.get(point) {
                None => return Some(format!("{point}: the grid has no such search any more")),
                Some(search) => trial_key(search, planned.trial?),
            },
            false if !known.contains(point) => {
                return Some(format!("{point}: the grid has no such job any more"));
            }
            false => jobs.get(point).map(|key| (*key).clone()),
        };
        match (&planned.key, now) {
            // Decided meanwhile, or not yet decided again.
            (None, _) | (_, None) => None,
            (Some(then), Some(now)) if *then == now => None,
            (Some(then), Some(now)) => {
                Some(format!("{point}: its key was {then} and is now {now}"))
            }
        }
    };
    todo.iter().filter_map(change).collect()
}

/// The key of a trial by its number, from 1, once it is proposed.
fn trial_key(search: &Search, number: usize) -> Option<JobKey> {
    let trial = search.progress.trials.get(number.checked_sub(1)?)?;
    Some(search.trial(&trial.values).key)
}

fn refusal(plan: &str, jobs: usize, changes: &[String]) -> String {
    let shown = changes.iter().take(SHOWN).map(|line| format!("  {line}\n"));
    let more = match changes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    format!(
        "{} of the {jobs} jobs to do in {plan} are not what the grid gives now, so nothing was started:\n{}{more}\
         give the options that the plan was made with (--set, --threads, --backend, --engine), or plan anew; \
         `tailgrid explain JOB` shows what a key is made of",
        changes.len(),
        shown.collect::<String>(),
    )
}
