//! A table in parts that fit a printed page, for formats that have pages.
//!
//! Columns part between groups, or anywhere where there are none, and the heads of the rows stand
//! in every part: the first group, or the first columns of words. Rows part where a rule sets them
//! off, and within what is longer than a page. No cell is lost, and none is in two parts but heads.
//! What has nothing beside its heads, or heads as wide as a page, stays whole.

use super::{Align, Cell, Group, ScoreCell, Table, TableRow};

/// Columns of numbers that fit a page with the heads of the rows.
const WIDEST: usize = 14;
/// Characters across a page, in the smallest letters that tables are set in.
const PAGE: usize = 112;
/// Characters of a mean, and of its spread in letters of the same size and in smaller ones.
const MEAN: usize = 5;
const SPREAD: usize = 8;
const SMALL_SPREAD: usize = 5;
/// Rows that fit a page under a caption.
const LONGEST: usize = 44;

/// The parts of a table; the table itself where it fits.
pub fn parts(table: &Table) -> Vec<Table> {
    let across = match &table.groups[..] {
        [heads, groups @ ..] => by_groups(table, heads, groups),
        [] => by_columns(table),
    };
    across.iter().flat_map(by_rows).collect()
}

fn by_groups(table: &Table, heads: &Group, groups: &[Group]) -> Vec<Table> {
    let gap = 2 * table.columns.len();
    let width = gap + texts(table, SMALL_SPREAD).iter().sum::<usize>();
    if table.columns.len() <= WIDEST && width <= PAGE {
        return vec![table.clone()];
    }
    // As many columns as there would be on a page if all were alike.
    let most = WIDEST.min(table.columns.len() * PAGE / width.max(1));
    let room = most.saturating_sub(heads.columns);
    let mut first = heads.columns;
    packed(groups, room, |group| group.columns)
        .into_iter()
        .map(|groups| {
            let width: usize = groups.iter().map(|group| group.columns).sum();
            let groups = std::iter::once(heads).chain(groups).cloned().collect();
            let part = columns(table, heads.columns, first..first + width);
            first += width;
            Table { groups, ..part }
        })
        .collect()
}

/// Half characters of a column with its gap, which is one and a half characters wide.
fn halves(text: usize) -> usize {
    2 * text + 3
}

/// The parts of a table without groups, of columns that differ in their width.
fn by_columns(table: &Table) -> Vec<Table> {
    let widths: Vec<usize> = texts(table, SMALL_SPREAD).into_iter().map(halves).collect();
    let words = table.columns.iter().take_while(|column| column.align == Align::Left).count();
    let (heads, others) = widths.split_at(words.max(1).min(widths.len()));
    let room = (2 * PAGE).saturating_sub(heads.iter().sum());
    let fits = others.iter().sum::<usize>() <= room && widths.len() <= WIDEST;
    if fits || others.is_empty() || room == 0 {
        return vec![table.clone()];
    }
    let mut first = heads.len();
    packed(others, room, |width| (*width).max(2 * PAGE / WIDEST))
        .into_iter()
        .map(|some| {
            let part = columns(table, heads.len(), first..first + some.len());
            first += some.len();
            part
        })
        .collect()
}

/// Characters across a table whose letters are all of one size, about.
pub fn width(table: &Table) -> usize {
    texts(table, SPREAD).into_iter().map(halves).sum::<usize>() / 2
}

/// Characters of each column, about: of the longest word of its head or of its longest cell.
fn texts(table: &Table, spread: usize) -> Vec<usize> {
    let column = |at: usize| {
        let words = table.columns[at].head.split(' ').map(|word| word.chars().count());
        let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
        words.chain(cells.map(|cell| text(cell, spread))).max().unwrap_or(0)
    };
    (0..table.columns.len()).map(column).collect()
}

fn text(cell: &Cell, spread: usize) -> usize {
    match cell {
        Cell::Text(text) | Cell::Head(text) | Cell::Again(text) => text.chars().count(),
        Cell::Method { name, .. } => name.chars().count(),
        Cell::Score(score) => score_text(score, spread),
        Cell::Gap { failed, missing } => super::gap(*failed, *missing).chars().count(),
        Cell::Mean(_) | Cell::NotApplicable(_) => MEAN,
    }
}

