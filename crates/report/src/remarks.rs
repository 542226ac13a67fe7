//! What a reader must know of a method, in the caption of every table and figure that shows it.

use super::tables::{Cell, Table};
use analysis::GridView;
use analysis::remarks::of;

/// The table, with the remarks on each method that it shows.
pub fn on_table(view: &GridView, mut table: Table) -> Table {
    for method in &view.methods {
        if in_table(&table, method) || view.is_baseline(method) && table.caption.contains(method) {
            add(view, method, &mut table.caption);
        }
    }
    table
}

/// The caption of a figure with these texts, with the remarks on each method that they name.
pub fn on_figure<'t>(
    view: &GridView,
    texts: impl Iterator<Item = &'t str> + Clone,
    caption: &mut String,
) {
    for method in view.methods.iter().filter(|method| named(texts.clone(), method)) {
        add(view, method, caption);
    }
}

fn add(view: &GridView, method: &str, caption: &mut String) {
    let remarks = view.method_settings.get(method).map(|settings| of(method, settings));
    for remark in remarks.unwrap_or_default() {
        caption.push(' ');
        caption.push_str(&remark);
    }
}

/// Whether a method is named in a row or in a head, alone or behind its model.
fn in_table(table: &Table, method: &str) -> bool {
    let heads = table.columns.iter().map(|column| column.head.as_str());
    let heads = heads.chain(table.groups.iter().map(|group| group.head.as_str()));
    let cells = table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| match cell {
        Cell::Head(name) | Cell::Again(name) | Cell::Method { name, .. } => Some(name.as_str()),
        _ => None,
    });
    named(heads.chain(cells), method)
}

fn named<'t>(texts: impl Iterator<Item = &'t str>, method: &str) -> bool {
    let mut words = texts.flat_map(|text| text.split([' ', '/', ',']));
    words.any(|word| word == method)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Artefact, render};
    use analysis::{Settings, synthetic};

    fn files(view: &GridView, is_wanted: impl Fn(&Artefact) -> bool) -> Vec<String> {
        let (_, results) = synthetic::grid();
        let report = render(view, &(&results).into()).expect("rendered");
        let files = report.files.into_iter().filter(is_wanted);
        files.map(|file| String::from_utf8(file.bytes).expect("text")).collect()
    }

    fn words(name: &str, value: &str) -> Settings {
        Settings { words: [(name.to_owned(), value.to_owned())].into(), ..Settings::default() }
    }

    #[test]
    fn an_oracle_is_named_whatever_it_is_called() {
        let (mut view, _) = synthetic::grid();
        let captions = |view: &GridView| files(view, |file| file.path.ends_with(".md"));
        assert!(captions(&view).iter().all(|table| !table.contains("oracle")));
        let oracles = [("loss.prior", "oracle"), ("negatives.masked", "excluded")];
        for (name, value) in oracles {
            view.method_settings.insert("scr".to_owned(), words(name, value));
            view.method_settings.insert("sc".to_owned(), words("loss.prior", "estimated"));
            let known = "scr is an oracle: it knows ";
            let tables = captions(&view);
            let showing = tables.iter().filter(|table| table.contains("| scr |"));
            assert!(showing.clone().count() > 2, "{name}");
            assert!(showing.clone().all(|table| table.contains(known)), "{name}");
            assert!(tables.iter().all(|table| !table.contains(" sc is an oracle")));
        }
    }

    #[test]
    fn tables_and_figures_say_where_synonyms_come_from() {
        let (mut view, _) = synthetic::grid();
        view.method_settings.insert("scr".to_owned(), words("augment.synonyms", "wordnet"));
        view.method_settings.insert("sc".to_owned(), words("augment.synonyms", "none"));
        let captions = files(&view, |file| file.path.ends_with(".md"));
        let showing = captions.iter().filter(|table| table.contains("| scr |"));
        assert!(showing.clone().count() > 2);
        for table in showing {
            assert!(table.contains("scr draws synonyms from WordNet."), "{table}");
            assert!(table.contains(" sc has no synonym replacement."), "{table}");
        }
        let page = files(&view, |file| file.path == "index.html").remove(0);
        let figures: Vec<&str> = page.split("<figcaption>").skip(1).collect();
        let of_methods = figures.iter().filter(|figure| figure.contains("from WordNet."));
        assert!(of_methods.count() > 1, "{} figures", figures.len());
    }
}
