//! Scores by class, found for every job of the grid: entity types, and of tokens also O.
//!
//! A class that a job's record does not name was neither in gold nor predicted there: its ratios
//! are of nothing, and count 0 as everywhere. O alone can be unknown, in records of a time when it
//! was not counted; then it stays unknown.

use super::frames::{ResultFrames, ScoreRow};
use super::view::{GridView, Panel, Score, Scoreboard};
use domain::{JobKey, Metric, Point, Split};
use std::collections::{BTreeMap, HashMap};
use store::{Level, Scope};

/// The score of one class in one job.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ClassScore {
    pub score: Score,
    /// In gold.
    pub support: u64,
    pub predicted: u64,
}

/// The scores of one job.
#[derive(Clone, PartialEq, Debug, Default)]
struct Classes<'a> {
    types: BTreeMap<&'a str, ClassScore>,
    outside: Option<ClassScore>,
    /// Of each type the share of training tokens, where the record has it.
    shares: Option<&'a BTreeMap<String, f64>>,
}

/// What a row of a table is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Class {
    Type(String),
    /// O, of tokens alone.
    Outside,
    /// The mean over types.
    Macro,
    /// The mean over types and O.
    MacroWithOutside,
}

impl Class {
    /// As tables print it. A corpus may have a type called O, so O says what it is.
    pub fn title(&self) -> &str {
        match self {
            Class::Type(name) => name,
            Class::Outside => "O (outside)",
            Class::Macro => "Macro",
            Class::MacroWithOutside => "Macro with O",
        }
    }

    /// As the `scope` of other programs.
    pub fn scope(&self) -> &'static str {
        match self {
            Class::Type(_) => Scope::Type.name(),
            Class::Outside => Scope::Outside.name(),
            Class::Macro => Scope::Macro.name(),
            Class::MacroWithOutside => "macro_with_outside",
        }
    }

    /// Its type, where it is one.
    pub fn entity_type(&self) -> Option<&str> {
        match self {
            Class::Type(name) => Some(name),
            _ => None,
        }
    }
}

/// The scores by class of every job.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeBoard<'a> {
    /// The macro averages, and how jobs without a score stand.
    pub averages: Scoreboard,
    jobs: HashMap<Point, Classes<'a>>,
}

/// The jobs of some seeds of one cell that have scores.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample<'b> {
    jobs: BTreeMap<u64, (Score, &'b Classes<'b>)>,
}

impl<'a> TypeBoard<'a> {
    /// Finds the test scores at a level.
    pub fn new(view: &GridView, results: &'a ResultFrames, level: Level) -> Self {
        let metric = match level {
            Level::Span => Metric::MacroF1,
            Level::Token => Metric::TokenMacroF1,
        };
        let by_key = classes_by_job(results, level);
        let of = |key: &JobKey| by_key.get(key.0.as_str()).cloned().flatten();
        let jobs = view.jobs.iter().filter_map(|job| Some((job.point.clone(), of(&job.key)?)));
        Self { averages: Scoreboard::new(view, results, metric), jobs: jobs.collect() }
    }

    /// The jobs of a cell that have scores.
    pub fn sample<'b>(&'b self, panel: &Panel, model: &str, method: &str) -> Sample<'b> {
        let Panel { corpus, scenario } = panel;
        let cell = self.averages.cell(panel, model, method);
        let job = |(seed, score): (u64, Score)| {
            let point = Point {
                corpus: corpus.clone(),
                scenario: scenario.clone(),
                model: model.to_owned(),
                method: method.to_owned(),
                seed,
            };
            Some((seed, (score, self.jobs.get(&point)?)))
        };
        Sample { jobs: cell.scores().filter_map(job).collect() }
    }

    /// The methods with a shown cell for a model, in grid order.
    pub fn methods<'v>(&self, view: &'v GridView, panel: &Panel, model: &str) -> Vec<&'v str> {
        let names = view.methods.iter().map(String::as_str);
        names.filter(|method| self.averages.cell(panel, model, method).shown).collect()
    }
}

