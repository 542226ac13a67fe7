//! Tables: described once, rendered for the terminal and as Markdown, LaTeX, CSV and HTML.
//!
//! A [`Table`] says what stands in each cell and why; a renderer only says how its format writes
//! that, and escapes every text, because names come from grids and corpora and are never trusted.

pub mod cells;
mod class_lines;
mod comparisons;
mod conditions;
mod csv;
mod deltas;
mod entity_shares;
pub mod html;
mod imbalance;
mod labels;
mod latex;
mod markdown;
mod masking;
mod missampling;
mod pairs;
mod parts;
mod pivot;
mod planned_looks;
mod published;
mod ranks;
pub mod registry;
mod scores;
mod searches;
mod size_factors;
mod sizes;
mod sweep;
pub mod terminal;
mod token_classes;
mod type_sizes;
mod types;

pub use comparisons::{comparisons, family};
pub use imbalance::imbalance;
pub use labels::labels;
pub use missampling::missampling_rate;
pub use pairs::question as asked_pairs;
pub use planned_looks::{planned, planned_looks};
pub use published::without_counterpart;
pub use ranks::{blocks, ranks};
pub use size_factors::mean_factors;
pub(crate) use types::absent;

/// The kinds of tables that need the numbers of corpora.
pub const OF_CORPORA: [&str; 2] = [imbalance::KIND.name, labels::KIND.name];

use super::artefact::Artefact;
use analysis::number;

/// A table, in no format yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// File name without ending; letters, digits and hyphens only.
    pub name: String,
    pub title: String,
    /// What a reader must know before the numbers: which models never learned, and the like. One
    /// sentence each.
    pub cautions: Vec<String>,
    /// What is measured, how, on how many seeds, with which test.
    pub caption: String,
    /// Heads over several columns, from the left; none, or for all columns.
    pub groups: Vec<Group>,
    pub columns: Vec<TableColumn>,
    pub rows: Vec<TableRow>,
    /// The numbers in full precision, one a line: the CSV file.
    pub tidy: Tidy,
}

impl Table {
    /// Texts under heads, for the terminal.
    pub fn of_texts<H: Into<String>, R: IntoIterator<Item = String>>(
        heads: impl IntoIterator<Item = (H, Align)>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let row = |row: R| TableRow::new(row.into_iter().map(Cell::Text).collect());
        Self {
            columns: heads.into_iter().map(|(head, align)| TableColumn::new(head, align)).collect(),
            rows: rows.into_iter().map(row).collect(),
            ..Self::default()
        }
    }

    /// Texts on the left of their columns, without heads, for the terminal.
    pub fn list<R: IntoIterator<Item = String>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut table = Self::of_texts([("", Align::Left); 0], rows);
        let columns = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        table.columns = vec![TableColumn::left(""); columns];
        table
    }

    /// Texts on the left and numbers in all further columns, without heads, for the terminal.
    pub fn numbers<R: IntoIterator<Item = String>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut table = Self::list(rows);
        table.columns.iter_mut().skip(1).for_each(|column| column.align = Align::Right);
        table
    }

    /// Without its first columns, whose heads stand elsewhere; of a table without groups.
    pub fn without_first(mut self, columns: usize) -> Self {
        self.columns.drain(..columns);
        self.rows.iter_mut().for_each(|row| drop(row.cells.drain(..columns)));
        self
    }

    /// The rows under their heads alone, where the sentences around them stand elsewhere.
    pub fn bare(self) -> Self {
        Self { title: String::new(), cautions: vec![], caption: String::new(), ..self }
    }
}

/// A head over the heads of columns side by side; empty where they stand alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    pub head: String,
    pub columns: usize,
}

/// A column's head.
#[derive(Clone, PartialEq, Debug)]
pub struct TableColumn {
    pub head: String,
    pub align: Align,
}

impl TableColumn {
    pub fn new(head: impl Into<String>, align: Align) -> Self {
        Self { head: head.into(), align }
    }

    /// Of words.
    pub fn left(head: impl Into<String>) -> Self {
        Self::new(head, Align::Left)
    }

    /// Of numbers.
    pub fn right(head: impl Into<String>) -> Self {
        Self::new(head, Align::Right)
    }
}

/// Where a column's cells stand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Align {
    Left,
    Right,
}

/// A row; its first cell is its head.
#[derive(Clone, PartialEq, Debug)]
pub struct TableRow {
    pub cells: Vec<Cell>,
    /// Set apart from the rows above by a rule.
    pub ruled: bool,
}

impl TableRow {
    /// A row without a rule.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self { cells, ruled: false }
    }
}

/// What stands in a cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    Text(String),
    /// The head of a row beside another one, as a type beside a method.
    Head(String),
    /// A head that was printed some rows above and holds here too.
    Again(String),
    /// A method's name with the number of its colour, which the baseline has none of.
    Method {
        name: String,
        look: Option<usize>,
        baseline: bool,
    },
    Score(ScoreCell),
    /// A mean that is told without its deviation.
    Mean(MeanCell),
    /// The combination makes no sense or is not in the grid; the reason.
    NotApplicable(String),
    /// No score yet: so many seeds failed, so many have not run.
    Gap {
        failed: usize,
        missing: usize,
    },
}

/// How a format of text writes what stands in cells.
struct TextMarkup {
    escape: fn(&str) -> String,
    /// A mean by its rank.
    ranked: fn(String, Rank) -> String,
    /// The words of a gap.
    gap: fn(String) -> String,
}