fn score_text(score: &ScoreCell, spread: usize) -> usize {
    let spread = score.spread().map_or(0, |_| spread);
    // With its brackets and a space before them.
    let shortfall = score.shortfall().map_or(0, |n| n.chars().count() + 3);
    MEAN + spread + shortfall
}

/// The heads of the rows and some columns.
fn columns(table: &Table, heads: usize, range: std::ops::Range<usize>) -> Table {
    let row = |row: &TableRow| TableRow { cells: chosen(&row.cells, heads, &range), ..row.clone() };
    Table {
        columns: chosen(&table.columns, heads, &range),
        rows: table.rows.iter().map(row).collect(),
        ..table.clone()
    }
}

fn chosen<T: Clone>(all: &[T], heads: usize, range: &std::ops::Range<usize>) -> Vec<T> {
    all.iter().take(heads).chain(&all[range.clone()]).cloned().collect()
}

fn by_rows(table: &Table) -> Vec<Table> {
    if table.rows.len() <= LONGEST {
        return vec![table.clone()];
    }
    let mut blocks: Vec<&[TableRow]> = Vec::new();
    let mut start = 0;
    for end in 1..=table.rows.len() {
        if table.rows.get(end).is_none_or(|row| row.ruled) {
            blocks.extend(pieces(&table.rows[start..end]));
            start = end;
        }
    }
    let pages = packed(&blocks, LONGEST, |block| block.len());
    let part = |blocks: &[&[TableRow]]| Table { rows: headed(blocks.concat()), ..table.clone() };
    pages.into_iter().map(part).collect()
}

/// A block in pieces of about the same length that fit a page.
fn pieces(block: &[TableRow]) -> impl Iterator<Item = &[TableRow]> {
    let pages = block.len().div_ceil(LONGEST).max(1);
    block.chunks(block.len().div_ceil(pages).max(1))
}

/// The same rows with the heads printed that stand on the page before.
fn headed(mut rows: Vec<TableRow>) -> Vec<TableRow> {
    for cell in rows.iter_mut().take(1).flat_map(|row| &mut row.cells) {
        if let Cell::Again(text) = cell {
            *cell = Cell::Head(std::mem::take(text));
        }
    }
    rows
}

/// Things in turn in as few packs as there is room for, none much fuller than the others; one thing
/// that is too large stands alone.
fn packed<T>(all: &[T], room: usize, size: impl Fn(&T) -> usize + Copy) -> Vec<&[T]> {
    let fewest = filled(all, room, size);
    let even = all.iter().map(size).sum::<usize>().div_ceil(fewest.len());
    let mut tries = (even..room).map(|room| filled(all, room, size));
    tries.find(|packs| packs.len() == fewest.len()).unwrap_or(fewest)
}

