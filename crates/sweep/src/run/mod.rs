//! A run: what is not done yet, to its records and frames; the same run again resumes and extends.
//!
//! Three steps, so that a caller can show the results between them: an [`OpenRun`] holds the folder and knows
//! what is to run, a [`RecordedRun`] has run it and has written frames, its end keeps models that are asked
//! for. [`run`] is all of them.

mod dispatch;
mod plan_file;
mod selected;
mod sharing;
mod until;

pub use plan_file::PlanFileError;
pub use selected::Shard;
pub use until::TimeOfDay;

use crate::estimates::Estimates;
use crate::models::{self, KeptModels};
use crate::stopping::{self, LookDrive, Looks};
use crate::{
    Conclusion, GridSource, JobState, Standings, SweepError, Totals, all_jobs, as_run, tuning,
};
use dispatch::Work;
use domain::JobKey;
use runner::events::{Counts, Ending, Event, Summary, Tally};
use runner::{Dispatcher, Ended, Usage};
use selected::Selected;
use spec::{Grid, Job, Selection};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;
use store::{Folder, Lock, StoppingRecord, StoreError, Survey};

/// What is run, and how.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub selection: Selection,
    /// Jobs side by side; without it, cores over the threads of a job.
    pub slots: Option<NonZeroUsize>,
    /// Run failed jobs again.
    pub retry_failed: bool,
    /// Keep the models of the selected jobs; finished ones without a model are trained again for it.
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
    /// Takes the folder of a grid that was loaded alone, sets damaged records aside, and selects what the run is
    /// about. A selection that can have no job in it does not even make the folder.
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
        let Attempted { ended, dispatcher, held } = run.attempt(&survey.standings, &mut show)?;
        let usage = dispatcher.as_ref().map(Dispatcher::usage);
        let settled = run.settle(survey, ended.is_some(), &mut show)?;
        let summary = Summary {
            grid: settled.grid.name.clone(),
            ending: ending(ended),
            results: run.folder.path().display().to_string(),
            ..tally.summary()
        };
        let summary = Summary { utilisation: utilisation(usage, summary.slots), ..summary };
        let models = None;
        Ok(RecordedRun { run, start, ended, dispatcher, held, settled, summary, models })
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
            return Ok(Attempted { ended: None, dispatcher: None, held: drive.held().count() });
        }
        let estimates = Estimates::new(grid, standings);
        let held = drive.held().cloned().collect();
        let work = Work { jobs, held, selected, grid, folder, estimates };
        let mut dispatcher = work.prepare(self.source, options, show)?;
        let mut follow = |key: &JobKey, show: &mut dyn FnMut(&Event)| drive.follow(key, show);
        let ended = dispatcher.run_with(show, &mut follow)?;
        let (ended, dispatcher) = (Some(ended), Some(dispatcher));
        Ok(Attempted { ended, dispatcher, held: drive.held().count() })
    }

    /// Writes the frames, what searches chose and what looks decided, by the records as they are now.
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
        Ok(survey)
    }
}

/// How the running of jobs went.
struct Attempted {
    /// None where nothing was to run.
    ended: Option<Ended>,
    /// It lives on to take interrupts that come while the frames are written.
    dispatcher: Option<Dispatcher>,
    /// Jobs that wait for looks.
    held: usize,
}

/// A grid after the last job.
#[derive(Debug)]
struct Settled {
    grid: Grid,
    standings: Standings,
    looks: Looks,
    decided: Option<StoppingRecord>,
}

/// A run whose jobs have ended and whose frames are written.
#[derive(Debug)]
pub struct RecordedRun<'a> {
    run: Held<'a>,
    start: Instant,
    ended: Option<Ended>,
    dispatcher: Option<Dispatcher>,
    held: usize,
    settled: Settled,
    summary: Summary,
    models: Option<KeptModels>,
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd {
    pub conclusion: Conclusion,
    pub summary: Summary,
    /// Whether there was anything to run.
    pub has_run: bool,
    /// What became of missing models, where they were asked for.
    pub models: Option<KeptModels>,
    /// Finished jobs whose models the grid asks for and which have none.
    pub models_missing: usize,
    /// Jobs that wait for planned looks whose other jobs have not ended.
    pub held: usize,
}

