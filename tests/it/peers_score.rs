//! `tailgrid score` against seqeval, SeqScore, nervaluate and scikit-learn: on a few recorded
//! files, and with `make test-peers` on thousands of random ones, half of them broken.
//! `tests/peers/score.py` makes the files and says what the others make of them.

use crate::program::{Workspace, python, repository};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// How many random files.
const FILES: usize = 10_000;

/// Two programs may add the same numbers in another order.
const CLOSE: f64 = 1e-9;

/// A random file and what others say of it.
struct Case(Value);

impl Case {
    /// The lines of a file with a token and these columns.
    fn file(&self, columns: &[&str]) -> String {
        let list = |value: &Value| value.as_array().unwrap().clone();
        let sides: Vec<Vec<Value>> = columns.iter().map(|name| list(&self.0[*name])).collect();
        let mut text = String::new();
        for sentence in 0..sides[0].len() {
            for token in 0..list(&sides[0][sentence]).len() {
                text += &format!("w{token}");
                for side in &sides {
                    text += &format!("\t{}", side[sentence][token].as_str().unwrap());
                }
                text.push('\n');
            }
            text.push('\n');
        }
        text
    }

    /// Scores it in every mode; every second one as two files. What differs, if anything.
    fn differences(&self, workspace: &Workspace, number: usize) -> Vec<String> {
        let files: &[&str] =
            if number.is_multiple_of(2) { &["both"] } else { &["gold", "predicted"] };
        match files {
            ["both"] => workspace.write("both", &self.file(&["gold", "predicted"])),
            _ => files.iter().for_each(|name| workspace.write(name, &self.file(&[name]))),
        }
        let mut found = vec![];
        for (mode, expected) in self.0["modes"].as_object().unwrap() {
            let zero = expected["zero_division"].to_string();
            let scheme = self.0["scheme"].as_str().unwrap();
            let options = ["--mode", mode, "--scheme", scheme, "--zero-division", &zero];
            let scores =
                workspace.json(&[&["score"], files, &options, &["--matching"][..]].concat());
            let mut compared = Compared { mode, found: vec![] };
            compared.all(&scores, expected);
            found.append(&mut compared.found);
        }
        found
    }
}

/// Collects differences in one mode.
struct Compared<'a> {
    mode: &'a str,
    found: Vec<String>,
}

const RATIOS: [&str; 3] = ["precision", "recall", "f1"];
const CATEGORIES: [&str; 7] =
    ["correct", "incorrect", "partial", "missed", "spurious", "possible", "actual"];
const CRITERIA: [&str; 4] = ["strict", "exact", "partial", "ent_type"];

