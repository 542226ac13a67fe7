//! What every command that takes a grid does first: load it, show its warnings, see how its jobs
//! stand, choose some of them.

mod opened;
mod settings;

use super::stopping::{self, Gate};
use super::{CliError, Common, Exit, tuning};
use crate::cli::output::message;
use analysis::published::{self, Published};
use analysis::{Asked, GridView, PlannedJob, ResultFrames};
use atomic::places;
use domain::{Backend, JobKey, Point};
use runner::{EngineKind, RunnerError};
use spec::{self, Diagnostics, Grid, Job, LoadOptions, Recorded, Selection};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use store::{self, Folder, Placed, RecordedJobs, SearchRecord, StoreError, Survey};

pub use opened::Opened;
pub use store::Standing;

/// A build without LibTorch does what it can where nothing else is said.
const BACKEND: Backend = if cfg!(feature = "libtorch") { Backend::Libtorch } else { Backend::Flex };

/// A grid, and the settings that are part of every job's key and often given on the command line.
#[derive(clap::Args, Clone, Debug)]
pub struct GridArgs {
    /// The grid file
    pub grid: PathBuf,
    #[command(flatten)]
    pub keyed: KeyArgs,
}

/// Settings of every job that are short for `--set`.
#[derive(clap::Args, Clone, Debug)]
pub struct KeyArgs {
    /// Threads of a job, short for --set training.threads=N
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// libtorch or flex, short for --set training.backend=NAME
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
    /// What runs the jobs
    #[arg(long, default_value = "real", value_parser = super::engine::kinds())]
    pub engine: EngineKind,
}

impl GridArgs {
    /// Loads the grid, with its warnings on standard error and the choices of its searches in its jobs.
    pub fn load(&self, common: &Common) -> Result<Grid, CliError> {
        load(&self.grid, &self.keyed, common)
    }

    /// A hint for those who see no result: jobs of the grid have run with the mock engine, whose jobs have
    /// other keys. `None` where they have not, or where they are what was asked for.
    pub fn mock_hint(&self, common: &Common) -> Option<String> {
        if self.keyed.engine == EngineKind::Mock {
            return None;
        }
        let keyed = KeyArgs { engine: EngineKind::Mock, ..self.keyed.clone() };
        let common = Common { quiet: true, ..common.clone() };
        // A hint that cannot be given is none.
        let grid = load_alone(&self.grid, &keyed, &common).ok()?;
        let ran = survey(&grid, &folder(&grid, &common).ok()?).ok()?.standings.len();
        (ran > 0).then(|| {
            format!(
                "with the mock engine, which invents its numbers, {} run: see `--engine mock`",
                if ran == 1 { "1 job has".to_owned() } else { format!("{ran} jobs have") }
            )
        })
    }

    /// Loads the grid without a look at its results: every tuned job waits for its search.
    pub fn load_alone(&self, common: &Common) -> Result<Grid, CliError> {
        load_alone(&self.grid, &self.keyed, common)
    }
}

/// Loads a grid, with its warnings on standard error and the choices of its searches in its jobs; a
/// damaged record of a trial is an error.
pub fn load(path: &Path, keyed: &KeyArgs, common: &Common) -> Result<Grid, CliError> {
    let mut grid = load_alone(path, keyed, common)?;
    if !grid.searches.is_empty() {
        let folder = folder(&grid, common)?;
        tuning::settle(&mut grid, |key| recorded(&folder, key))?;
    }
    Ok(grid)
}

/// How a job stands by its record.
pub fn recorded(folder: &Folder, key: &JobKey) -> Result<Option<Standing>, StoreError> {
    Ok(folder.read_record(key)?.as_ref().map(Standing::from))
}

fn load_alone(path: &Path, keyed: &KeyArgs, common: &Common) -> Result<Grid, CliError> {
    load_with(path, None, keyed, common)
}

/// Loads a grid from another text than the file's, as if it were in the file.
pub fn load_text(
    path: &Path,
    text: &str,
    keyed: &KeyArgs,
    common: &Common,
) -> Result<Grid, CliError> {
    load_with(path, Some(text), keyed, common)
}

