//! Bad input: what it is, where it is, what to do; and nothing is started.

use crate::program::{Workspace, text};

const GRID: &str = "\
version: 1
name: mine
corpora:
  - {name: mine, format: columns, train: train.txt, dev: dev.txt, test: test.txt, scheme: iob2}
models:
  - {name: shallow, encoder: shallow, head: softmax, embeddings: random}
methods: [original, scr]
seeds: 2
baseline: original
";
const SENTENCES: &str = "Ada\tB-person\nlives\tO\n\nin\tO\nRome\tB-place\n\n";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    for split in ["train", "dev", "test"] {
        workspace.write(&format!("{split}.txt"), SENTENCES);
    }
    workspace
}

/// What `run` says of it, after nothing was started.
fn refused(workspace: &Workspace) -> String {
    let output = workspace.expect(3, &["run", "grid.yaml", "--engine", "mock"]);
    let jobs = workspace.path("results/mine/jobs");
    let started = jobs.read_dir().map_or(0, |entries| entries.count());
    assert_eq!((started, text(&output.stdout).as_str()), (0, ""));
    text(&output.stderr)
}

#[test]
fn a_good_corpus_runs() {
    workspace().expect(0, &["run", "grid.yaml", "--engine", "mock"]);
}

#[test]
fn a_missing_file_is_named_with_its_place_in_the_grid() {
    let workspace = workspace();
    workspace.write("grid.yaml", &GRID.replace("test: test.txt", "test: tset.txt"));
    let said = refused(&workspace);
    assert!(said.contains("tset.txt") && said.contains("grid.yaml:4:"), "{said}");
}

#[test]
fn a_tag_that_is_not_in_its_scheme_is_told_by_file_and_line() {
    let workspace = workspace();
    workspace.write("test.txt", &SENTENCES.replace("B-place", "S-place"));
    let said = refused(&workspace);
    assert!(said.starts_with("error: test.txt:5: `S-place` is not a tag of"), "{said}");
}

#[test]
fn a_binary_corpus_is_told_by_file_and_line() {
    let workspace = workspace();
    workspace.write("train.txt", "Ada\tB-person\n\0\0\0\tO\n");
    let said = refused(&workspace);
    assert!(said.starts_with("error: train.txt:2: a NUL byte"), "{said}");
}

#[test]
fn every_mistake_of_a_grid_is_told_at_once() {
    let workspace = workspace();
    let grid = GRID.replace("scr]", "srcd]").replace("seeds: 2", "seed: 2").replace("softmax", "7");
    workspace.write("grid.yaml", &grid);
    let said = refused(&workspace);
    for mistake in ["`srcd`", "`seed`", "head of model `shallow`"] {
        assert!(said.contains(mistake), "{mistake} in:\n{said}");
    }
    assert!(said.contains("did you mean") && said.contains("4 errors"), "{said}");
}

#[test]
fn on_a_fresh_clone_every_job_of_the_quickstart_is_to_do() {
    let workspace = Workspace::new();
    let grid = concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/quickstart.yaml");
    let plan = workspace.json(&["plan", grid]);
    assert_eq!((&plan["totals"]["jobs"], &plan["totals"]["todo"]), (&60.into(), &60.into()));
    // And nothing that git keeps makes it otherwise.
    let listed = std::process::Command::new("git")
        .args(["ls-files", "results", "reports"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("git");
    let kept = text(&listed.stdout);
    assert!(kept.lines().all(|path| path.split('/').nth(1) == Some("example")), "{kept}");
}

/// The entries of the cache of parsed corpora.
fn cached(workspace: &Workspace) -> usize {
    let folder = workspace.path(".cache/tailgrid/corpora");
    folder.read_dir().map_or(0, |entries| entries.count())
}

#[test]
fn a_corpus_is_parsed_once_and_its_warnings_are_given_again() {
    let workspace = workspace();
    workspace.write("train.txt", &SENTENCES.replace("lives\tO", "lives\tI-place"));
    let run = |more: &[&str]| {
        let mut command = workspace.tailgrid(&["run", "grid.yaml", "--engine", "mock"]);
        command.args(more).output().expect("tailgrid starts")
    };
    let warning = |output: &std::process::Output| {
        let said = text(&output.stderr);
        let line = said.lines().find(|line| line.contains("train.txt:2: the first of 1 tag(s)"));
        line.unwrap_or_else(|| panic!("no warning in:\n{said}")).to_owned()
    };
    let off = workspace
        .tailgrid(&["run", "grid.yaml", "--engine", "mock"])
        .env("TAILGRID_CACHE", "off")
        .output();
    let first = warning(&off.expect("tailgrid starts"));
    assert_eq!(cached(&workspace), 0);
    for seeds in ["seeds=3", "seeds=4"] {
        assert_eq!(warning(&run(&["--set", seeds])), first);
        assert_eq!(cached(&workspace), 1);
    }
}
