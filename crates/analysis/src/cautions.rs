//! What a reader must know about the training behind a comparison before its numbers.
//!
//! A test says whether two scores differ, not whether the models behind them were trained. Each job
//! records a verdict on its own training and the optimiser steps that it was allowed; here they
//! become cautions on comparisons. Budgets are compared, not what early stopping left of them, and
//! full-batch training has none.

use super::comparison::Comparison;
use crate::number;
use domain::{TrainingVerdict, VerdictCounts};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use store::RunRow;

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

/// `the comparison of scr with the baseline of bilstm mixes the method with 2.6 × the updates; …`
fn unequal(cautions: &[&Caution], quote: &str) -> String {
    let Caution { model, against, against_model, is_against_baseline, .. } = cautions[0];
    let other = match is_against_baseline {
        true => "the baseline".to_owned(),
        false => format!("{quote}{against}{quote}"),
    };
    // The model is named once where both sides have the same.
    let (of, what) = match model == against_model {
        true => (String::new(), "method"),
        false => (format!(" of {model}"), "model"),
    };
    let with = format!("{of} with {other} of {against_model}");
    let fix = "give both the same number with training.budget: updates or training.updates";
    let who = |name: fn(&Caution, &str) -> String| {
        together(&cautions.iter().map(|caution| name(caution, quote)).collect::<Vec<_>>())
    };
    match cautions {
        [Caution { doubt: Doubt::UnequalUpdates { ratio }, .. }] => format!(
            "the comparison of {}{with} mixes the {what} with {} the updates; {fix}",
            who(Caution::name),
            times(*ratio)
        ),
        _ => format!(
            "the comparisons of {}{with} mix the {what} with so many times the updates; {fix}",
            who(Caution::with_ratio)
        ),
    }
}

impl Caution {
    /// `scr (2.6 ×)`
    fn with_ratio(&self, quote: &str) -> String {
        match self.doubt {
            Doubt::UnequalUpdates { ratio } => format!("{} ({})", self.name(quote), times(ratio)),
            _ => self.name(quote),
        }
    }
}

/// `2.6 ×`
fn times(ratio: f64) -> String {
    if ratio < 1.0 { format!("{ratio:.2} ×") } else { format!("{ratio:.1} ×") }
}

