//! Jobs that run a second time, to records in another folder.

use crate::{GridSource, SweepError, checks};
use runner::events::Event;
use runner::schedule::{self, Capacity, Retries};
use runner::{Dispatcher, Ended, Sweep, listen};
use spec::{Grid, Job};
use std::num::NonZeroUsize;
use std::time::Instant;
use store::Folder;

/// Jobs to run a second time.
pub(crate) struct Rerun<'a> {
    pub jobs: &'a [&'a Job],
    pub grid: &'a Grid,
    /// Which gets their records.
    pub folder: &'a Folder,
    pub source: &'a GridSource,
    pub slots: Option<NonZeroUsize>,
    /// What progress calls the run.
    pub title: String,
    /// Whether Ctrl-C lets running jobs finish; otherwise it ends the program.
    pub listens: bool,
}

impl Rerun<'_> {
    /// Runs the jobs to their records.
    pub fn run(&self, show: &mut dyn FnMut(&Event)) -> Result<Ended, SweepError> {
        self.folder.prepare()?;
        let start = Instant::now();
        let (mut dispatcher, slots) = self.dispatcher()?;
        show(&Event::RunStarted {
            grid: self.title.clone(),
            jobs: self.jobs.len(),
            done: 0,
            failed: 0,
            not_applicable: 0,
            to_run: self.jobs.len(),
            slots,
        });
        if self.listens {
            listen(dispatcher.interrupter())?;
        }
        let ended = dispatcher.run(show)?;
        show(&Event::RunFinished {
            jobs: self.jobs.len(),
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

    /// A dispatcher for them, and how many run side by side.
    fn dispatcher(&self) -> Result<(Dispatcher, usize), SweepError> {
        let Self { jobs, grid, folder, source, slots, .. } = self;
        let program = checks::preflight(jobs, source)?;
        let threads = jobs.iter().map(|job| job.settings.training.threads).max().unwrap_or(1);
        let cores = runner::cores();
        let carried = || schedule::default_slots(cores, threads);
        let slots = slots.map_or_else(carried, NonZeroUsize::get).min(jobs.len());
        let limits = grid.limits.clone();
        let dispatcher = Dispatcher::new(Sweep {
            jobs: jobs.iter().copied().cloned().collect(),
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
        Ok((dispatcher, slots))
    }
}
