//! `tailgrid submit`: what is not done yet as an array job of Slurm.

use super::grid::{self, GridArgs};
use super::output::{message, print};
use super::{CliError, Common, Exit};
use domain::JobKey;
use runner::slurm::{self, Array, Script, SlurmError, TaskState};
use runner::{EngineKind, RunnerError};
use serde_json::json;
use spec::Grid;
use std::collections::BTreeSet;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::time::SystemTime;
use store::{Folder, Lock, SubmissionRecord, TaskId, clock};
use sweep::{JobState, Standings, standings, tuning};

/// Tasks where the user does not say how many: enough to finish sooner, few enough for a shared
/// cluster.
const DEFAULT_TASKS: u64 = 16;

/// Runs the jobs of a grid that are not done yet as an array job of Slurm; again to pick up what
/// was lost
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// The partition to run in
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// The time limit of a task, as sbatch has it: 90 (minutes), 4:00:00, 1-12
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Tasks of the array [default: as many as there is work for, 16 at most]
    #[arg(long, value_name = "N")]
    pub array_size: Option<NonZeroU64>,
    /// Cores of a task, which runs as many jobs side by side as fit [default: threads of a job]
    #[arg(long, value_name = "N")]
    pub cpus_per_task: Option<NonZeroUsize>,
    /// Memory of a task, as sbatch has it: 8G
    #[arg(long, value_name = "SIZE")]
    pub mem: Option<String>,
    /// The account that pays
    #[arg(long, value_name = "NAME")]
    pub account: Option<String>,
    /// The quality of service to run under
    #[arg(long, value_name = "NAME")]
    pub qos: Option<String>,
    /// Run failed jobs again
    #[arg(long)]
    pub retry_failed: bool,
    /// Print the script and submit nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Further options of sbatch, after `--`
    #[arg(last = true, value_name = "SBATCH OPTION")]
    pub further: Vec<String>,
}

/// What is to do, and what it needs.
struct Work {
    keys: Vec<JobKey>,
    /// Jobs whose keys a search has yet to decide.
    undecided: usize,
    /// Of a job, at most.
    threads: usize,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    let work = Work::of(&grid, &standings(&grid, &folder)?, args, common)?;
    if work.jobs() == 0 {
        print(&match common.json {
            true => json!({ "grid": grid.name, "jobs": 0, "tasks": 0 }).to_string(),
            false => format!("nothing to do in `{}`, so nothing was submitted", grid.name),
        })?;
        return Ok(Exit::Done);
    }
    let array = array(args, &work)?;
    let text = script(&grid.name, &folder, args, common, work.threads)?.text(&array)?;
    match args.dry_run {
        true => dry_run(&text, &array, &work, common),
        false => submit(&grid.name, &folder, &text, &array, work, common),
    }
}

impl Work {
    fn of(
        grid: &Grid,
        standings: &Standings,
        args: &Args,
        common: &Common,
    ) -> Result<Self, CliError> {
        let open =
            |state| state == JobState::Todo || state == JobState::Failed && args.retry_failed;
        let jobs = grid::selected(grid, standings, common)?;
        let jobs: Vec<_> = jobs.iter().filter(|(_, state)| open(*state)).collect();
        let trials = tuning::trials(grid, &grid::selection(common)?);
        let trials: Vec<_> = trials.iter().filter(|trial| open(trial.state)).collect();
        let decided = jobs.iter().filter(|(job, _)| !job.waits).map(|(job, _)| job.key.clone());
        let proposed = trials.iter().filter_map(|trial| trial.key.clone());
        let keys: BTreeSet<JobKey> = decided.chain(proposed).collect();
        let waiting = jobs.iter().filter(|(job, _)| job.waits).count();
        let unproposed = trials.iter().filter(|trial| trial.key.is_none()).count();
        // Trials have as many as the jobs that wait for them, selected or not.
        let threads = grid.jobs.iter().map(|job| job.settings.training.threads).max();
        Ok(Self {
            keys: keys.into_iter().collect(),
            undecided: waiting + unproposed,
            threads: threads.unwrap_or(1).max(1),
        })
    }

    fn jobs(&self) -> usize {
        self.keys.len() + self.undecided
    }
}

fn array(args: &Args, work: &Work) -> Result<Array, CliError> {
    let threads = work.threads;
    let cpus = args.cpus_per_task.map_or(threads, NonZeroUsize::get);
    if cpus < threads {
        let message = format!(
            "a task of {cpus} cores has no room for a job of {threads} threads: \
             give --cpus-per-task {threads} or more, or --threads {cpus}"
        );
        return Err(CliError::new(Exit::Usage, message));
    }
    if let Some(option) = args.further.iter().find(|it| sets_array(it)) {
        let message = format!("`{option}` is not for sbatch here: give --array-size N");
        return Err(CliError::new(Exit::Usage, message));
    }
    let full = work.jobs().div_ceil(cpus / threads) as u64;
    let named = [
        ("--partition", &args.partition),
        ("--time", &args.time),
        ("--mem", &args.mem),
        ("--account", &args.account),
        ("--qos", &args.qos),
    ];
    Ok(Array {
        tasks: args.array_size.map_or(full.min(DEFAULT_TASKS), NonZeroU64::get),
        cpus_per_task: cpus,
        named: named.into_iter().filter_map(|(n, v)| Some((n, v.clone()?))).collect(),
        further: args.further.clone(),
    })
}

