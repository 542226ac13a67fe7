//! `benches/regret` with the mock engine: the search, the fresh seeds and the table.

use crate::papers::stand_ins;
use crate::program::{Workspace, tailgrid, text};
use std::path::Path;
use std::process::{Command, Output};

/// Runs the script on one cell.
fn regret(place: &Workspace, cell: &str, arguments: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/regret");
    Command::new("python3")
        .arg(script)
        .args(["--only", cell, "--markdown", "--program"])
        .arg(tailgrid())
        .args(arguments)
        .args(["--", "--catalogue", "stand-ins.yaml", "--engine", "mock", "--quiet"])
        .current_dir(place.path("."))
        .env("XDG_CACHE_HOME", place.path(".cache"))
        .output()
        .expect("python3 starts")
}

/// The cells of the table's last row.
fn last_row(output: &Output) -> Vec<String> {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    let row = out.lines().rfind(|line| line.starts_with("| ")).expect("a table");
    row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

fn number(cell: &str) -> f64 {
    cell.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{cell}"))
}

#[test]
fn regret_is_the_winners_mean_less_the_defaults_and_resumes() {
    let place = stand_ins();
    let cell = "bilstm/wnut17/100";
    let options = ["--trials", "3", "--seeds", "2"];
    let before = last_row(&regret(&place, cell, &["--table"]));
    assert_eq!(before[..3], ["bilstm", "wnut17", "100"]);
    assert_eq!(before[5], "not finished");

    let row = last_row(&regret(&place, cell, &options));
    let [default, winner, regretted] = [3, 4, 5].map(|column: usize| number(&row[column]));
    assert!((winner - default - regretted).abs() < 0.011, "{row:?}");
    assert_eq!(row[8], if regretted <= 2.0 { "met" } else { "not met" });
    let jobs = || {
        let folder = place.path("results/regret-bilstm-wnut17-100/jobs");
        std::fs::read_dir(folder).expect("jobs").count()
    };
    assert_eq!(jobs(), 3 + 2 * 2);

    assert_eq!(last_row(&regret(&place, cell, &options)), row);
    assert_eq!(jobs(), 3 + 2 * 2, "nothing runs twice");
    assert_eq!(last_row(&regret(&place, cell, &["--table", "--trials", "3", "--seeds", "2"])), row);
    let more = last_row(&regret(&place, cell, &["--trials", "3", "--seeds", "3"]));
    assert_eq!((jobs(), more[5].contains("not finished")), (3 + 2 * 3, false));
}

#[test]
fn a_cell_that_does_not_exist_is_an_error() {
    let place = stand_ins();
    for cell in ["coffee", "bilstm/wnut17", "shallow/wnut17/100", "bilstm/wnut17/many"] {
        let output = regret(&place, cell, &[]);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains("is not a cell"), "{cell}: {said}");
    }
}
