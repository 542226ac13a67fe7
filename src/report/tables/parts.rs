//! A table in parts that fit a printed page, for formats that have pages.
//!
//! Columns part between groups, and the first group, which has the heads of the rows, stands in every
//! part; rows part where a rule sets them off. What cannot part stays whole.

use super::{Cell, Group, Row, Table};

/// Columns of numbers that fit a page with the heads of the rows.
const WIDEST: usize = 14;
/// Characters across a page, in the smallest letters that tables are set in.
const PAGE: usize = 112;
/// Characters of a score with its spread, of which the spread is smaller.
const SCORE: usize = 10;
/// Rows that fit a page under a caption.
const LONGEST: usize = 44;

/// The parts of a table; the table itself where it fits.
pub fn parts(table: &Table) -> Vec<Table> {
    let across = by_columns(table);
    across.iter().flat_map(by_rows).collect()
}

fn by_columns(table: &Table) -> Vec<Table> {
    let [heads, groups @ ..] = &table.groups[..] else { return vec![table.clone()] };
    let width = width(table);
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
            let part = columns(table, heads, groups, first..first + width);
            first += width;
            part
        })
        .collect()
}

/// Characters that a table is wide, about: the longest word of a head or the longest cell of each column,
/// and the gaps.
fn width(table: &Table) -> usize {
    let column = |at: usize| {
        let words = table.columns[at].head.split(' ').map(|word| word.chars().count());
        let cells = table.rows.iter().filter_map(|row| row.cells.get(at)).map(|cell| match cell {
            Cell::Text(text) | Cell::Head(text) | Cell::Again(text) => text.chars().count(),
            Cell::Method { name, .. } => name.chars().count(),
            Cell::Score(score) if score.sd.is_some() => SCORE,
            _ => 5,
        });
        2 + words.chain(cells).max().unwrap_or(0)
    };
    (0..table.columns.len()).map(column).sum()
}

/// The heads of the rows and some columns.
fn columns(table: &Table, heads: &Group, groups: &[Group], range: std::ops::Range<usize>) -> Table {
    let row = |row: &Row| Row { cells: chosen(&row.cells, heads.columns, &range), ..row.clone() };
    Table {
        groups: std::iter::once(heads).chain(groups).cloned().collect(),
        columns: chosen(&table.columns, heads.columns, &range),
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
    let mut blocks: Vec<&[Row]> = Vec::new();
    let mut start = 0;
    for end in 1..=table.rows.len() {
        if table.rows.get(end).is_none_or(|row| row.ruled) {
            blocks.push(&table.rows[start..end]);
            start = end;
        }
    }
    let pages = packed(&blocks, LONGEST, |block| block.len());
    let part = |blocks: &[&[Row]]| Table { rows: blocks.concat(), ..table.clone() };
    pages.into_iter().map(part).collect()
}

/// Things in turn in as few packs as there is room for, none much fuller than the others; one thing that
/// is too large stands alone.
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
    use super::super::{Align, Cell, Column, Tidy};
    use super::*;

    /// Two heads and groups of three columns; a rule before every seventh row.
    fn table(groups: usize, rows: usize) -> Table {
        let columns = 2 + 3 * groups;
        let group = |columns| Group { head: String::new(), columns };
        let row = |r: usize| Row {
            cells: (0..columns).map(|c| Cell::Text(format!("{r}.{c}"))).collect(),
            ruled: r > 0 && r.is_multiple_of(7),
        };
        Table {
            name: "t".to_owned(),
            title: String::new(),
            caption: String::new(),
            groups: std::iter::once(2).chain(vec![3; groups]).map(group).collect(),
            columns: (0..columns)
                .map(|c| Column { head: c.to_string(), align: Align::Right })
                .collect(),
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
        let rows: Vec<Row> = long.iter().flat_map(|part| part.rows.clone()).collect();
        assert_eq!(rows, whole.rows);
    }

    #[test]
    fn what_has_no_place_to_part_stays_whole() {
        let mut endless = table(1, 60);
        endless.rows.iter_mut().for_each(|row| row.ruled = false);
        assert_eq!(parts(&endless), [endless]);
        let mut ungrouped = table(9, 3);
        ungrouped.groups.clear();
        assert_eq!(parts(&ungrouped), [ungrouped]);
    }
}
