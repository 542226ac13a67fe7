//! Which jobs planned looks leave to run: pure.
//!
//! A column is one corpus, scenario and model, with a comparison for each method but the baseline.
//! Jobs of the seeds before a comparison's next look are free. Those after it are held until the
//! look was taken, and its jobs have all ended by then, so what is free follows from the scores of
//! whole looks and never from the order in which jobs ended. Once a look has decided, the
//! comparison's further seeds are decided away; without a decision they go on, also beyond the last
//! look. The baseline has as many seeds as the comparison of its column that goes farthest.

use analysis::comparison::{Levels, Pair, Sequential, WholePair, take_looks};
use domain::{Point, Stopping, TrainingVerdict};
use spec::{Grid, Job};

/// How one seed of a method counts in a look.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub enum Seed {
    /// No job has it: the grid leaves it out, or it makes no sense.
    #[default]
    Unplanned,
    Waiting,
    /// With the headline score on test, and whether the model learned.
    Done {
        f1: f64,
        learned: bool,
    },
    /// Ended without a score.
    Failed,
}

impl Seed {
    /// Of a job that ended, by its score if it has one and its verdict if that is known.
    pub fn ended(score: Option<f64>, verdict: Option<TrainingVerdict>) -> Self {
        let learned = verdict != Some(TrainingVerdict::NeverLearned);
        let finite = score.filter(|score| score.is_finite());
        finite.map_or(Seed::Failed, |f1| Seed::Done { f1, learned })
    }
}

/// Whether a job may run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Gate {
    Free,
    /// Until the look at so many seeds was taken.
    Held(usize),
    /// A look has decided what the job is for.
    Decided,
}

/// The looks at every comparison of a grid; without `stopping` or a baseline there are none, and
/// every job is free.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Looks {
    levels: Option<Levels>,
    corpora: Vec<String>,
    scenarios: Vec<String>,
    models: Vec<String>,
    /// In the grid's order, as those above.
    seeds: Vec<u64>,
    /// For every corpus, scenario and model, the last the fastest.
    columns: Vec<LookColumn>,
}

/// One corpus, scenario and model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LookColumn {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub baseline: String,
    /// Of the baseline, in the grid's order.
    seeds: Vec<Seed>,
    pub comparisons: Vec<Compared>,
}

/// A method of a column against its baseline.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    pub method: String,
    seeds: Vec<Seed>,
    pub found: Sequential,
}

impl LookColumn {
    /// How the seeds of the baseline stand, in the grid's order.
    pub fn baseline_seeds(&self) -> &[Seed] {
        &self.seeds
    }
}

impl Compared {
    /// How the seeds of the method stand, in the grid's order.
    pub fn seeds(&self) -> &[Seed] {
        &self.seeds
    }
}

/// A job's place: its column, its comparison unless it is the baseline's, and the place of its
/// seed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LookSite {
    /// The place of its column among all.
    pub column: usize,
    comparison: Option<usize>,
    seed: usize,
}

/// A comparison at which a look was just taken, with its column.
pub type Taken<'a> = (&'a LookColumn, &'a Compared);

