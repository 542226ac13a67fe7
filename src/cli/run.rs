//! `tailgrid run`: runs what is not done yet.

use super::grid::{self, GridArgs, Standings, State, Totals};
use super::output::print;
use super::tuning::{self, Drive};
use super::{CliError, Common, Exit};
use crate::corpus::{self, CorpusError, Loaded};
use crate::domain::{Corpus, CorpusIdentity, JobKey, Parameters};
use crate::runner::events::Event;
use crate::runner::{
    Dispatcher, Ended, EngineKind, EngineProgram, RunnerError, Sweep, check_engine, listen,
    schedule,
};
use crate::spec::{Grid, Job, Selection};
use crate::store::{self, Folder, Lock, Results, Status, StoreError};
use crate::ui::{self, Style};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Instant;

/// Runs the jobs of a grid that are not done yet; the same command resumes and extends
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Run failed jobs again
    #[arg(long)]
    pub retry_failed: bool,
    /// Only the K-th of N parts of the jobs, for N machines with a folder each
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

/// One of several parts of a grid's jobs, told apart by their keys.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    part: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { part, of }),
            _ => Err("write it as K/N with K from 1 to N, as in 2/3".to_owned()),
        }
    }
}

impl Shard {
    fn has(self, key: &JobKey) -> bool {
        let digest = Sha256::digest(key.0.as_bytes());
        let number = digest.iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte));
        number % self.of == self.part - 1
    }
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let alone = args.grid.load_alone(common)?;
    let folder = grid::folder(&alone, common)?;
    refuse_empty_selection(&alone, args, common)?;
    folder.prepare()?;
    let _lock = Lock::take(&folder)?;
    folder.sweep()?;
    let mut show = ui::progress(Style::choose(common.json, common.quiet));
    let (grid, standings) = read_standings(&alone, &folder, args.retry_failed, &mut *show)?;
    let selected = Selected::new(&grid, &standings, args, common)?;
    folder.write_grid(&grid.as_run)?;

    let start = Instant::now();
    let mut drive = selected.drive(&grid, &folder, args.retry_failed);
    let mains = to_run(&grid, &selected, args.retry_failed);
    let jobs: Vec<Job> = drive.begin().into_iter().chain(mains).collect();
    // The dispatcher lives on to take interrupts that come while the frames are written.
    let (ended, _dispatcher) = match jobs.is_empty() {
        true => (None, None),
        false => {
            let work = Work { jobs, selected: &selected, grid: &grid, folder: &folder };
            let mut dispatcher = prepare(work, args, &mut *show)?;
            let mut follow = |key: &JobKey, show: &mut dyn FnMut(&Event)| drive.follow(key, show);
            let ended = dispatcher.run_with(&mut *show, &mut follow)?;
            (Some(ended), Some(dispatcher))
        }
    };
    // Once more from the records: a search that this run did not take on stands as it stood.
    let mut grid = alone;
    tuning::settle(&mut grid, |key| grid::recorded(&folder, key))?;
    let results = store::collect(&folder, &grid::all_jobs(&grid))?;
    store::write_frames(&folder, &results)?;
    folder.write_tuning(&tuning::records(&grid))?;

    let totals = selected.totals_now(&grid, &results);
    show(&finished(totals, ended, start, &folder));
    if !common.json && !common.quiet {
        let place = folder.path().display().to_string();
        print(&summary(totals, ended.is_some(), &place))?;
        hint(totals, ended).iter().for_each(|hint| eprintln!("{hint}"));
    }
    Ok(exit(totals, ended))
}

/// A mistyped selection must not even make a folder.
fn refuse_empty_selection(grid: &Grid, args: &Args, common: &Common) -> Result<(), CliError> {
    let selection = grid::selection(common)?;
    let possible = |job: &Job| {
        State::ALL.iter().any(|state| selection.matches(&job.point, state.name()))
            && in_shard(grid, job, args)
    };
    match grid.jobs.iter().any(possible) {
        true => Ok(()),
        false => Err(grid::nothing_selected(grid)),
    }
}

