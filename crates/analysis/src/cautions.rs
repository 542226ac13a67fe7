//! What a reader must know about the training behind a comparison before its numbers.
//!
//! A test says whether two scores differ, not whether the models behind them were trained. Each job
//! records a verdict on its own training and the optimiser steps that it was allowed; here they
//! become cautions on comparisons. Budgets are compared, not what early stopping left of them, and
//! full-batch training has none.

mod unequal;

use super::comparison::Comparison;
use crate::number;
use domain::{TrainingVerdict, VerdictCounts};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use store::RunRow;
use unequal::{together, unequal};

/// Budgets that differ by more than this share are not equal.
const TOLERANCE: f64 = 0.1;

/// From this many optimiser steps on, a model that never learned lacks something other than steps.
const MANY_UPDATES: u64 = 1000;

/// More cautions than this are counted in captions.
const MOST_IN_CAPTIONS: usize = 8;

/// How the training of one job went, as its record has it.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct Trained {
    pub verdict: Option<TrainingVerdict>,
    /// Optimiser steps that the job was allowed; none of full-batch training, as of the next three.
    pub budget: Option<u64>,
    pub updates: Option<u64>,
    pub tokens_seen: Option<u64>,
    pub passes: Option<f64>,
    /// The best micro-F1 on dev of all evaluations.
    pub best_dev: Option<f64>,
}

impl Trained {
    /// Of a job and its best score on dev.
    pub fn new(run: &RunRow, best_dev: Option<f64>) -> Self {
        Self {
            verdict: run.verdict,
            budget: run.budget,
            updates: run.updates,
            tokens_seen: run.tokens_seen,
            passes: run.passes,
            best_dev,
        }
    }
}

/// The training of one side of a comparison, over the seeds of its pairs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Training {
    seeds: Vec<Trained>,
}

impl Training {
    /// Of the seeds that are compared.
    pub fn new(seeds: impl IntoIterator<Item = Trained>) -> Self {
        Self { seeds: seeds.into_iter().collect() }
    }

    /// How many seeds came to which verdict.
    pub fn verdicts(&self) -> VerdictCounts {
        self.seeds.iter().filter_map(|seed| seed.verdict).collect()
    }

    /// The mean number of optimiser steps that a seed was allowed; `None` where a seed has no
    /// budget.
    pub fn budget(&self) -> Option<f64> {
        let budgets: Option<Vec<u64>> = self.seeds.iter().map(|seed| seed.budget).collect();
        let budgets = budgets.filter(|budgets| !budgets.is_empty())?;
        Some(budgets.iter().sum::<u64>() as f64 / budgets.len() as f64)
    }

    /// Whether at least half of the seeds never learned.
    fn never_learned(&self) -> bool {
        let never = self.verdicts().never_learned;
        never > 0 && 2 * never >= self.seeds.len()
    }

    fn share(&self, count: usize) -> Share {
        Share { count, of: self.seeds.len() }
    }

    /// The best that the seeds which never learned reached, and after how many optimiser steps.
    fn reached(&self) -> Reached {
        let lost = || {
            let never = Some(TrainingVerdict::NeverLearned);
            self.seeds.iter().filter(move |seed| seed.verdict == never)
        };
        let updates = || lost().filter_map(|seed| seed.updates);
        let best = lost()
            .filter_map(|seed| seed.best_dev)
            .fold(None, |best: Option<f64>, one| Some(best.map_or(one, |best| best.max(one))));
        Reached { best_dev: best, updates: updates().min().zip(updates().max()) }
    }

    fn doubts(&self) -> impl Iterator<Item = Doubt> {
        let VerdictCounts { never_learned: never, still_improving: improving, .. } =
            self.verdicts();
        let (seeds, reached) = (self.share(never), self.reached());
        let never = (never > 0).then_some(match self.never_learned() {
            true => Doubt::NeverLearned { seeds, reached },
            false => Doubt::SomeNeverLearned { seeds, reached },
        });
        let has_budget = self.budget().is_some();
        let seeds = self.share(improving);
        let improving = (improving > 0).then_some(Doubt::StillImproving { seeds, has_budget });
        never.into_iter().chain(improving)
    }
}

