//! `tailgrid plan`: the jobs of a grid, how they stand, and how long the rest may take.

use super::budgets::{self, Budget};
use super::estimates::{Estimates, Pending};
use super::grid::{self, GridArgs, Standings, State};
use super::output::{aligned, print, printable};
use super::tuning::{self, TrialRow};
use super::{CliError, Common, Exit, models, stopping};
use domain::{Contender, JobKey, Point, Stage, counted};
use serde_json::json;
use spec::{Grid, Job};
use std::collections::{HashMap, HashSet};
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
    let folder = grid::folder(&grid, common)?;
    let standings = grid::standings(&grid, &folder)?;
    let jobs = grid::selected(&grid, &standings, common)?;
    super::run::check_precision(jobs.iter().filter(is_to_do).map(|(job, _)| *job))?;
    let trials = tuning::trials(&grid, &grid::selection(common)?);
    let budgets = budgets::of(jobs.iter().filter(is_to_do).map(|(job, _)| *job));
    let models_missing = models::asked_and_missing(jobs.iter().copied(), &folder)?.len();
    let plan = Plan {
        budgets,
        models_missing,
        ..Plan::new(&grid, jobs, trials, &standings, runner::cores())
    };
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
    /// How long the jobs to do take, so many at a time.
    wall: (f64, usize),
    /// How long they are trained.
    budgets: Vec<Budget<'g>>,
    /// Finished jobs whose models the grid asks for and which have none.
    models_missing: usize,
}

fn is_to_do((_, state): &&(&Job, State)) -> bool {
    *state == State::Todo
}

struct Planned<'g> {
    /// None until a search says what the job is.
    key: Option<JobKey>,
    point: &'g Point,
    /// The number of a trial, from 1.
    trial: Option<usize>,
    waits: bool,
    state: State,
    reason: Option<String>,
    /// Of a job that is to run.
    estimate: Option<f64>,
}

