//! `tailgrid plan`: the jobs of a grid, how they stand, and how long the rest may take.

use super::grid::{self, GridArgs, Standing, Standings, State};
use super::output::{aligned, print};
use super::{CliError, Common, Exit};
use crate::domain::Point;
use crate::spec::{Grid, Job};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

/// Show the jobs of a grid: done, to do, n/a; runs nothing
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
}

/// Plans a grid.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let standings = grid::standings(&grid, &grid::folder(&grid, common)?)?;
    let jobs = grid::selected(&grid, &standings, common)?;
    let plan = Plan::new(&grid, jobs, &standings);
    match common.json {
        true => print(&plan.json().to_string())?,
        false => print(&plan.text(common.verbose > 0))?,
    }
    Ok(Exit::Done)
}

/// The selected jobs of a grid with what is known of each.
pub struct Plan<'g> {
    grid: &'g Grid,
    jobs: Vec<Planned<'g>>,
}

struct Planned<'g> {
    job: &'g Job,
    state: State,
    reason: Option<String>,
    /// Of a job that is to run.
    estimate: Option<f64>,
}

impl<'g> Plan<'g> {
    /// Puts together what is known.
    pub fn new(grid: &'g Grid, jobs: Vec<(&'g Job, State)>, standings: &Standings) -> Self {
        let estimates = Estimates::new(grid, standings);
        let planned = jobs.into_iter().map(|(job, state)| Planned {
            job,
            state,
            reason: match state {
                State::NotApplicable => job.not_applicable.clone(),
                State::Failed => {
                    let failure = standings.get(&job.key).and_then(|s| s.failure.as_ref());
                    failure.map(ToString::to_string)
                }
                State::Done | State::Todo => None,
            },
            estimate: Some(job)
                .filter(|_| state == State::Todo)
                .and_then(|job| estimates.of(&job.point)),
        });
        Self { grid, jobs: planned.collect() }
    }

    fn count(&self, state: State) -> usize {
        self.jobs.iter().filter(|planned| planned.state == state).count()
    }

    /// Seconds of all jobs to do, and whether every one of them has an estimate.
    fn estimate(&self) -> (f64, bool) {
        let todo = || self.jobs.iter().filter(|planned| planned.state == State::Todo);
        let known = todo().filter_map(|planned| planned.estimate);
        // The sum of nothing is minus zero.
        (known.clone().sum::<f64>() + 0.0, known.count() == todo().count())
    }

    /// As other programs read it.
    pub fn json(&self) -> serde_json::Value {
        let jobs: Vec<_> = self
            .jobs
            .iter()
            .map(|Planned { job, state, reason, estimate }| {
                let Point { corpus, scenario, model, method, seed } = &job.point;
                json!({
                    "key": job.key, "corpus": corpus, "scenario": scenario, "model": model,
                    "method": method, "seed": seed, "state": state.name(), "reason": reason,
                    "estimated_seconds": estimate,
                })
            })
            .collect();
        let (seconds, complete) = self.estimate();
        json!({
            "grid": self.grid.name,
            "jobs": jobs,
            "totals": {
                "jobs": self.jobs.len(),
                "done": self.count(State::Done),
                "todo": self.count(State::Todo),
                "failed": self.count(State::Failed),
                "n/a": self.count(State::NotApplicable),
                "estimated_seconds": complete.then_some(seconds),
            },
        })
    }

    /// As people read it: counts by method and model, and with `every_job` a line for each.
    pub fn text(&self, every_job: bool) -> String {
        let mut text = self.heading();
        text.push('\n');
        match every_job {
            true => text.push_str(&self.lines()),
            false => text.push_str(&self.table()),
        }
        for reason in self.reasons() {
            let _ = writeln!(text, "n/a: {reason}");
        }
        let todo = self.count(State::Todo);
        if todo > 0 {
            let _ = writeln!(text, "\n{}", self.time());
        }
        text
    }

    fn heading(&self) -> String {
        let Grid { name, corpora, scenarios, models, methods, seeds, .. } = self.grid;
        let axes = [
            (corpora.len(), "corpus", "corpora"),
            (scenarios.len(), "scenario", "scenarios"),
            (models.len(), "model", "models"),
            (methods.len(), "method", "methods"),
            (seeds.len(), "seed", "seeds"),
        ];
        let axes = axes.map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }));
        let states = [
            (State::Done, "done"),
            (State::Todo, "to do"),
            (State::Failed, "failed"),
            (State::NotApplicable, "n/a"),
        ];
        let counts = states.map(|(state, words)| (self.count(state), words));
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(n, words)| *n > 0 || ["done", "to do"].contains(words))
            .map(|(n, words)| format!("{n} {words}"))
            .collect();
        let jobs = self.jobs.len();
        let of = match self.grid.jobs.len() {
            all if all == jobs => format!("{jobs} jobs"),
            all => format!("{jobs} of {all} jobs"),
        };
        format!("{name}: {of}, {}\n{}\n", counts.join(", "), axes.join(" × "))
    }

    /// Done of all, for each method and model.
    fn table(&self) -> String {
        let mut cells: HashMap<(&str, &str), [usize; 4]> = HashMap::new();
        for planned in &self.jobs {
            let point = &planned.job.point;
            let cell = cells.entry((&point.method, &point.model)).or_default();
            cell[planned.state as usize] += 1;
        }
        let used = |names: &'g [String], of: fn(&Point) -> &str| -> Vec<&'g str> {
            let names = names.iter().map(String::as_str);
            names.filter(|n| self.jobs.iter().any(|p| of(&p.job.point) == *n)).collect()
        };
        let models = used(&self.grid.models, |point| &point.model);
        let heading = std::iter::once(String::new()).chain(models.iter().map(|m| (*m).to_owned()));
        let mut rows = vec![heading.collect::<Vec<_>>()];
        for method in used(&self.grid.methods, |point| &point.method) {
            let row =
                models.iter().map(|model| cells.get(&(method, model)).map_or(String::new(), cell));
            rows.push(std::iter::once(method.to_owned()).chain(row).collect());
        }
        aligned(&rows, "  ")
    }

    fn lines(&self) -> String {
        let row = |planned: &Planned<'_>| {
            let Planned { job, state, reason, .. } = planned;
            let reason = reason.clone().unwrap_or_default();
            vec![job.key.to_string(), state.name().to_owned(), job.point.to_string(), reason]
        };
        aligned(&self.jobs.iter().map(row).collect::<Vec<_>>(), "  ")
    }

    /// Why points are not applicable, each reason once.
    fn reasons(&self) -> Vec<&str> {
        let mut reasons: Vec<&str> = Vec::new();
        for planned in self.jobs.iter().filter(|planned| planned.state == State::NotApplicable) {
            if let Some(reason) =
                planned.reason.as_deref().filter(|reason| !reasons.contains(reason))
            {
                reasons.push(reason);
            }
        }
        reasons
    }

    fn time(&self) -> String {
        match self.estimate() {
            (seconds, _) if seconds <= 0.0 => {
                "No estimate of the time: no job like these has been run yet.".to_owned()
            }
            (seconds, complete) => {
                let time = humantime::format_duration(Duration::from_secs(seconds.ceil() as u64));
                let least = if complete { "about" } else { "at least" };
                format!("To do: {least} {time} of work, divided by the jobs that run at once.")
            }
        }
    }
}