impl Compared<'_> {
    fn all(&mut self, scores: &Value, expected: &Value) {
        if let Some(seqeval) = expected.get("seqeval") {
            self.level("seqeval", scores, seqeval);
        }
        if let Some(seqscore) = expected.get("seqscore") {
            self.seqscore(scores, seqscore);
        }
        if let Some(nervaluate) = expected.get("nervaluate") {
            self.nervaluate(scores, nervaluate, expected["zero_division"] == 0);
        }
        if let Some(accuracy) = expected.get("accuracy") {
            self.number("accuracy", &scores["accuracy"]["accuracy"], accuracy);
        }
        if let Some(tokens) = expected.get("tokens") {
            self.tokens(scores, tokens);
        }
    }

    /// Types and averages of a level.
    fn level(&mut self, who: &str, scores: &Value, expected: &Value) {
        let fields = [&RATIOS[..], &["support"]].concat();
        self.by_name(who, &scores["types"], &expected["types"], &fields);
        for average in ["micro", "macro", "weighted"] {
            if let Some(expected) = expected.get(average) {
                self.fields(&format!("{who}: {average}"), &scores[average], expected, &RATIOS);
            }
        }
    }

    fn seqscore(&mut self, scores: &Value, expected: &Value) {
        let counts = ["support", "predicted", "correct"];
        self.by_name("SeqScore", &scores["types"], &expected["types"], &counts);
        self.fields("SeqScore: micro", &scores["micro"], &expected["micro"], &counts);
    }

    fn nervaluate(&mut self, scores: &Value, expected: &Value, with_ratios: bool) {
        let found = &scores["matching"];
        let fields =
            if with_ratios { [&RATIOS[..], &CATEGORIES].concat() } else { CATEGORIES.into() };
        for criterion in CRITERIA {
            let who = format!("nervaluate: {criterion}");
            self.fields(&who, &found["all"][criterion], &expected["all"][criterion], &fields);
        }
        self.names("nervaluate", &found["types"], &expected["types"]);
        for (name, expected) in expected["types"].as_object().unwrap() {
            for criterion in CRITERIA {
                let who = format!("nervaluate: {name}: {criterion}");
                self.fields(&who, &found["types"][name][criterion], &expected[criterion], &fields);
            }
        }
    }

    /// scikit-learn on tokens. It has no say where no token has an entity type.
    fn tokens(&mut self, scores: &Value, expected: &Value) {
        if let Some(expected) = expected.get("token") {
            self.level("tokens", &scores["token"], &without_idle_weights(expected));
        }
        let mut expected = expected["token_with_o"].clone();
        let classes = expected["types"].as_object_mut().unwrap();
        if let Some(outside) = classes.remove("") {
            let found = &scores["token_with_o"]["outside"];
            self.fields("tokens with O: O", found, &outside, &RATIOS);
        }
        let mut found = scores["token_with_o"].clone();
        found["types"] = scores["token"]["types"].clone();
        self.level("tokens with O", &found, &expected);
    }

    /// The rows of each name, which must be the same names.
    fn by_name(&mut self, who: &str, found: &Value, expected: &Value, fields: &[&str]) {
        self.names(who, found, expected);
        for (name, expected) in expected.as_object().unwrap() {
            self.fields(&format!("{who}: {name}"), &found[name], expected, fields);
        }
    }

    fn names(&mut self, who: &str, found: &Value, expected: &Value) {
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        if names(found) != names(expected) {
            self.tell(who, &format!("{:?} for {:?}", names(found), names(expected)));
        }
    }

    fn fields(&mut self, who: &str, found: &Value, expected: &Value, fields: &[&str]) {
        for field in fields {
            self.number(&format!("{who}: {field}"), &found[*field], &expected[*field]);
        }
    }

    fn number(&mut self, who: &str, found: &Value, expected: &Value) {
        let close =
            found.as_f64().zip(expected.as_f64()).is_some_and(|(a, b)| (a - b).abs() < CLOSE);
        if !close {
            self.tell(who, &format!("{found} for {expected}"));
        }
    }

    fn tell(&mut self, who: &str, what: &str) {
        self.found.push(format!("mode {}: {who}: {what}", self.mode));
    }
}

/// Without support scikit-learn weights nothing by nothing in a way of its own.
fn without_idle_weights(level: &Value) -> Value {
    let mut level = level.clone();
    let supported = |row: &Value| row["support"].as_f64() > Some(0.0);
    if !level["types"].as_object().unwrap().values().any(supported) {
        level.as_object_mut().unwrap().remove("weighted");
    }
    level
}

/// Scores every line's file, on all cores, and fails with the first differences.
fn compare(lines: impl Iterator<Item = String> + Send) -> usize {
    let lines = Mutex::new(lines.enumerate());
    let (compared, different) = (Mutex::new(0), Mutex::new(Vec::new()));
    let work = || {
        let workspace = Workspace::new();
        loop {
            let Some((number, line)) = lines.lock().unwrap().next() else { return };
            let case = Case(serde_json::from_str(&line).unwrap());
            let found = case.differences(&workspace, number);
            *compared.lock().unwrap() += 1;
            if !found.is_empty() {
                different.lock().unwrap().push(format!("file {number}: {found:#?}\n{line}"));
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
    });
    let different = different.into_inner().unwrap();
    let shown = different.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} files differ:\n{shown}", different.len());
    compared.into_inner().unwrap()
}

#[test]
fn recorded_files_score_as_seqeval_seqscore_and_nervaluate_say() {
    let recorded = include_str!("../vectors/scoring.jsonl");
    assert_eq!(compare(recorded.lines().map(str::to_owned)), 30);
}

#[test]
fn one_wrong_number_is_noticed() {
    let recorded = include_str!("../vectors/scoring.jsonl").lines().next().unwrap();
    let workspace = Workspace::new();
    for place in [
        "/modes/conlleval/seqeval/micro/f1",
        "/modes/discard/seqscore/micro/correct",
        "/modes/conlleval/nervaluate/all/partial/missed",
    ] {
        let mut case = Case(serde_json::from_str(recorded).unwrap());
        assert_eq!(case.differences(&workspace, 0), [""; 0]);
        *case.0.pointer_mut(place).unwrap() = Value::from(0.123);
        assert_eq!(case.differences(&workspace, 1).len(), 1, "{place}");
    }
}

#[test]
#[ignore = "needs Python libraries: make test-peers"]
fn peers_score() {
    let mut script = Command::new(python("peers"))
        .arg(repository().join("tests/peers/score.py"))
        .arg(FILES.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python of scripts/need-peers");
    let lines = BufReader::new(script.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(compare(lines), FILES);
    assert!(script.wait().unwrap().success());
}
