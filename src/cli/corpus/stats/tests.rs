//! Statistics of small corpora in every form.

use super::*;
use crate::corpus::as_distributed;
use crate::spec::{NamedCorpus, format_named};
use std::collections::BTreeMap;

/// A corpus of files with these contents.
fn numbers(name: &str, contents: &[(&str, &str)], as_trained: bool) -> Numbers {
    let folder = tempfile::tempdir().unwrap();
    let write = |(role, text): &(&str, &str)| {
        let path = folder.path().join(role);
        std::fs::write(&path, text).unwrap();
        (role.to_string(), path)
    };
    let files: BTreeMap<_, _> = contents.iter().map(write).collect();
    let format = format_named("columns", &[]).unwrap();
    let named = NamedCorpus { name: name.to_owned(), format, files, counts: BTreeMap::new() };
    let distribution = as_distributed(&named.format, &named.files).unwrap();
    Numbers::new(&named, &distribution, as_trained)
}

const TRAIN: &str = "Ada\tB-person\nLovelace\tI-person\nlived\tO\nin\tO\nLondon\tB-place\n\n\
                     She\tO\nknew\tO\nBabbage\tB-person\n\nIt\tO\nrained\tO\n\n";
const TEST: &str = "It\tO\nrained\tO\n\nAda\tB-person\nmet\tO\nLondon\tB-team\n\n";

fn whole() -> Numbers {
    numbers(
        "mine",
        &[("train", TRAIN), ("test", TEST), ("parts.distant", "Rome\tB-place\n")],
        false,
    )
}

#[test]
fn the_text_has_splits_types_and_notes() {
    insta::assert_snapshot!(text::render(&whole()));
}

#[test]
fn the_json_has_the_keys_that_others_read() {
    insta::assert_snapshot!(format!("{:#}", json::render(&[whole()])));
    let two = json::render(&[whole(), whole()]);
    assert_eq!(two["corpora"].as_array().unwrap().len(), 2);
    assert_eq!(two["corpora"][1], json::render(&[whole()]));
}

#[test]
fn a_corpus_without_entities_and_hostile_names_are_shown() {
    let shown = text::render(&numbers("a\u{1b}[31m", &[("x\u{7}", "a\tO\n")], false));
    insta::assert_snapshot!(shown);
}

#[test]
fn tables_are_set_in_columns() {
    let counted = [whole(), numbers("one file", &[("all", TRAIN)], false)];
    let corpora: Vec<CorpusNumbers> = counted.iter().map(|n| n.corpus.clone()).collect();
    let both = [Paper::Wang2022, Paper::Nguyen2023].map(|paper| plain(&paper.table(&corpora)));
    insta::assert_snapshot!(both.join("\n"));
}

#[test]
fn a_plot_is_a_picture_by_its_ending() {
    assert_eq!(picture_of(Path::new("a.b/c.svg")).unwrap(), Picture::Svg);
    assert_eq!(picture_of(Path::new("c.png")).unwrap(), Picture::Png);
    for name in ["c", "c.pdf", "svg"] {
        assert_eq!(picture_of(Path::new(name)).unwrap_err().exit, Exit::Usage);
    }
}
