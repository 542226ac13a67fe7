//! `tailgrid run`: runs what is not done yet.

mod notify;
mod plan_file;
mod selected;
mod shared;
mod until;

use super::as_run;
use super::estimates::Estimates;
use super::grid::{self, GridArgs, State, Totals};
use super::models::{self, Kept};
use super::output::{message, print};
use super::serve::{self, LivePage};
use super::stopping;
use super::tuning;
use super::{CliError, Common, Exit};
use corpus::{self, CorpusError, Loaded};
use domain::{Corpus, CorpusIdentity, JobKey, Parameters, PrecisionProblem, computes_bf16};
use runner::events::{Counts, Ending, Event, Summary, Tally};
use runner::schedule::{self, Capacity, Retries};
use runner::{
    self, Dispatcher, Ended, EngineKind, EngineProgram, RunnerError, Sweep, Usage, check_engine,
    listen,
};
use selected::{Selected, Shard, refuse_empty_selection};
use spec::{Grid, Job};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;
use store::{Folder, StoreError, Survey};
use ui::{self, Style};
use until::TimeOfDay;

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
    /// Keep the models of the selected jobs; finished ones without a model are trained again for it
    #[arg(long, conflicts_with = "shared")]
    pub keep_models: bool,
    /// Wait while another run has the folder, instead of refusing
    #[arg(long)]
    pub wait: bool,
    /// Only the K-th of N parts of the jobs, for N machines with a folder each
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Only the jobs that were to do in a plan, as `plan --json` printed it
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Run beside others with this option, also on other machines, on one results folder
    #[arg(long)]
    pub shared: bool,
    /// Start no job that is expected to end after this time of day
    #[arg(long, value_name = "HH:MM")]
    pub until: Option<TimeOfDay>,
    /// When the run is over, give its summary to this shell command
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// Serve the page of the results meanwhile, as 127.0.0.1:0 (any free port)
    #[arg(long, value_name = "ADDRESS", value_parser = serve::address)]
    pub serve: Option<SocketAddr>,
}

/// Runs the command, and tells whoever wants to know how it ended.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let result = sweep(args, common);
    if let Some(command) = &args.notify {
        let text = match &result {
            Ok((_, summary)) => ui::summary_text(summary),
            Err(error) => format!("{}: {error}\n", args.grid.grid.display()),
        };
        if let Err(problem) = notify::tell(command, &text, notify::PATIENCE) {
            ui::warn(&format!("--notify `{command}`: {problem}"));
        }
    }
    result.map(|(exit, _)| exit)
}