/// What the tasks do. Only here, in the script, paths are those of this machine.
fn script(
    grid: &str,
    folder: &Folder,
    args: &Args,
    common: &Common,
    threads: usize,
) -> Result<Script, CliError> {
    let internal = |error| CliError::new(Exit::Internal, format!("no working folder: {error}"));
    Ok(Script {
        grid: grid.to_owned(),
        logs: std::path::absolute(folder.slurm()).map_err(internal)?,
        folder: std::env::current_dir().map_err(internal)?,
        program: std::env::current_exe().map_err(RunnerError::NoOwnPath)?,
        threads,
        arguments: arguments(args, common)?,
    })
}

/// The words of a task's run: what this command was given and a run takes too.
fn arguments(args: &Args, common: &Common) -> Result<Vec<String>, CliError> {
    let path = |what, path: &Path| match path.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(SlurmError::NotText { what, value: path.display().to_string() }),
    };
    let mut words =
        vec!["run".to_owned(), path("the grid", &args.grid.grid)?, "--shared".to_owned()];
    let mut give = |name: &str, value: String| words.extend([name.to_owned(), value]);
    give("--results", path("--results", &common.results)?);
    give("--corpora", path("--corpora", &common.corpora)?);
    if let Some(catalogue) = &common.catalogue {
        give("--catalogue", path("--catalogue", catalogue)?);
    }
    common.sets.iter().for_each(|set| give("--set", set.clone()));
    common.only.iter().for_each(|only| give("--only", only.clone()));
    common.not.iter().for_each(|not| give("--not", not.clone()));
    let keyed = &args.grid.keyed;
    keyed.threads.iter().for_each(|threads| give("--threads", threads.to_string()));
    keyed.backend.iter().for_each(|backend| give("--backend", backend.clone()));
    if keyed.engine == EngineKind::Mock {
        give("--engine", "mock".to_owned());
    }
    words.extend(args.retry_failed.then(|| "--retry-failed".to_owned()));
    Ok(words)
}

fn dry_run(text: &str, array: &Array, work: &Work, common: &Common) -> Result<Exit, CliError> {
    let tasks = array.tasks;
    let shown = match common.json {
        true => json!({ "script": text, "tasks": tasks, "jobs": work.jobs() }).to_string(),
        false => text.to_owned(),
    };
    print(&shown)?;
    Ok(Exit::Done)
}

fn submit(
    grid: &str,
    folder: &Folder,
    text: &str,
    array: &Array,
    work: Work,
    common: &Common,
) -> Result<Exit, CliError> {
    slurm::check_sbatch()?;
    make_ready(folder)?;
    if !common.quiet {
        tell_of_others(folder)?;
    }
    let number = folder.next_script();
    let script = folder.write_script(number, text)?;
    let submitted = slurm::submit(&script)?;
    let jobs = work.jobs();
    folder.write_submission(&SubmissionRecord {
        version: SubmissionRecord::VERSION,
        array: submitted.array,
        cluster: submitted.cluster,
        tasks: array.tasks,
        script: format!("{number}.sh"),
        submitted_at: clock::seconds(SystemTime::now()),
        jobs: work.keys,
        undecided: work.undecided,
    })?;
    let (id, tasks, script) = (submitted.array, array.tasks, script.display().to_string());
    print(&match common.json {
        true => {
            json!({ "grid": grid, "array": id, "tasks": tasks, "jobs": jobs, "script": script })
                .to_string()
        }
        false => format!(
            "array job {id}: tasks 0 to {} for {jobs} jobs of `{grid}`; {script}",
            tasks.saturating_sub(1)
        ),
    })?;
    if !common.json && !common.quiet {
        message!("`tailgrid status` shows how it goes; the same `submit` picks up what is lost");
    }
    Ok(Exit::Done)
}

/// Makes the folder; says so now if a run is alone on it, since every task would say it later.
fn make_ready(folder: &Folder) -> Result<(), CliError> {
    folder.prepare()?;
    Lock::share(folder).map(drop)?;
    Ok(())
}

/// Tasks of earlier submissions that are still to run: more hands, but perhaps more than meant.
fn tell_of_others(folder: &Folder) -> Result<(), CliError> {
    let earlier = folder.submissions()?;
    let Some(tasks) = slurm::tasks_of(&earlier).filter(|_| !earlier.is_empty()) else {
        return Ok(());
    };
    for SubmissionRecord { array, tasks: count, .. } in earlier {
        let state = |task| tasks.state(TaskId { array, task }, None);
        let live = [TaskState::Pending, TaskState::Running];
        let live = (0..count).filter(|task| live.contains(&state(*task))).count();
        if live > 0 {
            message!("note: {live} tasks of array job {array} are at the same jobs, or will be");
        }
    }
    Ok(())
}

impl From<SlurmError> for CliError {
    fn from(error: SlurmError) -> Self {
        CliError::new(Exit::Invalid, error)
    }
}
/// Whether an option of sbatch sets the tasks of the array, in any of the ways that sbatch takes
/// it.
fn sets_array(option: &str) -> bool {
    let long = option.split('=').next().unwrap_or_default();
    let is_long = long.len() > "--a".len() && "--array".starts_with(long);
    is_long || (option.starts_with("-a") && !option.starts_with("--"))
}