impl Sample<'_> {
    /// Over how many jobs.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether no job has scores.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The same without the seeds that the other has not.
    pub fn paired_with(&self, other: &Self) -> Self {
        let both = self.jobs.iter().filter(|(seed, _)| other.jobs.contains_key(seed));
        Self { jobs: both.map(|(seed, job)| (*seed, *job)).collect() }
    }

    /// Whether every job has O.
    pub fn knows_outside(&self) -> bool {
        self.jobs.values().all(|(_, classes)| classes.outside.is_some())
    }

    /// The scores of a class in the order of seeds; `None` where O is not known in all of the jobs.
    pub fn scores(&self, class: &Class) -> Option<Vec<Score>> {
        self.jobs.values().map(|job| score(job, class)).collect()
    }

    /// The mean of each part over the jobs; `None` of no job, or where O is not known in all of
    /// them.
    pub fn mean(&self, class: &Class) -> Option<Score> {
        mean(&self.scores(class)?)
    }

    /// The share of training tokens that a type has, the mean over jobs; `None` where no record has
    /// it.
    pub fn share(&self, class: &Class) -> Option<f64> {
        let name = class.entity_type()?;
        let share = |(_, classes): &(Score, &Classes<'_>)| {
            Some(classes.shares?.get(name).copied().unwrap_or(0.0))
        };
        let shares: Vec<f64> = self.jobs.values().filter_map(share).collect();
        stats::mean(&shares)
    }

    /// How often a class is in gold, which is the same for all seeds of a panel; `None` for
    /// averages.
    pub fn support(&self, class: &Class) -> Option<u64> {
        let support = |(_, classes): &(Score, &Classes<'_>)| match class {
            Class::Type(name) => Some(classes.types.get(name.as_str()).map_or(0, |c| c.support)),
            Class::Outside => classes.outside.map(|c| c.support),
            Class::Macro | Class::MacroWithOutside => None,
        };
        self.jobs.values().filter_map(support).max()
    }
}

/// The types that any of the samples has in gold or prediction, the rarest in training first; in
/// gold, where the records do not tell.
pub fn types_of<'b>(samples: impl IntoIterator<Item = &'b Sample<'b>>) -> Vec<Class> {
    let classes = samples.into_iter().flat_map(|sample| sample.jobs.values());
    let mut found: BTreeMap<&str, (f64, u64)> = BTreeMap::new();
    for (_, classes) in classes {
        for (name, class) in &classes.types {
            let share = classes.shares.and_then(|shares| shares.get(*name)).copied();
            let most = found.entry(name).or_default();
            *most = (most.0.max(share.unwrap_or(0.0)), most.1.max(class.support));
        }
    }
    let mut ordered: Vec<_> = found.into_iter().collect();
    ordered.sort_by(|(one, (a, m)), (other, (b, n))| {
        a.total_cmp(b).then(m.cmp(n)).then(one.cmp(other))
    });
    ordered.into_iter().map(|(name, _)| Class::Type(name.to_owned())).collect()
}

fn score((macro_, classes): &(Score, &Classes<'_>), class: &Class) -> Option<Score> {
    let nothing = Score { precision: 0.0, recall: 0.0, f1: 0.0 };
    match class {
        Class::Type(name) => {
            Some(classes.types.get(name.as_str()).map_or(nothing, |class| class.score))
        }
        Class::Outside => classes.outside.map(|outside| outside.score),
        Class::Macro => Some(*macro_),
        Class::MacroWithOutside => {
            // An O that is neither in gold nor predicted is no class.
            let outside = Some(classes.outside?).filter(|o| o.support + o.predicted > 0);
            let all = outside.iter().chain(classes.types.values()).map(|class| class.score);
            mean(&all.collect::<Vec<_>>()).or(Some(nothing))
        }
    }
}

/// The mean of precision, of recall and of F1: not the F1 of the means.
fn mean(scores: &[Score]) -> Option<Score> {
    let of = |part: fn(&Score) -> f64| stats::mean(&scores.iter().map(part).collect::<Vec<_>>());
    Some(Score { precision: of(|s| s.precision)?, recall: of(|s| s.recall)?, f1: of(|s| s.f1)? })
}

/// By key; `None` where a number of the job is none.
fn classes_by_job(results: &ResultFrames, level: Level) -> HashMap<&str, Option<Classes<'_>>> {
    let mut jobs: HashMap<&str, Option<Classes<'_>>> = HashMap::new();
    for scope in Scope::ALL {
        for row in results.scores(Split::Test, level, scope) {
            let job = jobs.entry(row.job).or_insert_with(|| Some(Classes::default()));
            let ScoreRow { score, support, predicted, .. } = row;
            let class = ClassScore { score, support, predicted };
            let Some(classes) = job else { continue };
            match (scope, row.entity_type) {
                (Scope::Type, Some(name)) => drop(classes.types.insert(name, class)),
                (Scope::Outside, _) => classes.outside = Some(class),
                _ => continue,
            }
            if ![score.precision, score.recall, score.f1].iter().all(|part| part.is_finite()) {
                *job = None;
            }
        }
    }
    for run in results.runs() {
        if let Some(Some(classes)) = jobs.get_mut(run.job.0.as_str()) {
            classes.shares = Some(&run.type_shares).filter(|shares| !shares.is_empty());
        }
    }
    jobs
}
