//! What `power` prints, and what its plans cost.

use super::plan::plans;
use super::*;
use analysis::synthetic;
use clap::Parser;
use domain::JobKey;
use store::{Results, Status};
use sweep::JobState;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

fn args(options: &[&str]) -> Args {
    Line::parse_from([&["power", "grid.yaml"], options].concat()).args
}

/// Scores that lie apart by less than their noise.
fn noisy() -> (GridView, Results) {
    let (view, mut results) = synthetic::grid();
    for row in &mut results.metrics {
        let (seed, method) = (row.point.seed, row.point.method.len() as u64);
        row.f1 = 0.5 + ((seed * 7 + method * 5) % 11) as f64 / 200.0 + method as f64 / 500.0;
    }
    (view, results)
}

fn stands(results: &Results, key: &JobKey) -> JobState {
    match results.runs.iter().find(|run| run.job == *key).map(|run| run.status) {
        Some(Status::Done) => JobState::Done,
        Some(Status::Failed) => JobState::Failed,
        _ => JobState::Todo,
    }
}

fn output<'a>(view: &'a GridView, results: &Results, wanted: &Wanted, seconds: f64) -> Output<'a> {
    let board = Scoreboard::new(view, &results.into(), view.metric);
    let needs = compare(view, &board).iter().map(|c| need(c, wanted)).collect();
    let costs = Costs::new(view, |_| Some(seconds), |key| stands(results, key));
    answer(view, wanted, needs, &costs).expect("a baseline")
}

#[test]
fn the_text_says_what_seeds_buy_and_cost() {
    let (view, results) = noisy();
    let wanted = wanted(&args(&[]));
    insta::assert_snapshot!("power_text", text(&output(&view, &results, &wanted, 90.0), None));
}

#[test]
fn a_given_effect_is_in_points() {
    let (view, results) = noisy();
    let wanted = wanted(&args(&["--effect", "1.5", "--power", "0.9", "--alpha", "0.1"]));
    assert_eq!(wanted, Wanted { power: 0.9, alpha: 0.1, effect: Some(0.015) });
    let found = output(&view, &results, &wanted, 90.0);
    let first = &found.comparisons[0].need;
    let sd = first.difference_sd.expect("five pairs");
    assert!((first.effect.expect("asked for") - 0.015 / sd).abs() < 1e-12);
    let json = serde_json::to_value(&found).expect("JSON");
    assert_eq!(json["effect"], 0.015);
    assert_eq!(json["comparisons"][0]["method"], "sc");
    assert!(json["comparisons"][0]["hours"].is_number());
}

#[test]
fn numbers_that_are_no_share_or_points_are_refused() {
    for option in [["--power", "80"], ["--alpha", "0"], ["--effect", "-1"], ["--effect", "nan"]] {
        assert!(Line::try_parse_from([&["power", "g.yaml"], &option[..]].concat()).is_err());
    }
    let refused = Line::try_parse_from(["power", "g.yaml", "--alpha", "0"]).err().expect("refused");
    assert!(refused.to_string().contains("above 0 and below 1"), "{refused}");
    let help = Line::try_parse_from(["power", "--help"]).err().expect("help").to_string();
    assert!(help.contains("at 0 no number of seeds shows"), "{help}");
}

#[test]
fn a_plan_costs_its_further_seeds_and_what_is_left() {
    let (view, mut results) = noisy();
    results.runs.truncate(58);
    let found = output(&view, &results, &wanted(&args(&[])), 360.0);
    let (now, last) = (&found.plans[0], &found.plans[found.plans.len() - 1]);
    assert_eq!((now.seeds, now.jobs, now.set.clone()), (5, 2, None));
    assert!((now.hours.expect("known") - 0.2).abs() < 1e-12);
    assert!(last.seeds > 5 && last.set == Some(format!("seeds={}", last.seeds)));
    assert_eq!(last.jobs, 2 + 12 * (last.seeds - 5));
    assert!((last.hours.expect("known") - 0.1 * last.jobs as f64).abs() < 1e-9);
    assert!(found.plans.is_sorted_by(|a, b| a.seeds < b.seeds && a.comparisons < b.comparisons));
}