/// `a`, `a and b`, `a, b and c`.
fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Verdict, compare};
    use crate::synthetic;
    use crate::view::Scoreboard;
    use TrainingVerdict::{Converged, NeverLearned, StillImproving};

    fn seed(verdict: TrainingVerdict, budget: u64, best_dev: f64) -> Trained {
        Trained {
            verdict: Some(verdict),
            budget: Some(budget),
            updates: Some(budget),
            best_dev: Some(best_dev),
            ..Trained::default()
        }
    }

    /// What is said of five seeds of `scr` against as many of the baseline, each with so many seeds
    /// of a verdict and a budget.
    fn told(
        method: [(TrainingVerdict, u64, usize); 2],
        other: [(TrainingVerdict, u64, usize); 2],
    ) -> Vec<Caution> {
        let training = |parts: [(TrainingVerdict, u64, usize); 2]| {
            let best = |verdict| if verdict == NeverLearned { 0.004 } else { 0.5 };
            let seeds =
                |(verdict, budget, n)| std::iter::repeat_n(seed(verdict, budget, best(verdict)), n);
            Training::new(parts.into_iter().flat_map(seeds))
        };
        let names = [("bilstm-softmax", "scr"), ("bilstm-softmax", "original")];
        let mut cautions = between(names, &training(method), &training(other));
        cautions.iter_mut().for_each(Caution::name_baseline);
        cautions
    }

    fn texts(cautions: &[Caution]) -> Vec<String> {
        cautions.iter().map(Caution::text).collect()
    }

    /// All five seeds alike.
    fn all(verdict: TrainingVerdict, budget: u64) -> [(TrainingVerdict, u64, usize); 2] {
        [(verdict, budget, 5), (verdict, budget, 0)]
    }

    #[test]
    fn converged_models_of_equal_budgets_get_no_caution() {
        assert!(told(all(Converged, 400), all(TrainingVerdict::StoppedEarly, 400)).is_empty());
        let unknown = Training::new([Trained::default(); 5]);
        assert!(between([("m", "a"), ("m", "b")], &unknown, &unknown).is_empty());
        assert!(between([("m", "a"), ("m", "b")], &Training::default(), &unknown).is_empty());
    }

    #[test]
    fn a_side_that_never_learned_is_named_with_the_fix() {
        let cautions = told(all(Converged, 36), all(NeverLearned, 36));
        assert_eq!(
            texts(&cautions),
            [
                "the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 36 updates; raise \
                 training.updates"
            ]
        );
        assert!(cautions[0].forbids_a_verdict() && cautions[0].side == CautionedSide::Baseline);
        let cautions = told(all(NeverLearned, 5000), all(Converged, 5000));
        assert_eq!(
            texts(&cautions),
            [
                "`scr` of bilstm-softmax never learned: dev micro-F1 0.00 after 5,000 updates; try another \
                 training.learning_rate, or raise training.updates"
            ]
        );
        assert_eq!(cautions[0].side, CautionedSide::Method);
    }

    #[test]
    fn half_of_the_seeds_is_a_side_that_never_learned_and_fewer_is_a_caution() {
        let half = told(all(Converged, 36), [(NeverLearned, 36, 3), (Converged, 36, 3)]);
        assert!(half[0].forbids_a_verdict());
        assert_eq!(half[0].doubt.kind(), "never-learned");
        assert!(half[0].text().contains(" never learned in 3 of 6 seeds: dev"), "{half:?}");
        let fewer = told(all(Converged, 36), [(NeverLearned, 36, 2), (Converged, 36, 3)]);
        assert!(!fewer[0].forbids_a_verdict());
        assert_eq!(fewer[0].doubt.kind(), "some-never-learned");
        assert_eq!(
            texts(&fewer),
            [
                "the baseline of bilstm-softmax never learned in 2 of 5 seeds: dev micro-F1 0.00 after 36 \
                 updates; raise training.updates"
            ]
        );
    }

    #[test]
    fn a_side_that_was_still_improving_gets_a_note() {
        let cautions = told(all(StillImproving, 36), all(Converged, 36));
        assert_eq!(
            texts(&cautions),
            [
                "`scr` of bilstm-softmax was still improving at the end of its budget; raise training.epochs \
                 or training.updates"
            ]
        );
        assert_eq!(
            (cautions[0].doubt.kind(), cautions[0].doubt.word()),
            ("still-improving", "note")
        );
        let some = told([(StillImproving, 36, 1), (Converged, 36, 4)], all(Converged, 36));
        assert!(texts(&some)[0].contains("its budget in 1 of 5 seeds; raise"), "{some:?}");
    }

    #[test]
    fn budgets_are_compared_and_not_what_early_stopping_left() {
        let unequal = told(all(Converged, 936), all(Converged, 360));
        assert_eq!(
            texts(&unequal),
            [
                "the comparison of `scr` with the baseline of bilstm-softmax mixes the method with 2.6 × the \
                 updates; give both the same number with training.budget: updates or training.updates"
            ]
        );
        assert!(!unequal[0].forbids_a_verdict());
        let less = told(all(Converged, 360), all(Converged, 936));
        assert!(texts(&less)[0].contains("with 0.38 × the updates"), "{less:?}");
        // Ten per cent in either direction are equal.
        assert!(told(all(Converged, 396), all(Converged, 360)).is_empty());
        assert!(told(all(Converged, 360), all(Converged, 396)).is_empty());
        assert_eq!(told(all(Converged, 397), all(Converged, 360)).len(), 1);
        let stopped = Trained { updates: Some(40), ..seed(Converged, 360, 0.5) };
        let names = [("m", "a"), ("m", "b")];
        let early = Training::new([stopped; 5]);
        assert!(between(names, &early, &Training::new([seed(Converged, 360, 0.5); 5])).is_empty());
        let whole = Trained { budget: None, updates: None, ..seed(Converged, 0, 0.5) };
        assert!(between(names, &early, &Training::new([whole; 5])).is_empty(), "no budget");
    }

    #[test]
    fn full_batch_training_is_given_no_advice_on_updates() {
        let whole = |verdict| {
            let one = Trained { budget: None, updates: None, ..seed(verdict, 0, 0.0) };
            Training::new([one; 5])
        };
        let names = [("shallow", "scr"), ("shallow", "original")];
        let cautions = between(names, &whole(StillImproving), &whole(NeverLearned));
        assert_eq!(
            texts(&cautions),
            [
                "`original` of shallow never learned: dev micro-F1 0.00; check its features and its training data",
                "`scr` of shallow stopped before its optimum"
            ]
        );
    }

    #[test]
    fn methods_of_one_model_share_a_sentence_and_the_baseline_is_told_once() {
        let (view, mut results) = synthetic::badly_trained();
        let longer = (Converged, 768);
        synthetic::train(&mut results, longer, |point| {
            point.model == "shallow-softmax" && point.method == "sc"
        });
        let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        let of_model = |model: &'static str| tests.iter().filter(move |c| c.model == model);
        assert_eq!(
            lines(of_model("bilstm-softmax")),
            [
                "caution: the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 384 updates; \
                 raise training.updates",
                "note: `scr` of bilstm-softmax was still improving at the end of its budget; raise \
                 training.epochs or training.updates",
            ]
        );
        assert_eq!(
            sentences(of_model("shallow-softmax")),
            [
                "Caution: the comparisons of sc (2.0 ×) and focal (2.6 ×) with the baseline of shallow-softmax \
                 mix the method with so many times the updates; give both the same number with \
                 training.budget: updates or training.updates."
            ]
        );
        let lost = (NeverLearned, 384);
        synthetic::train(&mut results, lost, |point| {
            point.model == "bilstm-softmax" && point.method.starts_with("sc")
        });
        let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        let of_model = tests.iter().filter(|c| c.model == "bilstm-softmax");
        assert!(
            lines(of_model)[0].starts_with(
                "caution: the baseline, `sc`, `scr` and `scrd` of bilstm-softmax never learned: dev"
            ),
            "{:?}",
            lines(tests.iter())
        );
    }

    #[test]
    fn places_are_named_where_there_are_several_and_many_cautions_are_counted() {
        let (view, mut results) = synthetic::four_corpora(&["original", "scr"]);
        synthetic::train(&mut results, (NeverLearned, 36), |point| point.corpus == "b");
        let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        let told = sentences(&tests);
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("Caution: on b, the baseline and scr of m never"), "{told:?}");
        let models: Vec<String> = (0..10).map(|n| format!("m{n}")).collect();
        let names = ["original", "scr"].map(str::to_owned);
        let (view, mut results) = synthetic::named(&names, &models);
        synthetic::train(&mut results, (NeverLearned, 36), |_| true);
        let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        let told = sentences(&tests);
        assert_eq!(told.len(), MOST_IN_CAPTIONS + 1);
        assert!(told[8].contains("2 more cautions; tailgrid compare lists"), "{told:?}");
    }

    #[test]
    fn a_comparison_with_a_side_that_never_learned_has_no_verdict_and_no_mark() {
        let (view, results) = synthetic::grid();
        let marked = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        let marked = marked.iter().filter(|c| c.model == "bilstm-softmax" && !c.mark().is_empty());
        assert!(marked.count() > 2, "what is trained has marks");
        let (view, results) = synthetic::badly_trained();
        let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
        for c in tests.iter().filter(|c| c.model == "bilstm-softmax") {
            assert_eq!((c.verdict(), c.mark()), (Verdict::Untrained, ""), "{}", c.method);
            assert!(c.p_holm.is_some(), "numbers stay");
            assert_eq!(c.baseline_verdicts.never_learned, 5);
        }
        let others = tests.iter().filter(|c| c.model == "shallow-softmax");
        assert!(others.clone().all(|c| c.verdict() != Verdict::Untrained));
        let focal = others.clone().find(|c| c.method == "focal").expect("in the grid");
        assert_eq!((focal.budget, focal.baseline_budget), (Some(998), Some(384)));
        assert!(!focal.mark().is_empty(), "another budget is a caution, no ban");
    }

    #[test]
    fn only_seeds_of_whole_pairs_count() {
        let (view, mut results) = synthetic::grid();
        synthetic::train(&mut results, (NeverLearned, 36), |point| {
            point.method == "original" && point.seed <= 2
        });
        let verdict = |results: &store::Results| {
            let tests = compare(&view, &Scoreboard::new(&view, &results.into(), view.metric));
            tests[0].verdict()
        };
        assert_ne!(verdict(&results), Verdict::Untrained, "two of five");
        results.runs.retain(|run| run.point.method != "sc" || run.point.seed != 5);
        assert_eq!(verdict(&results), Verdict::Untrained, "two of the four that both have");
    }
}
