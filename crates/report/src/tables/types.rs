//! The table of entity types (Tables 11 to 14 of wang2022): the baseline beside every method, with
//! arrows, the rarest type first.

use super::class_lines::{self, ClassLine, ClassScores, parts};
use super::registry::{Appears, Kind, Make};
use super::{Cell, Change, Group, MeanCell, Rank, Table, TableColumn, TableRow, Tidy};
use analysis::by_type::{Class, Sample, TypeBoard, types_of};
use analysis::number;
use analysis::{self, GridView, Panel, Score};

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "types",
    help: "every entity type with every method beside the baseline, with arrows (Tables 11 to 14 of wang2022)",
    appears: Appears::ByItself,
    make: Make::Model(|sheet, panel, model, names| {
        let name = names.name(&["types", &panel.corpus, &panel.scenario, model]);
        let cautions = sheet.cautions(|c| c.is_on(panel) && c.model == model);
        let table = types(sheet.view, &sheet.by_type[0], panel, model, name)?;
        Some(Table { cautions, ..table })
    }),
};

/// The table of one model on one panel, a block a method; `None` where no type has a score or
/// nothing is compared. `board` is of spans.
pub fn types(
    view: &GridView,
    board: &TypeBoard<'_>,
    panel: &Panel,
    model: &str,
    name: String,
) -> Option<Table> {
    let baseline = view.baseline.as_deref()?;
    let methods = board.methods(view, panel, model);
    let samples: Vec<Sample<'_>> =
        methods.iter().map(|method| board.sample(panel, model, method)).collect();
    let order = types_of(&samples);
    let others = methods.iter().filter(|method| !view.is_baseline(method));
    let blocks: Vec<MethodBlock<'_>> = others
        .map(|method| MethodBlock::new(board, panel, model, [baseline, method], &order))
        .collect();
    if blocks.iter().all(|block| block.lines.is_empty()) {
        return None;
    }
    let rows = blocks.iter().enumerate();
    Some(Table {
        name,
        title: format!(
            "Entity types on {} with {model}: methods against {baseline}",
            panel.title()
        ),
        caption: caption(baseline, &blocks),
        groups: groups(baseline),
        columns: columns(),
        rows: rows.flat_map(|(index, block)| block.rows(view, index > 0)).collect(),
        tidy: tidy(panel, model, baseline, &blocks),
        ..Table::default()
    })
}

/// A method against the baseline.
struct MethodBlock<'a> {
    method: &'a str,
    /// Seeds that both have.
    n: usize,
    planned: usize,
    /// Types, the rarest first, then their mean; empty where no seed has both.
    lines: Vec<TypeLine>,
    /// What stands in place of the baseline's numbers and of the method's where there are no lines.
    absent: [Cell; 2],
}

struct TypeLine {
    class: Class,
    share: Option<f64>,
    support: Option<u64>,
    baseline: Score,
    method: Score,
}