/// So many of the seeds of a side.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Share {
    pub count: usize,
    pub of: usize,
}

impl Share {
    /// ` in 2 of 5 seeds`; nothing where it is all of them.
    fn in_words(self) -> String {
        match self.count == self.of {
            true => String::new(),
            false => format!(" in {} of {} seeds", self.count, self.of),
        }
    }
}

/// How far a model came that never learned.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Reached {
    /// Micro-F1 on dev.
    best_dev: Option<f64>,
    /// The fewest and the most optimiser steps of its seeds; none of full-batch training.
    updates: Option<(u64, u64)>,
}

impl Reached {
    /// `: dev micro-F1 0.00 after 36 updates; raise training.updates`
    fn in_words(self) -> String {
        let score = self.best_dev.map_or_else(
            || format!("dev micro-F1 below {}", TrainingVerdict::LEARNED),
            |best| format!("dev micro-F1 {best:.2}"),
        );
        let after = match self.updates {
            None => String::new(),
            Some((1, 1)) => " after 1 update".to_owned(),
            Some((least, most)) if least == most => {
                format!(" after {} updates", number::grouped(most))
            }
            Some((least, most)) => {
                format!(" after {} to {} updates", number::grouped(least), number::grouped(most))
            }
        };
        let fix = match self.updates {
            None => "check its features and its training data",
            Some((least, _)) if least < MANY_UPDATES => "raise training.updates",
            Some(_) => "try another training.learning_rate, or raise training.updates",
        };
        format!(": {score}{after}; {fix}")
    }
}

/// What is wrong with the training of a side, or with that of both sides beside each other.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Doubt {
    /// At least half of the seeds never learned: the comparison gets no verdict.
    NeverLearned { seeds: Share, reached: Reached },
    /// Fewer of them.
    SomeNeverLearned { seeds: Share, reached: Reached },
    /// The method was allowed so many times the optimiser steps of the other.
    UnequalUpdates { ratio: f64 },
    /// Dev was still rising when the budget ended.
    StillImproving { seeds: Share, has_budget: bool },
}

impl Doubt {
    /// As JSON has it.
    pub fn kind(self) -> &'static str {
        match self {
            Doubt::NeverLearned { .. } => "never-learned",
            Doubt::SomeNeverLearned { .. } => "some-never-learned",
            Doubt::UnequalUpdates { .. } => "unequal-updates",
            Doubt::StillImproving { .. } => "still-improving",
        }
    }

    /// What its sentence begins with.
    fn word(self) -> &'static str {
        match self {
            Doubt::StillImproving { .. } => "note",
            _ => "caution",
        }
    }

    /// The gravest first.
    fn order(self) -> usize {
        match self {
            Doubt::NeverLearned { .. } => 0,
            Doubt::SomeNeverLearned { .. } => 1,
            Doubt::UnequalUpdates { .. } => 2,
            Doubt::StillImproving { .. } => 3,
        }
    }

    /// Whether one sentence can tell both, of several methods.
    fn joins(self, other: Self) -> bool {
        match (self, other) {
            (Doubt::UnequalUpdates { .. }, Doubt::UnequalUpdates { .. }) => true,
            _ => self == other,
        }
    }
}

/// Which side of a comparison a caution is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CautionedSide {
    /// The other side, whichever method it is.
    Baseline,
    Method,
}

/// A caution on a comparison. Its text tells what to do.
#[derive(Clone, PartialEq, Debug)]
pub struct Caution {
    pub doubt: Doubt,
    pub side: CautionedSide,
    model: String,
    method: String,
    /// The other side, of budgets that differ.
    against: String,
    against_model: String,
    /// Whether the other side is the grid's baseline, and is called so.
    is_against_baseline: bool,
}

impl Caution {
    /// One sentence, without its full stop.
    pub fn text(&self) -> String {
        sentence(&[self], "`")
    }

    /// Whether the comparison gets no verdict because of it.
    pub fn forbids_a_verdict(&self) -> bool {
        matches!(self.doubt, Doubt::NeverLearned { .. })
    }