fn load_with(
    path: &Path,
    text: Option<&str>,
    keyed: &KeyArgs,
    common: &Common,
) -> Result<Grid, CliError> {
    let loaded = load_with_options(keyed, common, |options| match text {
        Some(text) => spec::load_text(path, text, options),
        None => spec::load(path, options),
    });
    loaded.map(|grid| with_warnings(grid, common)).map_err(|found| CliError::listed(&found))
}

/// The grid, after its warnings were shown.
fn with_warnings(grid: Grid, common: &Common) -> Grid {
    if !common.quiet {
        grid.warnings.iter().for_each(|warning| message!("{warning}\n"));
    }
    grid
}

fn load_with_options(
    keyed: &KeyArgs,
    common: &Common,
    load: impl FnOnce(&LoadOptions<'_>) -> Result<Grid, Diagnostics>,
) -> Result<Grid, Diagnostics> {
    let sets = keyed.sets(common);
    let engine = keyed.engine.version();
    let pretrained = places::cache().unwrap_or_default();
    load(&LoadOptions {
        sets: &sets,
        pretrained: &pretrained,
        corpora: &common.corpora,
        catalogue: common.catalogue.as_deref(),
        tables: report::tables::registry::NAMED,
        engine,
        default_backend: BACKEND,
    })
}

/// Takes from the records what the files of a grid were; whether there is a record.
pub fn adopt_records(grid: &mut Grid, keyed: &KeyArgs, common: &Common) -> Result<bool, CliError> {
    let folder = folder(grid, common)?;
    let jobs = RecordedJobs::read(&folder)?;
    let is_mock = keyed.engine == EngineKind::Mock;
    grid.adopt_files(|point| {
        let records = jobs.of(point).filter_map(|key| folder.read_record(key).ok().flatten());
        records
            .filter(|record| record.settings.engine.starts_with("mock") == is_mock)
            .map(|record| Recorded { job: record.job, settings: record.settings })
    });
    Ok(!jobs.is_empty())
}

impl KeyArgs {
    fn sets(&self, common: &Common) -> Vec<String> {
        let backend = self.backend.as_ref().map(|backend| format!("training.backend={backend}"));
        let threads = self.threads.map(|threads| format!("training.threads={threads}"));
        common.sets.iter().cloned().chain(threads).chain(backend).collect()
    }
}

/// Where the grid's results are.
pub fn folder(grid: &Grid, common: &Common) -> Result<Folder, CliError> {
    Ok(Folder::new(&common.results, &grid.name)?)
}

/// Every main job that makes sense: what tables and figures are made of.
pub fn main_jobs(grid: &Grid) -> Vec<Placed> {
    let sensible = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    sensible.map(|job| (job.key.clone(), job.point.clone()).into()).collect()
}

/// The main jobs and the trials: what frames are made of.
pub fn all_jobs(grid: &Grid) -> Vec<Placed> {
    let mut jobs = main_jobs(grid);
    for search in &grid.searches {
        for (trial, number) in search.progress.trials.iter().zip(1..) {
            let job = search.trial(&trial.values);
            jobs.push(Placed { job: job.key, point: job.point, trial: Some(number) });
        }
    }
    jobs
}

/// The grid as a report sees it, with its results; what is not selected is not to be shown.
pub fn view(grid: &Grid, common: &Common) -> Result<(GridView, ResultFrames), CliError> {
    let (view, results) = scores(grid, common)?;
    Ok((GridView { asked: asked(grid)?, ..view }, results))
}

/// The same without what the grid asks of its report.
pub fn scores(grid: &Grid, common: &Common) -> Result<(GridView, ResultFrames), CliError> {
    let folder = folder(grid, common)?;
    let survey = survey(grid, &folder)?.whole()?.with_others(&folder)?;
    let results = frames(grid, &folder, &survey)?;
    let standings = survey.standings;
    let selected = selected(grid, &standings, common)?;
    let shown: HashSet<&Point> = selected.into_iter().map(|(job, _)| &job.point).collect();
    let looks = stopping::of_standings(grid, &standings);
    let jobs = grid.jobs.iter().map(|job| PlannedJob {
        key: job.key.clone(),
        point: job.point.clone(),
        not_applicable: job.not_applicable.clone(),
        shown: shown.contains(&job.point),
        decided: looks.gate(&job.point) == Gate::Decided,
    });
    let view = GridView {
        conditions: settings::of_scenarios(grid),
        asked: Asked::default(),
        name: grid.name.clone(),
        corpora: grid.corpora.clone(),
        scenarios: grid.scenarios.clone(),
        models: grid.models.clone(),
        methods: grid.methods.clone(),
        seeds: grid.seeds.clone(),
        baseline: grid.baseline.clone(),
        metric: grid.metric,
        stopping: grid.stopping.clone(),
        jobs: jobs.collect(),
        is_mock: grid.jobs.iter().any(|job| job.settings.engine.starts_with("mock")),
        searches: shown_searches(grid, &shown),
        disputed: settings::disputed(grid),
        method_settings: settings::of_methods(grid),
    };
    Ok((view, results))
}

/// The frames of the grid's main jobs: those on disk, or from the records where these are not of them.
fn frames(grid: &Grid, folder: &Folder, survey: &Survey) -> Result<ResultFrames, CliError> {
    let jobs = main_jobs(grid);
    let keys: HashSet<&JobKey> = jobs.iter().map(|placed| &placed.job).collect();
    let of_jobs = |frames| ResultFrames::of_jobs(frames, &keys).ok();
    match store::read_fresh_frames(folder, survey).and_then(of_jobs) {
        Some(frames) => Ok(frames),
        None => Ok(ResultFrames::from(&store::collect(folder, &jobs)?)),
    }
}

/// What a reader must know of the methods of a grid, one sentence each, in the order of the grid.
pub fn remarks(grid: &Grid) -> Vec<String> {
    let settings = settings::of_methods(grid);
    let known = grid.methods.iter().filter_map(|name| Some((name, settings.get(name)?)));
    known.flat_map(|(name, settings)| analysis::remarks::of(name, settings)).collect()
}

/// What the grid asks of its report, with the files that it names.
fn asked(grid: &Grid) -> Result<Asked, CliError> {
    let plan = &grid.report;
    let published: Result<Vec<Published>, CliError> =
        plan.published.iter().map(|path| read_published(path)).collect();
    let corpora = match report::needs_corpora(&plan.tables) && !grid.is_without_files {
        true => super::corpus::numbers_of_grid(grid)?,
        false => vec![],
    };
    Ok(Asked {
        spread: plan.spread,
        bands: plan.bands,
        tables: plan.tables.clone(),
        published: published?,
        names: plan.names.clone(),
        pairs: plan.pairs.clone(),
        corpora,
    })
}

fn read_published(path: &Path) -> Result<Published, CliError> {
    let shown = path.display().to_string();
    let invalid = |error: &dyn std::fmt::Display| CliError::new(Exit::Invalid, error.to_string());
    let text = std::fs::read_to_string(path)
        .map_err(|error| invalid(&format!("cannot read {shown}: {error}")))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    published::read(&shown, &name, &text).map_err(|error| invalid(&error))
}

/// The searches for which a job waits that is to be shown.
fn shown_searches(grid: &Grid, shown: &HashSet<&Point>) -> Vec<SearchRecord> {
    let jobs = grid.jobs.iter().filter(|job| shown.contains(&job.point));
    let searches: HashSet<usize> = jobs.filter_map(|job| job.search).collect();
    let records = tuning::records(grid).into_iter().enumerate();
    records.filter(|(index, _)| searches.contains(index)).map(|(_, record)| record).collect()
}

/// What the results folder knows of the grid's jobs; a job that is not in it has not been run.
pub type Standings = HashMap<JobKey, Standing>;

/// How the grid's jobs stand; a damaged record is an error.
pub fn standings(grid: &Grid, folder: &Folder) -> Result<Standings, CliError> {
    Ok(survey(grid, folder)?.whole()?.standings)
}

/// What the records of the grid's jobs say, and which of them are damaged.
pub fn survey(grid: &Grid, folder: &Folder) -> Result<Survey, CliError> {
    let trials: Vec<JobKey> = tuning::trial_keys(grid).collect();
    let keys = grid.jobs.iter().map(|job| &job.key).chain(&trials);
    Ok(Survey::new(folder, keys)?)
}

/// How a job of a grid stands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum State {
    Done,
    Todo,
    Failed,
    NotApplicable,
    /// Not to run, because a planned look has decided what it is for.
    Decided,
}