impl<'g> Plan<'g> {
    /// Puts together what is known.
    pub fn new(
        grid: &'g Grid,
        jobs: Vec<(&'g Job, State)>,
        trials: Vec<TrialRow<'g>>,
        standings: &Standings,
        cores: usize,
    ) -> Self {
        let estimates = Estimates::new(grid, standings);
        let estimate = |point: &Point, state| estimates.of(point).filter(|_| state == State::Todo);
        let trials = trials.into_iter().map(|trial| Planned {
            point: trial.search.point(),
            trial: Some(trial.number),
            waits: false,
            state: trial.state,
            reason: trial.reason(standings),
            estimate: estimate(trial.search.point(), trial.state),
            key: trial.key,
        });
        let looks = stopping::of_standings(grid, standings);
        let mains = jobs.into_iter().map(|(job, state)| Planned {
            key: (!job.waits).then(|| job.key.clone()),
            point: &job.point,
            trial: None,
            waits: job.waits,
            state,
            reason: match state {
                State::NotApplicable => job.not_applicable.clone(),
                State::Failed => {
                    let failure = standings.get(&job.key).and_then(|s| s.failure.as_ref());
                    failure.map(ToString::to_string)
                }
                State::Todo if job.waits => {
                    let search = job.search.and_then(|search| grid.searches.get(search));
                    search.map(tuning::standing)
                }
                State::Todo | State::Decided => stopping::reason(&looks, &job.point),
                State::Done => None,
            },
            estimate: estimate(&job.point, state),
        });
        let jobs: Vec<Planned<'_>> = trials.chain(mains).collect();
        let to_do = jobs.iter().filter(|planned| planned.state == State::Todo);
        let pending = to_do
            .map(|planned| Pending { point: planned.point, is_trial: planned.trial.is_some() });
        let wall = estimates.wall(cores, pending);
        Self { grid, jobs, wall, budgets: Vec::new(), models_missing: 0 }
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
            .map(|Planned { key, point, trial, state, reason, estimate, .. }| {
                let Point { corpus, scenario, model, method, seed } = point;
                let stage = if trial.is_some() { Stage::Trial } else { Stage::Main };
                json!({
                    "key": key, "corpus": corpus, "scenario": scenario, "model": model,
                    "method": method, "seed": seed, "state": state.name(), "reason": reason,
                    "estimated_seconds": estimate, "stage": stage.name(), "trial": trial,
                })
            })
            .collect();
        let (seconds, complete) = self.estimate();
        json!({
            "grid": self.grid.name,
            "jobs": jobs,
            "budgets": budgets::json(&self.budgets),
            "remarks": grid::remarks(self.grid),
            "models_missing": self.models_missing,
            "totals": {
                "jobs": self.jobs.len(),
                "done": self.count(State::Done),
                "todo": self.count(State::Todo),
                "failed": self.count(State::Failed),
                "n/a": self.count(State::NotApplicable),
                "decided": self.count(State::Decided),
                "estimated_seconds": complete.then_some(seconds),
                "estimated_wall_seconds": complete.then_some(self.wall.0),
                "slots": self.wall.1,
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
        for (reason, methods) in self.reasons() {
            let methods = printable(&methods.join(", "));
            let _ = writeln!(text, "n/a: {methods}: {}", printable(reason));
        }
        for remark in grid::remarks(self.grid) {
            let _ = writeln!(text, "note: {}", printable(&remark));
        }
        let pairs = &self.grid.report.pairs;
        for [one, other] in pairs.iter().filter(|pair| !can_be_compared(self.grid, pair)) {
            let pair = printable(&format!("{one} against {other}"));
            let _ = writeln!(
                text,
                "pairs: {pair}: no job of this grid answers it, and it still counts where p-values are corrected"
            );
        }
        text.push_str(&self.searches());
        text.push_str(&budgets::text(&self.budgets));
        models::hint(self.models_missing).iter().for_each(|hint| text += &format!("{hint}\n"));
        let todo = self.count(State::Todo);
        if todo > 0 {
            let _ = writeln!(text, "\n{}", self.time());
        }
        text
    }

    /// What waits for searches, and how far they are.
    fn searches(&self) -> String {
        let waiting = self.jobs.iter().filter(|planned| planned.waits).count();
        let trials = self.jobs.iter().filter(|planned| planned.trial.is_some());
        let ended = trials.clone().filter(|planned| planned.state != State::Todo).count();
        match (waiting, trials.count()) {
            (0, 0) => String::new(),
            (0, trials) => format!("searches: {ended} of {trials} trials have ended\n"),
            (waiting, trials) => format!(
                "searches: {ended} of {trials} trials have ended; {waiting} jobs wait for them\n"
            ),
        }
    }

    fn heading(&self) -> String {
        let Grid { name, corpora, scenarios, models, methods, seeds, .. } = self.grid;
        let axes = [
            (corpora.len(), "corpus"),
            (scenarios.len(), "scenario"),
            (models.len(), "model"),
            (methods.len(), "method"),
            (seeds.len(), "seed"),
        ];
        let axes = axes.map(|(n, noun)| counted(n, noun));
        let states = [
            (State::Done, "done"),
            (State::Todo, "to do"),
            (State::Failed, "failed"),
            (State::NotApplicable, "n/a"),
            (State::Decided, "decided"),
        ];
        let counts = states.map(|(state, words)| (self.count(state), words));
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(n, words)| *n > 0 || ["done", "to do"].contains(words))
            .map(|(n, words)| format!("{n} {words}"))
            .collect();
        let jobs = self.jobs.len();
        let all: usize = self.grid.searches.iter().map(|search| search.plan.trials).sum();
        let of = match self.grid.jobs.len() + all {
            all if all == jobs => counted(jobs, "job"),
            all => format!("{jobs} of {}", counted(all, "job")),
        };
        format!("{name}: {of}, {}\n{}\n", counts.join(", "), axes.join(" × "))
    }

    /// Done of all, for each method and model.
    fn table(&self) -> String {
        let mut cells: HashMap<(&str, &str), Cell> = HashMap::new();
        for planned in &self.jobs {
            let cell = cells.entry((&planned.point.method, &planned.point.model)).or_default();
            let counts = if planned.trial.is_some() { &mut cell.trials } else { &mut cell.jobs };
            counts[planned.state as usize] += 1;
        }
        let used = |names: &'g [String], of: fn(&Point) -> &str| -> Vec<&'g str> {
            let names = names.iter().map(String::as_str);
            names.filter(|n| self.jobs.iter().any(|p| of(p.point) == *n)).collect()
        };
        let models = used(&self.grid.models, |point| &point.model);
        let heading = std::iter::once(String::new()).chain(models.iter().map(|m| (*m).to_owned()));
        let mut rows = vec![heading.collect::<Vec<_>>()];
        for method in used(&self.grid.methods, |point| &point.method) {
            let row = models
                .iter()
                .map(|model| cells.get(&(method, model)).map_or(String::new(), Cell::text));
            rows.push(std::iter::once(method.to_owned()).chain(row).collect());
        }
        aligned(&rows, "  ")
    }

    fn lines(&self) -> String {
        let row = |planned: &Planned<'_>| {
            let Planned { key, point, trial, state, reason, .. } = planned;
            let key = key.as_ref().map_or("-".to_owned(), ToString::to_string);
            let name = match trial {
                Some(trial) => format!("{point} (trial {trial})"),
                None => point.to_string(),
            };
            vec![key, state.name().to_owned(), name, reason.clone().unwrap_or_default()]
        };
        aligned(&self.jobs.iter().map(row).collect::<Vec<_>>(), "  ")
    }

    /// Why points are not applicable, each reason once with the methods that it holds for.
    fn reasons(&self) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for planned in self.jobs.iter().filter(|planned| planned.state == State::NotApplicable) {
            let Some(reason) = planned.reason.as_deref() else { continue };
            let method = planned.point.method.as_str();
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, methods)) if methods.contains(&method) => {}
                Some((_, methods)) => methods.push(method),
                None => reasons.push((reason, vec![method])),
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
                let least = if complete { "about" } else { "at least" };
                let (work, (wall, slots)) = (rounded(seconds), self.wall);
                match slots {
                    1 => format!("To do: {least} {work}."),
                    _ => format!(
                        "To do: {least} {work} of work, {} with {slots} jobs at a time.",
                        rounded(wall)
                    ),
                }
            }
        }
    }
}

