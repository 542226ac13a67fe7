//! What runs and what is decided, whatever the order of ending.

use super::*;
use analysis::comparison::LooksVerdict;
use analysis::measure;
use domain::{Backend, Spending, Split, Stopping};
use proptest::prelude::*;
use spec::{LoadOptions, load};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use store::{Results, Status};

/// Two models, three methods, of which the first is the baseline, and so many seeds.
fn grid(seeds: usize, stopping: Stopping) -> Grid {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/quickstart.yaml");
    let sets = [format!("seeds={seeds}"), "methods=[original, sc, scr]".to_owned()];
    let options = LoadOptions {
        sets: &sets,
        corpora: Path::new(""),
        catalogue: None,
        tables: &[],
        pretrained: Path::new(""),
        engine: "1",
        default_backend: Backend::Libtorch,
    };
    let mut grid = load(&path, &options).expect("a grid");
    grid.stopping = Some(stopping);
    grid
}

fn pocock(looks: &[usize]) -> Stopping {
    Stopping { looks: looks.to_vec(), spending: Spending::Pocock }
}

fn place(grid: &Grid, model: usize, method: &str, seed: u64) -> usize {
    let here = |job: &Job| {
        let point = &job.point;
        (point.model == grid.models[model] && point.method == method) && point.seed == seed
    };
    grid.jobs.iter().position(here).expect("a job")
}

/// A run of a grid whose jobs end as `outcomes` says, by their places.
struct Simulation<'a> {
    grid: &'a Grid,
    outcomes: &'a [Seed],
    ended: BTreeSet<usize>,
    running: Vec<usize>,
    looks: Looks,
}

impl<'a> Simulation<'a> {
    fn new(grid: &'a Grid, outcomes: &'a [Seed]) -> Self {
        let looks = Looks::new(grid, |_| Seed::Waiting);
        Self { grid, outcomes, ended: BTreeSet::new(), running: Vec::new(), looks }
    }

    /// Forgets everything but what was recorded, as a killed run does.
    fn kill(&mut self) {
        self.running.clear();
        self.looks = seen(self.grid, |place| match self.ended.contains(&place) {
            true => self.outcomes[place],
            false => Seed::Waiting,
        });
    }

    fn free(&self) -> Vec<usize> {
        let jobs = self.grid.jobs.iter().enumerate();
        let free = jobs.filter(|(_, job)| self.looks.gate(&job.point) == Gate::Free);
        let places = free.map(|(place, _)| place);
        places.filter(|p| !self.ended.contains(p) && !self.running.contains(p)).collect()
    }

    /// Starts and ends jobs as the dice say, until no job is free.
    fn run(mut self, slots: usize, dice: &[u16], kills: &[usize]) -> (BTreeSet<usize>, Looks) {
        for step in 0.. {
            let die = usize::from(dice[step % dice.len()]) + step;
            let free = self.free();
            if self.running.len() < slots && !free.is_empty() && die % 3 > 0 {
                self.running.push(free[die % free.len()]);
            } else if !self.running.is_empty() {
                let place = self.running.swap_remove(die % self.running.len());
                self.ended.insert(place);
                let site = self.looks.site(&self.grid.jobs[place].point).expect("a site");
                self.looks.note(site, self.outcomes[place]);
            } else if free.is_empty() {
                break;
            }
            if kills.contains(&step) {
                self.kill();
            }
        }
        (self.ended, self.looks)
    }
}

fn seen(grid: &Grid, seed: impl Fn(usize) -> Seed) -> Looks {
    let places: HashMap<&Point, usize> =
        grid.jobs.iter().enumerate().map(|(place, job)| (&job.point, place)).collect();
    Looks::new(grid, |job| seed(places[&job.point]))
}

/// Noise around a level of each method, with failures.
fn outcomes(grid: &Grid, levels: &[f64], noise: &[f64], failed: &[bool]) -> Vec<Seed> {
    let of = |(place, job): (usize, &Job)| {
        let method = grid.methods.iter().position(|name| *name == job.point.method).unwrap_or(0);
        match failed[place] {
            true => Seed::Failed,
            false => Seed::ended(Some(0.5 + levels[method] + noise[place]), None),
        }
    };
    grid.jobs.iter().enumerate().map(of).collect()
}