impl Cell {
    fn text(&self, markup: &TextMarkup) -> String {
        let TextMarkup { escape, ranked, gap: set_off } = markup;
        match self {
            Cell::Text(text) | Cell::Head(text) => escape(text),
            Cell::Again(_) => String::new(),
            Cell::Method { name, baseline: true, .. } => format!("{} (baseline)", escape(name)),
            Cell::Method { name, .. } => escape(name),
            Cell::Score(score) => {
                let mean = ranked(number::percent(score.mean), score.rank);
                let spread = score.spread().map(|spread| format!(" ± {}", number::percent(spread)));
                let n = score.shortfall().map(|n| format!(" ({n})"));
                format!("{mean}{}{}{}", field(spread), escape(score.mark.text()), field(n))
            }
            Cell::Mean(mean) => {
                let arrow = match mean.change {
                    Change::None | Change::Equal => "",
                    Change::Up => " ↑",
                    Change::Down => " ↓",
                };
                ranked(number::percent(mean.mean), mean.rank) + arrow
            }
            Cell::NotApplicable(_) => "–".to_owned(),
            Cell::Gap { failed, missing } => set_off(gap(*failed, *missing)),
        }
    }
}

/// A mean over seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct ScoreCell {
    /// A fraction.
    pub mean: f64,
    /// None for one seed.
    pub sd: Option<f64>,
    /// The standard error of the mean, where the report shows it in place of the deviation.
    pub se: Option<f64>,
    pub n: usize,
    /// Seeds that the grid asks for.
    pub planned: usize,
    pub rank: Rank,
    pub mark: Significance,
}

/// A mean over seeds, beside the baseline's or on its own.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct MeanCell {
    /// A fraction.
    pub mean: f64,
    pub rank: Rank,
    pub change: Change,
}

/// How a mean stands to the baseline's, by what is printed: numbers that look equal are equal. No
/// test.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// It is compared with nothing.
    None,
    Equal,
    Up,
    Down,
}

impl Change {
    /// Of a fraction against another.
    pub fn between(mean: f64, baseline: f64) -> Self {
        match number::percent(mean) == number::percent(baseline) {
            true => Change::Equal,
            false if mean > baseline => Change::Up,
            false => Change::Down,
        }
    }

    /// As other programs read it.
    pub fn word(self) -> &'static str {
        match self {
            Change::None => "",
            Change::Equal => "equal",
            Change::Up => "up",
            Change::Down => "down",
        }
    }
}

/// How a score stands among others.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Rank {
    Best,
    Second,
    Other,
}

impl Rank {
    /// As other programs read it.
    pub fn word(self) -> &'static str {
        match self {
            Rank::Best => "best",
            Rank::Second => "second",
            Rank::Other => "",
        }
    }
}

/// Significance against the baseline, after correction.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Significance {
    None,
    Better { strongly: bool },
    Worse { strongly: bool },
}

impl Significance {
    /// As other programs read it.
    pub fn word(self) -> &'static str {
        match self {
            Significance::None => "",
            Significance::Better { .. } => "better",
            Significance::Worse { .. } => "worse",
        }
    }

    /// As plain characters.
    pub fn text(self) -> &'static str {
        match self {
            Significance::None => "",
            Significance::Better { strongly: false } => "*",
            Significance::Better { strongly: true } => "**",
            Significance::Worse { strongly: false } => "†",
            Significance::Worse { strongly: true } => "††",
        }
    }
}

/// Rows for other programs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tidy {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
}

/// A column of a CSV file: its name, and its field of a record.
pub type TidyColumn<R> = (&'static str, fn(&R) -> String);

impl Tidy {
    /// A line for each record.
    pub fn of<R>(columns: &[TidyColumn<R>], records: impl IntoIterator<Item = R>) -> Self {
        let line = |record: R| columns.iter().map(|(_, field)| field(&record)).collect();
        Self {
            header: columns.iter().map(|(name, _)| *name).collect(),
            rows: records.into_iter().map(line).collect(),
        }
    }
}

/// A value as text, as in the field of a CSV file; nothing without a value.
fn field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

impl ScoreCell {
    /// What stands behind the mean.
    pub fn spread(&self) -> Option<f64> {
        self.se.or(self.sd)
    }

    /// `n = 4` where a seed is missing, so that no mean hides it.
    pub fn shortfall(&self) -> Option<String> {
        (self.n != self.planned).then(|| format!("n = {}", self.n))
    }
}

/// The words of a gap.
pub fn gap(failed: usize, missing: usize) -> String {
    match (failed, missing) {
        (0, _) => "not run".to_owned(),
        (_, 0) => "failed".to_owned(),
        (failed, missing) => format!("{failed} failed, {missing} not run"),
    }
}

/// What a table can be written as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Form {
    Markdown,
    Latex,
    Csv,
}

/// A table as text.
pub fn render(table: &Table, form: Form) -> String {
    match form {
        Form::Markdown => markdown::render(table),
        Form::Latex => latex::render(table),
        Form::Csv => csv::render(table),
    }
}

/// The files of a table.
pub fn files(table: &Table) -> Vec<Artefact> {
    let file = |(ending, form): (&str, Form)| {
        let path = format!("tables/{}.{ending}", table.name);
        Artefact::new(path, render(table, form).into_bytes())
    };
    [("md", Form::Markdown), ("tex", Form::Latex), ("csv", Form::Csv)].map(file).to_vec()
}

#[cfg(test)]
mod tests;
