//! Tables as Markdown (GitHub's flavour; underlining is HTML, which Markdown has none of its own).

use super::{Align, Group, Rank, Table, TableColumn, TextMarkup};

/// Characters that mean something inside a paragraph or a cell.
const SPECIAL: &str = r"\`*_[]|~$";

/// The whole file.
pub fn render(table: &Table) -> String {
    let mut out = format!("**{}**\n\n", escape(&table.title));
    table.cautions.iter().for_each(|caution| out.push_str(&format!("{}\n\n", escape(caution))));
    out.push_str(&line(heads(table).iter().map(|head| escape(head))));
    out.push_str(&line(table.columns.iter().map(|c| match c.align {
        Align::Left => ":---".to_owned(),
        Align::Right => "---:".to_owned(),
    })));
    for row in &table.rows {
        out.push_str(&line(row.cells.iter().map(|cell| cell.text(&MARKUP))));
    }
    out.push_str(&format!("\n{}\n", escape(&table.caption)));
    out
}

/// The heads of columns, which have one line here: that of their group stands before them.
fn heads(table: &Table) -> Vec<String> {
    let of_group = |group: &Group| std::iter::repeat_n(group.head.clone(), group.columns);
    let groups = table.groups.iter().flat_map(of_group).chain(std::iter::repeat(String::new()));
    let head = |(column, group): (&TableColumn, String)| match group.is_empty() {
        true => column.head.clone(),
        false => format!("{group}: {}", column.head),
    };
    table.columns.iter().zip(groups).map(head).collect()
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

const MARKUP: TextMarkup = TextMarkup { escape, ranked, gap: |words| format!("*{words}*") };

fn ranked(mean: String, rank: Rank) -> String {
    match rank {
        Rank::Best => format!("**{mean}**"),
        Rank::Second => format!("<u>{mean}</u>"),
        Rank::Other => mean,
    }
}

/// A text that shows as itself and stays in its cell.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() => out.push(' '),
            c if SPECIAL.contains(c) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
