//! Every table in LaTeX compiles. Needs TeX, so it runs with `make test-system` only.

use crate::program::Workspace;
use std::path::Path;
use std::process::Command;

/// Compiles a document that takes in these files, with the margins of its class or with others;
/// what pdfLaTeX said, if it failed or a table is wider than the text.
fn compile(place: &Workspace, files: &[String], margins: &str) -> Result<(), String> {
    let inputs: String =
        files.iter().map(|file| format!("\\input{{{file}}}\n\\clearpage\n")).collect();
    let document = format!(
        "\\documentclass{{article}}\n{margins}\n\\usepackage{{booktabs}}\n\
         \\begin{{document}}\n{inputs}\\end{{document}}\n"
    );
    place.write("document.tex", &document);
    let done = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "document.tex"])
        .current_dir(place.path("."))
        .output()
        .expect("pdflatex starts (make test-system installs it)");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let wide = said.lines().any(|line| line.starts_with("Overfull \\hbox"));
    if done.status.success() && !wide { Ok(()) } else { Err(said) }
}

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_the_tables_of_corpora_compile_and_fit_the_page() {
    let place = Workspace::new();
    let row = "日本_語\tB-a&b%c\nx\tI-a&b%c\n\n";
    place.write("odd_名前.txt", &row.repeat(3));
    let written =
        place.expect(0, &["corpus", "stats", "synthetic", "odd_名前.txt", "--as", "latex"]);
    place.write("tables.tex", &String::from_utf8_lossy(&written.stdout));
    // A name in a script that TeX has no font for is written as code points, which takes room.
    compile(&place, &["tables.tex".to_owned()], "\\usepackage[margin=2cm]{geometry}")
        .unwrap_or_else(|said| panic!("{said}"));
    assert!(place.path("document.pdf").exists());
}

/// The LaTeX files of a folder.
fn tex_files(folder: &Path) -> Vec<String> {
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tex"))
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// A grid that has every kind of table but those of searches and looks.
const EVERY_KIND: &str = "\
version: 1
name: every-kind
corpora:
  - {name: conll2003, format: synthetic, sentences: 300, dev_sentences: 60, test_sentences: 60}
  - {name: ontonotes5, format: synthetic, sentences: 200, dev_sentences: 60, test_sentences: 60, seed: 2}
scenarios:
  - full
  - {name: masked-50, mask_entities: 0.5}
  - {name: masked-90, mask_entities: 0.9}
  - {name: low-20, train_sentences: 20, merge_types: true}
  - {name: low-50, train_sentences: 50, merge_types: true}
  - {name: low-1000, train_sentences: 100, merge_types: true}
  - {name: per-50, train_sentences: 50, keep_types: [person]}
  - {name: per-100, train_sentences: 100, keep_types: [person]}
  - {name: per-150, train_sentences: 150, keep_types: [person]}
  - {name: loc-50, train_sentences: 50, keep_types: [location]}
  - {name: loc-100, train_sentences: 100, keep_types: [location]}
  - {name: loc-150, train_sentences: 150, keep_types: [location]}
  - {name: rare-2, train_sentences: 100, entity_tokens: 0.02}
  - {name: rare-10, train_sentences: 100, entity_tokens: 0.1}
models:
  - {name: bert-softmax, encoder: shallow, head: softmax}
  - {name: bert-crf, encoder: shallow, head: crf}
methods: [original, scr, focal]
seeds: 3
baseline: original
metric: micro_f1
report:
  tables: [deltas, imbalance, labels]
  published:
    - FOLDER/nguyen2023-table-02.csv
    - FOLDER/nemoto2024-table-01.csv
    - FOLDER/wang2022-table-05.csv
    - FOLDER/wang2022-table-06.csv
    - FOLDER/wang2022-table-14.csv
  names:
    type: {PER: person, LOC: location, ORG: group, MISC: product}
    method: {mom: scr, focal-ovr: focal}
";

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_every_kind_of_table_compiles_and_fits_the_page() {
    let place = Workspace::new();
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/published");
    for spread in ["sd", "se"] {
        let grid = EVERY_KIND.replace("FOLDER", &published.display().to_string());
        place.write(
            "grid.yaml",
            &grid.replace("report:\n", &format!("report:\n  spread: {spread}\n")),
        );
        place.expect(0, &["run", "grid.yaml", "--engine", "mock", "--jobs", "2", "--quiet"]);
        place.expect(0, &["report", "grid.yaml", "--engine", "mock", "--quiet"]);
        let files = tex_files(&place.path("reports/every-kind/tables"));
        for kind in
            ["deltas", "sizes", "type-sizes", "masking", "entity-shares", "imbalance", "labels"]
        {
            let named = |file: &String| file.contains(&format!("tables/{kind}"));
            assert!(files.iter().any(named), "{kind}: {files:#?}");
        }
        compile(&place, &files, "\\usepackage[margin=2cm]{geometry}")
            .unwrap_or_else(|said| panic!("{said}"));
        if let Some(kept) = std::env::var_os("KEEP_PDF") {
            std::fs::copy(place.path("document.pdf"), kept).unwrap();
        }
    }
}

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_many_models_fit_the_page() {
    let place = Workspace::new();
    let model = |n: usize| {
        format!(
            "  - {{name: bilstm-softmax-{n:02}, encoder: bilstm, head: softmax, embeddings: random}}\n"
        )
    };
    let models: String = (1..=10).map(model).collect();
    let grid = format!(
        "version: 1\nname: many\ncorpora: [synthetic]\nmodels:\n{models}methods: [original, sc, scr, scrd, nscrd, focal]\n\
         seeds: 3\nbaseline: original\nmetric: macro_f1\n"
    );
    place.write("many.yaml", &grid);
    place.expect(0, &["run", "many.yaml", "--engine", "mock", "--jobs", "2", "--quiet"]);
    place.expect(0, &["report", "many.yaml", "--engine", "mock", "--quiet"]);
    let files = tex_files(&place.path("reports/many/tables"));
    compile(&place, &files, "\\usepackage[margin=2cm]{geometry}")
        .unwrap_or_else(|said| panic!("{said}"));
}

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_the_tables_of_the_example_compile_and_fit_the_page() {
    let files = tex_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example/tables"));
    compile(&Workspace::new(), &files, "\\usepackage[margin=2cm]{geometry}")
        .unwrap_or_else(|said| panic!("{said}"));
}

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_what_does_not_compile_or_fit_is_noticed() {
    let place = Workspace::new();
    for wrong in ["a & b".to_owned(), format!("\\mbox{{{}}}", "wide ".repeat(60))] {
        place.write("wrong.tex", &wrong);
        assert!(compile(&place, &["wrong.tex".to_owned()], "").is_err(), "{wrong}");
    }
}
