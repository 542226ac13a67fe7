//! Every table in LaTeX compiles. Needs TeX, so it runs with `make test-system` only.

use crate::program::Workspace;
use std::path::Path;
use std::process::Command;

/// Compiles a document that takes in these files, with the margins of its class or with others; what
/// pdfLaTeX said, if it failed or a table is wider than the text.
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

#[test]
#[ignore = "needs TeX: make test-system"]
fn system_the_tables_of_the_example_compile_and_fit_the_page() {
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example/tables");
    let mut files: Vec<String> = std::fs::read_dir(tables)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tex"))
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    assert!(!files.is_empty());
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