    /// Calls the other side the baseline.
    pub(super) fn name_baseline(&mut self) {
        self.is_against_baseline = true;
    }

    /// The method of the side that it is about.
    fn name(&self, quote: &str) -> String {
        match (self.side, self.is_against_baseline) {
            (CautionedSide::Baseline, true) => "the baseline".to_owned(),
            _ => format!("{quote}{}{quote}", self.method),
        }
    }
}

impl Serialize for Caution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Caution", 3)?;
        fields.serialize_field("kind", self.doubt.kind())?;
        fields.serialize_field("side", &self.side)?;
        fields.serialize_field("text", &self.text())?;
        fields.end()
    }
}

/// The cautions on a comparison of these trainings, the gravest first and the baseline's before the
/// method's. `names` are model and method of the method's side, then of the other one.
pub fn between(names: [(&str, &str); 2], method: &Training, other: &Training) -> Vec<Caution> {
    let caution = |side, doubt| {
        let (of, against) = match side {
            CautionedSide::Method => (names[0], names[1]),
            CautionedSide::Baseline => (names[1], names[0]),
        };
        Caution {
            doubt,
            side,
            model: of.0.to_owned(),
            method: of.1.to_owned(),
            against: against.1.to_owned(),
            against_model: against.0.to_owned(),
            is_against_baseline: false,
        }
    };
    let of_other = other.doubts().map(|doubt| caution(CautionedSide::Baseline, doubt));
    let of_method = method.doubts().map(|doubt| caution(CautionedSide::Method, doubt));
    let unequal = ratio(method, other)
        .map(|ratio| caution(CautionedSide::Method, Doubt::UnequalUpdates { ratio }));
    let mut cautions: Vec<Caution> = of_other.chain(of_method).chain(unequal).collect();
    cautions.sort_by_key(|caution| caution.doubt.order());
    cautions
}

/// One sentence on a method that never learned on a corpus, without its full stop.
pub fn never_learned(
    (model, method): (&str, &str),
    corpus: &str,
    seeds: impl Iterator<Item = Trained>,
) -> Option<String> {
    let training = Training::new(seeds);
    let reached = training.reached().in_words();
    training
        .never_learned()
        .then(|| format!("{method} of {model} never learned on {corpus}{reached}"))
}

/// The texts of cautions for one field of a file.
pub fn in_one_field<'a>(cautions: impl IntoIterator<Item = &'a Caution>) -> String {
    let texts = cautions.into_iter().map(|caution| sentence(&[caution], ""));
    texts.collect::<Vec<_>>().join(" | ")
}

/// Who of a comparison never learned: `the baseline`, `scr` or both.
pub fn who_never_learned(comparison: &Comparison) -> String {
    let lost = comparison.cautions.iter().filter(|caution| caution.forbids_a_verdict());
    together(&lost.map(|caution| caution.name("")).collect::<Vec<_>>())
}

/// How many times the updates the method was allowed, where that is not about one.
fn ratio(method: &Training, other: &Training) -> Option<f64> {
    let (own, others) = (method.budget()?, other.budget()?);
    let ratio = own / others;
    let is_equal = own.max(others) <= own.min(others) * (1.0 + TOLERANCE);
    (ratio.is_finite() && !is_equal).then_some(ratio)
}

/// Cautions that one sentence tells: of one place and model, with the same doubt.
struct Remark<'a> {
    place: (&'a str, &'a str),
    cautions: Vec<&'a Caution>,
}

/// The cautions on some comparisons, each once, those of several methods in one sentence; the
/// gravest first.
fn remarks<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<Remark<'a>> {
    joined(comparisons.into_iter().map(|c| ((&*c.corpus, &*c.scenario), &c.cautions[..])))
}