/// `3/5`, with what else there is to say.
fn cell([done, todo, failed, not_applicable]: &[usize; 4]) -> String {
    match done + todo + failed {
        0 if *not_applicable > 0 => "n/a".to_owned(),
        all if *failed > 0 => format!("{done}/{all} ({failed} failed)"),
        all => format!("{done}/{all}"),
    }
}

/// Mean times of finished jobs, from the most alike to the least.
pub(super) struct Estimates<'g> {
    means: [HashMap<Vec<&'g str>, (f64, u32)>; 3],
}

impl<'g> Estimates<'g> {
    /// From what the results folder knows.
    pub fn new(grid: &'g Grid, standings: &Standings) -> Self {
        let mut means: [HashMap<Vec<&str>, (f64, u32)>; 3] = Default::default();
        for job in &grid.jobs {
            let done = standings.get(&job.key).filter(|standing| standing.failure.is_none());
            let Some(Standing { seconds, .. }) = done else { continue };
            for (level, mean) in means.iter_mut().enumerate() {
                let (sum, count) = mean.entry(alike(&job.point, level)).or_default();
                (*sum, *count) = (*sum + seconds, *count + 1);
            }
        }
        Self { means }
    }

    /// The seconds that a job is expected to take.
    pub fn of(&self, point: &Point) -> Option<f64> {
        let mean = |level: usize| self.means[level].get(&alike(point, level));
        (0..self.means.len()).find_map(mean).map(|(sum, count)| sum / f64::from(*count))
    }
}

