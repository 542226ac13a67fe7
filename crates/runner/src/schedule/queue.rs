//! The jobs that are ready to start, by round.

use super::Round;
use super::capacity::Demand;
use super::scheduler::JobId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is known of a job before it starts.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Expected {
    pub seconds: Option<f64>,
    /// Bytes.
    pub memory: Option<u64>,
}

/// How long a job is, as an order. What nobody knows may be long, and tells of others like it: it
/// is the longest.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Length {
    Milliseconds(u64),
    Unknown,
}

impl From<Option<f64>> for Length {
    fn from(seconds: Option<f64>) -> Self {
        seconds.map_or(Length::Unknown, |seconds| Length::Milliseconds((seconds * 1000.0) as u64))
    }
}

/// The place of a job in its round: the longest first, then the one that came first.
type Rank = (Reverse<Length>, JobId);

/// The ready jobs of one round: of each demand the ranked ones, so that the best one that fits is
/// found by a look at one job a demand.
#[derive(Debug, Default)]
struct Ready {
    /// Not ranked yet: their cost is asked for when their round comes.
    newcomers: Vec<JobId>,
    ranked: BTreeMap<Demand, BTreeSet<Rank>>,
}

impl Ready {
    fn is_empty(&self) -> bool {
        self.newcomers.is_empty() && self.ranked.is_empty()
    }

    fn rank(&mut self, threads: impl Fn(JobId) -> usize, expect: &impl Fn(JobId) -> Expected) {
        for job in self.newcomers.drain(..) {
            let Expected { seconds, memory } = expect(job);
            let demand = Demand::new(threads(job), memory);
            self.ranked.entry(demand).or_default().insert((Reverse(seconds.into()), job));
        }
    }

    /// Takes out the jobs at the heads that would end too late, so that no head does.
    fn pass_over(
        &mut self,
        left: Duration,
        expect: &impl Fn(JobId) -> Expected,
        late: &mut Vec<JobId>,
    ) {
        let is_late = |job| expect(job).seconds.is_some_and(|seconds| seconds > left.as_secs_f64());
        self.ranked.retain(|_, jobs| {
            while let Some((_, job)) = jobs.first().filter(|(_, job)| is_late(*job)).copied() {
                jobs.pop_first();
                late.push(job);
            }
            !jobs.is_empty()
        });
    }

    fn pop(&mut self, fits: impl Fn(Demand) -> bool) -> Option<(JobId, Demand)> {
        let heads = self.ranked.iter().filter(|(demand, _)| fits(**demand));
        let heads = heads.filter_map(|(demand, jobs)| Some((*jobs.first()?, *demand)));
        let ((rank, job), demand) = heads.min()?;
        if let Some(jobs) = self.ranked.get_mut(&demand) {
            jobs.remove(&(rank, job));
            if jobs.is_empty() {
                self.ranked.remove(&demand);
            }
        }
        Some((job, demand))
    }

    fn take_where(&mut self, wanted: &impl Fn(JobId) -> bool, taken: &mut Vec<JobId>) {
        taken.extend(self.newcomers.extract_if(.., |job| wanted(*job)));
        self.ranked.retain(|_, jobs| {
            jobs.retain(|(_, job)| {
                let out = wanted(*job);
                if out {
                    taken.push(*job);
                }
                !out
            });
            !jobs.is_empty()
        });
    }
}

/// All that is ready.
#[derive(Debug, Default)]
pub(super) struct Queue {
    rounds: BTreeMap<Round, Ready>,
}

/// What a queue must know to choose.
pub(super) struct Choice<'a, T, E, F> {
    pub threads: T,
    pub expect: &'a E,
    pub fits: F,
    /// How long it is until the hour at which jobs are to be over.
    pub left: Option<Duration>,
}

impl Queue {
    pub fn push(&mut self, round: Round, job: JobId) {
        self.rounds.entry(round).or_default().newcomers.push(job);
    }

    /// Takes the best job of the first round that fits; those that would end too late go to `late`.
    pub fn pop<T, E, F>(
        &mut self,
        choice: Choice<'_, T, E, F>,
        late: &mut Vec<JobId>,
    ) -> Option<(JobId, Demand)>
    where
        T: Fn(JobId) -> usize,
        E: Fn(JobId) -> Expected,
        F: Fn(Demand) -> bool,
    {
        while let Some(mut round) = self.rounds.first_entry() {
            let ready = round.get_mut();
            ready.rank(&choice.threads, choice.expect);
            if let Some(left) = choice.left {
                ready.pass_over(left, choice.expect, late);
            }
            if ready.is_empty() {
                round.remove();
                continue;
            }
            return ready.pop(choice.fits);
        }
        None
    }

    /// Takes out the jobs for which this holds.
    pub fn take_where(&mut self, wanted: impl Fn(JobId) -> bool) -> Vec<JobId> {
        let mut taken = Vec::new();
        self.rounds.values_mut().for_each(|ready| ready.take_where(&wanted, &mut taken));
        taken
    }
}
