//! `tailgrid plan`: the jobs of a grid, how they stand, and how long the rest may take.

use super::budgets;
use super::grid::{self, GridArgs};
use super::output::{print, printable, shown};
use super::{CliError, Common, Exit, models};
use domain::{Point, Stage, counted};
use report::tables::{Align, Table};
use serde_json::json;
use spec::Grid;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;
use sweep::{JobState, Plan, PlannedRow};

/// Show the jobs of a grid: done, to do, n/a; runs nothing
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
}

/// Plans a grid.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let plan = Plan::of(&args.grid.source(common), &grid, &grid::selection(common)?)?;
    match common.json {
        true => print(&json(&plan).to_string())?,
        false => print(&text(&plan, common.verbose > 0))?,
    }
    Ok(Exit::Done)
}

/// As other programs read it.
fn json(plan: &Plan<'_>) -> serde_json::Value {
    let jobs: Vec<_> = plan
        .jobs
        .iter()
        .map(|PlannedRow { key, point, trial, state, reason, estimate, .. }| {
            let Point { corpus, scenario, model, method, seed } = point;
            let stage = if trial.is_some() { Stage::Trial } else { Stage::Main };
            json!({
                "key": key, "corpus": corpus, "scenario": scenario, "model": model,
                "method": method, "seed": seed, "state": state.name(), "reason": reason,
                "estimated_seconds": estimate, "stage": stage.name(), "trial": trial,
            })
        })
        .collect();
    let (seconds, complete) = plan.estimate();
    json!({
        "grid": plan.grid.name,
        "jobs": jobs,
        "budgets": budgets::json(&plan.budgets),
        "remarks": sweep::remarks(plan.grid),
        "models_missing": plan.models_missing,
        "totals": {
            "jobs": plan.jobs.len(),
            "done": plan.count(JobState::Done),
            "todo": plan.count(JobState::Todo),
            "failed": plan.count(JobState::Failed),
            "n/a": plan.count(JobState::NotApplicable),
            "decided": plan.count(JobState::Decided),
            "estimated_seconds": complete.then_some(seconds),
            "estimated_wall_seconds": complete.then_some(plan.wall.0),
            "slots": plan.wall.1,
        },
    })
}

/// As people read it: counts by method and model, and with `every_job` a line for each.
fn text(plan: &Plan<'_>, every_job: bool) -> String {
    let mut text = heading(plan);
    text.push('\n');
    match every_job {
        true => text.push_str(&lines(plan)),
        false => text.push_str(&table(plan)),
    }
    for (reason, methods) in reasons(plan) {
        let methods = printable(&methods.join(", "));
        let _ = writeln!(text, "n/a: {methods}: {}", printable(reason));
    }
    for remark in sweep::remarks(plan.grid) {
        let _ = writeln!(text, "note: {}", printable(&remark));
    }
    for [one, other] in plan.unanswered_pairs() {
        let pair = printable(&format!("{one} against {other}"));
        let _ = writeln!(
            text,
            "pairs: {pair}: no job of this grid answers it, and it still counts where p-values are corrected"
        );
    }
    text.push_str(&searches(plan));
    text.push_str(&budgets::text(&plan.budgets));
    models::hint(plan.models_missing).iter().for_each(|hint| text += &format!("{hint}\n"));
    let todo = plan.count(JobState::Todo);
    if todo > 0 {
        let _ = writeln!(text, "\n{}", time(plan));
    }
    text
}

/// What waits for searches, and how far they are.
fn searches(plan: &Plan<'_>) -> String {
    let waiting = plan.jobs.iter().filter(|planned| planned.waits).count();
    let trials = plan.jobs.iter().filter(|planned| planned.trial.is_some());
    let ended = trials.clone().filter(|planned| planned.state != JobState::Todo).count();
    match (waiting, trials.count()) {
        (0, 0) => String::new(),
        (0, trials) => format!("searches: {ended} of {trials} trials have ended\n"),
        (waiting, trials) => format!(
            "searches: {ended} of {trials} trials have ended; {waiting} jobs wait for them\n"
        ),
    }
}

