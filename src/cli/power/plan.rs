//! What seeds buy and cost: a few numbers of seeds, each with the comparisons that it has the power for,
//! the jobs that it adds and their hours.

use crate::domain::{JobKey, Point};
use crate::report::GridView;
use crate::report::power::Need;
use serde::Serialize;
use std::collections::BTreeMap;

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

/// The plans worth naming: the grid's own seeds, and those that a quarter, half, three quarters and all
/// of the comparisons need, as far as these are more.
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
    /// Of one seed: corpus, scenario, model and method to seconds.
    cells: BTreeMap<[String; 4], Option<f64>>,
    /// Planned jobs that have not run.
    left: Vec<Option<f64>>,
}

impl Costs {
    /// The costs of what is shown of a grid, from the time that a job takes and whether it has run.
    pub fn new(
        view: &GridView,
        seconds: impl Fn(&Point) -> Option<f64>,
        has_run: impl Fn(&JobKey) -> bool,
    ) -> Self {
        let mut cells = BTreeMap::new();
        let mut left = Vec::new();
        for job in view.shown_jobs().filter(|job| job.not_applicable.is_none()) {
            let Point { corpus, scenario, model, method, .. } = job.point.clone();
            let seconds = seconds(&job.point);
            cells.insert([corpus, scenario, model, method], seconds);
            if !has_run(&job.key) {
                left.push(seconds);
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
                self.cells.values().copied().sum::<Option<f64>>().map(|s| s * further as f64)
            }
        };
        (jobs, left.zip(cells).map(|(left, cells)| (left + cells) / SECONDS_AN_HOUR))
    }

    /// Hours of the further seeds of one method and its baseline alone.
    pub fn of_pair(&self, need: &Need, baseline: &str, n: usize) -> Option<f64> {
        let further = n.saturating_sub(self.seeds) as f64;
        let seconds = |method: &str| {
            let Need { corpus, scenario, model, .. } = need;
            let cell = [corpus.as_str(), scenario, model, method].map(str::to_owned);
            *self.cells.get(&cell)?
        };
        Some(further * (seconds(&need.method)? + seconds(baseline)?) / SECONDS_AN_HOUR)
    }
}
