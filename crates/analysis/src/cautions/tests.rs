//! Which trainings give cautions, and in which words.

use super::*;
use crate::comparison::{Verdict, compare};
use crate::synthetic;
use crate::view::Scoreboard;
use TrainingVerdict::{Converged, NeverLearned, StillImproving};

fn seed(verdict: TrainingVerdict, budget: u64, best_dev: f64) -> Trained {
    Trained {
        verdict: Some(verdict),
        budget: Some(budget),
        updates: Some(budget),
        best_dev: Some(best_dev),
        ..Trained::default()
    }
}

/// What is said of five seeds of `scr` against as many of the baseline, each with so many seeds
/// of a verdict and a budget.
fn told(
    method: [(TrainingVerdict, u64, usize); 2],
    other: [(TrainingVerdict, u64, usize); 2],
) -> Vec<Caution> {
    let training = |parts: [(TrainingVerdict, u64, usize); 2]| {
        let best = |verdict| if verdict == NeverLearned { 0.004 } else { 0.5 };
        let seeds =
            |(verdict, budget, n)| std::iter::repeat_n(seed(verdict, budget, best(verdict)), n);
        Training::new(parts.into_iter().flat_map(seeds))
    };
    let names = [("bilstm-softmax", "scr"), ("bilstm-softmax", "original")];
    let mut cautions = between(names, &training(method), &training(other));
    cautions.iter_mut().for_each(Caution::name_baseline);
    cautions
}

fn texts(cautions: &[Caution]) -> Vec<String> {
    cautions.iter().map(Caution::text).collect()
}

/// All five seeds alike.
fn all(verdict: TrainingVerdict, budget: u64) -> [(TrainingVerdict, u64, usize); 2] {
    [(verdict, budget, 5), (verdict, budget, 0)]
}

#[test]
fn converged_models_of_equal_budgets_get_no_caution() {
    assert!(told(all(Converged, 400), all(TrainingVerdict::StoppedEarly, 400)).is_empty());
    let unknown = Training::new([Trained::default(); 5]);
    assert!(between([("m", "a"), ("m", "b")], &unknown, &unknown).is_empty());
    assert!(between([("m", "a"), ("m", "b")], &Training::default(), &unknown).is_empty());
}

#[test]
fn a_side_that_never_learned_is_named_with_the_fix() {
    let cautions = told(all(Converged, 36), all(NeverLearned, 36));
    assert_eq!(
        texts(&cautions),
        [
            "the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 36 updates; raise \
             training.updates"
        ]
    );
    assert!(cautions[0].forbids_a_verdict() && cautions[0].side == CautionedSide::Baseline);
    let cautions = told(all(NeverLearned, 5000), all(Converged, 5000));
    assert_eq!(
        texts(&cautions),
        [
            "`scr` of bilstm-softmax never learned: dev micro-F1 0.00 after 5,000 updates; try another \
             training.learning_rate, or raise training.updates"
        ]
    );
    assert_eq!(cautions[0].side, CautionedSide::Method);
}

#[test]
fn half_of_the_seeds_is_a_side_that_never_learned_and_fewer_is_a_caution() {
    let half = told(all(Converged, 36), [(NeverLearned, 36, 3), (Converged, 36, 3)]);
    assert!(half[0].forbids_a_verdict());
    assert_eq!(half[0].doubt.kind(), "never-learned");
    assert!(half[0].text().contains(" never learned in 3 of 6 seeds: dev"), "{half:?}");
    let fewer = told(all(Converged, 36), [(NeverLearned, 36, 2), (Converged, 36, 3)]);
    assert!(!fewer[0].forbids_a_verdict());
    assert_eq!(fewer[0].doubt.kind(), "some-never-learned");
    assert_eq!(
        texts(&fewer),
        [
            "the baseline of bilstm-softmax never learned in 2 of 5 seeds: dev micro-F1 0.00 after 36 \
             updates; raise training.updates"
        ]
    );
}

#[test]
fn a_side_that_was_still_improving_gets_a_note() {
    let cautions = told(all(StillImproving, 36), all(Converged, 36));
    assert_eq!(
        texts(&cautions),
        [
            "`scr` of bilstm-softmax was still improving at the end of its budget; raise training.epochs \
             or training.updates"
        ]
    );
    assert_eq!((cautions[0].doubt.kind(), cautions[0].doubt.word()), ("still-improving", "note"));
    let some = told([(StillImproving, 36, 1), (Converged, 36, 4)], all(Converged, 36));
    assert!(texts(&some)[0].contains("its budget in 1 of 5 seeds; raise"), "{some:?}");
}

#[test]
fn budgets_are_compared_and_not_what_early_stopping_left() {
    let unequal = told(all(Converged, 936), all(Converged, 360));
    assert_eq!(
        texts(&unequal),
        [
            "the comparison of `scr` with the baseline of bilstm-softmax mixes the method with 2.6 × the \
             updates; give both the same number with training.budget: updates or training.updates"
        ]
    );
    assert!(!unequal[0].forbids_a_verdict());
    let less = told(all(Converged, 360), all(Converged, 936));
    assert!(texts(&less)[0].contains("with 0.38 × the updates"), "{less:?}");
    // Ten per cent in either direction are equal.
    assert!(told(all(Converged, 396), all(Converged, 360)).is_empty());
    assert!(told(all(Converged, 360), all(Converged, 396)).is_empty());
    assert_eq!(told(all(Converged, 397), all(Converged, 360)).len(), 1);
    let stopped = Trained { updates: Some(40), ..seed(Converged, 360, 0.5) };
    let names = [("m", "a"), ("m", "b")];
    let early = Training::new([stopped; 5]);
    assert!(between(names, &early, &Training::new([seed(Converged, 360, 0.5); 5])).is_empty());
    let whole = Trained { budget: None, updates: None, ..seed(Converged, 0, 0.5) };
    assert!(between(names, &early, &Training::new([whole; 5])).is_empty(), "no budget");
}

