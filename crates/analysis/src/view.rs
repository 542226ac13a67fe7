//! What a report is about: a plain picture of the grid, and the scores of its jobs found in the
//! results.
//!
//! Scores are found by job key, never by name: a point whose settings changed since it ran has
//! another key, so its old score does not slip into a table. A score that is not there stays a
//! visible gap ([`SeedStanding`]); nothing is filled in.

use super::asked::Asked;
use super::cautions::Trained;
use super::frames::ResultFrames;
use super::measure;
use domain::{JobKey, Metric, Parameters, Point, Split, Stopping, TrainingVerdict};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use store::{RunRow, SearchRecord, Status};

/// The grid as a report sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct GridView {
    pub name: String,
    /// Names in grid order, as all axes below.
    pub corpora: Vec<String>,
    pub scenarios: Vec<String>,
    pub models: Vec<String>,
    pub methods: Vec<String>,
    pub seeds: Vec<u64>,
    pub baseline: Option<String>,
    pub metric: Metric,
    /// Looks at comparisons before all seeds are there.
    pub stopping: Option<Stopping>,
    /// The settings of each scenario that has a job, by its name.
    pub conditions: BTreeMap<String, Parameters>,
    /// What the grid asks of its report.
    pub asked: Asked,
    /// Whether the jobs are those of the mock engine, which invents its numbers.
    pub is_mock: bool,
    /// The searches for parameters of methods that are shown.
    pub searches: Vec<SearchRecord>,
    /// What overrides make the jobs of a scenario disagree on: names of settings, by its name.
    pub disputed: BTreeMap<String, BTreeSet<String>>,
    /// What methods are set to, by name.
    pub method_settings: BTreeMap<String, Settings>,
    /// Every point that is planned; a point that the grid excludes is not here.
    pub jobs: Vec<PlannedJob>,
}

/// Settings as plain maps; what is nested has its path with dots as its name (`loss.lambda`). A
/// setting on which the jobs of one name do not agree, as overrides make them, is not here.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Settings {
    pub numbers: BTreeMap<String, f64>,
    pub words: BTreeMap<String, String>,
}

/// A planned point.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedJob {
    pub key: JobKey,
    pub point: Point,
    /// Why the combination makes no sense, where it makes none.
    pub not_applicable: Option<String>,
    /// Whether `--only` and `--not` choose it. What is not shown still counts: tests are corrected
    /// over the whole grid, whatever a reader wants to see of it.
    pub shown: bool,
    /// Whether a planned look has decided what it is for: if it has not run, it will not.
    pub decided: bool,
}

/// Corpus, scenario, model and method.
type CellNames<'a> = [&'a str; 4];

fn place(point: &Point) -> CellNames<'_> {
    [&point.corpus, &point.scenario, &point.model, &point.method]
}

impl GridView {
    /// The corpus and scenario pairs that have a job to show, in grid order.
    pub fn panels(&self) -> Vec<Panel> {
        let shown = self.jobs.iter().filter(|job| job.shown);
        let planned: HashSet<(&str, &str)> =
            shown.map(|j| (&*j.point.corpus, &*j.point.scenario)).collect();
        let pairs = self.corpora.iter().flat_map(|c| self.scenarios.iter().map(move |s| (c, s)));
        pairs
            .filter(|(corpus, scenario)| planned.contains(&(corpus.as_str(), scenario.as_str())))
            .map(|(corpus, scenario)| Panel { corpus: corpus.clone(), scenario: scenario.clone() })
            .collect()
    }

    /// The jobs of every cell that has one to show, and of the baselines that those are compared
    /// with.
    pub fn shown_jobs(&self) -> impl Iterator<Item = &PlannedJob> {
        let shown = self.jobs.iter().filter(|job| job.shown).map(|job| place(&job.point));
        let mut cells: HashSet<CellNames<'_>> = shown.collect();
        if let Some(baseline) = self.baseline.as_deref() {
            let references: Vec<CellNames<'_>> =
                cells.iter().map(|[c, s, model, _]| [*c, *s, *model, baseline]).collect();
            cells.extend(references);
        }
        self.jobs.iter().filter(move |job| cells.contains(&place(&job.point)))
    }

    /// How many jobs are shown, of how many, where that is not all of them.
    pub fn selection(&self) -> Option<(usize, usize)> {
        let shown = self.jobs.iter().filter(|job| job.shown).count();
        (shown < self.jobs.len()).then_some((shown, self.jobs.len()))
    }

    /// Whether there is more in the grid than is shown.
    pub fn is_selection(&self) -> bool {
        self.selection().is_some()
    }

    /// The number that a method's colour and line are chosen by: its place in the grid among the
    /// methods other than the baseline, which has a look of its own.
    pub fn look(&self, method: &str) -> Option<usize> {
        let mut others = self.methods.iter().filter(|known| !self.is_baseline(known));
        others.position(|known| known == method)
    }

    /// Whether a method is the baseline.
    pub fn is_baseline(&self, method: &str) -> bool {
        self.baseline.as_deref() == Some(method)
    }
}