const SEEDS: usize = 9;
const JOBS: usize = 2 * 3 * SEEDS;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn neither_order_nor_slots_nor_kills_change_what_runs_or_is_decided(
        looks in prop::sample::subsequence(vec![2usize, 3, 4, 5, 6, 7, 8, 9, 12], 1..4),
        obrien_fleming: bool,
        effects in prop::collection::vec(prop::sample::select(vec![0.0, 0.02, -0.05, 0.2]), 2),
        noise in prop::collection::vec(-0.05..0.05f64, JOBS),
        failed in prop::collection::vec(prop::bool::weighted(0.1), JOBS),
        slots in 1usize..9,
        dice in prop::collection::vec(any::<u16>(), 64),
        kills in prop::collection::vec(0usize..150, 0..3),
    ) {
        let spending = [Spending::Pocock, Spending::ObrienFleming][usize::from(obrien_fleming)];
        let grid = grid(SEEDS, Stopping { looks, spending });
        let outcomes = outcomes(&grid, &[0.0, effects[0], effects[1]], &noise, &failed);
        let (ran, found) = Simulation::new(&grid, &outcomes).run(slots, &dice, &kills);

        // What somebody who knew all scores from the start would decide.
        let known = seen(&grid, |place| outcomes[place]);
        let free = |place: &usize| known.gate(&grid.jobs[*place].point) == Gate::Free;
        let wanted: BTreeSet<usize> = (0..JOBS).filter(free).collect();
        prop_assert_eq!(&ran, &wanted);
        for (a, b) in found.columns().zip(known.columns()) {
            for (a, b) in a.comparisons.iter().zip(&b.comparisons) {
                prop_assert_eq!(&a.found, &b.found);
            }
        }
        prop_assert!(grid.jobs.iter().all(|job| !matches!(found.gate(&job.point), Gate::Held(look) if look <= SEEDS)));
    }
}

/// The second method lies clearly above the baseline, the third does not.
fn apart(grid: &Grid) -> Vec<Seed> {
    let noise = |n: usize| ((n * n * 31 + n * 17) % 101) as f64 / 5000.0;
    let noise: Vec<f64> = (0..grid.jobs.len()).map(noise).collect();
    outcomes(grid, &[0.0, 0.2, 0.0], &noise, &vec![false; grid.jobs.len()])
}

#[test]
fn a_decided_comparison_gets_no_further_seeds_and_the_baseline_goes_on_with_the_open_one() {
    let grid = grid(8, pocock(&[3, 6]));
    let outcomes = apart(&grid);
    let upto = |n: u64| {
        seen(&grid, |k| if grid.jobs[k].point.seed <= n { outcomes[k] } else { Seed::Waiting })
    };
    let gates = |looks: &Looks, method: &str| -> Vec<Gate> {
        (1..=8).map(|seed| looks.gate(&grid.jobs[place(&grid, 0, method, seed)].point)).collect()
    };
    use Gate::{Decided, Free, Held};
    let before = [[Free; 3].as_slice(), &[Held(3); 5]].concat();
    for method in ["original", "sc", "scr"] {
        assert_eq!(gates(&upto(2), method), before, "{method}");
    }
    let after = upto(3);
    assert_eq!(gates(&after, "sc"), [[Free; 3].as_slice(), &[Decided; 5]].concat());
    let open = [[Free; 6].as_slice(), &[Held(6); 2]].concat();
    assert_eq!((gates(&after, "scr"), gates(&after, "original")), (open.clone(), open));
    // Without a decision at the last look the seeds beyond it run as well.
    let last = upto(6);
    assert_eq!((gates(&last, "scr"), gates(&last, "original")), (vec![Free; 8], vec![Free; 8]));
    let point = |method| &grid.jobs[place(&grid, 0, method, 8)].point;
    let reason = |looks: &Looks, method| super::reason(looks, point(method));
    let decided = reason(&after, "sc").unwrap();
    assert!(decided.starts_with("decided at the look at 3 seeds: above, p = 0.00"), "{decided}");
    assert_eq!(reason(&after, "original").unwrap(), "waits for the look at 6 seeds");
    assert_eq!(reason(&last, "original"), None);
}

#[test]
fn when_all_is_decided_the_baseline_stops_too() {
    let mut grid = grid(8, pocock(&[3, 6]));
    grid.jobs.retain(|job| job.point.method != "scr");
    let outcomes = apart(&grid);
    let looks =
        seen(&grid, |k| if grid.jobs[k].point.seed <= 4 { outcomes[k] } else { Seed::Waiting });
    let point = &grid.jobs[place(&grid, 1, "original", 5)].point;
    assert_eq!(looks.gate(point), Gate::Decided);
    assert_eq!(reason(&looks, point).unwrap(), "every comparison with it is decided");
    let record = record(&grid, &looks).unwrap();
    let first = &record.comparisons[0];
    assert_eq!((first.verdict.as_str(), first.decided_at), ("above", Some(3)));
    // Seed 4 had run already.
    assert_eq!((&first.not_run, &first.baseline_not_run), (&vec![5, 6, 7, 8], &vec![5, 6, 7, 8]));
    let shown = text(&record, 1);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "planned looks: 2 of 2 comparisons decided");
    assert!(
        lines[1].starts_with("  synthetic/full/shallow-softmax/sc: above at 3 seeds, p = "),
        "{shown}"
    );
    assert!(lines[1].ends_with("; 4 seeds not run"), "{shown}");
    assert_eq!(lines[2], "  and 1 more: `tailgrid status` lists all");
}