fn rounded(seconds: f64) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_secs(seconds.ceil() as u64))
}

/// The jobs of a method with a model, and the trials of its searches, by state.
#[derive(Default)]
struct Cell {
    jobs: [usize; 5],
    trials: [usize; 5],
}

impl Cell {
    fn text(&self) -> String {
        match self.trials {
            [0, 0, 0, 0, 0] => by_state(&self.jobs),
            _ => format!("{}, trials {}", by_state(&self.jobs), by_state(&self.trials)),
        }
    }
}

/// `3/5`, with what else there is to say.
fn by_state([done, todo, failed, not_applicable, decided]: &[usize; 5]) -> String {
    let others = [(failed, "failed"), (decided, "decided")].into_iter();
    let others = others.filter(|(n, _)| **n > 0).map(|(n, word)| format!("{n} {word}"));
    let others = others.collect::<Vec<_>>().join(", ");
    match done + todo + failed + decided {
        0 if *not_applicable > 0 => "n/a".to_owned(),
        all if !others.is_empty() => format!("{done}/{all} ({others})"),
        all => format!("{done}/{all}"),
    }
}

/// Whether some jobs of the grid are both sides of a pair: of one corpus, scenario and seed and, where neither side names
/// a model, of one model.
fn can_be_compared(grid: &Grid, [one, other]: &[Contender; 2]) -> bool {
    !places(grid, one, other).is_disjoint(&places(grid, other, one))
}