/// The same with every pack as full as it gets.
fn filled<T>(all: &[T], room: usize, size: impl Fn(&T) -> usize) -> Vec<&[T]> {
    let mut packs = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (index, one) in all.iter().enumerate() {
        if index > start && used + size(one) > room {
            packs.push(&all[start..index]);
            (start, used) = (index, 0);
        }
        used += size(one);
    }
    packs.push(&all[start..]);
    packs
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, Rank, Significance, TableColumn, Tidy};
    use super::*;

    /// Two heads and groups of three columns; a rule before every seventh row.
    fn table(groups: usize, rows: usize) -> Table {
        let columns = 2 + 3 * groups;
        let group = |columns| Group { head: String::new(), columns };
        let row = |r: usize| TableRow {
            cells: (0..columns).map(|c| Cell::Text(format!("{r}.{c}"))).collect(),
            ruled: r > 0 && r.is_multiple_of(7),
        };
        Table {
            name: "t".to_owned(),
            title: String::new(),
            cautions: vec![],
            caption: String::new(),
            groups: std::iter::once(2).chain(vec![3; groups]).map(group).collect(),
            columns: (0..columns).map(|c| TableColumn::right(c.to_string())).collect(),
            rows: (0..rows).map(row).collect(),
            tidy: Tidy::default(),
        }
    }

    fn first_of_each(part: &Table, column: usize) -> String {
        match &part.rows[0].cells[column] {
            Cell::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_fits_stays_whole() {
        let fits = table(4, 44);
        assert_eq!(parts(&fits), [fits]);
    }

    #[test]
    fn columns_part_between_groups_and_every_part_has_the_heads() {
        let wide = parts(&table(9, 3));
        let widths: Vec<usize> = wide.iter().map(|part| part.columns.len()).collect();
        assert_eq!(widths, [11, 11, 11]);
        assert_eq!([0, 1, 2].map(|part| first_of_each(&wide[part], 0)), ["0.0"; 3]);
        assert_eq!([0, 1, 2].map(|p| first_of_each(&wide[p], 2)), ["0.2", "0.11", "0.20"]);
        for part in &wide {
            let covered: usize = part.groups.iter().map(|group| group.columns).sum();
            assert_eq!(covered, part.columns.len());
            assert!(part.rows.iter().all(|row| row.cells.len() == covered));
        }
    }

    #[test]
    fn rows_part_at_rules_and_none_is_lost() {
        let whole = table(1, 100);
        let long = parts(&whole);
        assert!(long.iter().all(|part| part.rows.len() <= LONGEST));
        assert_eq!(long.len(), 3);
        let rows: Vec<TableRow> = long.iter().flat_map(|part| part.rows.clone()).collect();
        assert_eq!(rows, whole.rows);
    }

    /// Methods by models, without groups.
    fn scores(models: usize) -> Table {
        let score = Cell::Score(ScoreCell {
            mean: 0.5,
            sd: Some(0.01),
            se: None,
            n: 5,
            planned: 5,
            rank: Rank::Other,
            mark: Significance::None,
        });
        let method = |n: usize| Cell::Method { name: format!("m{n}"), look: None, baseline: false };
        let row = |n: usize| {
            let cells = std::iter::once(method(n)).chain(vec![score.clone(); models]).collect();
            TableRow::new(cells)
        };
        let model = |n: usize| (format!("bilstm-softmax-{n:02}"), Align::Right);
        let heads =
            std::iter::once(("Method".to_owned(), Align::Left)).chain((0..models).map(model));
        Table {
            groups: vec![],
            columns: heads.map(|(head, align)| TableColumn::new(head, align)).collect(),
            rows: (0..3).map(row).collect(),
            ..table(0, 0)
        }
    }

    #[test]
    fn a_table_without_groups_parts_between_its_columns() {
        assert_eq!(parts(&scores(5)), [scores(5)]);
        let wide = parts(&scores(10));
        let heads = |part: &Table| part.columns.iter().map(|c| c.head.clone()).collect::<Vec<_>>();
        assert_eq!(wide.iter().map(|part| part.columns.len()).collect::<Vec<_>>(), [6, 6]);
        assert!(wide.iter().all(|part| heads(part)[0] == "Method"));
        let models: Vec<String> = wide.iter().flat_map(|part| heads(part)[1..].to_vec()).collect();
        assert_eq!(models, heads(&scores(10))[1..]);
        for part in &wide {
            assert!(part.groups.is_empty());
            assert!(part.rows.iter().all(|row| row.cells.len() == part.columns.len()));
        }
    }

    #[test]
    fn heads_that_fill_a_page_leave_no_room_to_part() {
        let mut endless = scores(10);
        endless.rows[0].cells[0] = Cell::Head("m".repeat(PAGE + 1));
        assert_eq!(parts(&endless), [endless]);
    }

    #[test]
    fn a_block_that_is_longer_than_a_page_parts_too_and_repeats_its_head() {
        let mut long = table(1, 100);
        for (n, row) in long.rows.iter_mut().enumerate() {
            row.ruled = n == 90;
            let head = if n == 0 || n == 90 { Cell::Head } else { Cell::Again };
            row.cells[0] = head(if n < 90 { "long" } else { "short" }.to_owned());
        }
        let pages = parts(&long);
        assert_eq!(pages.iter().map(|part| part.rows.len()).collect::<Vec<_>>(), [30, 30, 40]);
        let head = |part: &Table| part.rows[0].cells[0].clone();
        assert!(pages.iter().all(|part| head(part) == Cell::Head("long".to_owned())));
        let numbers =
            |rows: &[TableRow]| rows.iter().map(|row| row.cells[1].clone()).collect::<Vec<_>>();
        let all: Vec<Cell> = pages.iter().flat_map(|part| numbers(&part.rows)).collect();
        assert_eq!(all, numbers(&long.rows));
    }
}
