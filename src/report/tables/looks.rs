//! The table of planned looks: what each look at a comparison may spend and what it found.

use super::{Align, Cell, Column, Row, Table, Tidy, number};
use crate::domain::Stopping;
use crate::report::comparison::Comparison;

/// The table of every comparison that has looks; `None` where none has.
pub fn looks(stopping: &Stopping, comparisons: &[Comparison], name: String) -> Option<Table> {
    let sequential = |c: &&Comparison| c.sequential.is_some();
    let rows: Vec<Row> = comparisons.iter().filter(sequential).flat_map(rows).collect();
    if rows.is_empty() {
        return None;
    }
    let left = ["Corpus", "Scenario", "Model", "Method", "Against"].map(|head| (head, Align::Left));
    let right = ["Look", "Pairs", "p", "Level"].map(|head| (head, Align::Right));
    let heads = left.into_iter().chain(right).chain([("Verdict", Align::Left)]);
    let columns = heads.map(|(head, align)| Column { head: head.to_owned(), align }).collect();
    Some(Table {
        name,
        title: "Planned looks".to_owned(),
        caption: caption(stopping),
        groups: vec![],
        columns,
        rows,
        tidy: Tidy::default(),
    })
}

fn caption(stopping: &Stopping) -> String {
    let looks: Vec<String> = stopping.looks.iter().map(ToString::to_string).collect();
    format!(
        "Looks at {} seeds, spending {}. A p below the nominal level of its look decides; the levels of a \
         family's comparisons and looks together keep 0.05.",
        looks.join(", "),
        stopping.spending
    )
}

fn rows(c: &Comparison) -> Vec<Row> {
    let Some(found) = &c.sequential else { return Vec::new() };
    let names = [&c.corpus, &c.scenario, &c.model, &c.method, &c.against].map(String::clone);
    let row = |look: [String; 4], verdict: String| Row {
        cells: names.iter().cloned().chain(look).chain([verdict]).map(Cell::Text).collect(),
        ruled: false,
    };
    let last = found.looks.len().saturating_sub(1);
    let taken = found.looks.iter().enumerate().map(|(k, look)| {
        let p = look.p.map_or_else(|| "–".to_owned(), number::p_value);
        let verdict = if k == last { found.in_words() } else { String::new() };
        let numbers = [look.seeds.to_string(), look.n.to_string(), p, number::level(look.level)];
        row(numbers, verdict)
    });
    let none = || row([(); 4].map(|()| "–".to_owned()), found.in_words());
    match found.looks.is_empty() {
        true => vec![none()],
        false => taken.collect(),
    }
}