/// One corpus under one scenario: a table, a panel of a figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panel {
    pub corpus: String,
    pub scenario: String,
}

impl Panel {
    /// `corpus`, with the scenario where it is not the whole corpus.
    pub fn title(&self) -> String {
        match self.scenario.as_str() {
            "full" => self.corpus.clone(),
            scenario => format!("{}, {scenario}", self.corpus),
        }
    }
}

/// Precision, recall and F1 of one job, all finite.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Score {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// How one seed of a cell stands.
#[derive(Clone, PartialEq, Debug)]
pub enum SeedStanding {
    Done(Score),
    /// With the reason.
    Failed(String),
    /// Not run yet.
    Missing,
    /// Not to run: a planned look has decided what it is for.
    Decided,
}

/// The seeds of one method with one model on one panel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SeedCell {
    /// Why the combination makes no sense; then there are no seeds.
    pub not_applicable: Option<String>,
    /// By seed; empty where the grid excludes the combination.
    pub seeds: BTreeMap<u64, SeedStanding>,
    /// How the training of the seeds that are done went.
    pub trained: BTreeMap<u64, Trained>,
    /// Whether a reader is to see it.
    pub shown: bool,
}

impl SeedCell {
    /// Whether the model of a seed learned, as far as is known.
    pub fn learned(&self, seed: u64) -> bool {
        let verdict = self.trained.get(&seed).and_then(|trained| trained.verdict);
        verdict != Some(TrainingVerdict::NeverLearned)
    }

    /// The scores that are there, by seed.
    pub fn scores(&self) -> impl Iterator<Item = (u64, Score)> + '_ {
        self.seeds.iter().filter_map(|(seed, standing)| match standing {
            SeedStanding::Done(score) => Some((*seed, *score)),
            _ => None,
        })
    }

    /// The F1 values that are there, in seed order.
    pub fn f1(&self) -> Vec<f64> {
        self.scores().map(|(_, score)| score.f1).collect()
    }

    /// The F1 values of those of these seeds that have one.
    pub fn f1_of(&self, seeds: &[u64]) -> Vec<f64> {
        self.scores().filter(|(seed, _)| seeds.contains(seed)).map(|(_, score)| score.f1).collect()
    }

    /// How many seeds failed.
    pub fn failed(&self) -> usize {
        self.seeds.values().filter(|s| matches!(s, SeedStanding::Failed(_))).count()
    }

    /// How many seeds have not run.
    pub fn missing(&self) -> usize {
        self.seeds.values().filter(|s| matches!(s, SeedStanding::Missing)).count()
    }
}

/// Over how many seeds the means of a table are, which may differ from cell to cell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SeedsScored {
    pub least: usize,
    pub most: usize,
}

impl SeedsScored {
    /// The range of some numbers of seeds; what has none is left out.
    pub fn of(counts: impl IntoIterator<Item = usize>) -> Self {
        let counts: Vec<usize> = counts.into_iter().filter(|&n| n > 0).collect();
        Self {
            least: counts.iter().copied().min().unwrap_or(0),
            most: counts.iter().copied().max().unwrap_or(0),
        }
    }
}

impl fmt::Display for SeedsScored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (_, 0) => f.write_str("no seed yet"),
            (_, 1) => f.write_str("one seed"),
            (least, most) if least == most => write!(f, "{most} seeds"),
            (least, most) => write!(f, "{least} to {most} seeds"),
        }
    }
}

/// By corpus, scenario, model and method; a cell is found without a name being copied.
type Cells = HashMap<String, HashMap<String, HashMap<String, HashMap<String, SeedCell>>>>;

fn cell_of<'c>(cells: &'c mut Cells, point: &Point) -> &'c mut SeedCell {
    let Point { corpus, scenario, model, method, .. } = point;
    let scenarios = cells.entry(corpus.clone()).or_default();
    let models = scenarios.entry(scenario.clone()).or_default();
    models.entry(model.clone()).or_default().entry(method.clone()).or_default()
}

/// The scores of one metric for every cell of the grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Scoreboard {
    pub metric: Metric,
    cells: Cells,
    empty: SeedCell,
    hidden: SeedCell,
}

impl Scoreboard {
    /// Finds the test scores of `metric` for every planned job.
    pub fn new(view: &GridView, results: &ResultFrames, metric: Metric) -> Self {
        Self::of_split(view, results, metric, Split::Test)
    }

    /// Finds the scores of one split.
    pub fn of_split(view: &GridView, results: &ResultFrames, metric: Metric, split: Split) -> Self {
        let (level, scope) = measure::rows_of(metric);
        let scores = results.scores(split, level, scope).map(|row| (row.job, row.score));
        let scores: HashMap<&str, Score> = scores.collect();
        let runs: HashMap<&JobKey, &RunRow> = results.runs().iter().map(|r| (&r.job, r)).collect();
        let best = results.best_on_dev();
        let mut cells = Cells::new();
        for job in &view.jobs {
            let cell = cell_of(&mut cells, &job.point);
            match &job.not_applicable {
                Some(reason) => cell.not_applicable = Some(reason.clone()),
                None => {
                    let run = runs.get(&job.key).copied();
                    let standing = match run {
                        None if job.decided => SeedStanding::Decided,
                        run => standing(run, scores.get(job.key.0.as_str()).copied()),
                    };
                    cell.seeds.insert(job.point.seed, standing);
                    if let Some(run) = run.filter(|run| run.status == Status::Done) {
                        let trained = Trained::new(run, best.get(job.key.0.as_str()).copied());
                        cell.trained.insert(job.point.seed, trained);
                    }
                }
            }
        }
        for job in view.shown_jobs() {
            cell_of(&mut cells, &job.point).shown = true;
        }
        let not_applicable = Some("not selected".to_owned());
        let hidden = SeedCell { not_applicable, ..SeedCell::default() };
        Self { metric, cells, empty: SeedCell::default(), hidden }
    }