impl State {
    /// Every state, for "whatever its state".
    pub const ALL: [State; 5] =
        [State::Done, State::Todo, State::Failed, State::NotApplicable, State::Decided];

    /// The state of a job by its own record: no look is taken.
    pub fn of(job: &Job, standings: &Standings) -> Self {
        match job.not_applicable.is_some() {
            true => State::NotApplicable,
            false => standings.get(&job.key).into(),
        }
    }

    /// As `status=` and `plan --json` have it.
    pub fn name(self) -> &'static str {
        match self {
            State::Done => "done",
            State::Todo => "todo",
            State::Failed => "failed",
            State::NotApplicable => "n/a",
            State::Decided => "decided",
        }
    }
}

impl From<Option<&Standing>> for State {
    /// The state of a job that makes sense.
    fn from(standing: Option<&Standing>) -> Self {
        match standing {
            None => State::Todo,
            Some(Standing { failure: None, .. }) => State::Done,
            Some(_) => State::Failed,
        }
    }
}

/// How many jobs are in which state. `n/a` ones are no jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    pub done: usize,
    pub failed: usize,
    pub to_do: usize,
    pub not_applicable: usize,
    pub decided: usize,
}

impl Totals {
    /// Done, failed, to do or decided.
    pub fn jobs(&self) -> usize {
        self.done + self.failed + self.to_do + self.decided
    }
}

