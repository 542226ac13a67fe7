//! `report`: what is refused, what comes of it, and that no job knows of it.

use super::{Folder, GRID, keys};
use domain::{Bands, Spread};

fn grid(report: &str) -> String {
    format!("{GRID}report: {report}\n")
}

/// A folder with a file of published numbers.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.path().join("published")).unwrap();
    folder.write("published/wang2022-table-03.csv", "");
    folder.write("mine.csv", "");
    folder
}

#[test]
fn every_mistake_of_a_report_is_told_where_it_stands() {
    let text = grid(
        "
  spread: sem
  bands: percentil
  tables: [delta, sizes, 3]
  published: [wang2022-table-30, mine.csv, else/where.csv, wang2022-table-03]
  names:
    model: {bert: shalow, other: shallow}
    methods: {a: b}
    corpus: [mine]
  pairs: [[shallow/scr, bilstm/scrr], [shalow/scr, original], [scr, scr], [scr], [shallow, scr], bilstm/scr]
  figures: all",
    );
    insta::assert_snapshot!(folder().shown(&text, &[]));
    insta::assert_snapshot!("no_mapping", folder().shown(&grid("[sizes]"), &[]));
}

#[test]
fn what_is_asked_is_in_the_grid_and_in_no_key() {
    let text = grid(
        "{spread: se, bands: percentile, tables: deltas, published: [wang2022-table-03, mine.csv], names: {model: {bert: bilstm}}, \
         pairs: [[shallow/scr, bilstm/original], [scr, original]]}",
    );
    let folder = folder();
    let asked = folder.load(&text, &[]).unwrap();
    assert_eq!(
        (asked.report.spread, &asked.report.tables[..]),
        (Spread::Se, &["deltas".to_owned()][..])
    );
    assert_eq!(asked.report.bands, Bands::Percentile);
    assert_eq!(asked.report.names.ours("model", "bert"), "bilstm");
    let pairs: Vec<String> = asked.report.pairs.iter().flatten().map(ToString::to_string).collect();
    assert_eq!(pairs, ["shallow/scr", "bilstm/original", "scr", "original"]);
    let base = folder.0.path();
    let expected = [base.join("published/wang2022-table-03.csv"), base.join("mine.csv")];
    assert_eq!(asked.report.published, expected);
    let plain = folder.load(GRID, &[]).unwrap();
    assert_eq!(keys(&asked), keys(&plain));
    assert_eq!(plain.report, Default::default());
}