#[test]
fn a_pair_costs_the_seeds_that_are_planned_and_have_not_run() {
    let (mut view, results) = noisy();
    view.seeds = (1..=10).collect();
    for mut job in view.jobs.clone() {
        (job.key.0, job.point.seed) = (format!("{}+", job.key.0), job.point.seed + 5);
        view.jobs.push(job);
    }
    let hours = hours_of_sc(&view, &results, 8);
    assert!((hours - 0.6).abs() < 1e-12, "three seeds of either: {hours}");
    assert_eq!(hours_of_sc(&view, &results, 5), 0.0);
}

/// What `n` seeds of `sc` and the baseline cost where a job takes six minutes.
fn hours_of_sc(view: &GridView, results: &Results, n: usize) -> f64 {
    let costs = Costs::new(view, |_| Some(360.0), |key| stands(results, key));
    let board = Scoreboard::new(view, &results.into(), view.metric);
    let needs = compare(view, &board);
    let sc = needs.iter().find(|c| c.method == "sc").expect("in the grid");
    costs.of_pair(&need(sc, &wanted(&args(&[]))), "original", n).expect("known")
}

#[test]
fn a_pair_costs_its_failed_seeds_again() {
    let (view, mut results) = noisy();
    for run in results.runs.iter_mut().filter(|run| run.point.method == "sc") {
        if run.point.seed == 1 {
            run.status = Status::Failed;
        }
    }
    let hours = hours_of_sc(&view, &results, 6);
    assert!((hours - 0.3).abs() < 1e-12, "two seeds of one and one of the other: {hours}");
}

#[test]
fn seeds_of_a_list_are_kept() {
    let (mut view, results) = noisy();
    view.seeds = vec![7, 2, 42, 4, 5];
    let found = output(&view, &results, &wanted(&args(&[])), 1.0);
    let last = &found.plans[found.plans.len() - 1];
    let set = last.set.as_deref().expect("more seeds");
    assert!(set.starts_with("seeds=[7,2,42,4,5,1,3,6,8"), "{set}");
    assert_eq!(set.matches(',').count() + 1, last.seeds);
}

#[test]
fn times_that_nobody_knows_are_not_made_up() {
    let (view, results) = noisy();
    let costs = Costs::new(&view, |_| None, |_| JobState::Done);
    let board = Scoreboard::new(&view, &(&results).into(), view.metric);
    let wanted = wanted(&args(&[]));
    let needs: Vec<Need> = compare(&view, &board).iter().map(|c| need(c, &wanted)).collect();
    let plans = plans(&view.seeds, &needs, &costs);
    assert_eq!(plans[0].hours, Some(0.0), "nothing is left to run");
    assert!(plans[1..].iter().all(|plan| plan.hours.is_none() && plan.jobs > 0));
    assert!(needs.iter().all(|need| costs.of_pair(need, "original", 9).is_none()));
}

#[test]
fn unknown_names_get_a_hint() {
    let (view, _) = synthetic::grid();
    let asked = |options: &[&str], view: &GridView| {
        let Args { baseline, metric, .. } = args(options);
        as_asked(&baseline, &metric, &Question::default(), view.clone())
    };
    let refused = |options: &[&str]| asked(options, &view).expect_err("refused");
    assert!(refused(&["--baseline", "scrr"]).message.contains("did you mean scr"));
    assert!(refused(&["--metric", "f2"]).message.contains("macro_fixed_f1"));
    let none = GridView { baseline: None, ..view.clone() };
    assert!(asked(&[], &none).expect_err("none").message.contains("baseline"));
}

#[test]
fn seeds_are_not_counted_for_what_never_learned() {
    let (view, results) = synthetic::badly_trained();
    let found = output(&view, &results, &wanted(&args(&[])), 90.0);
    let of = |model: &'static str| found.comparisons.iter().filter(move |c| c.need.model == model);
    for Priced { need, .. } in of("bilstm-softmax") {
        assert_eq!((need.seeds, need.power), (None, None));
        assert_eq!(need.remark.as_deref(), Some("no verdict: the baseline never learned"));
        assert!(need.difference.is_some() && !need.cautions.is_empty());
    }
    assert!(of("shallow-softmax").all(|c| c.need.remark.is_none()));
    let text = text(&found, None);
    let caution = "synthetic, full, bilstm-softmax\n  caution: the baseline of bilstm-softmax never learned: dev \
                   micro-F1 0.00 after 384 updates; raise training.updates\n  note: ";
    assert!(text.contains(caution), "{text}");
    let json = serde_json::to_value(&found).unwrap();
    let last = json["comparisons"].as_array().and_then(|all| all.last()).expect("compared");
    assert_eq!(last["cautions"][0]["kind"], "never-learned");
}