fn heading(plan: &Plan<'_>) -> String {
    let Grid { name, corpora, scenarios, models, methods, seeds, .. } = plan.grid;
    let axes = [
        (corpora.len(), "corpus"),
        (scenarios.len(), "scenario"),
        (models.len(), "model"),
        (methods.len(), "method"),
        (seeds.len(), "seed"),
    ];
    let axes = axes.map(|(n, noun)| counted(n, noun));
    let states = [
        (JobState::Done, "done"),
        (JobState::Todo, "to do"),
        (JobState::Failed, "failed"),
        (JobState::NotApplicable, "n/a"),
        (JobState::Decided, "decided"),
    ];
    let counts = states.map(|(state, words)| (plan.count(state), words));
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(n, words)| *n > 0 || ["done", "to do"].contains(words))
        .map(|(n, words)| format!("{n} {words}"))
        .collect();
    let jobs = plan.jobs.len();
    let all: usize = plan.grid.searches.iter().map(|search| search.plan.trials).sum();
    let of = match plan.grid.jobs.len() + all {
        all if all == jobs => counted(jobs, "job"),
        all => format!("{jobs} of {}", counted(all, "job")),
    };
    format!("{name}: {of}, {}\n{}\n", counts.join(", "), axes.join(" × "))
}

/// Done of all, for each method and model.
fn table<'g>(plan: &Plan<'g>) -> String {
    let mut cells: HashMap<(&str, &str), JobCounts> = HashMap::new();
    for planned in &plan.jobs {
        let cell = cells.entry((&planned.point.method, &planned.point.model)).or_default();
        let counts = if planned.trial.is_some() { &mut cell.trials } else { &mut cell.jobs };
        counts[planned.state as usize] += 1;
    }
    let used = |names: &'g [String], of: fn(&Point) -> &str| -> Vec<&'g str> {
        let names = names.iter().map(String::as_str);
        names.filter(|n| plan.jobs.iter().any(|p| of(p.point) == *n)).collect()
    };
    let models = used(&plan.grid.models, |point| &point.model);
    let methods = used(&plan.grid.methods, |point| &point.method);
    let rows = methods.into_iter().map(|method| {
        let of_model = |model| cells.get(&(method, model)).map_or(String::new(), JobCounts::text);
        let row = models.iter().copied().map(of_model);
        std::iter::once(method.to_owned()).chain(row).collect::<Vec<_>>()
    });
    let heads = std::iter::once("").chain(models.iter().copied()).map(|head| (head, Align::Left));
    shown(&Table::of_texts(heads, rows))
}

fn lines(plan: &Plan<'_>) -> String {
    let row = |planned: &PlannedRow<'_>| {
        let PlannedRow { key, point, trial, state, reason, .. } = planned;
        let key = key.as_ref().map_or("-".to_owned(), ToString::to_string);
        let name = match trial {
            Some(trial) => format!("{point} (trial {trial})"),
            None => point.to_string(),
        };
        [key, state.name().to_owned(), name, reason.clone().unwrap_or_default()]
    };
    shown(&Table::list(plan.jobs.iter().map(row)))
}

/// Why points are not applicable, each reason once with the methods that it holds for.
fn reasons<'p>(plan: &'p Plan<'_>) -> Vec<(&'p str, Vec<&'p str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for planned in plan.jobs.iter().filter(|planned| planned.state == JobState::NotApplicable) {
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

fn time(plan: &Plan<'_>) -> String {
    match plan.estimate() {
        (seconds, _) if seconds <= 0.0 => {
            "No estimate of the time: no job like these has been run yet.".to_owned()
        }
        (seconds, complete) => {
            let least = if complete { "about" } else { "at least" };
            let (work, (wall, slots)) = (rounded(seconds), plan.wall);
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

fn rounded(seconds: f64) -> humantime::FormattedDuration {
    humantime::format_duration(Duration::from_secs(seconds.ceil() as u64))
}

/// The jobs of a method with a model, and the trials of its searches, by state.
#[derive(Default)]
struct JobCounts {
    jobs: [usize; 5],
    trials: [usize; 5],
}

impl JobCounts {
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

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Contender, Failure, Measured};
    use spec::{Job, LoadOptions, load};
    use std::path::Path;
    use store::{Standing, testing};
    use sweep::{Standings, tuning};

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
        let jobs = grid.jobs.iter().map(|job| (job, JobState::of(job, standings))).collect();
        let trials = tuning::trials(grid, &spec::Selection::default());
        let plan = Plan::new(grid, jobs, trials, standings, 2);
        (text(&plan, false), json(&plan))
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