    /// How many seeds the shown cells have a score for, on one panel or on all.
    pub fn seeds_scored(&self, panel: Option<&Panel>) -> SeedsScored {
        let corpora =
            self.cells.iter().filter(|(corpus, _)| panel.is_none_or(|p| p.corpus == **corpus));
        let scenarios = corpora.flat_map(|(_, scenarios)| scenarios);
        let here = scenarios.filter(|(scenario, _)| panel.is_none_or(|p| p.scenario == **scenario));
        let cells = here.flat_map(|(_, models)| models.values()).flat_map(HashMap::values);
        SeedsScored::of(cells.filter(|cell| cell.shown).map(|cell| cell.scores().count()))
    }

    /// One cell as a reader sees it; an excluded one and one that is not shown have no seeds.
    pub fn cell(&self, panel: &Panel, model: &str, method: &str) -> &SeedCell {
        let cell = self.planned(panel, model, method);
        if cell.shown || cell == &self.empty { cell } else { &self.hidden }
    }

    /// One cell, shown or not: what tests are corrected over.
    pub fn planned(&self, panel: &Panel, model: &str, method: &str) -> &SeedCell {
        let models = self.cells.get(&panel.corpus).and_then(|of| of.get(&panel.scenario));
        let cell = models.and_then(|of| of.get(model)?.get(method));
        cell.unwrap_or(&self.empty)
    }

    /// The models that have a shown cell on a panel, in grid order.
    pub fn models<'a>(&self, view: &'a GridView, panel: &Panel) -> Vec<&'a str> {
        let shown =
            |model: &&str| view.methods.iter().any(|method| self.cell(panel, model, method).shown);
        view.models.iter().map(String::as_str).filter(shown).collect()
    }

    /// The methods that have a shown cell on a panel, in grid order.
    pub fn methods<'a>(&self, view: &'a GridView, panel: &Panel) -> Vec<&'a str> {
        let shown =
            |method: &&str| view.models.iter().any(|model| self.cell(panel, model, method).shown);
        view.methods.iter().map(String::as_str).filter(shown).collect()
    }
}

fn standing(run: Option<&RunRow>, score: Option<Score>) -> SeedStanding {
    match (run, score) {
        (None, _) => SeedStanding::Missing,
        (Some(run), _) if run.status == Status::Failed => {
            let reason = run.failure.clone();
            SeedStanding::Failed(reason.unwrap_or_else(|| "no reason was recorded".to_owned()))
        }
        (Some(_), None) => SeedStanding::Failed("the record has no such score".to_owned()),
        (Some(_), Some(score)) => {
            match [score.precision, score.recall, score.f1].iter().all(|x| x.is_finite()) {
                true => SeedStanding::Done(score),
                false => SeedStanding::Failed("the recorded score is not a number".to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic;

    #[test]
    fn a_score_under_another_key_is_not_taken() {
        let (mut view, results) = synthetic::grid();
        view.jobs[0].key = JobKey("changed".to_owned());
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        let point = &view.jobs[0].point;
        let panel = &view.panels()[0];
        let cell = board.cell(panel, &point.model, &point.method);
        assert_eq!(cell.seeds[&point.seed], SeedStanding::Missing);
        assert_eq!(cell.missing(), 1);
        assert_eq!(cell.f1().len(), 4);
    }

    #[test]
    fn a_score_that_is_not_a_number_is_a_failure_in_words() {
        let (view, mut results) = synthetic::grid();
        results.metrics.iter_mut().for_each(|row| row.f1 = f64::NAN);
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MicroF1);
        let cell = board.cell(&view.panels()[0], &view.models[0], &view.methods[0]);
        assert_eq!(cell.failed(), 5);
    }

    #[test]
    fn dev_scores_and_other_scopes_are_left_alone() {
        let (view, results) = synthetic::grid();
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        let (level, scope) = measure::rows_of(Metric::MacroF1);
        let job = &view.jobs[7];
        let expected = results.metrics.iter().find(|row| {
            row.job == job.key
                && row.split == Split::Test
                && row.level == level
                && row.scope == scope
        });
        let cell = board.cell(&view.panels()[0], &job.point.model, &job.point.method);
        let SeedStanding::Done(score) = &cell.seeds[&job.point.seed] else { panic!("no score") };
        assert_eq!(Some(score.f1), expected.map(|row| row.f1));
    }
}
