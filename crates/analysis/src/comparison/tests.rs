//! Comparisons of a whole grid: what is paired, corrected, listed and left out.

use super::*;
use crate::synthetic;
use domain::Metric;
use store::{Results, Status};

fn compared(view: &GridView, results: &Results) -> Vec<Comparison> {
    compare(view, &Scoreboard::new(view, &results.into(), Metric::MacroF1))
}

fn set_f1(results: &mut Results, method: &str, f1: impl Fn(u64) -> f64) {
    for row in results.metrics.iter_mut().filter(|r| r.point.method == method) {
        row.f1 = f1(row.point.seed);
    }
}

#[test]
fn every_method_is_compared_once_for_every_model() {
    let (view, results) = synthetic::grid();
    let comparisons = compared(&view, &results);
    assert_eq!(comparisons.len(), 2 * 5);
    assert!(comparisons.iter().all(|c| c.n == 5 && c.missing_pairs == 0));
    assert!(comparisons.iter().all(|c| c.method != "original"));
}

#[test]
fn numbers_agree_with_scipy() {
    // tests/vectors/stats.json, first paired case: ttest_rel, wilcoxon (exact), Cohen's d_z.
    let a = [80.0, 80.9, 79.18, 77.33, 78.64];
    let b = [81.19, 80.83, 77.57, 77.92, 79.38];
    let (view, mut results) = synthetic::grid();
    set_f1(&mut results, "original", |seed| b[seed as usize - 1]);
    set_f1(&mut results, "sc", |seed| a[seed as usize - 1]);
    let comparisons = compared(&view, &results);
    let sc = comparisons.iter().find(|c| c.method == "sc").expect("sc is in the grid");
    let near = |x: Option<f64>, y: f64| assert!((x.unwrap_or(f64::NAN) - y).abs() < 1e-8);
    near(sc.t, -0.34408895342090184);
    near(sc.p, 0.7481070270260469);
    near(sc.ci_low, -1.5235877718127273);
    near(sc.ci_high, 1.1875877718127372);
    near(sc.wilcoxon_p, 0.8125);
    near(sc.effect_size, -0.15388125803118433);
}

#[test]
fn a_failed_seed_is_a_missing_pair_and_not_dropped_in_silence() {
    let (view, mut results) = synthetic::grid();
    let run = results.runs.iter_mut().find(|r| r.point.method == "original");
    run.expect("the baseline ran").status = Status::Failed;
    let comparisons = compared(&view, &results);
    let short: Vec<_> = comparisons.iter().filter(|c| c.missing_pairs == 1).collect();
    assert_eq!(short.len(), 5);
    assert!(short.iter().all(|c| c.n == 4));
}

#[test]
fn equal_scores_have_p_one_and_a_constant_shift_has_no_test() {
    let (view, mut results) = synthetic::grid();
    set_f1(&mut results, "original", |seed| 0.5 + seed as f64 / 64.0);
    set_f1(&mut results, "sc", |seed| 0.5 + seed as f64 / 64.0);
    set_f1(&mut results, "scr", |seed| 0.75 + seed as f64 / 64.0);
    let comparisons = compared(&view, &results);
    let of = |method| comparisons.iter().find(|c| c.method == method).expect("in the grid");
    assert_eq!((of("sc").p, of("sc").difference, of("sc").t), (Some(1.0), Some(0.0), None));
    assert_eq!((of("scr").p, of("scr").p_holm), (None, None));
    assert_eq!(of("scr").verdict(), Verdict::Untested);
    assert!(of("scr").remark.is_some());
}

#[test]
fn one_pair_gives_a_difference_and_no_test() {
    let (mut view, results) = synthetic::grid();
    view.jobs.retain(|job| job.point.seed == 1);
    let comparisons = compared(&view, &results);
    assert!(comparisons.iter().all(|c| c.n == 1 && c.difference.is_some() && c.p.is_none()));
}

#[test]
fn a_selection_changes_no_number_and_keeps_the_baseline_to_compare_with() {
    let (view, results) = synthetic::grid();
    let whole = compared(&view, &results);
    for methods in [&["scr", "original"][..], &["scr"]] {
        let chosen = synthetic::showing(view.clone(), |point| {
            methods.contains(&point.method.as_str()) && point.model == "bilstm-softmax"
        });
        let expected = whole.iter().filter(|c| c.method == "scr" && c.model != "shallow-softmax");
        assert_eq!(compared(&chosen, &results), expected.cloned().collect::<Vec<_>>());
    }
    let scr = whole.iter().find(|c| c.method == "scr").expect("in the grid");
    assert!(scr.p_holm > scr.p, "the correction does nothing here");
}