fn sweep(args: &Args, common: &Common) -> Result<(Exit, Summary), CliError> {
    let alone = args.grid.load_alone(common)?;
    let folder = grid::folder(&alone, common)?;
    refuse_empty_selection(&alone, common)?;
    folder.prepare()?;
    let _lock = shared::hold(&folder, args, common)?;
    let mut progress = ui::progress(Style::choose(common.json, common.quiet));
    let mut tally = Tally::default();
    let mut show = |event: &Event| {
        tally.take(event);
        progress(event);
    };
    let (mut grid, survey) = read_standings(&alone, &folder, args.retry_failed, &mut show)?;
    if args.keep_models {
        // Changes no key, so it can be asked for at any time.
        grid.jobs.iter_mut().for_each(|job| job.settings.training.keep_model = true);
    }
    let selected = Selected::new(&grid, &survey.standings, args, common)?;
    let is_current = as_run::keep(&grid, &args.grid, &folder)?;
    let serve = |at| LivePage::start(at, &alone, &args.grid.keyed, common, &mut show);
    let page = args.serve.map(serve).transpose()?;

    let start = Instant::now();
    let tuning = selected.drive(&grid, &folder, args.retry_failed);
    let mut drive = stopping::Drive::new(&grid, &folder, tuning);
    let jobs = drive.begin(&grid, &survey.standings, to_run(&grid, &selected, args.retry_failed));
    // The dispatcher lives on to take interrupts that come while the frames are written.
    let (ended, dispatcher) = match jobs.is_empty() {
        true => (None, None),
        false => {
            let estimates = Estimates::new(&grid, &survey.standings);
            let held = drive.held().cloned().collect();
            let (selected, grid, folder) = (&selected, &grid, &folder);
            let work = Work { jobs, held, selected, grid, folder, estimates };
            let mut dispatcher = prepare(work, args, &mut show)?;
            let mut follow = |key: &JobKey, show: &mut dyn FnMut(&Event)| drive.follow(key, show);
            let ended = dispatcher.run_with(&mut show, &mut follow)?;
            (Some(ended), Some(dispatcher))
        }
    };
    let usage = dispatcher.as_ref().map(Dispatcher::usage);
    let turn = shared::turn(&folder, args)?;
    // Once more from the records: a search that this run did not take on stands as it stood.
    let started_with = &grid;
    let mut grid = alone;
    tuning::settle(&mut grid, |key| grid::recorded(&folder, key))?;
    let jobs = grid::all_jobs(&grid);
    let survey = match ended.is_none() && grid.searches.is_empty() && !args.shared {
        // Nothing ran: all stands as it stood.
        true => survey,
        false => {
            let own = Survey::new(&folder, jobs.iter().map(|placed| &placed.job))?;
            own.whole()?.with_others(&folder)?
        }
    };
    let current = match is_current {
        true => jobs,
        false => as_run::current_or_none(&grid, &args.grid, common, &folder, &mut show),
    };
    as_run::refresh_frames(&folder, &current, &survey, &mut show)?;
    as_run::refresh_comparisons(&args.grid, common, &folder)?;
    folder.write_tuning(&tuning::records(&grid))?;
    let looks = stopping::of_standings(&grid, &survey.standings);
    let found = stopping::record(&grid, &looks);
    folder.write_stopping(found.as_ref())?;
    drop(turn);
    page.iter().for_each(LivePage::finish);

    drop(dispatcher);
    let models = match ended.is_none_or(|ended| !ended.interrupted && !ended.out_of_time) {
        true => keep_models(&selected, started_with, &folder, args, common, &mut progress)?,
        false => None,
    };
    let totals = selected.totals_now(&grid, &survey.standings, &looks);
    let found = found.map(|found| stopping::text(&found, stopping::MOST_SHOWN));
    let found = found.unwrap_or_default();
    let summary = Summary {
        grid: grid.name.clone(),
        ending: ending(ended),
        counts: totals.into(),
        seconds: start.elapsed().as_secs_f64(),
        results: folder.path().display().to_string(),
        looks: found.lines().map(str::to_owned).collect(),
        ..tally.summary()
    };
    let summary = Summary { utilisation: utilisation(usage, summary.slots), ..summary };
    progress(&Event::Summary(Box::new(summary.clone())));
    progress(&finished(&summary));
    if !common.json && !common.quiet {
        let nothing = if ended.is_some() { "" } else { "nothing to do: " };
        let counts = ui::of_counts(&summary.counts);
        let kept = models.as_ref().map(Kept::text).unwrap_or_default();
        print(&format!("{nothing}{counts}; {}\n{kept}{found}", summary.results))?;
        let done = selected.done(&grid, &survey.standings);
        let missing = models::asked_and_missing(done, &folder)?.len();
        models::hint(missing).filter(|_| models.is_none()).iter().for_each(|h| message!("{h}"));
        let interrupted = ended.is_some_and(|ended| ended.interrupted);
        let shared = shared::hint(args, totals.to_do, interrupted).map(str::to_owned);
        let waits = drive.hint().filter(|_| !interrupted);
        shared.iter().chain(&waits).for_each(|hint| message!("{hint}"));
    }
    let exit = models.and_then(|kept| kept.exit()).unwrap_or_else(|| exit(totals, ended));
    shared::note_end(&folder, args, exit)?;
    Ok((exit, summary))
}

/// Trains finished jobs again whose models are asked for and missing.
fn keep_models(
    selected: &Selected,
    grid: &Grid,
    folder: &Folder,
    args: &Args,
    common: &Common,
    progress: &mut dyn FnMut(&Event),
) -> Result<Option<Kept>, CliError> {
    if !args.keep_models {
        return Ok(None);
    }
    // Of those that were done before: what ran just now has kept its model.
    let done = selected.jobs.iter().map(|(at, state)| (&grid.jobs[*at], *state));
    let missing = models::missing(done, folder)?;
    if missing.is_empty() {
        return Ok(Some(Kept::default()));
    }
    let mut show = |event: &Event| {
        // A program that reads events takes these for the beginning and the end of the run.
        let is_frame = matches!(event, Event::RunStarted { .. } | Event::RunFinished { .. });
        if !(common.json && is_frame) {
            progress(event);
        }
    };
    let engine = args.grid.keyed.engine;
    models::keep(&missing, grid, folder, engine, args.jobs, &mut show).map(Some)
}

