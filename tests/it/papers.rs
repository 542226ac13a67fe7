//! The grids of `experiments/`: every one can be loaded, with stand-ins for the corpora, vectors
//! and checkpoints that nobody may copy, and with the real corpora where they are; and their
//! reports have the published numbers beside ours.

use crate::program::{Workspace, text};
use domain::Backend;
use spec::{Catalogue, LoadOptions, load};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments")
}

/// The files of a folder with this ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    found.sort();
    found
}

/// Every grid; the catalogue and the questions are none.
fn grids() -> Vec<PathBuf> {
    let others = ["catalogue.yaml", "queries.yaml"];
    let is_grid = |path: &PathBuf| !others.iter().any(|name| path.ends_with(name));
    files(&experiments(), "yaml").into_iter().filter(is_grid).collect()
}

/// Of the generated corpora.
const SIZES: &str = "sentences: 200, dev_sentences: 50, test_sentences: 50";

/// A folder with a catalogue whose corpora are generated, and with files in the place of vectors,
/// checkpoints and WordNet: enough to load a grid.
pub fn stand_ins() -> Workspace {
    let place = Workspace::new().with_wordnet();
    let catalogue = Catalogue::shipped(Path::new(""));
    let mut own = "version: 1\ncorpora:\n".to_owned();
    let corpora = catalogue.corpora().iter().filter(|corpus| corpus.name != "synthetic");
    for (seed, corpus) in corpora.enumerate() {
        let name = &corpus.name;
        own += &format!(
            "  - {{name: {name}, help: a stand-in, format: synthetic, seed: {seed}, {SIZES}}}\n"
        );
    }
    place.write("stand-ins.yaml", &own);
    let cache = ".cache/tailgrid";
    for entry in catalogue.embeddings() {
        for file in &entry.files {
            place.write(
                &format!("{cache}/embeddings/{}/{}", entry.name, file.as_str()),
                "a 0.1 0.2\n",
            );
        }
    }
    for entry in catalogue.checkpoints() {
        let kind = if entry.name.starts_with("bart") { "bart" } else { "bert" };
        let config = format!("{{\"model_type\": \"{kind}\"}}");
        for (file, text) in
            [("config.json", &*config), ("model.safetensors", "{}"), ("vocab.txt", "{}")]
        {
            place.write(&format!("{cache}/checkpoints/{}/{file}", entry.name), text);
        }
    }
    place
}

#[test]
fn every_grid_of_the_papers_can_be_loaded() {
    let place = stand_ins();
    let mut papers = BTreeSet::new();
    for grid in grids() {
        let path = grid.display().to_string();
        let plan = place.json(&["plan", &path, "--catalogue", "stand-ins.yaml"]);
        let jobs = plan["jobs"].as_array().expect("jobs");
        // A generated corpus has no distant part.
        let distant = ["li2022", "ec-distant"].iter().any(|name| path.contains(name));
        assert!(jobs.iter().any(|job| job["state"] != "n/a") || distant, "{path}");
        let name = grid.file_stem().expect("a name").to_string_lossy().into_owned();
        assert_eq!(plan["grid"], name.as_str(), "a grid is called as its file");
        papers.extend(name.split('-').next().map(str::to_owned));
    }
    for paper in ["wang2022", "nemoto2024", "nguyen2023", "li2022"] {
        assert!(papers.contains(paper), "{paper} has no grid");
    }
}

/// The dropout of the encoder and that of the head, if it has one, of each model of a grid.
fn dropouts(grid: &str) -> Vec<(String, f64, Option<f64>)> {
    let place = stand_ins();
    let (catalogue, pretrained) = (place.path("stand-ins.yaml"), place.path(".cache/tailgrid"));
    let options = LoadOptions {
        sets: &[],
        corpora: Path::new(""),
        catalogue: Some(&catalogue),
        tables: report::tables::registry::NAMED,
        pretrained: &pretrained,
        engine: "1",
        default_backend: Backend::Flex,
    };
    let grid = load(&experiments().join(grid), &options).expect("a grid");
    let mut found = Vec::new();
    for job in &grid.jobs {
        let model = &job.settings.model;
        let of_head = model.head.parameters.value::<f64>("span_dropout");
        let dropout = model.encoder.parameters.value::<f64>("dropout").unwrap();
        found.push((job.point.model.clone(), dropout, of_head));
    }
    found.dedup();
    found
}

#[test]
fn the_bilstm_rows_of_li2022_have_the_dropout_of_the_paper() {
    let all = dropouts("li2022-table-04.yaml");
    let spans = all.iter().filter(|(model, ..)| model == "bilstm-span");
    assert!(
        spans.clone().count() > 0 && spans.clone().all(|row| row.1 == 0.4 && row.2 == Some(0.4))
    );
    // All rows of this grid are compared with each other.
    let all = dropouts("ec-distant.yaml");
    assert!(all.len() == 4 && all.iter().all(|row| row.1 == 0.4 && row.2.unwrap_or(0.4) == 0.4));
}