#[test]
fn an_undefined_test_still_counts_in_its_family() {
    let (view, mut results) = synthetic::grid();
    let all = compared(&view, &results);
    let first = all.iter().find(|c| c.method == "focal").and_then(|c| c.p).expect("tested");
    set_f1(&mut results, "original", |seed| 0.5 + (seed % 3) as f64 / 64.0);
    for method in ["sc", "scr", "scrd", "nscrd"] {
        set_f1(&mut results, method, |seed| 0.75 + (seed % 3) as f64 / 64.0);
    }
    let focal = compared(&view, &results).into_iter().find(|c| c.method == "focal");
    let focal = focal.expect("in the grid");
    let (p, p_holm) = (focal.p.expect("tested"), focal.p_holm.expect("tested"));
    assert!((p_holm - (5.0 * p).min(1.0)).abs() < 1e-12, "{p} {p_holm} {first}");
}

#[test]
fn pairs_of_either_seed_are_missing_where_one_has_none() {
    let (mut view, mut results) = synthetic::grid();
    let is = |point: &domain::Point, method: &str, seed: u64| {
        point.method == method && point.seed == seed && point.model == "bilstm-softmax"
    };
    view.jobs.retain(|job| !is(&job.point, "sc", 2));
    results.runs.retain(|run| !is(&run.point, "original", 4));
    let run = results.runs.iter_mut().find(|run| is(&run.point, "sc", 4)).expect("it ran");
    run.status = Status::Failed;
    let comparisons = compared(&view, &results);
    let sc = comparisons.iter().find(|c| c.method == "sc" && c.model == "bilstm-softmax");
    let sc = sc.expect("in the grid");
    assert_eq!((sc.n, sc.missing_pairs), (3, 2));
    let words = "seed 2 (sc is not planned); seed 4 (sc failed, original has not run)";
    assert_eq!(sc.missing_in_words().as_deref(), Some(words));
}

#[test]
fn enough_pairs_have_a_bootstrap_interval() {
    let (mut view, mut results) = synthetic::grid();
    view.seeds = (1..=10).collect();
    for mut job in view.jobs.clone() {
        (job.key.0, job.point.seed) = (format!("{}+", job.key.0), job.point.seed + 5);
        view.jobs.push(job);
    }
    for mut run in results.runs.clone() {
        (run.job.0, run.point.seed) = (format!("{}+", run.job.0), run.point.seed + 5);
        results.runs.push(run);
    }
    for mut row in results.metrics.clone() {
        (row.job.0, row.point.seed) = (format!("{}+", row.job.0), row.point.seed + 5);
        row.f1 += 0.001 * (row.point.method.len() as f64);
        results.metrics.push(row);
    }
    for c in compared(&view, &results) {
        let (low, high) = (c.bca_low.expect("ten pairs"), c.bca_high.expect("ten pairs"));
        assert!(c.n == 10 && low < high && Some(low) < c.difference && c.difference < Some(high));
    }
}

mod looks {
    use super::*;
    use domain::{Spending, Stopping, TrainingVerdict};

    fn of_sc(looks: &[usize], change: impl Fn(&mut Results)) -> Sequential {
        let (mut view, mut results) = synthetic::grid();
        view.stopping = Some(Stopping { looks: looks.to_vec(), spending: Spending::Pocock });
        change(&mut results);
        let all = compared(&view, &results);
        let sc = all.into_iter().find(|c| c.method == "sc").expect("in the grid");
        sc.sequential.expect("looks are planned")
    }

    fn of_sc_at(run: &store::RunRow, seed: u64) -> bool {
        run.point.method == "sc" && run.point.seed == seed
    }

    #[test]
    fn a_look_uses_its_own_seeds_and_no_later_ones() {
        let found = of_sc(&[3, 5], |_| {});
        let at_three = found.looks[0].p.expect("three pairs");
        let (view, results) = synthetic::grid();
        let board = Scoreboard::new(&view, &(&results).into(), Metric::MacroF1);
        let f1 = |method: &str| board.cell(&view.panels()[0], &view.models[0], method).f1();
        let differences: Vec<f64> =
            f1("sc").iter().zip(f1("original")).take(3).map(|(a, b)| a - b).collect();
        assert_eq!(Some(at_three), stats::paired_t(&differences).and_then(|t| t.p));
    }