impl<'a> MethodBlock<'a> {
    fn new(
        board: &TypeBoard<'_>,
        panel: &Panel,
        model: &str,
        [baseline, method]: [&'a str; 2],
        order: &[Class],
    ) -> Self {
        let [base, own] = [baseline, method].map(|name| board.sample(panel, model, name));
        let cells = [baseline, method].map(|name| board.averages.cell(panel, model, name));
        let both = [base.paired_with(&own), own.paired_with(&base)];
        let unpaired = || Cell::NotApplicable(format!("no seed in common with {baseline}"));
        Self {
            method,
            n: both[1].len(),
            planned: cells[1].seeds.len(),
            lines: lines(&both, order),
            absent: [
                absent(cells[0], &base).unwrap_or(Cell::Text(String::new())),
                absent(cells[1], &own).unwrap_or_else(unpaired),
            ],
        }
    }

    fn rows(&self, view: &GridView, ruled: bool) -> Vec<TableRow> {
        let (name, look) = (self.method.to_owned(), view.look(self.method));
        let head = Cell::Method { name, look, baseline: false };
        if self.lines.is_empty() {
            let empty = || Cell::Text(String::new());
            let mut cells = vec![head, Cell::Head(ALL.to_owned()), empty(), empty()];
            cells.extend(self.absent.iter().flat_map(|cell| vec![cell.clone(); 3]));
            return vec![TableRow { cells, ruled }];
        }
        let again = Cell::Again(self.method.to_owned());
        let heads = std::iter::once(head).chain(std::iter::repeat(again));
        let rows = heads.zip(&self.lines).enumerate();
        rows.map(|(index, (head, line))| TableRow {
            cells: line.cells(head),
            ruled: ruled && index == 0,
        })
        .collect()
    }
}

/// The head of a block that has nothing to tell of its types.
const ALL: &str = "all types";

/// The lines of the baseline's sample and a method's of the same seeds: the types of either.
fn lines(both: &[Sample<'_>; 2], order: &[Class]) -> Vec<TypeLine> {
    let [base, own] = both;
    let found = types_of(both);
    let types = order.iter().filter(|class| found.contains(class)).cloned();
    let averages = (!found.is_empty()).then_some(Class::Macro);
    let line = |class: Class| {
        let (baseline, method) = (base.mean(&class)?, own.mean(&class)?);
        let (share, support) = (base.share(&class), base.support(&class));
        Some(TypeLine { share, support, class, baseline, method })
    };
    types.chain(averages).filter_map(line).collect()
}

/// Why a cell of the grid has no numbers; `None` where it has some.
pub(crate) fn absent(cell: &analysis::SeedCell, sample: &Sample<'_>) -> Option<Cell> {
    if let Some(reason) = &cell.not_applicable {
        return Some(Cell::NotApplicable(reason.clone()));
    }
    if cell.seeds.is_empty() {
        return Some(Cell::NotApplicable("not in the grid".to_owned()));
    }
    let missing = cell.missing();
    sample.is_empty().then(|| Cell::Gap { failed: cell.seeds.len() - missing, missing })
}

impl TypeLine {
    fn cells(&self, head: Cell) -> Vec<Cell> {
        let support = self.support.map_or_else(String::new, number::grouped);
        let share = self.share.map_or_else(String::new, |share| format!("{:.2}", 100.0 * share));
        let title = Cell::Head(self.class.title().to_owned());
        let mut cells = vec![head, title, Cell::Text(share), Cell::Text(support)];
        let mean = |(mean, change)| Cell::Mean(MeanCell { mean, rank: Rank::Other, change });
        cells.extend(parts(self.baseline).map(|part| mean((part, Change::None))));
        cells.extend(parts(self.method).into_iter().zip(self.changes()).map(mean));
        cells
    }

    fn scores(&self, n: usize) -> ClassScores<'_> {
        let TypeLine { class, share, support, baseline, method } = self;
        let (share, support, baseline, own) = (*share, *support, Some(*baseline), *method);
        ClassScores { class, n, share, support, baseline, own }
    }

    fn changes(&self) -> [Change; 3] {
        let (own, base) = (parts(self.method), parts(self.baseline));
        std::array::from_fn(|part| Change::between(own[part], base[part]))
    }
}

/// Heads of precision, recall and F1.
pub(super) const PARTS: [&str; 3] = ["P", "R", "F1"];

fn groups(baseline: &str) -> Vec<Group> {
    let groups = [("", 4), (baseline, 3), ("With the method", 3)];
    groups.map(|(head, columns)| Group { head: head.to_owned(), columns }).to_vec()
}

fn columns() -> Vec<TableColumn> {
    let names = ["Method", "Type"].map(TableColumn::left).into_iter();
    let numbers = ["Token %", "Gold"].into_iter().chain(PARTS).chain(PARTS);
    names.chain(numbers.map(TableColumn::right)).collect()
}

fn caption(baseline: &str, blocks: &[MethodBlock<'_>]) -> String {
    let scored = blocks.iter().filter(|block| block.n > 0);
    format!(
        "Precision (P), recall (R) and F1 in % on test, by entity type: {baseline} beside each method, which \
         is ↑ above or ↓ below it, without an arrow where both print alike. An arrow is no test. Entities \
         match on exact span and type (conlleval rules); a ratio with nothing below it counts as 0, so a \
         type that was predicted but is not in gold has 0 throughout and counts in the macro of the jobs \
         that predicted it. Macro: unweighted mean over the types found in gold or prediction, of F1 the mean \
         of the types' F1. Token %: of the training tokens \
         before the method, the rarest type first. Gold: entities of the test split. Means over the seeds that \
         both have: {}. After Tables 11 to 14 of Wang and Wang (2022).",
        over(scored.map(|block| (block.method, block.n, block.planned)))
    )
}

/// Over how many seeds the means of methods are, each number once: `n = 5 (sc, scr), n = 4 of 5
/// (focal)`.
pub(super) fn over<'a>(methods: impl Iterator<Item = (&'a str, usize, usize)>) -> String {
    let mut counts: Vec<((usize, usize), Vec<&str>)> = Vec::new();
    for (method, n, planned) in methods {
        match counts.iter_mut().find(|(known, _)| *known == (n, planned)) {
            Some((_, methods)) => methods.push(method),
            None => counts.push(((n, planned), vec![method])),
        }
    }
    let n_of = |(n, planned): (usize, usize)| match n == planned {
        true => format!("n = {n}"),
        false => format!("n = {n} of {planned}"),
    };
    match &counts[..] {
        [] => "n = 0".to_owned(),
        [(count, _)] => n_of(*count),
        several => {
            let each = several.iter().map(|(n, who)| format!("{} ({})", n_of(*n), who.join(", ")));
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn tidy(panel: &Panel, model: &str, baseline: &str, blocks: &[MethodBlock<'_>]) -> Tidy {
    let lines = blocks.iter().flat_map(|block| {
        let scores: Vec<_> = match block.lines.is_empty() {
            true => vec![Err(&block.absent[1])],
            false => block.lines.iter().map(|line| Ok(line.scores(block.n))).collect(),
        };
        let (method, planned, level) = (block.method, block.planned, "span");
        let line =
            move |scores| ClassLine { panel, model, method, baseline, level, planned, scores };
        scores.into_iter().map(line)
    });
    class_lines::compared(lines)
}

#[cfg(test)]
mod tests;