/// Where jobs are one side of a pair.
fn places<'g>(
    grid: &'g Grid,
    side: &Contender,
    against: &Contender,
) -> HashSet<(&'g str, &'g str, u64, Option<&'g str>)> {
    let across = side.model.is_some() || against.model.is_some();
    let is_side = |point: &&Point| match &side.model {
        _ if point.method != side.method => false,
        Some(model) => *model == point.model,
        // In every model but that of the same method on the other side.
        None => side.method != against.method || against.model.as_ref() != Some(&point.model),
    };
    let jobs = grid.jobs.iter().filter(|job| job.not_applicable.is_none());
    let points = jobs.map(|job| &job.point).filter(is_side);
    points
        .map(|Point { corpus, scenario, model, seed, .. }| {
            (&**corpus, &**scenario, *seed, (!across).then_some(&**model))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::grid::Standing;
    use super::*;
    use domain::Failure;
    use domain::Measured;
    use spec::{LoadOptions, load};
    use std::path::Path;
    use store::testing;

    fn quickstart() -> Grid {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/quickstart.yaml");
        let sets = ["seeds=2".to_owned(), "methods=[original, scr]".to_owned()];
        let default_backend = domain::Backend::Libtorch;
        let options = LoadOptions {
            sets: &sets,
            corpora: Path::new(""),
            catalogue: None,
            tables: report::tables::registry::NAMED,
            pretrained: Path::new(""),
            engine: "1",
            default_backend,
        };
        load(&path, &options).unwrap()
    }

    fn plan(grid: &Grid, standings: &Standings) -> (String, serde_json::Value) {
        let jobs = grid.jobs.iter().map(|job| (job, State::of(job, standings))).collect();
        let trials = tuning::trials(grid, &spec::Selection::default());
        let plan = Plan::new(grid, jobs, trials, standings, 2);
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
    fn pairs_that_nothing_can_answer_are_told() {
        let mut grid = quickstart();
        let contender = |text| {
            let models = ["shallow-softmax", "bilstm-softmax"];
            Contender::read(text, &models, &["original", "scr"]).unwrap()
        };
        let pairs = [
            ["scr", "original"],
            ["bilstm-softmax/scr", "scr"],
            ["bilstm-softmax/scr", "shallow-softmax/original"],
            ["shallow-softmax/scr", "scr"],
        ];
        grid.report.pairs = pairs.map(|pair| pair.map(contender)).to_vec();
        let told = |grid: &Grid| plan(grid, &Standings::new()).0.matches("pairs: ").count();
        assert_eq!(told(&grid), 0);
        let of_bilstm = |job: &&mut Job| job.point.model == "bilstm-softmax";
        for job in grid.jobs.iter_mut().filter(of_bilstm).filter(|job| job.point.method == "scr") {
            job.not_applicable = Some("`scr` needs something else".into());
        }
        assert_eq!(told(&grid), 3, "all but the methods within the shallow model");
    }

    #[test]
    fn what_has_run_is_counted_and_gives_estimates() {
        let mut grid = quickstart();
        let failure = Failure::TimeLimit { limit: "1s".into() };
        let done = |seconds| {
            let cost = Measured::new(&testing::outcome(), seconds);
            Standing {
                failure: None,
                seconds,
                dev: None,
                cost: Some(cost),
                test: None,
                verdict: None,
                updates: None,
            }
        };
        let failed = Standing {
            failure: Some(failure.clone()),
            seconds: 1.0,
            dev: None,
            cost: None,
            test: None,
            verdict: None,
            updates: None,
        };
        let standings = Standings::from([
            (grid.jobs[0].key.clone(), done(10.0)),
            (grid.jobs[2].key.clone(), done(30.0)),
            (grid.jobs[3].key.clone(), failed),
        ]);
        grid.jobs[7].not_applicable = Some("`x` needs a span head".into());
        let (text, json) = plan(&grid, &standings);
        insta::assert_snapshot!(text, @r"
        quickstart: 8 jobs, 2 done, 4 to do, 1 failed, 1 n/a
        1 corpus × 1 scenario × 2 models × 2 methods × 2 seeds

                    shallow-softmax  bilstm-softmax
          original  1/2              0/2
          scr       1/2 (1 failed)   0/1
        n/a: scr: `x` needs a span head

        To do: at least 10s of work, 10s with 2 jobs at a time.
        ");
        assert_eq!(json["jobs"][1]["estimated_seconds"], 10.0);
        assert_eq!(json["jobs"][3]["reason"], failure.to_string());
        assert_eq!(json["jobs"][7]["state"], "n/a");
        assert!(json["totals"]["estimated_seconds"].is_null());
    }
}
