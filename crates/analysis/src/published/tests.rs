//! Files of published numbers: what is read, and what is told of those that cannot be.

use super::*;

const HEADER: &str = "corpus,scenario,model,method,type,metric,value,error,note\n";

fn file(rows: &str) -> String {
    format!("# title: Table 1\n# caveat: one run\n{HEADER}{rows}")
}

#[test]
fn a_file_is_read() {
    let text =
        file("conll,low-20,bert,ce,,micro_f1,21.89,2.14,\n\n,,,scr,,token_factor,4.60,,\"a, b\"\n");
    let table = read("t.csv", "t", &text).expect("no mistake");
    assert_eq!(
        (table.title.as_str(), table.caveats.as_slice()),
        ("Table 1", &["one run".to_owned()][..])
    );
    let [score, factor] = &table.rows[..] else { panic!("{:?}", table.rows) };
    assert!((score.value - 0.2189).abs() < 1e-12);
    assert!(score.error.is_some_and(|error| (error - 0.0214).abs() < 1e-12));
    assert_eq!(score.measure.name(), "micro_f1");
    assert_eq!((factor.value, factor.scenario.as_str()), (4.6, "full"));
    assert_eq!(factor.note.as_deref(), Some("a, b"));
}

#[test]
fn columns_may_stand_in_any_order_and_those_that_are_not_needed_be_left_out() {
    let text = "# title: T\nvalue,metric,method,model,corpus\r\n50,macro_f1,a,b,c\r\n";
    let table = read("t.csv", "t", text).expect("no mistake");
    assert_eq!((table.rows[0].value, table.rows[0].corpus.as_str()), (0.5, "c"));
}

#[test]
fn every_mistake_is_told_with_its_line() {
    let text = file(
        "a,full,m,x,,macro_f2,12,,\na,full,m,x,,type_f1,twelve,,\na,full,m,x\n,full,m,,,micro_f1,1,much,\n\
         a,full,m,x,,micro_f1,1,,\na,full,m,x,,micro_f1,2,,\na,full,m,x,,outside_f1,2,,\n\"a,full,m\n",
    );
    let error = read("t.csv", "t", &text).expect_err("mistakes");
    insta::assert_snapshot!("mistakes", error.to_string());
    let empty = read("t.csv", "t", "").expect_err("nothing there");
    insta::assert_snapshot!("empty", empty.to_string());
    let odd =
        read("t.csv", "t", "# title: T\ncorpus,modle,method,metric,value\n").expect_err("a typo");
    insta::assert_snapshot!("header", odd.to_string());
}

#[test]
fn measures_go_both_ways() {
    for name in [
        "micro_f1",
        "macro_precision",
        "macro_fixed_recall",
        "weighted_f1",
        "type_f1",
        "token_type_recall",
        "token_outside_f1",
        "token_factor",
        "sentence_factor",
        "token_share",
        "missampling_rate",
    ] {
        assert_eq!(Measure::named(name).map(Measure::name).as_deref(), Some(name));
    }
    for name in ["", "f1", "macro", "outside_f1", "token_", "micro_f1_"] {
        assert_eq!(Measure::named(name), None, "{name}");
    }
}

#[test]
fn the_shipped_tables_can_be_read() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/published");
    let mut tables = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            let text = std::fs::read_to_string(&path).expect("text");
            let table = read(&path.display().to_string(), "t", &text);
            let table = table.unwrap_or_else(|error| panic!("{error}"));
            assert!(!table.rows.is_empty(), "{}", path.display());
            tables += 1;
        }
    }
    assert!(tables >= 23, "{tables}");
}

#[test]
fn a_harmonic_f1_is_that_of_its_precision_and_recall() {
    // Typing errors in the files of tables whose F1 is micro show here; misprints of the papers are
    // noted.
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/published");
    for name in [
        "wang2022-table-11",
        "wang2022-table-12",
        "wang2022-table-13",
        "wang2022-table-14",
        "nemoto2024-table-01",
        "nemoto2024-table-02",
        "nemoto2024-table-03",
    ] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.csv"))).expect("text");
        let table = read(name, name, &text).expect("no mistake");
        for row in table.rows.iter().filter(|row| is_f1(row) && row.note.is_none()) {
            let part = |part: ScorePart| {
                let same = |other: &&PublishedRow| {
                    (&other.corpus, &other.method, &other.entity_type)
                        == (&row.corpus, &row.method, &row.entity_type)
                        && part_of(other) == Some(part)
                        && other.note.is_none()
                };
                table.rows.iter().find(same).map(|other| other.value)
            };
            let (Some(p), Some(r)) = (part(ScorePart::Precision), part(ScorePart::Recall)) else {
                continue;
            };
            let f1 = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
            assert!((f1 - row.value).abs() < 0.0003, "{name}: {row:?} is not {f1}");
        }
    }
}

fn is_f1(row: &PublishedRow) -> bool {
    let macro_ = matches!(row.measure, Measure::Score { scope: Scope::Macro, .. });
    part_of(row) == Some(ScorePart::F1) && !macro_
}

fn part_of(row: &PublishedRow) -> Option<ScorePart> {
    match row.measure {
        Measure::Score { part, .. } => Some(part),
        _ => None,
    }
}