/// The grid with what its searches chose, and the records by key; one that is damaged, or whose files are, is
/// set aside, so that its job is to do again.
fn read_standings(
    alone: &Grid,
    folder: &Folder,
    retry_failed: bool,
    show: &mut dyn FnMut(&Event),
) -> Result<(Grid, Survey), CliError> {
    let settle = |show: &mut dyn FnMut(&Event)| {
        let mut grid = alone.clone();
        tuning::settle(&mut grid, |key| {
            let standing = tuning::read_or_set_aside(folder, key, show)?;
            // A trial that is to run again has not ended.
            Ok::<_, StoreError>(standing.filter(|it| !retry_failed || it.failure.is_none()))
        })?;
        Ok::<_, StoreError>(grid)
    };
    let mut grid = settle(show)?;
    let trials: Vec<JobKey> = tuning::trial_keys(&grid).collect();
    if !set_aside_damaged(&mut Survey::new(folder, &trials)?, folder, show)?.is_empty() {
        // A search resumes from what is left.
        grid = settle(show)?;
    }
    let keys = grid.jobs.iter().filter(|job| !job.waits).map(|job| &job.key);
    let mut survey = Survey::new(folder, keys)?;
    set_aside_damaged(&mut survey, folder, show)?;
    survey = survey.with_others(folder)?;
    survey.write_index(folder)?;
    Ok((grid, survey))
}

/// Sets aside what a survey found to be damaged, and gives the jobs; what is whole after all stands.
fn set_aside_damaged(
    survey: &mut Survey,
    folder: &Folder,
    show: &mut dyn FnMut(&Event),
) -> Result<Vec<JobKey>, CliError> {
    let damaged: Vec<JobKey> = survey.damaged.keys().cloned().collect();
    for key in &damaged {
        if let Some(standing) = tuning::set_aside(folder, key, show)? {
            survey.standings.insert(key.clone(), standing);
        }
    }
    Ok(damaged)
}

/// What is to run besides trials, as far as looks let it; two points may share a key.
fn to_run(grid: &Grid, selected: &Selected, retry_failed: bool) -> Vec<Job> {
    let wanted = selected.jobs.iter().filter_map(|(at, state)| {
        let job = &grid.jobs[*at];
        let open = match state {
            // What is decided now may be open when a failed job of its look has run again.
            State::Todo | State::Decided => !job.waits,
            State::Failed => retry_failed,
            State::Done | State::NotApplicable => false,
        };
        open.then(|| job.clone())
    });
    wanted.collect()
}

/// What a run begins with.
struct Work<'a> {
    jobs: Vec<Job>,
    /// What looks may release later.
    held: Vec<Job>,
    selected: &'a Selected,
    grid: &'a Grid,
    folder: &'a Folder,
    estimates: Estimates,
}

/// A dispatcher for the jobs that listens for signals, after everything that can be checked was.
fn prepare(
    work: Work<'_>,
    args: &Args,
    show: &mut dyn FnMut(&Event),
) -> Result<Dispatcher, CliError> {
    let Work { jobs, held, selected, grid, folder, estimates } = work;
    let waiting = selected.jobs.iter().map(|(at, _)| &grid.jobs[*at]).filter(|job| job.waits);
    let later: Vec<&Job> = waiting.chain(&held).collect();
    let all: Vec<&Job> = jobs.iter().chain(later.iter().copied()).collect();
    check_corpora(&all, show)?;
    let program = preflight(&all, args.grid.keyed.engine)?;
    let threads = all.iter().map(|job| job.settings.training.threads).min().unwrap_or(1);
    let cores = runner::cores();
    let slots = slots(args.jobs, threads, cores, show);
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
    let (limits, sharing) = (grid.limits.clone(), shared::sharing(folder, args)?);
    let folder = folder.clone();
    let dispatcher = Dispatcher::new(Sweep {
        jobs,
        seeds: grid.seeds.clone(),
        capacity: Capacity { slots, cores, memory: None },
        retries: retries(limits.retries)?,
        limits,
        costs: estimates.into_costs(),
        until: args.until.map(TimeOfDay::next),
        program,
        folder,
        sharing,
    });
    listen(dispatcher.interrupter())?;
    Ok(dispatcher)
}

/// How many jobs run side by side: what was asked for, as far as the cores carry it.
fn slots(
    asked: Option<NonZeroUsize>,
    threads: usize,
    cores: usize,
    show: &mut dyn FnMut(&Event),
) -> usize {
    let carried = schedule::default_slots(cores, threads);
    let Some(asked) = asked.map(NonZeroUsize::get).filter(|asked| *asked > carried) else {
        return asked.map_or(carried, NonZeroUsize::get);
    };
    let message = format!(
        "--jobs {asked} with {threads} threads a job would take more than the {cores} cores: at most \
         {carried} run at a time; override with TAILGRID_CORES=N"
    );
    show(&Event::Warning { message });
    carried
}

