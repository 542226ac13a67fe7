//! What seeds buy and cost: a few numbers of seeds, each with the comparisons that it has the power
//! for, the jobs that it adds and their hours.

use analysis::GridView;
use analysis::power::Need;
use domain::{JobKey, Point};
use serde::Serialize;
use std::collections::BTreeMap;
use sweep::JobState;

const SECONDS_AN_HOUR: f64 = 3600.0;

/// A number of seeds and what it brings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Plan {
    pub seeds: usize,
    /// What `--set` takes; `None` for the seeds that the grid has.
    pub set: Option<String>,
    /// Comparisons that have the wanted power with so many seeds.
    pub comparisons: usize,
    pub of: usize,
    /// Jobs that are still to run then, and what they take.
    pub jobs: usize,
    pub hours: Option<f64>,
}

/// The plans worth naming: the grid's own seeds, and those that a quarter, half, three quarters and
/// all of the comparisons need, as far as these are more.
pub(super) fn plans(seeds: &[u64], needs: &[Need], costs: &Costs) -> Vec<Plan> {
    let mut needed: Vec<usize> = needs.iter().filter_map(|need| need.seeds).collect();
    needed.sort_unstable();
    let at = |quarter: usize| needed.get((needed.len() * quarter).div_ceil(4).checked_sub(1)?);
    let further = (1..=4).filter_map(at).copied().filter(|n| *n > seeds.len());
    let mut numbers: Vec<usize> = std::iter::once(seeds.len()).chain(further).collect();
    numbers.dedup();
    let plan = |n: usize| {
        let (jobs, hours) = costs.of_grid(n);
        let comparisons = needed.iter().filter(|needed| **needed <= n).count();
        let set = (n > seeds.len()).then(|| set(seeds, n));
        Plan { seeds: n, set, comparisons, of: needs.len(), jobs, hours }
    };
    numbers.into_iter().map(plan).collect()
}

/// The setting that extends the grid's seeds to `n`: none of those that have run is left out.
fn set(seeds: &[u64], n: usize) -> String {
    if seeds.iter().copied().eq(1..=seeds.len() as u64) {
        return format!("seeds={n}");
    }
    let new = (1..).filter(|seed| !seeds.contains(seed)).take(n - seeds.len());
    let all: Vec<String> = seeds.iter().copied().chain(new).map(|seed| seed.to_string()).collect();
    format!("seeds=[{}]", all.join(","))
}

/// What jobs cost, by the times of those that have run.
pub(super) struct Costs {
    seeds: usize,
    /// By corpus, scenario, model and method.
    cells: BTreeMap<[String; 4], CellCost>,
    /// Planned jobs that have not run.
    left: Vec<Option<f64>>,
}

/// The seeds of one method with one model.
#[derive(Copy, Clone, Default)]
struct CellCost {
    /// Of one seed, where a time is known.
    seconds: Option<f64>,
    /// Seeds that have a score.
    done: usize,
}

impl CellCost {
    /// What it takes until `n` seeds have a score: those that are planned and have not run, those
    /// that failed and those beyond the grid's.
    fn until(self, n: usize) -> Option<f64> {
        match n.saturating_sub(self.done) {
            0 => Some(0.0),
            lacking => self.seconds.map(|seconds| seconds * lacking as f64),
        }
    }
}

impl Costs {
    /// The costs of what is shown of a grid, from the time that a job takes and how it stands.
    pub fn new(
        view: &GridView,
        seconds: impl Fn(&Point) -> Option<f64>,
        state: impl Fn(&JobKey) -> JobState,
    ) -> Self {
        let mut cells: BTreeMap<_, CellCost> = BTreeMap::new();
        let mut left = Vec::new();
        for job in view.shown_jobs().filter(|job| job.not_applicable.is_none()) {
            let Point { corpus, scenario, model, method, .. } = job.point.clone();
            let cell = cells.entry([corpus, scenario, model, method]).or_default();
            cell.seconds = seconds(&job.point);
            match state(&job.key) {
                JobState::Done => cell.done += 1,
                // What a look made superfluous is no longer to run.
                JobState::Todo if job.decided => {}
                JobState::Todo => left.push(cell.seconds),
                JobState::Failed | JobState::NotApplicable | JobState::Decided => {}
            }
        }
        Self { seeds: view.seeds.len(), cells, left }
    }

    /// Jobs and hours until all of it has `n` seeds; no hours where a time is not known.
    fn of_grid(&self, n: usize) -> (usize, Option<f64>) {
        let further = n.saturating_sub(self.seeds);
        let jobs = self.left.len() + further * self.cells.len();
        let left: Option<f64> = self.left.iter().copied().sum();
        let cells: Option<f64> = match further {
            0 => Some(0.0),
            further => {
                let seconds = self.cells.values().map(|cell| cell.seconds);
                seconds.sum::<Option<f64>>().map(|s| s * further as f64)
            }
        };
        (jobs, left.zip(cells).map(|(left, cells)| (left + cells) / SECONDS_AN_HOUR))
    }

    /// Hours until one method and its baseline alone have `n` seeds with a score.
    pub fn of_pair(&self, need: &Need, baseline: &str, n: usize) -> Option<f64> {
        let seconds = |method: &str| {
            let Need { corpus, scenario, model, .. } = need;
            let cell = [corpus.as_str(), scenario, model, method].map(str::to_owned);
            self.cells.get(&cell)?.until(n)
        };
        Some((seconds(&need.method)? + seconds(baseline)?) / SECONDS_AN_HOUR)
    }
}
