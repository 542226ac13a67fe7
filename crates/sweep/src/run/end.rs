//! The end of a run: models that are kept after all, and what it came to.

use super::{Attempted, Held, sharing};
use crate::models::{self, KeptModels};
use crate::stopping::{self, Looks};
use crate::{Conclusion, Standings, SweepError, Totals};
use runner::events::{Counts, Ending, Event, Summary};
use runner::{Ended, Usage};
use spec::Grid;
use std::time::Instant;
use store::StoppingRecord;

/// A grid after the last job.
#[derive(Debug)]
pub(super) struct Settled {
    pub grid: Grid,
    pub standings: Standings,
    pub looks: Looks,
    pub decided: Option<StoppingRecord>,
}

/// A run whose jobs have ended and whose frames are written.
#[derive(Debug)]
pub struct RecordedRun<'a> {
    run: Held<'a>,
    start: Instant,
    attempted: Attempted,
    settled: Settled,
    /// As far as it is known.
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

impl<'a> RecordedRun<'a> {
    pub(super) fn new(
        run: Held<'a>,
        start: Instant,
        attempted: Attempted,
        settled: Settled,
        told: Summary,
    ) -> Self {
        let summary = Summary {
            grid: settled.grid.name.clone(),
            ending: ending(attempted.ended),
            utilisation: utilisation(attempted.usage, told.slots),
            results: run.folder.path().display().to_string(),
            ..told
        };
        Self { run, start, attempted, settled, summary, models: None }
    }

    /// Trains finished jobs again whose models are asked for and missing; not after an interrupt.
    pub fn keep_models(&mut self, show: &mut dyn FnMut(&Event)) -> Result<(), SweepError> {
        self.attempted.dispatcher = None;
        let Held { source, options, folder, grid, selected, .. } = &self.run;
        let was_stopped =
            self.attempted.ended.is_some_and(|ended| ended.interrupted || ended.out_of_time);
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
        let Self { run, start, attempted, settled, summary, models } = self;
        let Attempted { ended, held, .. } = attempted;
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
