//! `--only` and `--not` choose what is shown of a grid and change no number of it.

use crate::program::{Workspace, text};
use serde_json::Value;

const GRID: &str = "
version: 1
name: grid
corpora: [synthetic]
models: [{name: small, encoder: shallow, head: softmax}]
methods: [original, sc, scr, focal]
seeds: [1, 2, 3, 4]
baseline: original
";

fn of_method(output: &Value, method: &str) -> Value {
    let comparisons = output["comparisons"].as_array().expect("comparisons");
    let found = comparisons.iter().find(|c| c["method"] == method);
    found.unwrap_or_else(|| panic!("no {method} in {output}")).clone()
}

#[test]
fn a_selected_comparison_is_that_of_the_whole_grid() {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    let compare =
        |more: &[&str]| place.json(&[&["compare", "grid.yaml", "--engine", "mock"], more].concat());
    place.expect(0, &["run", "grid.yaml", "--engine", "mock", "--quiet"]);
    let whole = of_method(&compare(&[]), "scr");
    assert!(whole["p_holm"].as_f64() > whole["p"].as_f64(), "nothing was corrected: {whole}");
    for only in ["method=scr", "method=scr,original"] {
        let selected = compare(&["--only", only]);
        assert_eq!(of_method(&selected, "scr"), whole, "--only {only}");
        assert_eq!(selected["comparisons"].as_array().map(Vec::len), Some(1), "--only {only}");
    }
    assert_eq!(of_method(&compare(&["--not", "method=sc,original"]), "scr"), whole);
    let baseline = ["compare", "grid.yaml", "--engine", "mock", "--only", "method=original"];
    let refused = place.expect(4, &baseline);
    assert!(text(&refused.stderr).contains("nothing to compare"));
}
