use super::*;
use analysis::synthetic;
use store::Results;

fn key() -> JobKey {
    JobKey("ab".to_owned())
}

/// Token, gold and predicted, a line each; an empty one ends a sentence.
fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| line.replace(' ', "\t") + "\n").collect()
}

#[test]
fn errors_are_counted_by_type_and_shown_in_their_words() {
    let predictions = text(&[
        "Ada B-person B-person",
        "Lovelace I-person I-person",
        "saw O O",
        "Paris B-place B-person",
        "",
        "New B-place B-place",
        "York I-place O",
        "met O B-person",
        "Babbage B-person O",
        "",
    ]);
    let found = errors_of(&key(), &predictions, false).expect("predictions");
    assert_eq!((found.sentences, found.is_partial), (2, false));
    let [person, place] = &found.types[..] else { panic!("{found:?}") };
    assert_eq!((person.name.as_str(), person.gold, person.correct), ("person", 2, 1));
    assert_eq!(person.counts, [1, 1, 0, 0]);
    assert_eq!((place.name.as_str(), place.gold, place.correct), ("place", 2, 0));
    assert_eq!(place.counts, [0, 0, 1, 1]);
    let shown = |example: &Example| {
        let Example { before, entity, after, .. } = example;
        format!("{before} [{entity}] {after}")
    };
    assert_eq!(shown(&person.examples[0]), "New York met [Babbage] ");
    assert_eq!(shown(&place.examples[1]), " [New York] met Babbage");
    let instead = place.examples[1].instead.clone();
    assert_eq!(instead, Some(("place".to_owned(), "New".to_owned())));
    assert_eq!(place.examples[0].kind, ErrorKind::WrongType);
}

#[test]
fn every_entity_of_gold_has_one_fate() {
    let mut predictions = String::new();
    for n in 0..500u32 {
        let tag = |salt: u32| match n.wrapping_mul(2_654_435_761).rotate_left(salt) % 5 {
            0 => "B-a",
            1 => "I-a",
            2 => "B-b",
            _ => "O",
        };
        predictions += &format!("w{n}\t{}\t{}\n", tag(3), tag(11));
        predictions += if n % 9 == 8 { "\n" } else { "" };
    }
    let found = errors_of(&key(), &predictions, true).expect("predictions");
    for of_type in &found.types {
        let [missed, _, wrong_type, wrong_boundary] = of_type.counts;
        assert_eq!(of_type.gold, of_type.correct + missed + wrong_type + wrong_boundary);
        assert!(of_type.gold > 9 && of_type.examples.len() <= 12);
    }
    assert_eq!(errors_of(&key(), &predictions, true), Some(found), "the same every time");
}

#[test]
fn what_is_shown_has_a_bounded_length() {
    let long = "x".repeat(100_000);
    let mut predictions = String::new();
    for n in 0..2000 {
        let tag = if n < 1000 { "O" } else { "I-T" };
        predictions += &format!("{long}\t{tag}\tO\n");
    }
    let found = errors_of(&key(), &predictions, false).expect("predictions");
    let [example] = &found.types[0].examples[..] else { panic!("one long entity") };
    let length = example.before.len() + example.entity.len() + example.after.len();
    assert!(length < 40 * 60, "{length}");
    let types: String = (0..200).map(|n| format!("w\tB-{n}\tO\n\n")).collect();
    let found = errors_of(&key(), &types, false).expect("predictions");
    assert_eq!(found.types.len(), 200, "all are counted");
    assert_eq!(found.types.iter().filter(|of_type| !of_type.examples.is_empty()).count(), 30);
}

#[test]
fn what_is_no_file_of_predictions_gives_nothing() {
    for odd in ["", "\n\n", "one column\n", "a\tB-x\n", "a\tX\tO\n", "a\tB-x\tä\n", "\u{0}"] {
        assert_eq!(errors_of(&key(), odd, false), None, "{odd:?}");
    }
}

#[test]
fn the_first_seeds_of_baseline_and_best_are_read() {
    let (view, results) = synthetic::grid();
    let read = jobs_to_read(&view, &(&results).into());
    let named: Vec<String> = read
        .iter()
        .filter_map(|key| view.jobs.iter().find(|job| job.key == *key))
        .map(|job| format!("{} {} {}", job.point.model, job.point.method, job.point.seed))
        .collect();
    assert_eq!(
        named,
        [
            "shallow-softmax original 1",
            "shallow-softmax scr 1",
            "bilstm-softmax original 1",
            "bilstm-softmax scr 1"
        ]
    );
    assert_eq!(jobs_to_read(&view, &(&Results::default()).into()), []);
}

#[test]
fn of_methods_that_print_alike_the_first_is_read() {
    let (view, mut results) = synthetic::grid();
    for row in &mut results.metrics {
        row.f1 = match row.point.method.as_str() {
            "scr" => 0.5,
            "scrd" => 0.500_001,
            _ => 0.4,
        };
    }
    let board = Scoreboard::new(&view, &(&results).into(), view.metric);
    let read = |board: &Scoreboard| worth_reading(&view, board, &view.panels()[0], &view.models[0]);
    assert_eq!(read(&board), ["original", "scr"]);
    results.metrics.iter_mut().for_each(|row| row.f1 = 0.0);
    assert_eq!(read(&Scoreboard::new(&view, &(&results).into(), view.metric)), ["original"]);
}

#[test]
fn a_large_grid_has_few_files_read() {
    let methods: Vec<String> = (0..3).map(|n| format!("m{n}")).collect();
    let models: Vec<String> = (0..50).map(|n| format!("model{n}")).collect();
    let (view, results) = synthetic::named(&methods, &models);
    assert_eq!(jobs_to_read(&view, &(&results).into()).len(), MOST_JOBS);
}
