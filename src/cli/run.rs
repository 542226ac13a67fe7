//! `tailgrid run`: runs what is not done yet.

use super::grid::{self, GridArgs, Standing, Standings, State, Totals};
use super::output::print;
use super::{CliError, Common, Exit};
use crate::corpus::{self, CorpusError, Loaded};
use crate::domain::{Corpus, CorpusIdentity, JobKey, Parameters};
use crate::runner::events::Event;
use crate::runner::{
    Dispatcher, Ended, EngineKind, EngineProgram, RunnerError, Sweep, check_engine, listen,
    schedule,
};
use crate::spec::{Grid, Job};
use crate::store::{self, Folder, Lock, RecordState, Results, Status};
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
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    refuse_empty_selection(&grid, args, common)?;
    folder.prepare()?;
    let _lock = Lock::take(&folder)?;
    folder.sweep()?;
    let mut show = ui::progress(Style::choose(common.json, common.quiet));
    let standings = read_standings(&grid, &folder, &mut *show)?;
    let selected = select(&grid, &standings, args, common)?;
    folder.write_grid(&grid.as_run)?;

    let start = Instant::now();
    let to_run = to_run(&selected, &grid.seeds, args.retry_failed);
    // The dispatcher lives on to take interrupts that come while the frames are written.
    let (ended, _dispatcher) = match to_run.is_empty() {
        true => (None, None),
        false => {
            let mut dispatcher = prepare(to_run, &selected, &grid, &folder, args, &mut *show)?;
            (Some(dispatcher.run(&mut *show)?), Some(dispatcher))
        }
    };
    let results = store::collect(&folder, &grid::points(&grid))?;
    store::write_frames(&folder, &results)?;

    let totals = totals_now(&selected, &results);
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
            && in_shard(job, args)
    };
    match grid.jobs.iter().any(possible) {
        true => Ok(()),
        false => Err(grid::nothing_selected(grid)),
    }
}

fn in_shard(job: &Job, args: &Args) -> bool {
    args.shard.is_none_or(|shard| shard.has(&job.key))
}

/// The records by key; a damaged one is set aside, so that its job is to do again.
fn read_standings(
    grid: &Grid,
    folder: &Folder,
    show: &mut dyn FnMut(&Event),
) -> Result<Standings, CliError> {
    let keys = grid.jobs.iter().map(|job| &job.key);
    let mut standings = Standings::new();
    for (job, state) in store::record_states(folder, keys)? {
        match state {
            RecordState::Missing => {}
            RecordState::Recorded(record) => {
                standings.insert(job, Standing::from(&*record));
            }
            RecordState::Damaged(error) => {
                let path = folder.set_aside(&job)?.display().to_string();
                show(&Event::RecordSetAside { job, path, reason: error.to_string() });
            }
        }
    }
    Ok(standings)
}

/// A job of the grid and how it stands.
type Selected<'a> = (&'a Job, State);

fn select<'a>(
    grid: &'a Grid,
    standings: &Standings,
    args: &Args,
    common: &Common,
) -> Result<Vec<Selected<'a>>, CliError> {
    let selection = grid::selection(common)?;
    let jobs = grid.jobs.iter().map(|job| (job, State::of(job, standings)));
    let selected: Vec<_> = jobs
        .filter(|(job, state)| selection.matches(&job.point, state.name()) && in_shard(job, args))
        .collect();
    match selected.is_empty() {
        true => Err(grid::nothing_selected(grid)),
        false => Ok(selected),
    }
}

/// What is to run, in its order; a key that two points share runs once.
fn to_run(selected: &[Selected<'_>], seeds: &[u64], retry_failed: bool) -> Vec<Job> {
    let mut seen = BTreeSet::new();
    let wanted = selected.iter().filter(|(job, state)| {
        let open = match state {
            State::Todo => true,
            State::Failed => retry_failed,
            State::Done | State::NotApplicable => false,
        };
        open && seen.insert(&job.key)
    });
    let jobs = wanted.map(|(job, _)| (*job).clone()).collect();
    schedule::rounds(jobs, seeds, |job: &Job| job.point.seed)
}

/// A dispatcher for the jobs that listens for signals, after everything that can be checked was.
fn prepare(
    jobs: Vec<Job>,
    selected: &[Selected<'_>],
    grid: &Grid,
    folder: &Folder,
    args: &Args,
    show: &mut dyn FnMut(&Event),
) -> Result<Dispatcher, CliError> {
    check_corpora(&jobs, show)?;
    let program = preflight(&jobs, args.grid.keyed.engine)?;
    let threads = jobs.iter().map(|job| job.settings.training.threads).max().unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let slots =
        args.jobs.map_or_else(|| schedule::default_slots(cores, threads), NonZeroUsize::get);
    let slots = slots.min(jobs.len());
    let totals: Totals = selected.iter().map(|(_, state)| *state).collect();
    show(&Event::RunStarted {
        grid: grid.name.clone(),
        jobs: totals.jobs(),
        done: totals.done,
        failed: totals.failed,
        not_applicable: totals.not_applicable,
        to_run: jobs.len(),
        slots,
    });
    let (limits, folder) = (grid.limits.clone(), folder.clone());
    let dispatcher = Dispatcher::new(Sweep { jobs, slots, limits, program, folder });
    listen(dispatcher.interrupter())?;
    Ok(dispatcher)
}

/// Reads every corpus in every scenario once: a tag that is wrong in line 70,000 is told now, with
/// its line, and not by each job in turn.
fn check_corpora(jobs: &[Job], show: &mut dyn FnMut(&Event)) -> Result<(), CliError> {
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
fn preflight(jobs: &[Job], engine: EngineKind) -> Result<EngineProgram, CliError> {
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

/// How the selected jobs stand after the run, by their records.
fn totals_now(selected: &[Selected<'_>], results: &Results) -> Totals {
    let recorded: BTreeMap<&JobKey, Status> =
        results.runs.iter().map(|run| (&run.job, run.status)).collect();
    let mut totals = Totals::default();
    for (job, before) in selected {
        match (before, recorded.get(&job.key)) {
            (State::NotApplicable, _) => totals.not_applicable += 1,
            (_, Some(Status::Done)) => totals.done += 1,
            (_, Some(Status::Failed)) => totals.failed += 1,
            (_, None) => totals.to_do += 1,
        }
    }
    totals
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