#[test]
fn grids_whose_corpora_are_here_are_loaded_with_them() {
    let Some(corpora) = std::env::var_os("TAILGRID_CORPORA").map(PathBuf::from) else {
        println!("skipped: TAILGRID_CORPORA names no folder of corpora");
        return;
    };
    let place = stand_ins();
    let mut loaded = 0;
    for grid in grids() {
        let path = grid.display().to_string();
        let output = place.tailgrid(&["plan", &path, "--json", "--corpora"]).arg(&corpora).output();
        let output = output.expect("tailgrid starts");
        if output.status.success() {
            loaded += 1;
            continue;
        }
        // What is not there is named with how to get it, and nothing else is wrong.
        let said = text(&output.stderr);
        println!("skipped {}: {}", path, said.lines().next().unwrap_or_default());
        assert_eq!(output.status.code(), Some(3), "{said}");
        let errors = said.lines().filter(|line| line.starts_with("error:"));
        for error in errors {
            assert!(error.contains("there is no f"), "{said}");
        }
    }
    println!("{loaded} grids were loaded with corpora of {}", corpora.display());
}

#[test]
fn a_report_shows_ours_beside_the_published_numbers() {
    let place = stand_ins();
    let grid = experiments().join("wang2022-wnut17.yaml").display().to_string();
    let common =
        ["--catalogue", "stand-ins.yaml", "--engine", "mock", "--set", "seeds=2", "--quiet"];
    place.expect(0, &[&["run", &grid, "--jobs", "2"][..], &common].concat());
    place.expect(0, &[&["report", &grid][..], &common].concat());
    let table =
        |name: &str| {
            text(&place.read(&format!(
                "reports/wang2022-wnut17/tables/published-wang2022-table-{name}.csv"
            )))
        };
    let macro_f1 = table("03");
    assert_eq!(macro_f1.lines().count(), 1 + 48, "{macro_f1}");
    let row = macro_f1.lines().find(|line| line.contains(",bert-crf,scr,")).expect("its row");
    let fields: Vec<&str> = row.split(',').collect();
    let number = |place: usize| fields[place].parse::<f64>().expect("a number");
    assert_eq!((fields[7], number(13)), ("scored", 0.4506));
    assert!((number(10) - number(13) - number(15)).abs() < 1e-12, "{row}");
    assert_eq!(table("08").lines().count(), 1 + 48);
    let markdown = place.read("reports/wang2022-wnut17/tables/published-wang2022-table-12.md");
    let markdown = text(&markdown);
    assert!(markdown.contains("Published but not in this grid: type"), "{markdown}");
}

#[test]
fn a_report_can_ask_for_the_numbers_of_its_corpora() {
    let place = stand_ins();
    let grid = experiments().join("wang2022-size-factors.yaml").display().to_string();
    let common = ["--catalogue", "stand-ins.yaml", "--engine", "mock", "--quiet"];
    place.expect(0, &[&["run", &grid, "--jobs", "2"][..], &common].concat());
    place.expect(0, &[&["report", &grid][..], &common].concat());
    let numbers = text(&place.read("reports/wang2022-size-factors/tables/imbalance.csv"));
    assert_eq!(numbers.lines().count(), 1 + 4, "{numbers}");
    let factors =
        text(&place.read("reports/wang2022-size-factors/tables/published-wang2022-table-06.md"));
    assert!(factors.contains("4.60") && factors.contains("In this grid but not published there"));
}

#[test]
fn a_wrong_file_of_published_numbers_is_told_with_its_lines() {
    let place = Workspace::new();
    place.write(
        "published/mine.csv",
        "# title: T\ncorpus,model,method,metric,value\na,b,c,macro_f2,x\n",
    );
    place.write(
        "grid.yaml",
        "version: 1\nname: mine\ncorpora: [synthetic]\nmodels: [{name: m, encoder: shallow, head: softmax}]\n\
         methods: [original]\nseeds: 1\nreport: {published: mine}\n",
    );
    let said = text(&place.expect(3, &["report", "grid.yaml"]).stderr);
    let line = format!("published{}mine.csv:3: ", std::path::MAIN_SEPARATOR);
    assert_eq!(said.matches(&line).count(), 2, "{said}");
    place.write("grid.yaml", &text(&place.read("grid.yaml")).replace("mine}", "mien}"));
    let said = text(&place.expect(3, &["plan", "grid.yaml"]).stderr);
    assert!(said.contains("did you mean `mine`?") && said.contains("grid.yaml:7"), "{said}");
}