/// The trials of a search and the jobs that wait for it are in one part: none could go on alone.
fn in_shard(grid: &Grid, job: &Job, args: &Args) -> bool {
    let search = job.search.and_then(|search| grid.searches.get(search));
    args.shard.is_none_or(|shard| match search {
        Some(search) => shard.has(&search.key()),
        None => shard.has(&job.key),
    })
}

/// The grid with what its searches chose, and the records by key; a damaged one is set aside, so that
/// its job is to do again.
fn read_standings(
    alone: &Grid,
    folder: &Folder,
    retry_failed: bool,
    show: &mut dyn FnMut(&Event),
) -> Result<(Grid, Standings), CliError> {
    let (mut grid, mut standings) = (alone.clone(), Standings::new());
    tuning::settle(&mut grid, |key| {
        let standing = tuning::read_or_set_aside(folder, key, show)?;
        // A trial that is to run again has not ended.
        Ok::<_, StoreError>(standing.filter(|it| !retry_failed || it.failure.is_none()))
    })?;
    for key in grid.jobs.iter().filter(|job| !job.waits).map(|job| &job.key) {
        if let Some(standing) = tuning::read_or_set_aside(folder, key, show)? {
            standings.insert(key.clone(), standing);
        }
    }
    Ok((grid, standings))
}

/// What a run is about: jobs of the grid by their places, with their states before it, and searches.
#[derive(Debug)]
struct Selected {
    jobs: Vec<(usize, State)>,
    searches: BTreeSet<usize>,
    /// Of the searches.
    trials: Vec<State>,
}

impl Selected {
    fn new(
        grid: &Grid,
        standings: &Standings,
        args: &Args,
        common: &Common,
    ) -> Result<Self, CliError> {
        let selection = grid::selection(common)?;
        let jobs = grid.jobs.iter().enumerate().map(|(at, job)| (at, State::of(job, standings)));
        let jobs: Vec<_> = jobs
            .filter(|(at, state)| {
                let job = &grid.jobs[*at];
                selection.matches(&job.point, state.name()) && in_shard(grid, job, args)
            })
            .collect();
        let here =
            |search: usize| args.shard.is_none_or(|shard| shard.has(&grid.searches[search].key()));
        let trials = tuning::trials(grid, &selection);
        let searches: BTreeSet<usize> =
            trials.iter().map(|trial| trial.index).filter(|search| here(*search)).collect();
        let trials = trials.iter().filter(|trial| searches.contains(&trial.index));
        let trials: Vec<State> = trials.map(|trial| trial.state).collect();
        match jobs.is_empty() && trials.is_empty() {
            true => Err(grid::nothing_selected(grid)),
            false => Ok(Self { jobs, searches, trials }),
        }
    }

    fn drive(&self, grid: &Grid, folder: &Folder, retry_failed: bool) -> Drive {
        let places = self.jobs.iter().map(|(place, _)| *place).collect();
        Drive::new(grid.clone(), folder.clone(), retry_failed, self.searches.clone(), places)
    }

    /// How many jobs and trials are in which state before the run.
    fn totals(&self) -> Totals {
        self.jobs.iter().map(|(_, state)| *state).chain(self.trials.iter().copied()).collect()
    }

    /// The same after it, by the records.
    fn totals_now(&self, grid: &Grid, results: &Results) -> Totals {
        let recorded: BTreeMap<&JobKey, Status> =
            results.runs.iter().map(|run| (&run.job, run.status)).collect();
        let now = |key: &JobKey| match recorded.get(key) {
            Some(Status::Done) => State::Done,
            Some(Status::Failed) => State::Failed,
            None => State::Todo,
        };
        let jobs = self.jobs.iter().map(|(at, before)| match before {
            State::NotApplicable => State::NotApplicable,
            _ => now(&grid.jobs[*at].key),
        });
        let everything = Selection::default();
        let trials = tuning::trials(grid, &everything).into_iter();
        let trials = trials.filter(|trial| self.searches.contains(&trial.index));
        jobs.chain(trials.map(|trial| trial.state)).collect()
    }
}

