//! The dispatcher of a run, after everything that can be checked was.

use super::selected::Selected;
use super::{RunOptions, TimeOfDay, sharing};
use crate::{Estimates, GridSource, JobState, SweepError, checks};
use runner::events::Event;
use runner::schedule::{self, Capacity, Retries};
use runner::{Dispatcher, Sweep, listen};
use spec::{Grid, Job};
use std::num::NonZeroUsize;
use store::Folder;

/// What a run begins with.
pub(super) struct Work<'a> {
    pub jobs: Vec<Job>,
    /// What looks may release later.
    pub held: Vec<Job>,
    pub selected: &'a Selected,
    pub grid: &'a Grid,
    pub folder: &'a Folder,
    pub estimates: Estimates,
}

impl Work<'_> {
    /// A dispatcher for the jobs, which listens for signals where the options say so.
    pub fn prepare(
        self,
        source: &GridSource,
        options: &RunOptions,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Dispatcher, SweepError> {
        let Work { jobs, held, selected, grid, folder, estimates } = self;
        let waiting = selected.jobs.iter().map(|(at, _)| &grid.jobs[*at]).filter(|job| job.waits);
        let later: Vec<&Job> = waiting.chain(&held).collect();
        let all: Vec<&Job> = jobs.iter().chain(later.iter().copied()).collect();
        checks::corpora(&all, show)?;
        let program = checks::preflight(&all, source)?;
        let threads = all.iter().map(|job| job.settings.training.threads).min().unwrap_or(1);
        let cores = runner::cores();
        let slots = slots(options.slots, threads, cores, show);
        let open = |state: &&JobState| **state == JobState::Todo;
        let mains = jobs.iter().filter(|job| job.settings.stage.is_main()).count();
        let to_run = mains + later.len() + selected.trials.iter().filter(open).count();
        let slots = slots.min(to_run);
        show(&started(grid, selected, to_run, slots));
        let (limits, sharing) = (grid.limits.clone(), sharing::sharing(folder, options)?);
        let dispatcher = Dispatcher::new(Sweep {
            jobs,
            seeds: grid.seeds.clone(),
            capacity: Capacity { slots, cores, memory: None },
            retries: retries(limits.retries)?,
            limits,
            costs: estimates.into_costs(),
            until: options.until.map(TimeOfDay::next),
            program,
            folder: folder.clone(),
            sharing,
        });
        if options.listens {
            listen(dispatcher.interrupter())?;
        }
        Ok(dispatcher)
    }
}

fn started(grid: &Grid, selected: &Selected, to_run: usize, slots: usize) -> Event {
    let totals = selected.totals();
    Event::RunStarted {
        grid: grid.name.clone(),
        jobs: totals.jobs(),
        done: totals.done,
        failed: totals.failed,
        not_applicable: totals.not_applicable,
        to_run,
        slots,
    }
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
fn retries(most: u32) -> Result<Retries, SweepError> {
    let retries = Retries::new(most);
    let Ok(text) = std::env::var("TAILGRID_PAUSE") else { return Ok(retries) };
    let first_pause = humantime::parse_duration(&text)
        .map_err(|error| SweepError::Pause { text: text.clone(), error })?;
    Ok(Retries { first_pause, ..retries })
}
