//! Corpora in one file, corpora with further parts, and the scenarios that need them.

use super::*;

const REST: &str = "models: [{name: m, encoder: shallow, head: softmax}]\n\
                    methods: [original]\nseeds: 1\nbaseline: original\n";

fn grid(corpora: &str, scenarios: &str) -> String {
    format!("version: 1\nname: t\ncorpora: {corpora}\nscenarios: {scenarios}\n{REST}")
}

fn job(folder: &Folder, corpora: &str, scenarios: &str) -> Job {
    let mut jobs = folder.load(&grid(corpora, scenarios), &[]).unwrap().jobs;
    assert_eq!(jobs.len(), 1);
    jobs.remove(0)
}

#[test]
fn a_corpus_in_one_file_has_one_digest() {
    let folder = Folder::new();
    let job =
        job(&folder, "[{name: c, format: columns, all: train.txt, split: '3:0:1'}]", "[full]");
    assert_eq!(job.files.keys().collect::<Vec<_>>(), ["all"]);
    assert_eq!(job.settings.corpus.digests.len(), 1);
    assert_eq!(job.settings.corpus.format.parameters.value::<String>("split").unwrap(), "3:0:1");
}

#[test]
fn one_file_for_all_and_a_file_a_split_are_not_both() {
    let folder = Folder::new();
    let text = grid("[{name: c, format: columns, all: train.txt, test: test.txt}]", "[full]");
    let shown = folder.shown(&text, &[]);
    assert!(shown.contains("so `test` cannot stand beside it"), "{shown}");
    let bad = grid("[{name: c, format: columns, all: train.txt, split: '8:1'}]", "[full]");
    let shown = folder.shown(&bad, &[]);
    assert!(shown.contains("`split`: `8:1` should be three whole numbers"), "{shown}");
}

#[test]
fn annotations_in_a_folder_of_their_own_are_part_of_the_corpus() {
    let folder = Folder::new();
    for name in ["texts", "annotations"] {
        std::fs::create_dir(folder.0.path().join(name)).unwrap();
    }
    folder.write("texts/a.txt", "Ann met Bob.");
    folder.write("annotations/a.ann", "T1\tPER 0 3\tAnn\n");
    let corpus = "[{name: c, format: brat, all: texts, annotations: annotations}]";
    let before = job(&folder, corpus, "[full]");
    assert_eq!(before.files.keys().collect::<Vec<_>>(), ["all", "annotations"]);
    folder.write("annotations/a.ann", "T1\tPER 8 11\tBob\n");
    assert_ne!(job(&folder, corpus, "[full]").key, before.key);
}

#[test]
fn a_folder_is_other_files_to_another_format() {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.path().join("both")).unwrap();
    folder.write("both/a.txt", "Ann");
    folder.write("both/a.ann", "");
    let corpora = "[{name: b, format: brat, all: both}, \
                   {name: t, format: tags, all: train.txt, texts: both}]";
    let jobs = folder.load(&grid(corpora, "[full]"), &[]).unwrap().jobs;
    for job in &jobs {
        let identity = &job.settings.corpus;
        assert!(corpus::verify(identity, &job.files).is_ok(), "{}", identity.format.kind);
    }
    assert_eq!(jobs.len(), 2);
}

const WHOLE: &str = "[{name: c, format: columns, train: train.txt, test: test.txt}]";
const WITH_PART: &str =
    "[{name: c, format: columns, train: train.txt, test: test.txt, parts: {ds: test.txt}}]";

#[test]
fn a_part_is_known_only_to_the_scenario_that_takes_it() {
    let folder = Folder::new();
    assert_eq!(job(&folder, WHOLE, "[full]").key, job(&folder, WITH_PART, "[full]").key);
    let taken = job(&folder, WITH_PART, "[{name: d, extra_train: ds}]");
    assert_ne!(taken.key, job(&folder, WITH_PART, "[full]").key);
    assert_eq!(taken.files.keys().collect::<Vec<_>>(), ["parts.ds", "test", "train"]);
    assert_eq!(taken.not_applicable, None);
}

#[test]
fn a_part_that_a_corpus_lacks_is_not_applicable() {
    let job = job(&Folder::new(), WHOLE, "[{name: d, extra_train: ds}]");
    assert_eq!(job.not_applicable.as_deref(), Some("the corpus has no part `ds` to train on"));
}

#[test]
fn scenarios_that_make_no_sense_are_errors_at_their_line() {
    let folder = Folder::new();
    for (scenario, expected) in [
        ("{name: s, exact: true}", "`exact`: it says more of `mask_entities`, which is not set"),
        (
            "{name: s, entity_tokens: 0.1}",
            "it needs `train_sentences` or `token_budget`, one of them",
        ),
        ("{name: s, keep_types: 3}", "expected a list of names"),
    ] {
        let shown = folder.shown(&grid(WHOLE, &format!("[{scenario}]")), &[]);
        assert!(shown.contains(expected) && shown.contains("grid.yaml:4:"), "{shown}");
    }
}

#[test]
fn a_list_of_types_means_the_same_in_any_order() {
    let folder = Folder::new();
    let keep =
        |types: &str| job(&folder, WHOLE, &format!("[{{name: s, keep_types: {types}}}]")).key;
    assert_eq!(keep("[LOC, ORG]"), keep("[ORG, LOC, ORG]"));
    assert_eq!(keep("[LOC]"), keep("LOC"));
    assert_ne!(keep("[LOC]"), keep("[ORG]"));
}

#[test]
fn a_column_of_a_table_is_a_name_or_a_place() {
    let folder = Folder::new();
    let corpus = |more: &str| format!("[{{name: c, format: csv, all: train.txt, {more}}}]");
    let token = |more: &str| {
        job(&folder, &corpus(more), "[full]")
            .settings
            .corpus
            .format
            .parameters
            .get("token")
            .cloned()
    };
    assert_eq!(token("token: 2"), Some(ParameterValue::Integer(2)));
    assert_eq!(token("csv: {token: '2'}"), Some(ParameterValue::Text("2".to_owned())));
    let shown = folder.shown(&grid(&corpus("token: 1.5"), "[full]"), &[]);
    assert!(shown.contains("expected a column's name, or its place from 0"), "{shown}");
    let shown = folder.shown(&grid(&corpus("header: false"), "[full]"), &[]);
    assert!(shown.contains("without a header no column is called `Word`"), "{shown}");
}

#[test]
fn lists_of_ids_come_with_their_documents() {
    let folder = Folder::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/knp");
    let corpus = |documents: &str| {
        format!(
            "[{{name: c, format: knp, train: {fixtures}/train.id, test: {fixtures}/test.id, \
             documents: {documents}}}]"
        )
    };
    let job = job(&folder, &corpus(&format!("{fixtures}/documents")), "[full]");
    assert_eq!(job.files.keys().collect::<Vec<_>>(), ["documents", "test", "train"]);
    let shown = folder.shown(&grid(&corpus("none"), "[full]"), &[]);
    assert!(shown.contains("`documents`: there is no file"), "{shown}");
}

#[test]
fn a_baseline_beside_a_list_of_methods_with_errors_names_no_empty_list() {
    let folder = Folder::new();
    for methods in ["[]", "[zz]", "{a: b}"] {
        let text = grid("[synthetic]", "[full]").replace("[original]", methods);
        let shown = folder.shown(&text, &[]);
        assert!(shown.contains("help: add it to the methods\n"), "{shown}");
        assert!(!shown.contains("take one of"), "{shown}");
    }
}
