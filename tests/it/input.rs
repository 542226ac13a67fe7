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
    let grids = ["example", "findings"].map(Some);
    assert!(kept.lines().all(|path| grids.contains(&path.split('/').nth(1))), "{kept}");
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

#[test]
fn other_names_of_a_scheme_mean_the_same_jobs() {
    let workspace = workspace();
    let keys = |scheme: &str| {
        workspace.write("grid.yaml", &GRID.replace("scheme: iob2", &format!("scheme: {scheme}")));
        let plan = workspace.json(&["plan", "grid.yaml", "--engine", "mock"]);
        let jobs = plan["jobs"].as_array().unwrap();
        jobs.iter().map(|job| job["key"].to_string()).collect::<Vec<_>>()
    };
    let iob2 = keys("iob2");
    assert_eq!(iob2.len(), 4);
    for other in ["BIO", "bio", "IOB2"] {
        assert_eq!(keys(other), iob2, "{other}");
    }
    for split in ["train", "dev", "test"] {
        let text = "Ada\tB-person\nLovelace\tE-person\nlives\tO\n\nRome\tS-place\n\n";
        workspace.write(&format!("{split}.txt"), text);
    }
    let iobes = keys("iobes");
    for other in ["BIOES", "bilou", "BILUO", "Bmewo"] {
        assert_eq!(keys(other), iobes, "{other}");
        let check = ["corpus", "check", "train.txt", "--scheme", other];
        let said = text(&workspace.expect(0, &check).stdout);
        assert!(said.starts_with("train.txt: nothing wrong"), "{said}");
    }
    workspace.write("grid.yaml", &GRID.replace("scheme: iob2", "scheme: iob"));
    let said = text(&workspace.expect(3, &["plan", "grid.yaml"]).stderr);
    assert!(said.contains("expected one of iob1, iob2, iobes, io, bare"), "{said}");
}

#[test]
fn near_misses_of_newcomers_get_hints() {
    let workspace = workspace();
    let said = |grid: String| {
        workspace.write("grid.yaml", &grid);
        text(&workspace.expect(3, &["plan", "grid.yaml"]).stderr)
    };
    let column = said(GRID.replace("scheme: iob2", "tag_column: 3"));
    assert!(column.contains("did you mean `tag`?"), "{column}");
    assert!(column.contains("`columns: {tag: N}`"), "{column}");
    let backslash = said(GRID.replace("train: train.txt", "train: data\\train.txt"));
    assert!(backslash.contains("write `/` between folders: `data/train.txt`"), "{backslash}");
    for (tag, meant) in [("B_person", "B-person"), ("b-person", "B-person")] {
        workspace.write("bad.txt", &SENTENCES.replace("B-person", tag));
        let said = text(&workspace.expect(3, &["corpus", "check", "bad.txt"]).stdout);
        assert!(said.contains(&format!("if `{meant}` is meant")), "{said}");
        let said = text(&workspace.expect(3, &["score", "bad.txt", "bad.txt"]).stderr);
        assert!(said.contains(&format!("if \"{meant}\" is meant")), "{said}");
    }
    workspace.write("data/a.txt", SENTENCES);
    let said = text(&workspace.expect(3, &["corpus", "check", "data\\a.txt"]).stderr);
    assert!(said.contains("did you mean `data/a.txt`?"), "{said}");
}

#[test]
fn a_missing_corpus_is_one_error() {
    let workspace = workspace();
    let catalogued = "version: 1\nname: mine\ncorpora: [wnut17]\nmodels:\n  - {name: m, encoder: shallow, \
                      head: softmax}\nmethods: [original]\nseeds: 1\n";
    let in_place = ["train", "dev", "test"].iter().fold(GRID.to_owned(), |grid, split| {
        grid.replace(&format!("{split}: {split}.txt"), &format!("{split}: no/{split}.txt"))
    });
    for grid in [catalogued, &in_place] {
        workspace.write("grid.yaml", grid);
        let output = workspace.expect(3, &["plan", "grid.yaml", "--corpora", "nowhere"]);
        let said = text(&output.stderr);
        assert!(said.contains("there is no folder"), "{said}");
        assert!(said.ends_with("1 error; nothing was started\n"), "{said}");
    }
}

#[test]
fn the_format_of_json_lines_and_folders_is_recognised() {
    let workspace = workspace();
    workspace.write("train.jsonl", "{\"text\": \"Ada sat\", \"label\": [[0, 3, \"PER\"]]}\n");
    workspace.write("brat/a.txt", "Ada sat\n");
    workspace.write("brat/a.ann", "T1\tPER 0 3\tAda\n");
    workspace.write(
        "ontonotes/a.gold_conll",
        "#begin document (a); part 000\na 0 0 Ada - - - - - - (PER) -\n\n#end document\n",
    );
    workspace.write("odd/a.md", "Ada");
    for source in ["train.jsonl", "train=brat", "train=ontonotes"] {
        let found = workspace.json(&["corpus", "stats", source]);
        assert_eq!(found["entities"], 1, "{source}: {found}");
    }
    let said = text(&workspace.expect(2, &["corpus", "check", "odd"]).stderr);
    assert!(said.contains("with `--format`") && said.contains("brat (.txt, .ann)"), "{said}");
}

#[test]
fn a_checkpoint_that_jobs_cannot_read_is_refused_by_the_plan() {
    let workspace = workspace();
    let model = "  - {name: big, encoder: bert, head: softmax, checkpoint: ck}";
    let shallow = "  - {name: shallow, encoder: shallow, head: softmax, embeddings: random}";
    workspace.write("grid.yaml", &GRID.replace(shallow, model));
    // Not a tensor is looked at: the file of the weights is none.
    workspace.write("ck/model.safetensors", "");
    let tokeniser = r#"{"model": {"type": "WordPiece", "vocab": {}}, "normalizer": {"type": "BertNormalizer"}}"#;
    workspace.write("ck/tokenizer.json", tokeniser);
    for kind in ["distilbert", "xlm-roberta", "deberta-v2", "electra"] {
        workspace.write("ck/config.json", &format!("{{\"model_type\": \"{kind}\"}}"));
        let said = refused(&workspace);
        assert!(said.contains(&format!("model_type `{kind}` is not supported")), "{said}");
        assert!(said.contains("help: supported are model_type bert, roberta and bart"), "{said}");
    }
    workspace.write("ck/config.json", "{\"model_type\": \"bart\"}");
    let said = refused(&workspace);
    assert!(said.contains("model_type `bart` needs `encoder: bart`"), "{said}");
    workspace.write("ck/config.json", "{\"model_type\": \"roberta\"}");
    workspace.write("ck/tokenizer.json", "{\"model\": {\"type\": \"Unigram\"}}");
    let said = refused(&workspace);
    assert!(said.contains("tokenizer.json: the model `Unigram` is not supported"), "{said}");
    workspace.write("ck/tokenizer.json", tokeniser);
    workspace.expect(0, &["plan", "grid.yaml", "--engine", "mock"]);
}