#[test]
fn full_batch_training_is_given_no_advice_on_updates() {
    let whole = |verdict| {
        let one = Trained { budget: None, updates: None, ..seed(verdict, 0, 0.0) };
        Training::new([one; 5])
    };
    let names = [("shallow", "scr"), ("shallow", "original")];
    let cautions = between(names, &whole(StillImproving), &whole(NeverLearned));
    assert_eq!(
        texts(&cautions),
        [
            "`original` of shallow never learned: dev micro-F1 0.00; check its features and its training data",
            "`scr` of shallow stopped before its optimum"
        ]
    );
}

#[test]
fn methods_of_one_model_share_a_sentence_and_the_baseline_is_told_once() {
    let (view, mut results) = synthetic::badly_trained();
    let longer = (Converged, 768);
    synthetic::train(&mut results, longer, |point| {
        point.model == "shallow-softmax" && point.method == "sc"
    });
    let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    let of_model = |model: &'static str| tests.iter().filter(move |c| c.model == model);
    assert_eq!(
        lines(of_model("bilstm-softmax")),
        [
            "caution: the baseline of bilstm-softmax never learned: dev micro-F1 0.00 after 384 updates; \
             raise training.updates",
            "note: `scr` of bilstm-softmax was still improving at the end of its budget; raise \
             training.epochs or training.updates",
        ]
    );
    assert_eq!(
        sentences(of_model("shallow-softmax")),
        [
            "Caution: the comparisons of sc (2.0 ×) and focal (2.6 ×) with the baseline of shallow-softmax \
             mix the method with so many times the updates; give both the same number with \
             training.budget: updates or training.updates."
        ]
    );
    let lost = (NeverLearned, 384);
    synthetic::train(&mut results, lost, |point| {
        point.model == "bilstm-softmax" && point.method.starts_with("sc")
    });
    let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    let of_model = tests.iter().filter(|c| c.model == "bilstm-softmax");
    assert!(
        lines(of_model)[0].starts_with(
            "caution: the baseline, `sc`, `scr` and `scrd` of bilstm-softmax never learned: dev"
        ),
        "{:?}",
        lines(tests.iter())
    );
}

#[test]
fn places_are_named_where_there_are_several_and_many_cautions_are_counted() {
    let (view, mut results) = synthetic::four_corpora(&["original", "scr"]);
    synthetic::train(&mut results, (NeverLearned, 36), |point| point.corpus == "b");
    let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    let told = sentences(&tests);
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("Caution: on b, the baseline and scr of m never"), "{told:?}");
    let models: Vec<String> = (0..10).map(|n| format!("m{n}")).collect();
    let names = ["original", "scr"].map(str::to_owned);
    let (view, mut results) = synthetic::named(&names, &models);
    synthetic::train(&mut results, (NeverLearned, 36), |_| true);
    let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    let told = sentences(&tests);
    assert_eq!(told.len(), MOST_IN_CAPTIONS + 1);
    assert!(told[8].contains("2 more cautions; tailgrid compare lists"), "{told:?}");
}

#[test]
fn a_comparison_with_a_side_that_never_learned_has_no_verdict_and_no_mark() {
    let (view, results) = synthetic::grid();
    let marked = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    let marked = marked.iter().filter(|c| c.model == "bilstm-softmax" && !c.mark().is_empty());
    assert!(marked.count() > 2, "what is trained has marks");
    let (view, results) = synthetic::badly_trained();
    let tests = compare(&view, &Scoreboard::new(&view, &(&results).into(), view.metric));
    for c in tests.iter().filter(|c| c.model == "bilstm-softmax") {
        assert_eq!((c.verdict(), c.mark()), (Verdict::Untrained, ""), "{}", c.method);
        assert!(c.p_holm.is_some(), "numbers stay");
        assert_eq!(c.baseline_verdicts.never_learned, 5);
    }
    let others = tests.iter().filter(|c| c.model == "shallow-softmax");
    assert!(others.clone().all(|c| c.verdict() != Verdict::Untrained));
    let focal = others.clone().find(|c| c.method == "focal").expect("in the grid");
    assert_eq!((focal.budget, focal.baseline_budget), (Some(998), Some(384)));
    assert!(!focal.mark().is_empty(), "another budget is a caution, no ban");
}

#[test]
fn only_seeds_of_whole_pairs_count() {
    let (view, mut results) = synthetic::grid();
    synthetic::train(&mut results, (NeverLearned, 36), |point| {
        point.method == "original" && point.seed <= 2
    });
    let verdict = |results: &store::Results| {
        let tests = compare(&view, &Scoreboard::new(&view, &results.into(), view.metric));
        tests[0].verdict()
    };
    assert_ne!(verdict(&results), Verdict::Untrained, "two of five");
    results.runs.retain(|run| run.point.method != "sc" || run.point.seed != 5);
    assert_eq!(verdict(&results), Verdict::Untrained, "two of the four that both have");
}