    #[test]
    fn what_has_not_run_is_waited_for_and_what_failed_is_not() {
        let waits = of_sc(&[3, 5], |results| results.runs.retain(|run| !of_sc_at(run, 2)));
        assert_eq!((waits.looks.len(), waits.verdict), (0, LooksVerdict::Open));
        assert_eq!(waits.in_words(), "open: waits for seed 2");
        let lost = of_sc(&[3, 5], |results| {
            let failed = results.runs.iter_mut().filter(|run| of_sc_at(run, 2));
            failed.for_each(|run| run.status = Status::Failed);
        });
        assert_eq!(lost.looks[0].n, 2);
        assert!(lost.waits_for.is_empty());
    }

    #[test]
    fn looks_end_with_a_verdict_or_with_the_seeds() {
        assert_eq!(of_sc(&[3, 5], |_| {}).in_words(), "above after 5 seeds");
        let equal = of_sc(&[3, 5], |results| results.metrics.iter_mut().for_each(|r| r.f1 = 0.5));
        assert_eq!(equal.in_words(), "no difference shown after 5 seeds");
        let more = of_sc(&[10, 20], |_| {});
        assert_eq!(more.in_words(), "open: the grid has too few seeds for the look at 10");
        assert_eq!((more.next_look, more.waits_for), (Some(10), vec![]));
    }

    /// Lets the jobs of these seeds fail.
    fn failing(seeds: &'static [u64]) -> impl Fn(&mut Results) {
        move |results| {
            let lost = results.runs.iter_mut().filter(|run| seeds.contains(&run.point.seed));
            lost.for_each(|run| run.status = Status::Failed);
        }
    }

    #[test]
    fn a_look_that_adds_no_pair_is_skipped_and_said_to_be() {
        let last = of_sc(&[2, 3, 5], failing(&[4, 5]));
        assert_eq!(last.verdict, LooksVerdict::NoDifference);
        assert_eq!(
            last.in_words(),
            "no difference shown after 3 seeds; the look at 5 was skipped: it adds no pair"
        );
        let json = serde_json::to_value(&last).expect("JSON");
        assert_eq!(json["verdict"], "no difference shown");
        assert_eq!(json["looks"][2]["skipped"], "it adds no pair");
        assert!(json["looks"][2]["level"].is_null());
    }

    #[test]
    fn what_a_skipped_look_would_have_spent_is_left_to_the_next() {
        let skipped = of_sc(&[2, 3, 5], failing(&[3]));
        assert_eq!(skipped.looks[1].skipped, Some(SkippedLook::NoNewPair));
        let without = of_sc(&[2, 5], failing(&[3]));
        let level = |found: &Sequential| found.looks.last().and_then(|look| look.level);
        assert_eq!(level(&skipped), level(&without));
        assert!(level(&skipped).is_some());
    }

    /// Lets the models of a method never learn, of these seeds.
    fn never_learning(method: &'static str, seeds: &'static [u64]) -> impl Fn(&mut Results) {
        move |results| {
            let of_method = results.runs.iter_mut().filter(|run| run.point.method == method);
            let lost = of_method.filter(|run| seeds.contains(&run.point.seed));
            lost.for_each(|run| run.verdict = Some(TrainingVerdict::NeverLearned));
        }
    }

    #[test]
    fn a_look_at_models_that_never_learned_is_skipped() {
        for method in ["sc", "original"] {
            let all = of_sc(&[3, 5], never_learning(method, &[1, 2, 3, 4, 5]));
            assert_eq!(all.verdict, LooksVerdict::Untested);
            assert!(all.looks.iter().all(|look| look.skipped == Some(SkippedLook::NeverLearned)));
        }
        let half = of_sc(&[3, 5], never_learning("original", &[1, 2]));
        assert_eq!(half.looks[0].skipped, Some(SkippedLook::NeverLearned));
        assert_eq!(half.looks[1].skipped, None);
    }

    #[test]
    fn looks_without_a_test_end_untested() {
        let lost = of_sc(&[3, 5], failing(&[1, 2, 3, 4, 5]));
        assert_eq!(lost.verdict, LooksVerdict::Untested);
        assert!(lost.looks.iter().all(|look| look.skipped == Some(SkippedLook::NoNewPair)));
        let one = of_sc(&[3, 5], failing(&[1, 2, 4, 5]));
        assert_eq!(one.looks[1].skipped, Some(SkippedLook::OnePair));
        assert!(one.in_words().starts_with("not tested"), "{}", one.in_words());
        let shifted = of_sc(&[3, 5], |results| {
            for row in &mut results.metrics {
                row.f1 = if row.point.method == "sc" { 0.75 } else { 0.5 };
            }
        });
        assert_eq!(Verdict::from(shifted.verdict), Verdict::Untested);
    }
}

mod across {
    use super::*;
    use crate::synthetic::two_corpora;

