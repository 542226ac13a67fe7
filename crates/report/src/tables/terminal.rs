//! Tables on a terminal: columns under each other, two spaces apart.
//!
//! A table that is wider than the terminal continues below with its further columns, each part with the heads of its
//! rows: no line is broken by the terminal.

use super::{Align, Cell, Change, Column, Group, MeanCell, ScoreCell, Table};
use analysis::number;
use domain::printable;
use std::ops::Range;

const INDENT: usize = 2;
const GAP: usize = 2;

/// Title, cautions, rows and caption, as far as the table has them; `width` is that of the terminal, if there is one.
pub fn render(table: &Table, width: Option<usize>) -> String {
    let mut out = String::new();
    if !table.title.is_empty() {
        out += &format!("{}\n", printable(&table.title));
    }
    table.cautions.iter().for_each(|caution| out += &format!("  {}\n", printable(caution)));
    out += &rows(table, width.unwrap_or(usize::MAX));
    if !table.caption.is_empty() {
        out += &format!("{}\n", printable(&table.caption));
    }
    out
}

fn rows(table: &Table, width: usize) -> String {
    let rows = table.rows.iter().map(|row| row.cells.iter().map(cell).collect());
    let heads = heads(table);
    let heads = heads.iter().any(|head| !head.is_empty()).then_some(heads);
    let rows: Vec<Vec<String>> = heads.into_iter().chain(rows).collect();
    let widest =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| length(cell)).max();
    let widths: Vec<usize> = (0..table.columns.len()).map(|at| widest(at).unwrap_or(0)).collect();
    let part = |range: Range<usize>| -> String {
        let columns: Vec<usize> = if range.start == 0 {
            range.collect()
        } else {
            std::iter::once(0).chain(range).collect()
        };
        rows.iter().map(|row| line(row, &columns, &widths, table)).collect()
    };
    parts(&widths, width).into_iter().map(part).collect::<Vec<_>>().join("\n")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The columns that fit side by side: the first stands before every part.
fn parts(widths: &[usize], width: usize) -> Vec<Range<usize>> {
    let first = INDENT + widths.first().copied().unwrap_or(0);
    let (mut parts, mut start, mut used) = (Vec::new(), 0, first);
    for (at, column) in widths.iter().enumerate().skip(1) {
        let is_alone = at == start || at == 1;
        if used.saturating_add(GAP + column) > width && !is_alone {
            parts.push(start..at);
            (start, used) = (at, first);
        }
        used = used.saturating_add(GAP + column);
    }
    parts.push(start..widths.len());
    parts
}

fn line(row: &[String], columns: &[usize], widths: &[usize], table: &Table) -> String {
    let cell = |&at: &usize| {
        let (text, width) = (row.get(at).map_or("", String::as_str), widths[at]);
        match table.columns[at].align {
            Align::Right => format!("{text:>width$}"),
            Align::Left => format!("{text:width$}"),
        }
    };
    let cells: Vec<String> = columns.iter().map(cell).collect();
    let text = format!("{:INDENT$}{}", "", cells.join(&" ".repeat(GAP)));
    format!("{}\n", text.trim_end())
}

/// The heads of columns, with that of their group before them.
fn heads(table: &Table) -> Vec<String> {
    let of_group = |group: &Group| std::iter::repeat_n(group.head.clone(), group.columns);
    let groups = table.groups.iter().flat_map(of_group).chain(std::iter::repeat(String::new()));
    let head = |(column, group): (&Column, String)| match group.is_empty() {
        true => printable(&column.head),
        false => printable(&format!("{group} {}", column.head)),
    };
    table.columns.iter().zip(groups).map(head).collect()
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::Head(text) => printable(text),
        Cell::Again(_) => String::new(),
        Cell::Method { name, baseline: true, .. } => format!("{} (baseline)", printable(name)),
        Cell::Method { name, .. } => printable(name),
        Cell::Score(score) => score_cell(score),
        Cell::Mean(mean) => mean_cell(mean),
        Cell::NotApplicable(_) => "–".to_owned(),
        Cell::Gap { failed, missing } => super::gap(*failed, *missing),
    }
}

fn score_cell(score: &ScoreCell) -> String {
    let spread =
        score.spread().map_or_else(String::new, |sd| format!(" ± {}", number::percent(sd)));
    let n = score.shortfall().map_or_else(String::new, |n| format!(" ({n})"));
    format!("{}{spread}{}{n}", number::percent(score.mean), score.mark.text())
}

fn mean_cell(cell: &MeanCell) -> String {
    let arrow = match cell.change {
        Change::None | Change::Equal => "",
        Change::Up => " ↑",
        Change::Down => " ↓",
    };
    number::percent(cell.mean) + arrow
}

#[cfg(test)]
mod tests {
    use super::super::{Row, Tidy};
    use super::*;

    fn table(heads: &[&str], rows: &[&[&str]]) -> Table {
        let align = |at: usize| if at == 0 { Align::Left } else { Align::Right };
        let columns = heads.iter().enumerate();
        let cell = |text: &&str| Cell::Text((*text).to_owned());
        Table {
            name: String::new(),
            title: "Title".to_owned(),
            cautions: vec!["caution: few seeds".to_owned()],
            caption: String::new(),
            groups: vec![],
            columns: columns
                .map(|(at, head)| Column { head: (*head).to_owned(), align: align(at) })
                .collect(),
            rows: rows
                .iter()
                .map(|row| Row { cells: row.iter().map(cell).collect(), ruled: false })
                .collect(),
            tidy: Tidy::default(),
        }
    }

    #[test]
    fn what_is_too_wide_continues_below_under_the_heads_of_its_rows() {
        let table =
            table(&["method", "mean", "difference"], &[&["a", "1", "x"], &["bc", "20", ""]]);
        insta::assert_snapshot!(render(&table, None), @r"
        Title
          caution: few seeds
          method  mean  difference
          a          1           x
          bc        20
        ");
        insta::assert_snapshot!(render(&table, Some(20)), @r"
        Title
          caution: few seeds
          method  mean
          a          1
          bc        20

          method  difference
          a                x
          bc
        ");
        // Of columns that do not fit at all each still has its place.
        assert_eq!(render(&table, Some(1)).matches("method").count(), 2);
    }
}