/// What is to run besides trials, in its order; a key that two points share runs once.
fn to_run(grid: &Grid, selected: &Selected, retry_failed: bool) -> Vec<Job> {
    let mut seen = BTreeSet::new();
    let wanted = selected.jobs.iter().filter_map(|(at, state)| {
        let job = &grid.jobs[*at];
        let open = match state {
            State::Todo => !job.waits,
            State::Failed => retry_failed,
            State::Done | State::NotApplicable => false,
        };
        (open && seen.insert(&job.key)).then(|| job.clone())
    });
    schedule::rounds(wanted.collect(), &grid.seeds, |job: &Job| job.point.seed)
}

/// What a run begins with.
struct Work<'a> {
    jobs: Vec<Job>,
    selected: &'a Selected,
    grid: &'a Grid,
    folder: &'a Folder,
}

/// A dispatcher for the jobs that listens for signals, after everything that can be checked was.
fn prepare(
    work: Work<'_>,
    args: &Args,
    show: &mut dyn FnMut(&Event),
) -> Result<Dispatcher, CliError> {
    let Work { jobs, selected, grid, folder } = work;
    let later: Vec<&Job> =
        selected.jobs.iter().map(|(at, _)| &grid.jobs[*at]).filter(|job| job.waits).collect();
    let all: Vec<&Job> = jobs.iter().chain(later.iter().copied()).collect();
    check_corpora(&all, show)?;
    let program = preflight(&all, args.grid.keyed.engine)?;
    let threads = all.iter().map(|job| job.settings.training.threads).max().unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let slots =
        args.jobs.map_or_else(|| schedule::default_slots(cores, threads), NonZeroUsize::get);
    let open = |state: &&State| **state == State::Todo;
    let mains = jobs.iter().filter(|job| job.settings.stage.is_main()).count();
    let to_run = mains + later.len() + selected.trials.iter().filter(open).count();
    let slots = slots.min(to_run);
    let totals = selected.totals();
    show(&Event::RunStarted {
        grid: grid.name.clone(),
        jobs: totals.jobs(),
        done: totals.done,
        failed: totals.failed,
        not_applicable: totals.not_applicable,
        to_run,
        slots,
    });
    let (limits, folder) = (grid.limits.clone(), folder.clone());
    let dispatcher = Dispatcher::new(Sweep { jobs, slots, limits, program, folder });
    listen(dispatcher.interrupter())?;
    Ok(dispatcher)
}

/// Reads every corpus in every scenario once: a tag that is wrong in line 70,000 is told now, with
/// its line, and not by each job in turn.
fn check_corpora(jobs: &[&Job], show: &mut dyn FnMut(&Event)) -> Result<(), CliError> {
    let invalid = |error: CorpusError| CliError::new(Exit::Invalid, error);
    let mut loaded: Vec<(&CorpusIdentity, Corpus)> = Vec::new();
    let mut scenarios: Vec<(&CorpusIdentity, &Parameters)> = Vec::new();
    for Job { settings, files, point, .. } in jobs {
        let (identity, scenario) = (&settings.corpus, &settings.scenario);
        if scenarios.contains(&(identity, scenario)) {
            continue;
        }
        scenarios.push((identity, scenario));
        let known = loaded.iter().position(|(known, _)| *known == identity);
        let index = match known {
            Some(index) => index,
            None => {
                let Loaded { corpus, remarks } =
                    corpus::load_cached(identity, files).map_err(invalid)?;
                for remark in remarks {
                    show(&Event::Warning { message: remark.to_string() });
                }
                if corpus.train.iter().all(|sentence| !sentence.has_entity()) {
                    let name = &point.corpus;
                    let message =
                        format!("corpus `{name}`: no entity in train: is `tag` the right column?");
                    show(&Event::Warning { message });
                }
                loaded.push((identity, corpus));
                loaded.len() - 1
            }
        };
        let corpus = loaded[index].1.clone();
        corpus::scenarios::apply(corpus, scenario, settings.seed).map_err(|error| {
            let (corpus, scenario) = (&point.corpus, &point.scenario);
            let message = format!("corpus `{corpus}` under scenario `{scenario}`: {error}");
            CliError::new(Exit::Invalid, message)
        })?;
    }
    Ok(())
}