impl Looks {
    /// The looks that can be taken with the jobs that have ended.
    pub fn new(grid: &Grid, seed_of: impl Fn(&Job) -> Seed) -> Self {
        let (Some(plan), Some(baseline)) = (&grid.stopping, &grid.baseline) else {
            return Self::default();
        };
        let mut looks = Self {
            levels: Some(Levels::new(plan)),
            corpora: grid.corpora.clone(),
            scenarios: grid.scenarios.clone(),
            models: grid.models.clone(),
            seeds: grid.seeds.clone(),
            columns: columns(grid, baseline),
        };
        let planned: Vec<&Job> =
            grid.jobs.iter().filter(|job| job.not_applicable.is_none()).collect();
        for job in &planned {
            looks.plan_comparison(&job.point);
        }
        for job in planned {
            if let Some(site) = looks.site(&job.point) {
                *looks.seed_mut(site) = seed_of(job);
            }
        }
        for column in 0..looks.columns.len() {
            (0..looks.columns[column].comparisons.len()).for_each(|k| looks.take(column, k));
        }
        looks
    }

    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.columns.iter().all(|column| column.comparisons.is_empty())
    }

    /// What is looked at and when.
    pub fn plan(&self) -> Option<&Stopping> {
        self.levels.as_ref().map(Levels::stopping)
    }

    /// The columns that have a comparison, in the grid's order.
    pub fn columns(&self) -> impl Iterator<Item = &LookColumn> {
        self.columns.iter().filter(|column| !column.comparisons.is_empty())
    }

    /// The grid's seeds.
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// Whether the job at a point may run.
    pub fn gate(&self, point: &Point) -> Gate {
        self.site(point).map_or(Gate::Free, |site| self.gate_at(site))
    }

    /// Where the job at a point stands, if looks are about it.
    pub fn site(&self, point: &Point) -> Option<LookSite> {
        let index = self.column(point)?;
        let column = &self.columns[index];
        let seed = self.seeds.iter().position(|seed| *seed == point.seed)?;
        let comparison = match column.baseline == point.method {
            true => None,
            false => Some(column.comparisons.iter().position(|it| it.method == point.method)?),
        };
        Some(LookSite { column: index, comparison, seed })
    }

    /// The comparison of a method in the column of a point.
    pub fn comparison(&self, point: &Point) -> Option<(&LookColumn, Option<&Compared>)> {
        let site = self.site(point)?;
        let column = &self.columns[site.column];
        Some((column, site.comparison.map(|index| &column.comparisons[index])))
    }

    /// Takes in that a job has ended, and the looks that waited for it.
    pub fn note(&mut self, site: LookSite, seed: Seed) -> Vec<Taken<'_>> {
        *self.seed_mut(site) = seed;
        let number = self.seeds[site.seed];
        let waited = self.columns[site.column].comparisons.iter().enumerate();
        let waited = waited.filter(|(k, it)| {
            site.comparison.is_none_or(|own| own == *k) && it.found.waits_for.contains(&number)
        });
        let waited: Vec<(usize, usize)> = waited.map(|(k, it)| (k, it.found.looks.len())).collect();
        waited.iter().for_each(|(k, _)| self.take(site.column, *k));
        let column = &self.columns[site.column];
        let taken = waited.into_iter().map(|(k, before)| (&column.comparisons[k], before));
        let taken = taken.filter(|(compared, before)| compared.found.looks.len() > *before);
        taken.map(|(compared, _)| (column, compared)).collect()
    }

    /// Where a point's column is.
    fn column(&self, point: &Point) -> Option<usize> {
        let at = |names: &[String], name: &str| names.iter().position(|known| known == name);
        let corpus = at(&self.corpora, &point.corpus)?;
        let scenario = at(&self.scenarios, &point.scenario)?;
        let model = at(&self.models, &point.model)?;
        Some((corpus * self.scenarios.len() + scenario) * self.models.len() + model)
    }

    /// Adds the comparison that a planned job belongs to.
    fn plan_comparison(&mut self, point: &Point) {
        let Some(index) = self.column(point) else { return };
        let Some(levels) = &mut self.levels else { return };
        let column = &mut self.columns[index];
        let known = column.baseline == point.method
            || column.comparisons.iter().any(|it| it.method == point.method);
        if !known {
            let (method, seeds) = (point.method.clone(), vec![Seed::default(); self.seeds.len()]);
            let found = take_looks(levels, &self.seeds, 1, |_| Pair::Waiting);
            column.comparisons.push(Compared { method, seeds, found });
        }
    }

    fn seed_mut(&mut self, LookSite { column, comparison, seed }: LookSite) -> &mut Seed {
        let column = &mut self.columns[column];
        match comparison {
            None => &mut column.seeds[seed],
            Some(index) => &mut column.comparisons[index].seeds[seed],
        }
    }

    /// Takes the looks at one comparison of a column.
    fn take(&mut self, column: usize, index: usize) {
        let Self { levels: Some(levels), seeds, columns, .. } = self else { return };
        let LookColumn { seeds: base, comparisons, .. } = &mut columns[column];
        let family = comparisons.len();
        let compared = &mut comparisons[index];
        let at = |seed: u64| seeds.iter().position(|known| *known == seed);
        compared.found = take_looks(levels, seeds, family, |seed| {
            at(seed).map_or(Pair::Lost, |at| pair(compared.seeds[at], base[at]))
        });
    }

    /// Whether the job at a site may run.
    pub fn gate_at(&self, LookSite { column, comparison, seed }: LookSite) -> Gate {
        let LookColumn { comparisons, .. } = &self.columns[column];
        let reach = |compared: &Compared| Reach::of(&compared.found);
        let reach = match comparison {
            Some(index) => Some(reach(&comparisons[index])),
            None => comparisons.iter().map(reach).max(),
        };
        reach.map_or(Gate::Free, |reach| reach.gate(seed))
    }
}

fn columns(grid: &Grid, baseline: &str) -> Vec<LookColumn> {
    let mut columns = Vec::new();
    for corpus in &grid.corpora {
        for scenario in &grid.scenarios {
            for model in &grid.models {
                columns.push(LookColumn {
                    corpus: corpus.clone(),
                    scenario: scenario.clone(),
                    model: model.clone(),
                    baseline: baseline.to_owned(),
                    seeds: vec![Seed::default(); grid.seeds.len()],
                    comparisons: Vec::new(),
                });
            }
        }
    }
    columns
}

fn pair(method: Seed, base: Seed) -> Pair {
    match (method, base) {
        (Seed::Done { f1: own, learned: a }, Seed::Done { f1: other, learned: b }) => {
            Pair::Whole(WholePair { difference: own - other, learned: [a, b] })
        }
        (Seed::Waiting, _) | (_, Seed::Waiting) => Pair::Waiting,
        _ => Pair::Lost,
    }
}

/// How many seeds a comparison has so far. Of two that reach as far the open one is the greater:
/// the baseline follows it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    Decided(usize),
    UntilLook(usize),
    All,
}

impl Reach {
    fn of(found: &Sequential) -> Self {
        match (found.decided(), found.next_look) {
            (Some(look), _) => Reach::Decided(look.seeds),
            (None, Some(look)) => Reach::UntilLook(look),
            (None, None) => Reach::All,
        }
    }

    fn gate(self, seed: usize) -> Gate {
        match self {
            Reach::Decided(seeds) if seed >= seeds => Gate::Decided,
            Reach::UntilLook(look) if seed >= look => Gate::Held(look),
            _ => Gate::Free,
        }
    }
}
