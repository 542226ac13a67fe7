//! CSV files of the tables by entity type and by class of tokens: a line a class and method, or one
//! for a method that has no scores.

use super::{Cell, Change, Tidy, TidyColumn, cells, field};
use analysis::by_type::Class;
use analysis::{Panel, Score};

/// A line of such a file.
pub(super) struct ClassLine<'a> {
    pub panel: &'a Panel,
    pub model: &'a str,
    pub method: &'a str,
    /// What the method is beside, in files that have it.
    pub baseline: &'a str,
    pub level: &'static str,
    pub planned: usize,
    /// Or what stands in their place.
    pub scores: Result<ClassScores<'a>, &'a Cell>,
}

/// The scores of a class, and the baseline's in files that have them.
pub(super) struct ClassScores<'a> {
    pub class: &'a Class,
    pub n: usize,
    pub share: Option<f64>,
    pub support: Option<u64>,
    pub baseline: Option<Score>,
    pub own: Score,
}

impl ClassScores<'_> {
    fn baseline(&self, part: usize) -> String {
        field(self.baseline.map(|score| parts(score)[part]))
    }

    fn own(&self, part: usize) -> String {
        parts(self.own)[part].to_string()
    }

    fn change(&self, part: usize) -> String {
        let own = parts(self.own)[part];
        let base = self.baseline.map(|score| parts(score)[part]);
        field(base.map(|base| Change::between(own, base).word()))
    }
}

impl ClassLine<'_> {
    /// Nothing where there are no scores.
    fn of(&self, show: impl Fn(&ClassScores<'_>) -> String) -> String {
        self.scores.as_ref().map_or_else(|_| String::new(), show)
    }

    /// The state and the reason.
    fn standing(&self) -> [String; 2] {
        let scored = |_: &_| ["scored".to_owned(), String::new()];
        self.scores.as_ref().map_or_else(|absent| cells::absence(absent), scored)
    }
}

/// Precision, recall and F1.
pub(super) fn parts(score: Score) -> [f64; 3] {
    [score.precision, score.recall, score.f1]
}

/// What stands beside a method's scores where it is compared with the baseline.
const OF_COMPARED: [&str; 8] = [
    "baseline",
    "train_token_share",
    "baseline_precision",
    "baseline_recall",
    "baseline_f1",
    "precision_change",
    "recall_change",
    "f1_change",
];

fn columns<'a>() -> Vec<TidyColumn<ClassLine<'a>>> {
    vec![
        ("corpus", |line| line.panel.corpus.clone()),
        ("scenario", |line| line.panel.scenario.clone()),
        ("model", |line| line.model.to_owned()),
        ("method", |line| line.method.to_owned()),
        ("baseline", |line| line.baseline.to_owned()),
        ("level", |line| line.level.to_owned()),
        ("scope", |line| line.of(|s| s.class.scope().to_owned())),
        ("type", |line| line.of(|s| field(s.class.entity_type()))),
        ("state", |line| line.standing()[0].clone()),
        ("n", |line| line.scores.as_ref().map_or(0, |s| s.n).to_string()),
        ("planned", |line| line.planned.to_string()),
        ("train_token_share", |line| line.of(|s| field(s.share))),
        ("support", |line| line.of(|s| field(s.support))),
        ("baseline_precision", |line| line.of(|s| s.baseline(0))),
        ("baseline_recall", |line| line.of(|s| s.baseline(1))),
        ("baseline_f1", |line| line.of(|s| s.baseline(2))),
        ("precision", |line| line.of(|s| s.own(0))),
        ("recall", |line| line.of(|s| s.own(1))),
        ("f1", |line| line.of(|s| s.own(2))),
        ("precision_change", |line| line.of(|s| s.change(0))),
        ("recall_change", |line| line.of(|s| s.change(1))),
        ("f1_change", |line| line.of(|s| s.change(2))),
        ("reason", |line| line.standing()[1].clone()),
    ]
}

/// The file of methods beside the baseline.
pub(super) fn compared<'a>(lines: impl Iterator<Item = ClassLine<'a>>) -> Tidy {
    Tidy::of(&columns(), lines)
}

/// The file of methods on their own.
pub(super) fn alone<'a>(lines: impl Iterator<Item = ClassLine<'a>>) -> Tidy {
    let mut columns = columns();
    columns.retain(|(name, _)| !OF_COMPARED.contains(name));
    Tidy::of(&columns, lines)
}
