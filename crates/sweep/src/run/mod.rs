//! A run: what is not done yet, to its records and frames; the same run again resumes and extends.
//!
//! Three steps, so that a caller can show the results between them: an [`OpenRun`] holds the folder
//! and knows what is to run, a [`RecordedRun`] has run it and has written frames, its end keeps
//! models that are asked for. [`run`] is all of them.

mod dispatch;
mod end;
mod plan_file;
mod records;
mod selected;
mod sharing;
mod until;

pub use end::{RecordedRun, RunEnd};
pub use plan_file::PlanFileError;
pub use selected::Shard;
pub use until::TimeOfDay;

use crate::stopping::{self, LookDrive};
use crate::{Estimates, GridSource, JobState, Standings, SweepError, all_jobs, as_run, tuning};
use dispatch::Work;
use domain::JobKey;
use end::Settled;
use records::read_standings;
use runner::events::{Event, Tally};
use runner::{Dispatcher, Ended, Usage};
use selected::Selected;
use spec::{Grid, Job, Selection};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;
use store::{Folder, Lock, Survey};

/// What is run, and how.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub selection: Selection,
    /// Jobs side by side; without it, cores over the threads of a job.
    pub slots: Option<NonZeroUsize>,
    /// Run failed jobs again.
    pub retry_failed: bool,
    /// Keep the models of the selected jobs; finished ones without a model are trained again for
    /// it.
    pub keep_models: bool,
    /// Wait while another run has the folder, instead of refusing.
    pub wait: bool,
    /// Only this part of the jobs, for several machines with a folder each.
    pub shard: Option<Shard>,
    /// Only the jobs that were to do in this plan, as `plan --json` printed it.
    pub plan: Option<PathBuf>,
    /// Run beside others that share the results folder, also on other machines.
    pub shared: bool,
    /// Start no job that is expected to end after this time of day.
    pub until: Option<TimeOfDay>,
    /// Take the signals that ask this program to end: the first Ctrl-C lets running jobs finish.
    pub listens: bool,
}

/// Runs what is not done yet of a grid, to its last file.
pub fn run(
    source: &GridSource,
    options: &RunOptions,
    show: &mut dyn FnMut(&Event),
) -> Result<RunEnd, SweepError> {
    let open = OpenRun::new(source, source.load_alone()?, options, show)?;
    let mut recorded = open.carry_out(show)?;
    recorded.keep_models(&mut |event| {
        // Whoever reads events takes these for the beginning and the end of the run.
        if !matches!(event, Event::RunStarted { .. } | Event::RunFinished { .. }) {
            show(event);
        }
    })?;
    recorded.finish(show)
}

/// A run that holds its folder and has not started a job.
#[derive(Debug)]
pub struct OpenRun<'a> {
    held: Held<'a>,
    /// What the records said before it.
    survey: Survey,
}

/// What a run holds from its beginning to its end.
#[derive(Debug)]
struct Held<'a> {
    source: &'a GridSource,
    options: &'a RunOptions,
    /// Without what searches chose.
    alone: Grid,
    folder: Folder,
    /// With what searches have chosen before it.
    grid: Grid,
    selected: Selected,
    /// Whether `grid.yaml` is this run's grid.
    is_current: bool,
    _lock: Lock,
}

impl<'a> OpenRun<'a> {
    /// Takes the folder of a grid that was loaded alone, sets damaged records aside, and selects
    /// what the run is about. A selection that can have no job in it does not even make the folder.
    pub fn new(
        source: &'a GridSource,
        alone: Grid,
        options: &'a RunOptions,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Self, SweepError> {
        let folder = source.folder(&alone)?;
        selected::refuse_empty(&alone, &options.selection)?;
        folder.prepare()?;
        let lock = sharing::hold(&folder, options, show)?;
        let (mut grid, survey) = read_standings(&alone, &folder, options.retry_failed, show)?;
        if options.keep_models {
            // Changes no key, so it can be asked for at any time.
            grid.jobs.iter_mut().for_each(|job| job.settings.training.keep_model = true);
        }
        let selected = Selected::new(&grid, &survey.standings, options)?;
        let is_current = as_run::keep(&grid, source.engine, &folder)?;
        let _lock = lock;
        let held = Held { source, options, alone, folder, grid, selected, is_current, _lock };
        Ok(Self { held, survey })
    }

    /// The grid without what searches chose.
    pub fn alone(&self) -> &Grid {
        &self.held.alone
    }

