//! Tables as CSV (RFC 4180): fractions in full precision, one cell of the table a line.
//!
//! A text that a spreadsheet would take for a formula gets a leading apostrophe: names come from
//! files that somebody else may have written.

use super::Table;

/// The whole file.
pub fn render(table: &Table) -> String {
    let mut out = table.tidy.header.join(",") + "\n";
    for row in &table.tidy.rows {
        let fields: Vec<String> = row.iter().map(|field| quote(field)).collect();
        out.push_str(&(fields.join(",") + "\n"));
    }
    out
}

fn quote(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guarded = match formula && field.parse::<f64>().is_err() {
        true => format!("'{field}"),
        false => field.to_owned(),
    };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}
