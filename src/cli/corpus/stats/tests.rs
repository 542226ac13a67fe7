//! Statistics of small corpora in every form.

use super::*;
use corpus::{Distribution, as_distributed};
use spec::{NamedCorpus, format_named};
use std::collections::BTreeMap;

/// A corpus of files with these contents.
fn numbers(name: &str, contents: &[(&str, &str)], as_trained: bool) -> Numbers {
    let (named, distribution) = read(name, contents);
    Numbers::new(&named, &distribution, as_trained)
}

fn read(name: &str, contents: &[(&str, &str)]) -> (NamedCorpus, Distribution) {
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
    (named, distribution)
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
    insta::assert_snapshot!(text(&whole()));
}

#[test]
fn the_json_has_the_keys_that_others_read() {
    insta::assert_snapshot!(format!("{:#}", json::render(&[whole()])));
    let two = json::render(&[whole(), whole()]);
    assert_eq!(two["corpora"].as_array().unwrap().len(), 2);
    assert_eq!(two["corpora"][1], json::render(&[whole()]));
}

#[test]
fn missampling_is_told_of_every_split_where_it_is_asked_for() {
    let files = [("train", TRAIN), ("test", TEST), ("parts.distant", "Rome\tB-place\n")];
    let (named, distribution) = read("mine", &files);
    let numbers = Numbers::new(&named, &distribution, false);
    let found = numbers.clone().with_missampling(&distribution, 0.35, &[0.5, 0.9]);
    let shown = text(&found);
    assert!(shown.starts_with(&text(&numbers)));
    insta::assert_snapshot!("missampling", &shown[text(&numbers).len()..]);
    let json = json::render(&[found]);
    insta::assert_snapshot!(
        "missampling_json",
        format!("{:#}", json["splits"]["train"]["missampling"])
    );
    assert_eq!(json["missampling"]["lambda"], 0.35);
    assert!(json["splits"]["distant"]["missampling"].is_object());
    assert!(json::render(&[numbers]).get("missampling").is_none());
}

#[test]
fn lambda_and_masks_are_where_the_theorem_has_them() {
    assert_eq!((lambda("0.35"), probability("1")), (Ok(0.35), Ok(1.0)));
    for text in ["0", "1", "-0.1", "nan", "x"] {
        assert!(lambda(text).is_err(), "{text}");
    }
    for text in ["-0.1", "1.1", "nan", ""] {
        assert!(probability(text).is_err(), "{text}");
    }
}

#[test]
fn a_corpus_without_entities_and_hostile_names_are_shown() {
    let shown = text(&numbers("a\u{1b}[31m", &[("x\u{7}", "a\tO\n")], false));
    insta::assert_snapshot!(shown);
}

#[test]
fn tables_are_set_in_columns() {
    let counted = [whole(), numbers("one file", &[("all", TRAIN)], false)];
    let corpora: Vec<CorpusNumbers> = counted.iter().map(|n| n.corpus.clone()).collect();
    let both = [Paper::Wang2022, Paper::Nguyen2023].map(|paper| shown(&paper.table(&corpora)));
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
