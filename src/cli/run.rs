//! `tailgrid run`: runs what is not done yet.

mod selected;

use super::grid::{self, GridArgs, Standings, State, Totals};
use super::output::print;
use super::serve::{self, LivePage};
use super::tuning;
use super::{CliError, Common, Exit};
use crate::corpus::{self, CorpusError, Loaded};
use crate::domain::{Corpus, CorpusIdentity, JobKey, Parameters};
use crate::runner::events::Event;
use crate::runner::{
    Dispatcher, Ended, EngineKind, EngineProgram, RunnerError, Sweep, check_engine, listen,
    schedule,
};
use crate::spec::{Grid, Job};
use crate::store::{self, Folder, Lock, StoreError};
use crate::ui::{self, Style};
use selected::{Selected, Shard, refuse_empty_selection};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
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
    /// Serve the page of the results meanwhile, as 127.0.0.1:0 (any free port)
    #[arg(long, value_name = "ADDRESS", value_parser = serve::address)]
    pub serve: Option<SocketAddr>,
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
    let serve = |at| LivePage::start(at, &alone, common, &mut *show);
    let page = args.serve.map(serve).transpose()?;

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
    page.iter().for_each(LivePage::finish);

    let totals = selected.totals_now(&grid, &results);
    show(&finished(totals, ended, start, &folder));
    if !common.json && !common.quiet {
        let place = folder.path().display().to_string();
        print(&summary(totals, ended.is_some(), &place))?;
        hint(totals, ended).iter().for_each(|hint| eprintln!("{hint}"));
    }
    Ok(exit(totals, ended))
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
    fn the_summary_names_the_folder() {
        let totals = Totals { done: 60, not_applicable: 2, ..Totals::default() };
        let text = summary(totals, true, "results/quickstart");
        assert_eq!(text, "60 jobs: 60 done, 0 failed, 2 n/a; results/quickstart");
        let text = summary(Totals { done: 1, ..Totals::default() }, false, "results/x");
        assert_eq!(text, "nothing to do: 1 job: 1 done, 0 failed, 0 n/a; results/x");
    }
}
