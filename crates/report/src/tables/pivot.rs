//! Tables of scores as pivots: what names the rows, groups of columns, and for each cell its line
//! in the CSV file.

use super::conditions::{self, Competitor};
use super::registry::Sheet;
use super::{Cell, Group, Table, TableColumn, TableRow, Tidy, cells};
use analysis::Panel;

/// What a table of scores is made of.
pub(super) struct Pivot {
    /// Heads of the columns that name the rows.
    pub names: Vec<&'static str>,
    /// Heads of groups and of the columns in each; one without a head is all columns.
    pub groups: Vec<(String, Vec<String>)>,
    pub blocks: Vec<Vec<PivotRow>>,
    pub ranked: Ranked,
    /// Columns of the CSV file before those of the score, and behind them.
    pub place: Vec<&'static str>,
    pub further: Vec<&'static str>,
}

/// A row: the cells that name it, and its entries from the left.
pub(super) struct PivotRow {
    pub names: Vec<Cell>,
    pub entries: Vec<Entry>,
    pub ruled: bool,
}

/// Among which scores the best is marked.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Ranked {
    ColumnOfBlock,
    GroupOfRow,
    Nothing,
}

/// A cell, and what its line in the CSV file has before and behind the score.
pub(super) struct Entry {
    cell: Cell,
    line: Option<[Vec<String>; 2]>,
}

impl Entry {
    pub fn new(cell: Cell, place: &[&str]) -> Self {
        let place = place.iter().map(|name| (*name).to_owned()).collect();
        Self { cell, line: Some([place, vec![]]) }
    }

    /// With these fields behind the score.
    pub fn with(self, further: impl IntoIterator<Item = String>) -> Self {
        let with =
            |[place, own]: [Vec<String>; 2]| [place, own.into_iter().chain(further).collect()];
        Self { line: self.line.map(with), ..self }
    }

    /// A cell without a line of its own.
    pub fn shown(cell: Cell) -> Self {
        Self { cell, line: None }
    }
}

/// Precision, recall and F1 of a competitor: on a panel, where there is one. Their lines have this
/// place, model, method, metric and part.
pub(super) fn parts(
    sheet: &Sheet<'_>,
    panel: Option<&Panel>,
    who: &Competitor<'_>,
    place: &[&str],
) -> [Entry; 3] {
    let absent = || [(); 3].map(|()| Cell::NotApplicable("not in the grid".to_owned()));
    let cells = panel.map_or_else(absent, |panel| conditions::parts(sheet, panel, who));
    let metric = sheet.headline().metric.name();
    let mut parts = cells::PART_NAMES.into_iter();
    cells.map(|cell| {
        let part = parts.next().unwrap_or("");
        Entry::new(cell, &[place, &[who.model, who.method, metric, part]].concat())
    })
}

/// A row for each competitor, with the head of their block; models are named once, if at all.
pub(super) fn block(
    sheet: &Sheet<'_>,
    head: &str,
    (who, several): (&[Competitor<'_>], bool),
    entries: impl Fn(&Competitor<'_>) -> Vec<Entry>,
) -> Vec<PivotRow> {
    let row = |(index, one): (usize, &Competitor<'_>)| {
        let first = index == 0 || who[index - 1].model != one.model;
        let head = if index == 0 { Cell::Head } else { Cell::Again }(head.to_owned());
        let names = conditions::heads(sheet.view, one, first, several);
        PivotRow {
            names: std::iter::once(head).chain(names).collect(),
            entries: entries(one),
            ruled: index == 0,
        }
    };
    who.iter().enumerate().map(row).collect()
}

impl Pivot {
    /// Heads, rows and lines of the CSV file: a table without its words.
    pub fn table(mut self) -> Table {
        self.blocks.iter_mut().for_each(|block| rank(block, self.ranked, &self.groups));
        let heads = self.names.iter().copied().map(TableColumn::left);
        let columns = self.groups.iter().flat_map(|(_, heads)| heads).map(TableColumn::right);
        let columns = heads.chain(columns).collect();
        let group = |(head, columns): (String, usize)| Group { head, columns };
        let groups = match &self.groups[..] {
            [(head, _)] if head.is_empty() => vec![],
            groups => std::iter::once((String::new(), self.names.len()))
                .chain(groups.iter().map(|(head, columns)| (head.clone(), columns.len())))
                .map(group)
                .collect(),
        };
        let header = self.place.into_iter().chain(cells::TIDY).chain(self.further).collect();
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        for PivotRow { names, entries, ruled } in self.blocks.into_iter().flatten() {
            lines.extend(entries.iter().filter_map(line));
            let cells = names.into_iter().chain(entries.into_iter().map(|entry| entry.cell));
            rows.push(TableRow { cells: cells.collect(), ruled });
        }
        Table { groups, columns, rows, tidy: Tidy { header, rows: lines }, ..Table::default() }
    }
}

fn line(entry: &Entry) -> Option<Vec<String>> {
    let [place, further] = entry.line.clone()?;
    Some(place.into_iter().chain(cells::tidy(&entry.cell)).chain(further).collect())
}

fn rank(block: &mut [PivotRow], ranked: Ranked, groups: &[(String, Vec<String>)]) {
    match ranked {
        Ranked::Nothing => {}
        Ranked::ColumnOfBlock => {
            for column in 0..groups.iter().map(|(_, columns)| columns.len()).sum() {
                cells::rank(block.iter_mut().map(|row| &mut row.entries[column].cell));
            }
        }
        Ranked::GroupOfRow => {
            for row in block {
                let mut entries = row.entries.iter_mut().map(|entry| &mut entry.cell);
                for (_, columns) in groups {
                    cells::rank(entries.by_ref().take(columns.len()));
                }
            }
        }
    }
}
