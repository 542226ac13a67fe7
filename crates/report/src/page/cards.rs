//! Cards of the page: a table or a figure with links to its files, or what stands in its place
//! where the page would be too long.

use super::draft::{PageDraft, Priority};
use crate::figures::Figure;
use crate::tables::Table;
use crate::tables::html::{self, escape};
use analysis::number;

/// A table within a fold.
pub fn folded(table: &Table, level: &str) -> String {
    format!(
        "<div class=\"part\" id=\"table-{}\">\n<{level}>{}</{level}>\n{}</div>\n",
        table.name,
        escape(&table.title),
        table_and_files(table)
    )
}

/// Adds a table.
pub fn offer_table(out: &mut PageDraft, rank: Priority, table: &Table, level: &str) {
    let card = |body: String| {
        let title = escape(&table.title);
        format!(
            "<section class=\"card\" id=\"table-{}\">\n<{level}>{title}</{level}>\n{body}</section>\n",
            table.name
        )
    };
    out.offer(rank, card(table_and_files(table)), card(beside(table)));
}

fn table_and_files(table: &Table) -> String {
    html::render(table) + &table_files(table)
}

/// What stands in place of a table that is too long for the page.
pub fn beside(table: &Table) -> String {
    let rows = number::counted(table.rows.len(), "row");
    format!("<p class=\"note\">{rows}, too long for this page:</p>\n{}", table_files(table))
}

fn table_files(table: &Table) -> String {
    files("tables", &table.name, &[("md", "Markdown"), ("tex", "LaTeX"), ("csv", "CSV")])
}

/// Adds a figure under a heading.
pub fn offer_figure(out: &mut PageDraft, figure: &Figure, heading: &str, level: &str) {
    // The drawing's own title would be read out a second time.
    let label = format!("role=\"img\" aria-label=\"{}\"", escape(&figure.description));
    let svg = figure.svg.replacen("role=\"img\"", &label, 1);
    let card = |drawing: &str| {
        format!(
            "<section class=\"card\" id=\"figure-{}\">\n<{level}>{}</{level}>\n<figure>\n{drawing}<figcaption>{}\
             </figcaption>\n</figure>\n{}</section>\n",
            figure.name,
            escape(heading),
            escape(&figure.caption),
            files("figures", &figure.name, &[("svg", "SVG"), ("png", "PNG")])
        )
    };
    let instead = format!("<p class=\"note\">{}</p>\n", escape(&figure.description));
    // On a phone it is wider than the screen.
    let drawing = format!(
        "<div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n{svg}</div>\n",
        escape(&figure.title)
    );
    out.offer(Priority::Figure, card(&drawing), card(&instead));
}

fn files(folder: &str, name: &str, endings: &[(&str, &str)]) -> String {
    let link = |(ending, words): &(&str, &str)| {
        format!("<a href=\"{folder}/{name}.{ending}\">{words}</a>")
    };
    let links: Vec<String> = endings.iter().map(link).collect();
    format!("<p class=\"files\">{}</p>\n", links.join(" "))
}
