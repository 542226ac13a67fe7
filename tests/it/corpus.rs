//! `tailgrid corpus` and `tailgrid resample` from outside: on hand-written files, on the generated
//! corpus, and on real corpora where there are some.

mod carriage_returns;
mod real;
mod resample;

use crate::program::{Workspace, text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const TRAIN: &str = "Ada\tB-person\nLovelace\tI-person\nlived\tO\nin\tO\nLondon\tB-place\n\n\
                     She\tO\nknew\tO\nBabbage\tB-person\n\nIt\tO\nrained\tO\n\n";
const TEST: &str = "It\tO\nrained\tO\n\nAda\tB-person\nmet\tO\nLondon\tB-team\n\n";

fn workspace() -> Workspace {
    let place = Workspace::new();
    place.write("data/train.txt", TRAIN);
    place.write("data/test.txt", TEST);
    place
}

fn out(output: &std::process::Output) -> String {
    text(&output.stdout)
}

fn err(output: &std::process::Output) -> String {
    text(&output.stderr)
}

#[test]
fn statistics_have_the_keys_that_others_read() {
    let place = workspace();
    let found = place.json(&["corpus", "stats", "data/train.txt", "data/test.txt"]);
    let train = &found["splits"]["train"];
    assert_eq!((&train["sentences"], &train["tokens"]), (&json!(3), &json!(10)));
    assert_eq!(train["entities"], 3);
    assert_eq!(train["types"]["person"]["entities"], 2);
    assert_eq!(train["types"]["person"]["tokens"], 3);
    for (key, expected) in [
        ("entity_token_share", 0.4),
        ("sentences_with_entities_share", 2.0 / 3.0),
        ("rarest_type_share", 0.1),
        ("commonest_type_share", 0.3),
        ("outside_share", 0.6),
    ] {
        assert!((train[key].as_f64().unwrap() - expected).abs() < 1e-12, "{key}: {train}");
    }
    assert_eq!((&found["sentences"], &found["name"]), (&json!(5), &json!("data")));
    assert_eq!(found["unseen"][0]["surface"], 1);
    assert_eq!(found["unseen"][0]["surface_and_type"], 2);
    assert_eq!(found["repeated"][0]["sentences"], 1);
    assert_eq!(found["dev"]["policy"], "carved");
    let two = place.json(&["corpus", "stats", "data/train.txt", "synthetic"]);
    let names: Vec<&Value> =
        two["corpora"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["synthetic", "train.txt"]);
}

#[test]
fn a_grid_gives_statistics_of_all_its_corpora_and_can_be_changed() {
    let place = workspace();
    let mine = "{name: mine, format: columns, train: data/train.txt, test: data/test.txt}";
    place.write("grid.yaml", &format!("version: 1\ncorpora: [synthetic, {mine}]\n"));
    let found = place.json(&["corpus", "stats", "grid.yaml"]);
    assert_eq!(found["corpora"][1]["splits"]["train"]["sentences"], 3);
    let trained = place.json(&["corpus", "stats", "grid.yaml", "--as-trained"]);
    let mine = &trained["corpora"][1]["splits"];
    assert_eq!((&mine["train"]["sentences"], &mine["dev"]["sentences"]), (&json!(2), &json!(1)));
    let set =
        place.json(&["corpus", "stats", "grid.yaml", "--set", "corpora.mine.train=data/test.txt"]);
    assert_eq!(set["corpora"][1]["splits"]["train"]["sentences"], 2);
}

#[test]
fn tables_and_plots_of_several_corpora() {
    let place = workspace();
    let stats = ["corpus", "stats", "synthetic", "data/train.txt", "data/test.txt"];
    let both = out(&place.expect(0, &[&stats[..], &["--as", "latex"]].concat()));
    assert_eq!(both.matches("\\begin{table}").count(), 2);
    assert!(
        both.contains("data & train & 10 & 2 & 10.00 & 30.00 & 40.00 & 3 & 66.67 \\\\"),
        "{both}"
    );
    let one = out(&place.expect(0, &[&stats[..], &["--table", "nguyen2023"]].concat()));
    assert!(one.contains("30.0/10.0/60.0") && !one.contains("Imbalance"), "{one}");
    place.expect(0, &[&stats[..], &["--plot", "a/plot.svg"]].concat());
    assert!(text(&place.read("a/plot.svg")).contains("√ length"));
    let again = place.expect(3, &[&stats[..], &["--plot", "a/plot.svg"]].concat());
    assert!(err(&again).contains("--force"), "{}", err(&again));
    place.expect(0, &[&stats[..], &["--plot", "a/plot.png", "--quiet"]].concat());
    assert!(place.read("a/plot.png").starts_with(b"\x89PNG"));
    place.expect(2, &[&stats[..], &["--plot", "plot.pdf"]].concat());
    place.expect(2, &[&stats[..], &["--table", "wang2022", "--json"]].concat());
}

#[test]
fn what_is_not_there_is_told_with_what_it_may_have_meant() {
    let place = workspace();
    let near = err(&place.expect(3, &["corpus", "stats", "synthetc"]));
    assert!(near.contains("did you mean the corpus `synthetic`?"), "{near}");
    let missing = err(&place.expect(3, &["corpus", "stats", "wnut17", "--corpora", "none"]));
    assert!(missing.contains("wnut17train.conll") && missing.contains("--corpora"), "{missing}");
    let odd = ["corpus", "stats", "data/train.txt", "--param", "shceme=iob1", "--param", "tag=x"];
    let odd = err(&place.expect(3, &odd));
    assert!(odd.contains("did you mean `scheme`?") && odd.contains("2 errors"), "{odd}");
    place.expect(2, &["corpus", "stats", "synthetic", "--format", "columns"]);
    place.expect(2, &["corpus", "stats", "data/train.txt", "--set", "scheme=iob1"]);
    place.expect(2, &["corpus", "stats", "data/train.txt", "data/train.txt"]);
}

#[test]
fn a_good_corpus_passes_with_its_warnings() {
    let place = workspace();
    let found = place.expect(0, &["corpus", "check", "data/train.txt", "data/test.txt"]);
    let said = out(&found);
    assert!(said.starts_with("data: 2 warnings in 5 sentences\n"), "{said}");
    assert!(
        said.contains("test has types that train never shows") && said.contains("team"),
        "{said}"
    );
    assert!(said.contains("1 of 2 sentences of test stand in train"), "{said}");
    let clean = out(&place.expect(0, &["corpus", "check", "synthetic"]));
    assert!(clean.starts_with("synthetic: "), "{clean}");
}

#[test]
fn every_problem_of_every_file_is_told_with_its_line() {
    let place = workspace();
    place.write("data/train.txt", "a\tX\n\nb\nc\tO\n\tO\nd\tS-PER\n");
    place.write("data/test.txt", "e\tO\n\0\tO\n");
    let found = place.expect(3, &["corpus", "check", "data/train.txt", "data/test.txt"]);
    let said = out(&found);
    for place in ["train.txt:1: `X`", "train.txt:3: only 1", "train.txt:5: the token is empty"] {
        assert!(said.contains(place), "{place}: {said}");
    }
    assert!(said.contains("train.txt:6: `S-PER`") && said.contains("test.txt:2: a NUL"), "{said}");
    let check = ["corpus", "check", "data/train.txt", "data/test.txt", "--json"];
    let json: Value = serde_json::from_slice(&place.expect(3, &check).stdout).unwrap();
    let errors = json["corpora"][0]["errors"].as_array().unwrap();
    let lines: Vec<&Value> = errors.iter().map(|error| &error["line"]).collect();
    assert_eq!(lines, [&json!(1), &json!(3), &json!(5), &json!(6), &json!(2)]);
    assert_eq!(json["valid"], false);
}

#[test]
fn a_wrong_scheme_is_noticed_and_refused_if_asked() {
    let place = Workspace::new();
    place.write("train.txt", "Ada\tI-person\nLee\tI-person\n\nRome\tI-place\n\n");
    let said = out(&place.expect(0, &["corpus", "check", "train.txt"]));
    assert!(
        said.contains("train.txt:1: the first of 2 tag(s)") && said.contains("line(s) 4"),
        "{said}"
    );
    assert!(said.contains("fit iob1: set `scheme` to iob1"), "{said}");
    let refused = out(&place.expect(3, &["corpus", "check", "train.txt", "--repair", "refuse"]));
    assert!(refused.contains("train.txt:4: a tag that iob2 does not allow"), "{refused}");
    place.expect(0, &["corpus", "check", "train.txt", "--scheme", "iob1", "--repair", "refuse"]);
}

#[test]
fn schemes_are_converted_there_and_back() {
    let place = Workspace::new();
    let iob2 = "a\tB-x\nb\tB-x\nc\tI-x\nd\tO\n\ne\tB-y\n\n";
    place.write("iob2.txt", iob2);
    for scheme in ["iob1", "iobes"] {
        let there = format!("{scheme}.txt");
        place.expect(0, &["corpus", "convert", "iob2.txt", "--to-scheme", scheme, "--out", &there]);
        assert_ne!(text(&place.read(&there)), iob2);
        let back = place.expect(0, &["corpus", "convert", &there, "--scheme", scheme]);
        assert_eq!(out(&back), iob2);
    }
    let told =
        place.json(&["corpus", "convert", "iob2.txt", "--to-scheme", "io", "--out", "io.txt"]);
    assert_eq!((&told["sentences"], &told["files"]), (&json!(2), &json!(["io.txt"])));
    let io = place.expect(0, &["corpus", "convert", "iob2.txt", "--to-scheme", "io"]);
    assert!(err(&io).contains("io joined 1 entity to the one before"), "{}", err(&io));
    let bare = place.expect(0, &["corpus", "convert", "iob2.txt", "--to-scheme", "bare"]);
    assert_eq!(out(&bare), "a\tB\nb\tB\nc\tI\nd\tO\n\ne\tB\n\n");
    assert!(err(&bare).contains("dropped the type of 3 entities"), "{}", err(&bare));
}

#[test]
fn nothing_is_written_over_unless_asked_to() {
    let place = workspace();
    let convert = ["corpus", "convert", "data/train.txt", "data/test.txt", "--out", "out"];
    place.expect(0, &convert);
    assert_eq!(text(&place.read("out/train.tsv")), TRAIN);
    assert_eq!(text(&place.read("out/test.tsv")), TEST);
    std::fs::remove_file(place.path("out/test.tsv")).unwrap();
    place.write("out/train.tsv", "mine");
    assert!(err(&place.expect(3, &convert)).contains("train.tsv is there already"));
    assert!(!place.path("out/test.tsv").exists(), "half of it was written");
    place.expect(0, &[&convert[..], &["--force"]].concat());
    assert_eq!(text(&place.read("out/train.tsv")), TRAIN);
    let names = std::fs::read_dir(place.path("out")).unwrap().count();
    assert_eq!(names, 2, "a temporary file was left");
    place.expect(2, &["corpus", "convert", "data/train.txt", "data/test.txt"]);
}

#[test]
fn spans_are_written_a_sentence_a_line() {
    let place = workspace();
    let arguments = ["corpus", "convert", "data/train.txt", "--to", "json-spans", "--quiet"];
    let written = place.expect(0, &arguments);
    assert_eq!(err(&written), "");
    let lines: Vec<Value> =
        out(&written).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["text"], "Ada Lovelace lived in London");
    let expected = json!([
        {"start": 0, "end": 12, "label": "person"},
        {"start": 22, "end": 28, "label": "place"},
    ]);
    assert_eq!(lines[0]["spans"], expected);
}