#[test]
fn without_a_baseline_nothing_is_decided() {
    let mut grid = grid(8, pocock(&[3, 6]));
    let first = grid.models[0].clone();
    grid.jobs.retain(|job| job.point.method != "original" || job.point.model != first);
    let first = |job: &Job| match job.point.seed > 3 {
        true => Seed::Waiting,
        false => Seed::ended(Some(0.5), None),
    };
    let looks = Looks::new(&grid, first);
    let gate = |model, method| looks.gate(&grid.jobs[place(&grid, model, method, 8)].point);
    assert_eq!((gate(0, "sc"), gate(1, "sc")), (Gate::Held(6), Gate::Held(6)));
    let looks = Looks::new(&grid, |_| Seed::ended(Some(0.5), None));
    let column = looks.columns().next().unwrap();
    assert!(column.comparisons.iter().all(|it| it.found.verdict == LooksVerdict::Untested));
    grid.baseline = None;
    let looks = Looks::new(&grid, |_| Seed::Waiting);
    assert!(looks.is_empty());
    assert_eq!(looks.gate(&grid.jobs[place(&grid, 1, "sc", 8)].point), Gate::Free);
}

#[test]
fn a_look_beyond_the_seeds_of_the_grid_holds_nothing_and_more_seeds_reach_it() {
    let few = grid(4, pocock(&[3, 6]));
    let outcomes = outcomes(&few, &[0.0; 3], &[0.01, 0.03, 0.02, 0.05].repeat(6), &[false; 24]);
    let looks = seen(&few, |k| outcomes[k]);
    let found = &looks.columns().next().unwrap().comparisons[0].found;
    assert_eq!((found.verdict, found.next_look), (LooksVerdict::Open, Some(6)));
    assert!(few.jobs.iter().all(|job| looks.gate(&job.point) == Gate::Free));
    let more = grid(8, pocock(&[3, 6]));
    let known: HashMap<&Point, Seed> =
        few.jobs.iter().map(|job| &job.point).zip(outcomes.iter().copied()).collect();
    let looks = Looks::new(&more, |job| known.get(&job.point).copied().unwrap_or(Seed::Waiting));
    let gate = |seed| looks.gate(&more.jobs[place(&more, 0, "sc", seed)].point);
    assert_eq!((gate(6), gate(7)), (Gate::Free, Gate::Held(6)));
}

#[test]
fn standings_and_frames_tell_the_same() {
    let grid = grid(8, pocock(&[3, 6]));
    let outcomes = apart(&grid);
    let mut standings = Standings::new();
    let (mut runs, mut metrics) = (Vec::new(), Vec::new());
    let template = analysis::synthetic::grid().1;
    for (job, seed) in grid.jobs.iter().zip(&outcomes).filter(|(job, _)| job.point.seed <= 5) {
        let Seed::Done { f1, .. } = *seed else { panic!("a score") };
        let mut test = [0.0; Metric::ALL.len()];
        test[0] = f1;
        let test = Some(test);
        let standing = Standing {
            failure: None,
            seconds: 1.0,
            dev: None,
            cost: None,
            test,
            verdict: None,
            updates: None,
        };
        standings.insert(job.key.clone(), standing);
        let (key, point) = (job.key.clone(), job.point.clone());
        runs.push(store::RunRow { job: key, point, ..template.runs[0].clone() });
        // The first row has the headline on test.
        for (n, row) in template.metrics[..4].iter().enumerate() {
            let (key, point, f1) = (job.key.clone(), job.point.clone(), f1 / (n + 1) as f64);
            metrics.push(store::MetricRow { job: key, point, f1, ..row.clone() });
        }
    }
    let results = Results { runs, metrics, epochs: vec![] };
    let [a, b] = [of_standings(&grid, &standings), of_results(&grid, &results)];
    assert_eq!(record(&grid, &a), record(&grid, &b));
    assert!(record(&grid, &a).unwrap().comparisons.iter().any(|it| it.decided_at == Some(3)));
}

/// Looks from the rows of the frames, as a report has them.
fn of_results(grid: &Grid, results: &Results) -> Looks {
    if grid.stopping.is_none() {
        return Looks::default();
    }
    let (level, scope) = measure::rows_of(grid.metric);
    let rows = results.metrics.iter();
    let rows = rows.filter(|r| r.split == Split::Test && r.level == level && r.scope == scope);
    let rows = rows.filter(|row| [row.precision, row.recall].iter().all(|x| x.is_finite()));
    let scores: HashMap<&JobKey, f64> = rows.map(|row| (&row.job, row.f1)).collect();
    let mut seeds: HashMap<&JobKey, Seed> = HashMap::new();
    for run in results.runs.iter().filter(|run| run.trial.is_none()) {
        let score = scores.get(&run.job).filter(|_| run.status == Status::Done);
        seeds.insert(&run.job, Seed::ended(score.copied(), run.verdict));
    }
    Looks::new(grid, |job| seeds.get(&job.key).copied().unwrap_or(Seed::Waiting))
}