impl FromIterator<State> for Totals {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> Self {
        let mut totals = Self::default();
        for state in states {
            *match state {
                State::Done => &mut totals.done,
                State::Failed => &mut totals.failed,
                State::Todo => &mut totals.to_do,
                State::NotApplicable => &mut totals.not_applicable,
                State::Decided => &mut totals.decided,
            } += 1;
        }
        totals
    }
}

/// The expressions of `--only` and `--not`.
pub fn selection(common: &Common) -> Result<Selection, CliError> {
    Selection::parse(common.only.as_deref(), common.not.as_deref())
        .map_err(|error| CliError::new(Exit::Usage, error))
}

/// The jobs that are selected, with their states; an error if there are none.
pub fn selected<'g>(
    grid: &'g Grid,
    standings: &Standings,
    common: &Common,
) -> Result<Vec<(&'g Job, State)>, CliError> {
    let selection = selection(common)?;
    let looks = stopping::of_standings(grid, standings);
    let jobs: Vec<_> = grid
        .jobs
        .iter()
        .map(|job| (job, stopping::state(&looks, job, State::of(job, standings))))
        .filter(|(job, state)| selection.matches(&job.point, state.name()))
        .collect();
    match jobs.is_empty() {
        true => Err(nothing_selected(grid)),
        false => Ok(jobs),
    }
}

/// The error for a selection without a job in it.
pub fn nothing_selected(grid: &Grid) -> CliError {
    let (jobs, name) = (grid.jobs.len(), &grid.name);
    let message =
        format!("none of the {jobs} jobs of `{name}` is selected: see --only, --not and --shard");
    CliError::new(Exit::NothingSelected, message)
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::InUse { .. } => Exit::InUse,
            StoreError::Damaged { .. }
            | StoreError::Irregular { .. }
            | StoreError::Newer { .. } => Exit::Damaged,
            StoreError::Io { .. } | StoreError::Name { .. } => Exit::Invalid,
            StoreError::Encode { .. } => Exit::Internal,
        };
        CliError::new(exit, error)
    }
}

impl From<RunnerError> for CliError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Store(error) => error.into(),
            RunnerError::Engine(_) => CliError::new(Exit::Invalid, error),
            _ => CliError::new(Exit::Internal, error),
        }
    }
}