/// How failed attempts are tried again; tests have no time for the pauses.
fn retries(most: u32) -> Result<Retries, CliError> {
    let retries = Retries::new(most);
    let Ok(text) = std::env::var("TAILGRID_PAUSE") else { return Ok(retries) };
    let first_pause = humantime::parse_duration(&text)
        .map_err(|error| CliError::new(Exit::Usage, format!("TAILGRID_PAUSE={text}: {error}")))?;
    Ok(Retries { first_pause, ..retries })
}

/// Reads every corpus in every scenario once: a tag that is wrong in line 70,000 is told now, with
/// its line, and not by each job in turn.
fn check_corpora(jobs: &[&Job], show: &mut dyn FnMut(&Event)) -> Result<(), CliError> {
    let invalid = |error: CorpusError| CliError::new(Exit::Invalid, error);
    let mut loaded: Vec<(&CorpusIdentity, Corpus)> = Vec::new();
    let mut scenarios: Vec<(&CorpusIdentity, &Parameters)> = Vec::new();
    for Job { settings, files, point, .. } in jobs {
        let (identity, scenario): (&CorpusIdentity, &Parameters) =
            (&settings.corpus, &settings.scenario);
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

/// Whether this processor has the products that the jobs ask for.
pub(super) fn check_precision<'j>(mut jobs: impl Iterator<Item = &'j Job>) -> Result<(), CliError> {
    let has = computes_bf16();
    let problem = jobs.find_map(|job| {
        let problem = PrecisionProblem::of(&job.settings.training, has)?;
        Some(format!("job {}: {problem}; write `precision: f32`", job.point))
    });
    problem.map_or(Ok(()), |message| Err(CliError::new(Exit::Invalid, message)))
}

/// The engine's program, known to start and to have every backend that the jobs ask for.
pub(super) fn preflight(jobs: &[&Job], engine: EngineKind) -> Result<EngineProgram, CliError> {
    let program = EngineProgram::find(engine)?;
    if engine == EngineKind::Real {
        check_precision(jobs.iter().copied())?;
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

fn finished(summary: &Summary) -> Event {
    let Counts { jobs, done, failed, to_do, not_applicable, decided } = summary.counts;
    Event::RunFinished {
        jobs,
        done,
        failed,
        not_applicable,
        to_do,
        decided,
        interrupted: summary.ending == Ending::Interrupted,
        seconds: summary.seconds,
        results: summary.results.clone(),
    }
}

/// The share of the slots' time in which jobs ran.
fn utilisation(usage: Option<Usage>, slots: usize) -> Option<f64> {
    let Usage { busy, wall } = usage?;
    let all = wall.as_secs_f64() * slots.max(1) as f64;
    (all > 0.0).then(|| (busy.as_secs_f64() / all).min(1.0))
}

fn ending(ended: Option<Ended>) -> Ending {
    match ended {
        Some(Ended { interrupted: true, .. }) => Ending::Interrupted,
        Some(Ended { out_of_time: true, .. }) => Ending::OutOfTime,
        _ => Ending::Complete,
    }
}

fn exit(totals: Totals, ended: Option<Ended>) -> Exit {
    match ending(ended) {
        Ending::Interrupted | Ending::OutOfTime if totals.to_do > 0 => Exit::Interrupted,
        _ if totals.failed > 0 || ended.is_some_and(|ended| ended.paused > 0) => Exit::SomeFailed,
        _ => Exit::Done,
    }
}

impl From<Totals> for Counts {
    fn from(totals: Totals) -> Self {
        let Totals { done, failed, to_do, not_applicable, decided } = totals;
        Self { jobs: totals.jobs(), done, failed, to_do, not_applicable, decided }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn slots_are_busy_for_a_share_of_their_time() {
        let usage = |busy, wall| {
            Some(Usage { busy: Duration::from_secs(busy), wall: Duration::from_secs(wall) })
        };
        assert_eq!(utilisation(usage(15, 10), 2), Some(0.75));
        assert_eq!(utilisation(usage(0, 0), 2), None);
        assert_eq!(utilisation(None, 2), None);
    }

    #[test]
    fn what_is_left_by_the_hour_can_be_gone_on_with() {
        let left = Totals { done: 1, failed: 1, to_do: 1, ..Totals::default() };
        let ended = |out_of_time, paused| Some(Ended { out_of_time, paused, ..Ended::default() });
        assert_eq!(exit(left, ended(true, 0)), Exit::Interrupted);
        assert_eq!(exit(Totals { to_do: 0, ..left }, ended(true, 0)), Exit::SomeFailed);
        assert_eq!(exit(Totals { failed: 0, ..left }, ended(false, 1)), Exit::SomeFailed);
        assert_eq!(exit(Totals { done: 2, ..Totals::default() }, None), Exit::Done);
    }
}
