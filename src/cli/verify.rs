//! `tailgrid verify`: runs finished jobs again, elsewhere, and compares bit for bit.

mod compare;
mod outdated;
mod text;

use super::grid::{self, GridArgs, State};
use super::output::print;
use super::{CliError, Common, Exit, run};
pub use compare::{Verdict, verdict_without_missing_predictions};
use domain::{JobKey, Point};
use outdated::Outdated;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use runner::events::Event;
use runner::schedule::{self, Capacity, Retries};
use runner::{self, Dispatcher, Ended, EngineKind, Sweep, listen};
use serde::Serialize;
use spec::{Grid, Job};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Instant;
use store::Folder;
use ui::{self, Style};

/// Runs a sample of finished jobs again and compares predictions, scores, losses and weights bit for bit
///
/// The results are read, never written to: jobs run in a temporary folder, with the settings that they
/// have now. Where the record is from another kind of processor, or from an unknown one, bits may differ and
/// scores must agree within 0.02. Ends with 0 if everything is as it must be and with 9 if anything differs.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// How many finished jobs to run again, drawn by chance; 0 for all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub sample: usize,
    /// Another number draws other jobs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// What `verify --json` prints.
#[derive(Debug, Serialize)]
struct Verified {
    grid: String,
    /// Finished jobs of the selection.
    finished: usize,
    same: usize,
    /// Not the same bits, from processors that are not known to be of one kind; their scores agree.
    within_tolerance: usize,
    differ: usize,
    /// Could not be run again.
    failed: usize,
    jobs: Vec<VerifiedJob>,
    /// Finished jobs that are none of the grid's any more, because something changed.
    outdated: Vec<Outdated>,
}

#[derive(Debug, Serialize)]
struct VerifiedJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    verdict: Verdict,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    let standings = grid::standings(&grid, &folder)?;
    let selected = grid::selected(&grid, &standings, common)?;
    let outdated = outdated::find(&grid, &selected, &folder)?;
    let done = selected.iter().filter(|(_, state)| *state == State::Done).map(|(job, _)| *job);
    // By key, so that the sample depends on nothing else; two points of one meaning are one job.
    let finished: BTreeMap<&JobKey, &Job> = done.map(|job| (&job.key, job)).collect();
    if finished.is_empty() {
        return Err(text::nothing(&grid.name, &outdated));
    }
    let sample = sample(finished.values().copied().collect(), args);
    let place = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Invalid, format!("cannot make a temporary folder: {error}"))
    })?;
    let rerun = Folder::new(place.path(), &grid.name)?;
    // Events as JSON would be between the results.
    let mut show = ui::progress(Style::choose(false, common.quiet || common.json));
    let again = Again {
        jobs: &sample,
        grid: &grid,
        folder: &rerun,
        engine: args.grid.keyed.engine,
        slots: args.jobs,
        title: format!("verifying {}", grid.name),
        listens: true,
    };
    let ended = run_again(&again, &mut *show)?;
    let jobs = verdicts(&sample, &folder, &rerun)?;
    let count = |of: fn(&Verdict) -> bool| jobs.iter().filter(|job| of(&job.verdict)).count();
    let verified = Verified {
        finished: finished.len(),
        same: count(|verdict| matches!(verdict, Verdict::Same { .. })),
        within_tolerance: count(|verdict| matches!(verdict, Verdict::WithinTolerance { .. })),
        differ: count(|verdict| matches!(verdict, Verdict::Differs { .. })),
        failed: count(|verdict| matches!(verdict, Verdict::Failed { .. })),
        jobs,
        outdated,
        grid: grid.name,
    };
    match common.json {
        true => print(&serde_json::to_string(&verified).map_err(internal)?)?,
        false => print(&text::text(&verified))?,
    }
    Ok(exit(&verified, ended))
}

fn internal(error: serde_json::Error) -> CliError {
    CliError::new(Exit::Internal, error)
}

/// Some of the jobs, the same ones whenever the same jobs are finished.
fn sample<'g>(mut jobs: Vec<&'g Job>, args: &Args) -> Vec<&'g Job> {
    if args.sample > 0 && args.sample < jobs.len() {
        jobs.shuffle(&mut ChaCha8Rng::seed_from_u64(args.seed));
        jobs.truncate(args.sample);
    }
    jobs.sort_by(|a, b| (&a.point, &a.key).cmp(&(&b.point, &b.key)));
    jobs
}

/// Jobs to run a second time.
pub struct Again<'a> {
    pub jobs: &'a [&'a Job],
    pub grid: &'a Grid,
    /// Which gets their records.
    pub folder: &'a Folder,
    pub engine: EngineKind,
    pub slots: Option<NonZeroUsize>,
    /// What progress calls the run.
    pub title: String,
    /// Whether Ctrl-C lets running jobs finish; otherwise it ends the program.
    pub listens: bool,
}

/// Runs the jobs to their records in another folder.
pub fn run_again(again: &Again<'_>, show: &mut dyn FnMut(&Event)) -> Result<Ended, CliError> {
    let Again { jobs: sample, grid, folder, engine, slots, title, listens } = again;
    folder.prepare()?;
    let program = run::preflight(sample, *engine)?;
    let threads = sample.iter().map(|job| job.settings.training.threads).max().unwrap_or(1);
    let cores = runner::cores();
    let slots = slots.map_or_else(|| schedule::default_slots(cores, threads), NonZeroUsize::get);
    let slots = slots.min(sample.len());
    show(&Event::RunStarted {
        grid: title.clone(),
        jobs: sample.len(),
        done: 0,
        failed: 0,
        not_applicable: 0,
        to_run: sample.len(),
        slots,
    });
    let start = Instant::now();
    let jobs = sample.iter().copied().cloned().collect();
    let limits = grid.limits.clone();
    let mut dispatcher = Dispatcher::new(Sweep {
        jobs,
        seeds: grid.seeds.clone(),
        capacity: Capacity { slots, cores, memory: None },
        retries: Retries::new(limits.retries),
        limits,
        costs: Default::default(),
        until: None,
        program,
        folder: (*folder).clone(),
        sharing: None,
    });
    if *listens {
        listen(dispatcher.interrupter())?;
    }
    let ended = dispatcher.run(show)?;
    show(&Event::RunFinished {
        jobs: sample.len(),
        done: ended.done,
        failed: ended.failed,
        not_applicable: 0,
        to_do: ended.left,
        decided: 0,
        interrupted: ended.interrupted,
        seconds: start.elapsed().as_secs_f64(),
        results: String::new(),
    });
    Ok(ended)
}

/// How each job came out that was run again to its end.
fn verdicts(
    sample: &[&Job],
    folder: &Folder,
    rerun: &Folder,
) -> Result<Vec<VerifiedJob>, CliError> {
    let mut jobs = Vec::new();
    for Job { key, point, .. } in sample {
        if let Some(again) = rerun.read_record(key)? {
            let verdict = compare::verdict(folder, rerun, key, &again)?;
            jobs.push(VerifiedJob { job: key.clone(), point: point.clone(), verdict });
        }
    }
    Ok(jobs)
}

fn exit(verified: &Verified, ended: Ended) -> Exit {
    match verified {
        Verified { differ: 1.., .. } => Exit::Differs,
        _ if ended.interrupted && ended.left > 0 => Exit::Interrupted,
        Verified { failed: 1.., .. } => Exit::SomeFailed,
        _ => Exit::Done,
    }
}
