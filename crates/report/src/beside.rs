//! Our numbers beside published ones, joined by name.
//!
//! A published number whose corpus, scenario, model, method or type the grid does not have is
//! listed with the name that is missing: nothing is matched by likeness.

use crate::tables::registry::Sheet;
use crate::tables::{Cell, ScoreCell, Significance, absent, cells, mean_factors, missampling_rate};
use analysis::by_type::{Class, Sample, types_of};
use analysis::measure;
use analysis::published::{Measure, Published, PublishedRow, ScorePart};
use analysis::{Panel, Score, Scoreboard};
use domain::{Metric, OtherNames};
use std::collections::HashMap;
use store::{Level, Scope};

/// A published number and ours.
#[derive(Clone, PartialEq, Debug)]
pub struct Beside<'p> {
    pub published: &'p PublishedRow,
    /// Corpus, scenario, model and method as the grid calls them.
    pub place: [&'p str; 4],
    pub entity_type: Option<&'p str>,
    pub ours: Ours,
}

/// Our number.
#[derive(Clone, PartialEq, Debug)]
pub enum Ours {
    /// A mean over seeds.
    Score(ScoreCell),
    /// A factor or a share.
    Number(f64),
    /// Not there, or not yet: what stands in its place.
    Absent(Cell),
}

impl Ours {
    /// The number itself: scores and shares as fractions, factors as such.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Ours::Score(score) => Some(score.mean),
            Ours::Number(number) => Some(*number),
            Ours::Absent(_) => None,
        }
    }
}

impl Beside<'_> {
    /// Ours minus theirs.
    pub fn difference(&self) -> Option<f64> {
        Some(self.ours.mean()? - self.published.value)
    }
}

/// What the grid does not have: an axis, a name on it, and how many published numbers that leaves
/// alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    pub axis: &'static str,
    pub name: String,
    pub numbers: usize,
}

/// All numbers of a published table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Joined<'p> {
    /// In the order of the file.
    pub lines: Vec<Beside<'p>>,
    /// In the order of the file too.
    pub unmatched: Vec<Unmatched>,
}

/// Finds our number for each published one.
pub fn join<'p>(sheet: &'p Sheet<'_>, published: &'p Published) -> Joined<'p> {
    let names = &sheet.view.asked.names;
    let mut finder = Finder { sheet, boards: HashMap::new() };
    let mut joined = Joined::default();
    for row in &published.rows {
        let place = place(names, row);
        let entity_type = row.entity_type.as_deref().map(|name| names.ours("type", name));
        let found = finder
            .missing(&place)
            .map_or_else(|| finder.ours(row.measure, &place, entity_type), Err);
        match found {
            Ok(ours) => joined.lines.push(Beside { published: row, place, entity_type, ours }),
            Err((axis, name)) => joined.leave(axis, name),
        }
    }
    joined
}

fn place<'p>(names: &'p OtherNames, row: &'p PublishedRow) -> [&'p str; 4] {
    [
        names.ours("corpus", &row.corpus),
        names.ours("scenario", &row.scenario),
        names.ours("model", &row.model),
        names.ours("method", &row.method),
    ]
}

impl Joined<'_> {
    fn leave(&mut self, axis: &'static str, name: String) {
        match self.unmatched.iter_mut().find(|known| known.axis == axis && known.name == name) {
            Some(known) => known.numbers += 1,
            None => self.unmatched.push(Unmatched { axis, name, numbers: 1 }),
        }
    }
}

/// An axis and the name on it that the grid does not have.
type Missing = (&'static str, String);

struct Finder<'s> {
    sheet: &'s Sheet<'s>,
    /// Of the averages that were asked for so far.
    boards: HashMap<Metric, Scoreboard>,
}

