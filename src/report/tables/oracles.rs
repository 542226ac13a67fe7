//! Methods that are told what nobody has who lacks annotations, named in the caption of every table that shows one,
//! whatever a grid calls them.

use super::{Cell, Table};
use crate::report::view::GridView;

/// Settings of a method that make it one, and what it is told.
const TOLD: [(&str, &str, &str); 2] = [
    ("loss.prior", "oracle", "how many annotations of train are missing"),
    (
        "negatives",
        "by-uncertainty",
        "which annotations of train are missing, and never draws one of them",
    ),
];

/// The table, with a remark on each such method that it shows.
pub fn remarked(view: &GridView, mut table: Table) -> Table {
    for (method, told) in of(view) {
        if shows(&table, method) || view.is_baseline(method) && table.caption.contains(method) {
            table.caption.push_str(&format!(" {method} is an oracle: it is told {told}."));
        }
    }
    table
}

/// The methods of a grid that are told something, with what it is.
fn of(view: &GridView) -> impl Iterator<Item = (&str, &'static str)> {
    view.methods.iter().flat_map(move |method| {
        let settings = view.method_settings.get(method);
        let is_set = move |name: &str, value: &str| {
            settings.and_then(|known| known.words.get(name)).is_some_and(|word| word == value)
        };
        let told = TOLD.iter().filter(move |(name, value, _)| is_set(name, value));
        told.map(move |(_, _, told)| (method.as_str(), *told))
    })
}

/// Whether a method is named in a row or in a head, alone or behind its model.
fn shows(table: &Table, method: &str) -> bool {
    let heads = table.columns.iter().map(|column| column.head.as_str());
    let heads = heads.chain(table.groups.iter().map(|group| group.head.as_str()));
    let cells = table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match cell {
        Cell::Head(name) | Cell::Again(name) | Cell::Method { name, .. } => Some(name.as_str()),
        _ => None,
    });
    let mut words = heads.chain(cells).flat_map(|words| words.split([' ', '/', ',']));
    words.any(|word| word == method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::synthetic;
    use crate::report::{Settings, render};

    #[test]
    fn an_oracle_is_named_whatever_it_is_called() {
        let (mut view, results) = synthetic::grid();
        let captions = |view: &GridView| -> Vec<String> {
            let report = render(view, &results).expect("rendered");
            let tables = report.files.into_iter().filter(|file| file.path.ends_with(".md"));
            tables.map(|file| String::from_utf8(file.bytes).expect("text")).collect()
        };
        assert!(captions(&view).iter().all(|table| !table.contains("oracle")));
        let words = |name: &str, value: &str| Settings {
            words: [(name.to_owned(), value.to_owned())].into(),
            ..Settings::default()
        };
        view.method_settings.insert("scr".to_owned(), words("loss.prior", "oracle"));
        view.method_settings.insert("sc".to_owned(), words("loss.prior", "estimated"));
        let told = "scr is an oracle: it is told how many annotations";
        let tables = captions(&view);
        let showing = tables.iter().filter(|table| table.contains("| scr |"));
        assert!(showing.clone().count() > 2 && showing.clone().all(|table| table.contains(told)));
        assert!(tables.iter().all(|table| !table.contains(" sc is an oracle")));
    }
}