/// The engine's program, known to start and to have every backend that the jobs ask for.
fn preflight(jobs: &[&Job], engine: EngineKind) -> Result<EngineProgram, CliError> {
    let program = EngineProgram::find(engine)?;
    if engine == EngineKind::Real {
        let mut checked = Vec::new();
        for backend in jobs.iter().map(|job| job.settings.training.backend) {
            if !checked.contains(&backend) {
                check_engine(&program.path, backend).map_err(RunnerError::from)?;
                checked.push(backend);
            }
        }
    }
    Ok(program)
}

fn finished(totals: Totals, ended: Option<Ended>, start: Instant, folder: &Folder) -> Event {
    Event::RunFinished {
        jobs: totals.jobs(),
        done: totals.done,
        failed: totals.failed,
        not_applicable: totals.not_applicable,
        to_do: totals.to_do,
        interrupted: ended.is_some_and(|ended| ended.interrupted),
        seconds: start.elapsed().as_secs_f64(),
        results: folder.path().display().to_string(),
    }
}

/// `60 jobs: 60 done, 0 failed, 2 n/a; results/quickstart`
fn summary(totals: Totals, ran: bool, results: &str) -> String {
    let Totals { done, failed, to_do, not_applicable } = totals;
    let nothing = if ran { "" } else { "nothing to do: " };
    let to_do = if to_do > 0 { format!(", {to_do} to do") } else { String::new() };
    let jobs = totals.jobs();
    let noun = if jobs == 1 { "job" } else { "jobs" };
    let counts = format!("{done} done, {failed} failed{to_do}, {not_applicable} n/a");
    format!("{nothing}{jobs} {noun}: {counts}; {results}")
}

/// What the user can do about what is not done.
fn hint(totals: Totals, ended: Option<Ended>) -> Option<&'static str> {
    if ended.is_some_and(|ended| ended.interrupted) && totals.to_do > 0 {
        return Some("interrupted: the same command goes on where this run stopped");
    }
    (totals.failed > 0).then_some(
        "`tailgrid status` shows why jobs failed; `tailgrid run --retry-failed` runs them again",
    )
}

fn exit(totals: Totals, ended: Option<Ended>) -> Exit {
    match ended {
        Some(Ended { interrupted: true, .. }) if totals.to_do > 0 => Exit::Interrupted,
        _ if totals.failed > 0 => Exit::SomeFailed,
        _ => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_the_keys_without_rest_or_overlap() {
        let shards: Vec<Shard> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        let mut sizes = [0; 3];
        for n in 0..300 {
            let key = JobKey(format!("{n:032x}"));
            let owners: Vec<usize> = (0..3).filter(|&k| shards[k].has(&key)).collect();
            assert_eq!(owners.len(), 1);
            sizes[owners[0]] += 1;
        }
        assert!(sizes.iter().all(|&size| size > 60), "{sizes:?}");
    }

    #[test]
    fn shards_that_are_none_are_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_summary_names_the_folder() {
        let totals = Totals { done: 60, not_applicable: 2, ..Totals::default() };
        let text = summary(totals, true, "results/quickstart");
        assert_eq!(text, "60 jobs: 60 done, 0 failed, 2 n/a; results/quickstart");
        let text = summary(Totals { done: 1, ..Totals::default() }, false, "results/x");
        assert_eq!(text, "nothing to do: 1 job: 1 done, 0 failed, 0 n/a; results/x");
    }
}