    fn ranked(view: &GridView, results: &Results) -> Vec<AcrossCorpora> {
        across_corpora(view, &Scoreboard::new(view, &results.into(), Metric::MacroF1))
    }

    #[test]
    fn every_model_has_its_ranking() {
        let (view, results) = two_corpora();
        let found = ranked(&view, &results);
        assert_eq!(found.iter().map(|r| r.model.as_str()).collect::<Vec<_>>(), view.models);
        let first = &found[0];
        assert_eq!((first.corpora.len(), first.methods.len(), first.df), (2, 6, 5));
        assert_eq!((first.methods[0].method.as_str(), first.methods[0].mean_rank), ("scr", 1.0));
        assert!(first.methods.is_sorted_by(|a, b| a.mean_rank <= b.mean_rank));
        assert!(first.left_out.is_empty());
    }

    #[test]
    fn what_cannot_be_ranked_is_listed() {
        let (mut view, mut results) = two_corpora();
        results.runs.retain(|run| run.point.method != "sc" || run.point.corpus != "other");
        for job in view.jobs.iter_mut().filter(|job| job.point.method == "focal") {
            job.not_applicable = Some("no".to_owned());
        }
        let left = &ranked(&view, &results)[0].left_out;
        let names: Vec<&str> = left.iter().map(|left| left.name.as_str()).collect();
        assert_eq!(names, ["sc", "focal"]);
        assert!(left[0].reason.contains("no score on other"));
    }

    #[test]
    fn means_are_over_the_seeds_that_all_methods_have() {
        let (view, mut results) = two_corpora();
        // On the other corpus `sc` has but two seeds, and its lost ones are where it would be best.
        let of_sc = |point: &domain::Point| point.method == "sc" && point.corpus == "other";
        results.runs.retain(|run| !of_sc(&run.point) || run.point.seed < 3);
        for row in results.metrics.iter_mut().filter(|row| row.point.corpus == "other") {
            row.f1 = if row.point.seed < 3 { 0.2 } else { 0.8 };
            row.f1 += if row.point.method == "sc" { 0.1 } else { 0.0 };
        }
        let found = &ranked(&view, &results)[0];
        assert_eq!((&found.corpora[..], &found.seeds[..]), (&view.corpora[..], &[5, 2][..]));
        let sc = found.methods.iter().find(|ranked| ranked.method == "sc").expect("ranked");
        let on_first = ranked(&view, &two_corpora().1)[0].clone();
        let before = on_first.methods.iter().find(|ranked| ranked.method == "sc").expect("ranked");
        assert!((sc.mean - (before.mean + 0.3) / 2.0).abs() < 1e-12, "{sc:?} {before:?}");
        // Best on the other corpus, though the others' five seeds have the higher mean.
        assert_eq!(sc.mean_rank, (before.mean_rank + 1.0) / 2.0);
    }

    #[test]
    fn a_corpus_without_a_seed_of_all_methods_is_left_out() {
        let (view, mut results) = two_corpora();
        results.runs.retain(|run| {
            let other = run.point.corpus == "other";
            !other || (run.point.seed == 1) == (run.point.method == "sc")
        });
        assert_eq!(ranked(&view, &results), [], "one corpus is left");
    }

    #[test]
    fn what_is_not_selected_is_not_ranked() {
        let (view, results) = two_corpora();
        let chosen = synthetic::showing(view.clone(), |point| {
            ["sc", "scr"].contains(&point.method.as_str()) && point.model == "bilstm-softmax"
        });
        let found = ranked(&chosen, &results);
        assert_eq!(found.len(), 1, "one model is selected");
        let mut names: Vec<&str> = found[0].methods.iter().map(|m| m.method.as_str()).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["original", "sc", "scr"],
            "with the baseline that they are compared with"
        );
        assert!(found[0].left_out.is_empty());
        let one = synthetic::showing(view, |point| point.corpus == "other");
        assert_eq!(ranked(&one, &results), []);
    }

    #[test]
    fn few_corpora_come_with_a_caution() {
        let (view, results) = two_corpora();
        let caution = ranked(&view, &results)[0].caution.clone().expect("two corpora are few");
        assert!(caution.starts_with("With 6 methods on 2 corpora no two methods"), "{caution}");
    }

    #[test]
    fn one_corpus_or_two_methods_are_no_ranking() {
        let (view, results) = synthetic::grid();
        assert_eq!(ranked(&view, &results), []);
        let (mut view, mut results) = two_corpora();
        results.runs.retain(|run| run.point.corpus != "other");
        assert_eq!(ranked(&view, &results), [], "the second corpus has not run");
        view.methods.truncate(2);
        assert_eq!(ranked(&view, &two_corpora().1), []);
    }
}