/// What jobs must share to be alike: all but the seed; corpus, scenario and model; corpus and model.
fn alike(point: &Point, level: usize) -> Vec<&str> {
    let Point { corpus, scenario, model, method, .. } = point;
    match level {
        0 => vec![corpus, scenario, model, method],
        1 => vec![corpus, scenario, model],
        _ => vec![corpus, model],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Failure;
    use crate::spec::{LoadOptions, load};
    use std::path::Path;

    fn quickstart() -> Grid {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/quickstart.yaml");
        let sets = ["seeds=2".to_owned(), "methods=[original, scr]".to_owned()];
        let default_backend = crate::domain::Backend::Libtorch;
        let options = LoadOptions {
            sets: &sets,
            corpora: Path::new(""),
            catalogue: None,
            pretrained: Path::new(""),
            engine: "1",
            default_backend,
        };
        load(&path, &options).unwrap()
    }

    fn plan(grid: &Grid, standings: &Standings) -> (String, serde_json::Value) {
        let jobs = grid.jobs.iter().map(|job| (job, State::of(job, standings))).collect();
        let plan = Plan::new(grid, jobs, standings);
        (plan.text(false), plan.json())
    }

    #[test]
    fn a_fresh_grid_is_all_to_do() {
        let (text, json) = plan(&quickstart(), &Standings::new());
        insta::assert_snapshot!(text, @r"
        quickstart: 8 jobs, 0 done, 8 to do
        1 corpus × 1 scenario × 2 models × 2 methods × 2 seeds

                    shallow-softmax  bilstm-softmax
          original  0/2              0/2
          scr       0/2              0/2

        No estimate of the time: no job like these has been run yet.
        ");
        assert_eq!(json["totals"]["todo"], 8);
        assert!(json["jobs"][0]["estimated_seconds"].is_null());
    }

    #[test]
    fn what_has_run_is_counted_and_gives_estimates() {
        let mut grid = quickstart();
        let failure = Failure::TimeLimit { limit: "1s".into() };
        let standings = Standings::from([
            (grid.jobs[0].key.clone(), Standing { failure: None, seconds: 10.0 }),
            (grid.jobs[2].key.clone(), Standing { failure: None, seconds: 30.0 }),
            (grid.jobs[3].key.clone(), Standing { failure: Some(failure.clone()), seconds: 1.0 }),
        ]);
        grid.jobs[7].not_applicable = Some("`x` needs a span head".into());
        let (text, json) = plan(&grid, &standings);
        insta::assert_snapshot!(text, @r"
        quickstart: 8 jobs, 2 done, 4 to do, 1 failed, 1 n/a
        1 corpus × 1 scenario × 2 models × 2 methods × 2 seeds

                    shallow-softmax  bilstm-softmax
          original  1/2              0/2
          scr       1/2 (1 failed)   0/1
        n/a: `x` needs a span head

        To do: at least 10s of work, divided by the jobs that run at once.
        ");
        assert_eq!(json["jobs"][1]["estimated_seconds"], 10.0);
        assert_eq!(json["jobs"][3]["reason"], failure.to_string());
        assert_eq!(json["jobs"][7]["state"], "n/a");
        assert!(json["totals"]["estimated_seconds"].is_null());
    }
}