impl RecordedRun<'_> {
    /// Trains finished jobs again whose models are asked for and missing; not after an interrupt.
    pub fn keep_models(&mut self, show: &mut dyn FnMut(&Event)) -> Result<(), SweepError> {
        self.dispatcher = None;
        let Held { source, options, folder, grid, selected, .. } = &self.run;
        let was_stopped = self.ended.is_some_and(|ended| ended.interrupted || ended.out_of_time);
        if was_stopped || !options.keep_models {
            return Ok(());
        }
        // Of those that were done before: what ran just now has kept its model.
        let done = selected.jobs.iter().map(|(at, state)| (&grid.jobs[*at], *state));
        let missing = models::missing(done, folder)?;
        self.models = Some(match missing.is_empty() {
            true => KeptModels::default(),
            false => models::keep(&missing, grid, folder, source, options.slots, show)?,
        });
        Ok(())
    }

    /// Sums up.
    pub fn finish(self, show: &mut dyn FnMut(&Event)) -> Result<RunEnd, SweepError> {
        let Self { run, start, ended, held, settled, summary, models, .. } = self;
        let Settled { grid, standings, looks, decided } = settled;
        let totals = run.selected.totals_now(&grid, &standings, &looks);
        let found = decided.map(|found| stopping::text(&found, stopping::MOST_SHOWN));
        let summary = Summary {
            counts: totals.into(),
            seconds: start.elapsed().as_secs_f64(),
            looks: found.unwrap_or_default().lines().map(str::to_owned).collect(),
            ..summary
        };
        show(&Event::Summary(Box::new(summary.clone())));
        show(&finished(&summary));
        let done = run.selected.done(&grid, &standings);
        let models_missing = models::asked_and_missing(done, &run.folder)?.len();
        let of_models = models.as_ref().and_then(KeptModels::conclusion);
        let conclusion = of_models.unwrap_or_else(|| conclusion(totals, ended));
        sharing::note_end(&run.folder, run.options, conclusion)?;
        let has_run = ended.is_some();
        Ok(RunEnd { conclusion, summary, has_run, models, models_missing, held })
    }
}

/// The grid with what its searches chose, and the records by key; one that is damaged, or whose files are, is
/// set aside, so that its job is to do again.
fn read_standings(
    alone: &Grid,
    folder: &Folder,
    retry_failed: bool,
    show: &mut dyn FnMut(&Event),
) -> Result<(Grid, Survey), SweepError> {
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
) -> Result<Vec<JobKey>, SweepError> {
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
            JobState::Todo | JobState::Decided => !job.waits,
            JobState::Failed => retry_failed,
            JobState::Done | JobState::NotApplicable => false,
        };
        open.then(|| job.clone())
    });
    wanted.collect()
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

fn conclusion(totals: Totals, ended: Option<Ended>) -> Conclusion {
    match ending(ended) {
        Ending::Interrupted | Ending::OutOfTime if totals.to_do > 0 => Conclusion::Interrupted,
        _ if totals.failed > 0 || ended.is_some_and(|ended| ended.paused > 0) => {
            Conclusion::SomeFailed
        }
        _ => Conclusion::Done,
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
        assert_eq!(conclusion(left, ended(true, 0)), Conclusion::Interrupted);
        assert_eq!(conclusion(Totals { to_do: 0, ..left }, ended(true, 0)), Conclusion::SomeFailed);
        assert_eq!(
            conclusion(Totals { failed: 0, ..left }, ended(false, 1)),
            Conclusion::SomeFailed
        );
        assert_eq!(conclusion(Totals { done: 2, ..Totals::default() }, None), Conclusion::Done);
    }
}