impl Finder<'_> {
    /// The first name that the grid does not have; an empty one is the mean over all.
    fn missing(&self, place: &[&str; 4]) -> Option<Missing> {
        let view = self.sheet.view;
        let axes = [
            ("corpus", &view.corpora),
            ("scenario", &view.scenarios),
            ("model", &view.models),
            ("method", &view.methods),
        ];
        let unknown = |((_, known), name): &((&str, &Vec<String>), &&str)| {
            !name.is_empty() && !known.iter().any(|own| own == *name)
        };
        let missing = axes.into_iter().zip(place).find(unknown);
        missing.map(|((axis, _), name)| (axis, (*name).to_owned()))
    }

    fn ours(
        &mut self,
        measure: Measure,
        [corpus, scenario, model, method]: &[&str; 4],
        entity_type: Option<&str>,
    ) -> Result<Ours, Missing> {
        let panel = Panel { corpus: (*corpus).to_owned(), scenario: (*scenario).to_owned() };
        let spans = &self.sheet.by_type[0];
        let no_such = || Err(("measure", measure.name()));
        match measure {
            Measure::Score { level, scope: Scope::Type, part } => {
                let class = Class::Type(entity_type.unwrap_or_default().to_owned());
                self.class((level, &class, part), &panel, model, method)
            }
            Measure::Score { level, scope: Scope::Outside, part } => {
                self.class((level, &Class::Outside, part), &panel, model, method)
            }
            Measure::Score { level, scope, part } => {
                let rows = |metric: &Metric| measure::rows_of(*metric) == (level, scope);
                let Some(metric) = Metric::ALL.into_iter().find(rows) else { return no_such() };
                Ok(self.average(metric, part, &panel, model, method))
            }
            Measure::SentenceFactor | Measure::TokenFactor => {
                let corpus = Some(*corpus).filter(|corpus| !corpus.is_empty());
                let found = mean_factors(self.sheet, scenario, corpus, method);
                let which = usize::from(measure == Measure::TokenFactor);
                Ok(found.map_or_else(Ours::Absent, |factors| Ours::Number(factors[which])))
            }
            Measure::TokenShare => {
                let class = Class::Type(entity_type.unwrap_or_default().to_owned());
                let sample = spans.sample(&panel, model, method);
                known(&sample, &class)?;
                let absent = || Cell::NotApplicable("no record has the share".to_owned());
                let share = sample.share(&class);
                Ok(share.map_or_else(|| Ours::Absent(absent()), Ours::Number))
            }
            Measure::MissamplingRate => {
                let metric = self.sheet.headline().metric;
                match (
                    missampling_rate(self.sheet, &panel, model, method),
                    self.average(metric, ScorePart::F1, &panel, model, method),
                ) {
                    (Some(rate), _) => Ok(Ours::Score(rate)),
                    (None, Ours::Absent(reason)) => Ok(Ours::Absent(reason)),
                    (None, _) => no_such(),
                }
            }
        }
    }

    fn average(
        &mut self,
        metric: Metric,
        part: ScorePart,
        panel: &Panel,
        model: &str,
        method: &str,
    ) -> Ours {
        let known = self.sheet.boards.iter().find(|board| board.metric == metric);
        let (view, results) = (self.sheet.view, self.sheet.results);
        let board = match known {
            Some(board) => board,
            None => {
                self.boards.entry(metric).or_insert_with(|| Scoreboard::new(view, results, metric))
            }
        };
        let cell = board.cell(panel, model, method);
        match cells::mean(cell, part_of(part), view.asked.spread, Significance::None) {
            Cell::Score(score) => Ours::Score(score),
            absent => Ours::Absent(absent),
        }
    }

    fn class(
        &self,
        (level, class, part): (Level, &Class, ScorePart),
        panel: &Panel,
        model: &str,
        method: &str,
    ) -> Result<Ours, Missing> {
        let board = &self.sheet.by_type[usize::from(level == Level::Token)];
        let sample = board.sample(panel, model, method);
        let cell = board.averages.cell(panel, model, method);
        if let Some(absent) = absent(cell, &sample) {
            return Ok(Ours::Absent(absent));
        }
        known(&sample, class)?;
        let scores: Vec<Score> = sample.scores(class).unwrap_or_default();
        let values: Vec<f64> = scores.iter().map(part_of(part)).collect();
        let spread = self.sheet.view.asked.spread;
        let score = cells::score(&values, cell.seeds.len(), spread, Significance::None);
        let none = || Cell::NotApplicable("the records of these jobs do not count O".to_owned());
        Ok(score.map_or_else(|| Ours::Absent(none()), Ours::Score))
    }
}

/// A type must be found in gold or prediction of some job; O needs no name.
fn known(sample: &Sample<'_>, class: &Class) -> Result<(), Missing> {
    match class.entity_type() {
        Some(name) if !sample.is_empty() && !types_of([sample]).contains(class) => {
            Err(("type", name.to_owned()))
        }
        _ => Ok(()),
    }
}

fn part_of(part: ScorePart) -> cells::Part {
    match part {
        ScorePart::Precision => |score| score.precision,
        ScorePart::Recall => |score| score.recall,
        ScorePart::F1 => |score| score.f1,
    }
}
