//! What a run came to, in words: below its progress, and for `--notify`.

use super::lines::advice;
use super::words::duration;
use domain::{Point, counted, printable};
use runner::events::{Counts, Ending, Summary};

/// How many reasons of failures are told; `status` tells all.
const REASONS: usize = 5;

/// All of it: a headline, and the rest below.
pub fn text(summary: &Summary) -> String {
    let Summary { grid, counts, results, .. } = summary;
    let headline = format!("{grid}: {}; {results}", of_counts(counts));
    let looks = summary.looks.iter().map(|line| printable(line));
    let lines: Vec<String> =
        std::iter::once(headline).chain(details(summary)).chain(looks).collect();
    lines.join("\n") + "\n"
}

/// `60 jobs: 60 done, 0 failed, 2 n/a`
pub fn of_counts(counts: &Counts) -> String {
    let Counts { jobs, done, failed, to_do, not_applicable, decided } = counts;
    let jobs = counted(*jobs, "job");
    let to_do = if *to_do > 0 { format!(", {to_do} to do") } else { String::new() };
    let decided = if *decided > 0 { format!(", {decided} decided") } else { String::new() };
    format!("{jobs}: {done} done, {failed} failed{to_do}{decided}, {not_applicable} n/a")
}

/// Everything but the headline, a line each.
pub(super) fn details(summary: &Summary) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(utilisation) = summary.utilisation {
        let (time, slots) = (duration(summary.seconds), summary.slots);
        let busy = (100.0 * utilisation).round();
        lines.push(format!("time: {time}, {slots} at a time, {busy} % of it busy"));
    }
    if !summary.slowest.is_empty() {
        let named =
            |slow: &runner::events::SlowJob| format!("{} {}", slow.point, duration(slow.seconds));
        let slowest: Vec<String> = summary.slowest.iter().map(named).collect();
        lines.push(format!("slowest: {}", slowest.join(", ")));
    }
    lines.extend(training(summary));
    lines.extend(failures(summary));
    for paused in &summary.paused {
        let (jobs, level, advice) = (&paused.jobs, &paused.level, advice(&paused.level));
        lines.push(format!("paused: {} of {level}. {advice}", counted(*jobs, "job")));
    }
    lines.extend(left(summary));
    lines
}

/// How trainings ended, and which models never learned.
fn training(summary: &Summary) -> Vec<String> {
    let Summary { verdicts, never_learned, .. } = summary;
    let mut lines = Vec::new();
    if verdicts.all() > 0 {
        lines.push(format!("training: {verdicts}"));
    }
    if !never_learned.is_empty() {
        let told: Vec<String> = never_learned.iter().take(REASONS).map(Point::to_string).collect();
        let more = match never_learned.len().saturating_sub(REASONS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        lines.push(format!(
            "never learned: {}{more}; `tailgrid compare` cautions on them and says what to do",
            told.join(", ")
        ));
    }
    lines
}

fn failures(summary: &Summary) -> Vec<String> {
    let told = summary.failures.iter().take(REASONS).map(|group| {
        let (jobs, reason) = (group.jobs, printable(&group.reason));
        format!("failed: {jobs} × {reason} (first {}, log: {})", group.first, group.log)
    });
    let rest: usize = summary.failures.iter().skip(REASONS).map(|group| group.jobs).sum();
    let rest = (rest > 0).then(|| format!("failed: {rest} × for other reasons"));
    told.chain(rest).collect()
}

/// What is not done, and how to go on.
fn left(summary: &Summary) -> Vec<String> {
    let Counts { to_do, failed, .. } = summary.counts;
    let mut lines = Vec::new();
    match summary.ending {
        Ending::Interrupted if to_do > 0 => lines.push(format!(
            "interrupted: {to_do} left; run the same command again to resume"
        )),
        Ending::OutOfTime if to_do > 0 => lines.push(format!(
            "out of time: {to_do} left that would not be over by then; run the same command again to resume"
        )),
        _ => {}
    }
    if failed > 0 {
        lines.push(
            "`tailgrid status` shows why jobs failed; `tailgrid run --retry-failed` runs them again"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::VerdictCounts;
    use runner::events::{FailedJobs, PausedLevel, SlowJob};

    fn point(method: &str, seed: u64) -> Point {
        let [corpus, scenario, model] = ["synthetic", "full", "shallow"].map(str::to_owned);
        Point { corpus, scenario, model, method: method.to_owned(), seed }
    }

    #[test]
    fn a_night_with_everything_in_it() {
        let summary = Summary {
            grid: "night".into(),
            ending: Ending::OutOfTime,
            counts: Counts {
                jobs: 40,
                done: 20,
                failed: 3,
                to_do: 17,
                not_applicable: 2,
                decided: 0,
            },
            recorded: 23,
            retries: 1,
            seconds: 7212.0,
            slots: 2,
            utilisation: Some(0.964),
            verdicts: VerdictCounts { converged: 13, never_learned: 7, ..VerdictCounts::default() },
            never_learned: (1..=7).map(|seed| point("original", seed)).collect(),
            failures: vec![FailedJobs {
                reason: "the engine panicked: \x1bboo".into(),
                jobs: 3,
                first: point("sc", 1),
                log: "results/night/jobs/ab/log.txt".into(),
            }],
            slowest: vec![SlowJob { point: point("scr", 2), seconds: 840.0 }],
            paused: vec![PausedLevel {
                level: "method=sc".into(),
                jobs: 7,
                failures: 3,
                reason: "the engine panicked: boo".into(),
            }],
            looks: vec!["planned looks: 1 of 3 comparisons decided".into()],
            results: "results/night".into(),
        };
        insta::assert_snapshot!(text(&summary), @r#"
        night: 40 jobs: 20 done, 3 failed, 17 to do, 2 n/a; results/night
        time: 2h 0m, 2 at a time, 96 % of it busy
        slowest: synthetic/full/shallow/scr/2 14m 0s
        training: 13 converged, 7 never learned
        never learned: synthetic/full/shallow/original/1, synthetic/full/shallow/original/2, synthetic/full/shallow/original/3, synthetic/full/shallow/original/4, synthetic/full/shallow/original/5 and 2 more; `tailgrid compare` cautions on them and says what to do
        failed: 3 × the engine panicked: �boo (first synthetic/full/shallow/sc/1, log: results/night/jobs/ab/log.txt)
        paused: 7 jobs of method=sc. After fixing the cause, run them again with `tailgrid run --retry-failed`; `--not "method=sc"` leaves them out
        out of time: 17 left that would not be over by then; run the same command again to resume
        `tailgrid status` shows why jobs failed; `tailgrid run --retry-failed` runs them again
        planned looks: 1 of 3 comparisons decided
        "#);
    }

    #[test]
    fn a_run_with_nothing_to_do_has_a_headline_alone() {
        let counts = Counts { jobs: 1, done: 1, ..Counts::default() };
        let (grid, results) = ("g".to_owned(), "results/g".to_owned());
        let summary = Summary { grid, counts, results, ..Summary::default() };
        assert_eq!(text(&summary), "g: 1 job: 1 done, 0 failed, 0 n/a; results/g\n");
    }
}
