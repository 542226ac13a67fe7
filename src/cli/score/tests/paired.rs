//! Two predictions beside each other.

use super::*;

#[test]
fn two_predictions_are_compared_by_document_where_there_are_some() {
    let owned = two_predictions();
    let files: Vec<File> = owned.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let line = ["g", "a", "b", "--paired-bs=500", "--paired-ar"];
    let found = scores(&files, &line);
    assert_eq!((&found["unit"], &found["documents"]), (&json!("document"), &json!(2)));
    for (test, resamples) in [("paired_bootstrap", 500), ("approximate_randomisation", 10_000)] {
        for (average, name) in [("micro", "micro_f1"), ("macro", "macro_f1")] {
            let result = &found[test][name];
            assert_eq!((&result["units"], &result["resamples"]), (&json!(2), &json!(resamples)));
            for side in ["a", "b"] {
                let (tested, scored) = (&result[side], &found[side][average]["f1"]);
                let close = (tested.as_f64().unwrap() - scored.as_f64().unwrap()).abs() < 1e-12;
                assert!(close, "{test} {name} {side}: {tested} {scored}");
            }
            assert!(result["p"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0));
        }
    }
    assert_eq!(scores(&files, &line), found, "the same seed gives the same");
    let without: Vec<(&str, Vec<u8>)> = owned
        .iter()
        .map(|(name, bytes)| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            (*name, text.replace("-DOCSTART- O\n\n", "").into_bytes())
        })
        .collect();
    let files: Vec<File> = without.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let found = scores(&files, &line);
    assert_eq!(found["unit"], "sentence");
    assert_eq!(found["paired_bootstrap"]["micro_f1"]["units"], 4);
}

#[test]
fn nothing_to_test_is_told() {
    let files: &[File] = &[("g", b"a O\n"), ("a", b"a O\n"), ("b", b"a O\n")];
    let line = ["g", "a", "b", "--paired-bs=9"];
    assert_eq!(scores(files, &line)["paired_bootstrap"]["micro_f1"], Value::Null);
    let shown = text(files, &line);
    assert!(shown.contains("paired bootstrap: no entity in any file"), "{shown}");
}

#[test]
fn a_test_takes_no_file_for_its_number() {
    let owned = two_predictions();
    let files: Vec<File> = owned.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let after = scores(&files, &["g", "a", "b", "--paired-bs"]);
    assert_eq!(scores(&files, &["--paired-bs", "g", "a", "b"]), after);
    assert_eq!(scores(&files, &["g", "--paired-bs", "a", "b"]), after);
}

#[test]
fn p_is_called_too_small_only_where_it_could_be() {
    let gold: &[u8] = b"a B-x
";
    let files: &[File] = &[("g", gold), ("a", gold), ("b", gold)];
    let same = text(files, &["g", "a", "b", "--paired-bs=99"]);
    assert!(same.contains("1.0000") && !same.contains("too small"), "{same}");
    let owned = two_predictions();
    let files: Vec<File> = owned.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    assert!(text(&files, &["g", "a", "b", "--paired-bs=99"]).contains("too small"));
}

#[test]
fn thousands_of_types_are_tested_in_little_memory() {
    // A table of every type in every sentence would take 9000² counts, gigabytes of them.
    let file = |shift: usize| -> Vec<u8> {
        let line = |n: usize| format!("w\tB-{}\n\n", (n + shift) % 9000);
        (0..9000).map(line).collect::<String>().into_bytes()
    };
    let (gold, other) = (file(0), file(1));
    let files: &[File] = &[("g", &gold), ("a", &gold), ("b", &other)];
    let found = scores(files, &["g", "a", "b", "--paired-bs=9", "--paired-ar=9"]);
    assert_eq!(found["paired_bootstrap"]["macro_f1"]["units"], 9000);
    assert_eq!(found["approximate_randomisation"]["micro_f1"]["difference"], 1.0);
}