/// The same of cautions with their places.
fn joined<'a>(
    cautions: impl Iterator<Item = ((&'a str, &'a str), &'a [Caution])>,
) -> Vec<Remark<'a>> {
    let mut remarks: Vec<Remark<'a>> = Vec::new();
    for (place, cautions) in cautions {
        for caution in cautions {
            let joins = |remark: &&mut Remark<'a>| {
                let first = remark.cautions[0];
                remark.place == place
                    && first.model == caution.model
                    && first.against_model == caution.against_model
                    && first.doubt.joins(caution.doubt)
                    && (first.against == caution.against || caution.ignores_the_other())
            };
            match remarks.iter_mut().find(joins) {
                Some(known) if known.tells(caution) => {}
                Some(known) => known.cautions.push(caution),
                None => remarks.push(Remark { place, cautions: vec![caution] }),
            }
        }
    }
    remarks.sort_by_key(|remark| remark.cautions[0].doubt.order());
    remarks
}

impl Caution {
    /// Whether it is about one side alone.
    fn ignores_the_other(&self) -> bool {
        !matches!(self.doubt, Doubt::UnequalUpdates { .. })
    }
}

impl Remark<'_> {
    /// Whether it already tells of that method.
    fn tells(&self, caution: &Caution) -> bool {
        self.cautions.iter().any(|known| known.method == caution.method)
    }
}

/// `caution: …` and `note: …`, for lines of text under the place of the comparisons.
pub fn lines<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<String> {
    lines_of(comparisons.into_iter().map(|c| &c.cautions[..]))
}

/// The same of the cautions of one place.
pub fn lines_of<'a>(cautions: impl Iterator<Item = &'a [Caution]>) -> Vec<String> {
    let line = |remark: &Remark<'_>| {
        let word = remark.cautions[0].doubt.word();
        format!("{word}: {}", sentence(&remark.cautions, "`"))
    };
    joined(cautions.map(|cautions| (("", ""), cautions))).iter().map(line).collect()
}

/// `Caution: ….` and `Note: ….`, for captions and pages: with the place where there are several,
/// and counted where there are many.
pub fn sentences<'a>(comparisons: impl IntoIterator<Item = &'a Comparison>) -> Vec<String> {
    let comparisons: Vec<&Comparison> = comparisons.into_iter().collect();
    let places: HashSet<(&str, &str)> =
        comparisons.iter().map(|c| (c.corpus.as_str(), c.scenario.as_str())).collect();
    let remarks = remarks(comparisons);
    let told = |remark: &Remark<'_>| {
        let word = match remark.cautions[0].doubt.word() {
            "note" => "Note",
            _ => "Caution",
        };
        let place = match (places.len() > 1, remark.place) {
            (false, _) => String::new(),
            (true, (corpus, "full")) => format!("on {corpus}, "),
            (true, (corpus, scenario)) => format!("on {corpus}, {scenario}, "),
        };
        format!("{word}: {place}{}.", sentence(&remark.cautions, ""))
    };
    let mut told: Vec<String> = remarks.iter().take(MOST_IN_CAPTIONS).map(told).collect();
    if let Some(more) = remarks.len().checked_sub(MOST_IN_CAPTIONS).filter(|more| *more > 0) {
        let cautions = number::counted(more, "more caution");
        told.push(format!("Caution: {cautions}; tailgrid compare lists all of them."));
    }
    told
}

/// One sentence on cautions that have the same doubt, without its full stop.
fn sentence(cautions: &[&Caution], quote: &str) -> String {
    let first = cautions[0];
    let names: Vec<String> = cautions.iter().map(|caution| caution.name(quote)).collect();
    let (who, model) = (together(&names), &first.model);
    let several = cautions.len() > 1;
    match first.doubt {
        Doubt::NeverLearned { seeds, reached } | Doubt::SomeNeverLearned { seeds, reached } => {
            format!("{who} of {model} never learned{}{}", seeds.in_words(), reached.in_words())
        }
        Doubt::StillImproving { seeds, has_budget: true } => format!(
            "{who} of {model} {} still improving at the end of {} budget{}; raise training.epochs or \
             training.updates",
            if several { "were" } else { "was" },
            if several { "their" } else { "its" },
            seeds.in_words()
        ),
        Doubt::StillImproving { seeds, has_budget: false } => format!(
            "{who} of {model} stopped before {} optimum{}",
            if several { "their" } else { "its" },
            seeds.in_words()
        ),
        Doubt::UnequalUpdates { .. } => unequal(cautions, quote),
    }
}

#[cfg(test)]
mod tests;