    /// Runs the jobs, and writes the frames, what searches chose and what looks decided.
    pub fn carry_out(self, show: &mut dyn FnMut(&Event)) -> Result<RecordedRun<'a>, SweepError> {
        let start = Instant::now();
        let mut tally = Tally::default();
        let mut show = |event: &Event| {
            tally.take(event);
            show(event);
        };
        let Self { held: run, survey } = self;
        let attempted = run.attempt(&survey.standings, &mut show)?;
        let settled = run.settle(survey, attempted.ended.is_some(), &mut show)?;
        Ok(RecordedRun::new(run, start, attempted, settled, tally.summary()))
    }
}

impl Held<'_> {
    /// Runs what is to run, if anything is.
    fn attempt(
        &self,
        standings: &Standings,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Attempted, SweepError> {
        let Self { grid, folder, selected, options, .. } = self;
        let tuning = selected.drive(grid, folder, options.retry_failed);
        let mut drive = LookDrive::new(grid, folder, tuning);
        let wanted = to_run(grid, selected, options.retry_failed);
        let jobs = drive.begin(grid, standings, wanted);
        if jobs.is_empty() {
            return Ok(Attempted { held: drive.held().count(), ..Attempted::default() });
        }
        let estimates = Estimates::new(grid, standings);
        let held = drive.held().cloned().collect();
        let work = Work { jobs, held, selected, grid, folder, estimates };
        let mut dispatcher = work.prepare(self.source, options, show)?;
        let mut follow = |key: &JobKey, show: &mut dyn FnMut(&Event)| drive.follow(key, show);
        let ended = dispatcher.run_with(show, &mut follow)?;
        Ok(Attempted {
            ended: Some(ended),
            usage: Some(dispatcher.usage()),
            dispatcher: Some(dispatcher),
            held: drive.held().count(),
        })
    }

    /// Writes the frames, what searches chose and what looks decided, by the records as they are
    /// now.
    fn settle(
        &self,
        before: Survey,
        has_run: bool,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Settled, SweepError> {
        let Self { folder, options, .. } = self;
        let _turn = sharing::turn(folder, options)?;
        // Once more from the records: a search that this run did not take on stands as it stood.
        let mut grid = self.alone.clone();
        tuning::settle_recorded(&mut grid, folder)?;
        let survey = self.write_frames(&grid, before, has_run, show)?;
        folder.write_tuning(&tuning::records(&grid))?;
        let looks = stopping::of_standings(&grid, &survey.standings);
        let decided = stopping::record(&grid, &looks);
        folder.write_stopping(decided.as_ref())?;
        Ok(Settled { grid, standings: survey.standings, looks, decided })
    }

    /// Makes the frames those of the records as they are now; gives back what the records say.
    fn write_frames(
        &self,
        grid: &Grid,
        before: Survey,
        has_run: bool,
        show: &mut dyn FnMut(&Event),
    ) -> Result<Survey, SweepError> {
        let Self { source, folder, options, .. } = self;
        let jobs = all_jobs(grid);
        let survey = match !has_run && grid.searches.is_empty() && !options.shared {
            // Nothing ran: all stands as it stood.
            true => before,
            false => {
                let own = Survey::new(folder, jobs.iter().map(|placed| &placed.job))?;
                own.whole()?.with_others(folder)?
            }
        };
        let current = match self.is_current {
            true => jobs,
            false => as_run::current_or_none(grid, source, folder, show),
        };
        as_run::refresh_frames(folder, &current, &survey, show)?;
        as_run::refresh_comparisons(source, folder)?;
        Ok(survey)
    }
}

/// How the running of jobs went.
#[derive(Debug, Default)]
struct Attempted {
    /// None where nothing was to run.
    ended: Option<Ended>,
    /// Of the slots, where any were used.
    usage: Option<Usage>,
    /// It lives on to take interrupts that come while the frames are written.
    dispatcher: Option<Dispatcher>,
    /// Jobs that wait for looks.
    held: usize,
}

/// What is to run besides trials, as far as looks let it; two points may share a key.
fn to_run(grid: &Grid, selected: &Selected, retry_failed: bool) -> Vec<Job> {
    let wanted = selected.jobs.iter().filter_map(|(at, state)| {
        let job = &grid.jobs[*at];
        let open = match state {
            // What is decided now may be open when a failed job of its look has run again.
            JobState::Todo | JobState::Decided => !job.waits,
            JobState::Failed => retry_failed,
            JobState::Done | JobState::NotApplicable => false,
        };
        open.then(|| job.clone())
    });
    wanted.collect()
}