#[test]
fn spans_are_read_back_as_they_were_written() {
    let place = workspace();
    let there =
        ["corpus", "convert", "data/train.txt", "--to", "json-spans", "--out", "train.jsonl"];
    place.expect(0, &there);
    let spans = ["--format", "json-spans", "--param", "tokens=whitespace"];
    let back = place.expect(0, &[&["corpus", "convert", "train.jsonl"], &spans[..]].concat());
    assert_eq!(out(&back), TRAIN);
}

#[test]
fn a_catalogue_of_ones_own_is_used_and_its_counts_are_checked() {
    let place = workspace();
    let counts = |sentences: u32| {
        format!(
            "version: 1\ncorpora:\n  - name: mine\n    help: mine\n    licence: none\n    \
             source: here\n    by_hand: write it\n    format: columns\n    train: train.txt\n    \
             test: test.txt\n    counts: {{train: {{sentences: {sentences}, tokens: 10, entities: 3}}}}\n"
        )
    };
    place.write("corpora/mine/train.txt", TRAIN);
    place.write("corpora/mine/test.txt", TEST);
    let check = ["corpus", "check", "mine", "--catalogue", "own.yaml", "--corpora", "corpora"];
    place.write("own.yaml", &counts(3));
    assert!(!out(&place.expect(0, &check)).contains("catalogue"));
    place.write("own.yaml", &counts(4));
    let said = out(&place.expect(0, &check));
    let expected =
        "train has 3 sentences, 10 tokens and 3 entities, and that of the catalogue 4 sentences";
    assert!(said.contains(expected), "{said}");
}
