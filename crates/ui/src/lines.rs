//! Events as plain lines, for logs and pipes, and for what bars leave standing above them.

use super::summary::details;
use super::words::{duration, named};
use domain::{ParameterValue, TrainingVerdict, counted, printable};
use runner::events::Event;
use std::collections::BTreeMap;

/// Counts along, so that every line says how far the run is.
#[derive(Debug, Default)]
pub(super) struct Lines {
    to_run: usize,
    ended: usize,
}

impl Lines {
    /// The line for an event, if it deserves one.
    pub(super) fn line(&mut self, event: &Event) -> Option<String> {
        Some(match event {
            Event::RunStarted { grid, to_run, slots, done, failed, .. } => {
                self.to_run = *to_run;
                let (jobs, earlier) = (counted(*to_run, "job"), earlier(*done, *failed));
                format!("{grid}: {jobs} to run{earlier}, {slots} at a time")
            }
            Event::Waiting { holder } => {
                format!("waiting for another run to end{}", printable(holder))
            }
            Event::PageServed { address } => format!("page: {address}"),
            Event::Warning { message } => format!("warning: {}", printable(message)),
            Event::RecordSetAside { path, reason, .. } => {
                format!("warning: {}; kept as {path}, the job runs again", printable(reason))
            }
            Event::JobFinished { point, stage, seconds, .. } => {
                let (name, time) = (named(point, *stage), duration(*seconds));
                format!("{} {name}: {}, {time}{}", self.count(), scores(event), training(event))
            }
            Event::SearchFinished {
                corpus, scenario, model, method, trial, values, score, ..
            } => {
                let chosen = chosen(values, trial.zip(*score));
                format!("{corpus}/{scenario}/{model}/{method}: {chosen}")
            }
            Event::ComparisonDecided {
                corpus, scenario, model, method, reason, not_run, ..
            } => {
                self.to_run = self.to_run.saturating_sub(*not_run);
                let left_out = left_out(*not_run);
                format!("{corpus}/{scenario}/{model}/{method}: {reason}{left_out}")
            }
            Event::JobFailed { point, stage, reason, log, .. } => {
                let (count, name) = (self.count(), named(point, *stage));
                format!("{count} {name}: failed: {} (log: {log})", printable(reason))
            }
            Event::JobRetried { point, reason, pause_seconds, .. } => {
                let pause = duration(*pause_seconds);
                format!("{point}: {}; trying again in {pause}", printable(reason))
            }
            Event::LevelPaused { level, jobs, failures, reason } => {
                let (reason, advice) = (printable(reason), advice(level));
                format!(
                    "paused: {} of {level}: {failures} in a row failed: {reason}. {advice}",
                    counted(*jobs, "job")
                )
            }
            Event::Summary(summary) => {
                return Some(details(summary).join("\n")).filter(|details| !details.is_empty());
            }
            Event::Interrupted { running, now: false } => stopping(*running),
            Event::Interrupted { now: true, .. } => "stopping now".to_owned(),
            Event::JobStarted { .. }
            | Event::Epoch { .. }
            | Event::Outlook { .. }
            | Event::JobStopped { .. }
            | Event::RunFinished { .. } => return None,
        })
    }

    fn count(&mut self) -> String {
        self.ended += 1;
        format!("[{}/{}]", self.ended, self.to_run)
    }
}

/// What earlier runs did.
fn earlier(done: usize, failed: usize) -> String {
    match (done, failed) {
        (0, 0) => String::new(),
        (done, 0) => format!(" ({done} done earlier)"),
        (done, failed) => format!(" ({done} done, {failed} failed earlier)"),
    }
}

/// The values that a search chose, with the number and the score of their trial.
fn chosen(values: &BTreeMap<String, ParameterValue>, best: Option<(usize, f64)>) -> String {
    let Some((trial, score)) = best else { return "every trial of its search failed".to_owned() };
    let values = values.iter().map(|(name, value)| format!("{name} = {value}"));
    let values = values.collect::<Vec<_>>().join(", ");
    format!("chosen {values} (trial {trial}, dev F1 {score:.3})")
}

/// The jobs that a decided comparison makes superfluous.
fn left_out(jobs: usize) -> String {
    match jobs {
        0 => String::new(),
        1 => "; 1 job is left out".to_owned(),
        n => format!("; {n} jobs are left out"),
    }
}

fn stopping(running: usize) -> String {
    let (jobs, verb) =
        (counted(running, "running job"), if running == 1 { "finishes" } else { "finish" });
    format!("Stopping after the {jobs} {verb}. Press Ctrl-C again to stop now")
}

/// What to do about jobs that are paused.
pub(super) fn advice(level: &str) -> String {
    format!(
        "After fixing the cause, run them again with `tailgrid run --retry-failed`; `--not \"{level}\"` leaves them out"
    )
}

/// On test, or of a trial on dev.
fn scores(event: &Event) -> String {
    let Event::JobFinished { dev_macro_f1, dev_micro_f1, test_macro_f1, test_micro_f1, .. } = event
    else {
        return String::new();
    };
    match (test_macro_f1, test_micro_f1) {
        (Some(macro_f1), Some(micro_f1)) => {
            format!("macro-F1 {macro_f1:.3}, micro-F1 {micro_f1:.3}")
        }
        _ => format!("dev macro-F1 {dev_macro_f1:.3}, micro-F1 {dev_micro_f1:.3}"),
    }
}

/// What a reader must know of the training, where it did not end well.
fn training(event: &Event) -> String {
    let Event::JobFinished { dev_micro_f1, updates, verdict, .. } = event else {
        return String::new();
    };
    let after = updates.map_or_else(String::new, |updates| format!(" after {updates} updates"));
    match verdict {
        Some(TrainingVerdict::NeverLearned) => {
            format!("; never learned: dev micro-F1 {dev_micro_f1:.2}{after}")
        }
        Some(TrainingVerdict::StillImproving) => format!("; still improving{after}"),
        Some(TrainingVerdict::Converged | TrainingVerdict::StoppedEarly) | None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Failure, JobKey, Point, Stage};

    fn point(method: &str, seed: u64) -> Point {
        let [corpus, scenario, model] = ["synthetic", "full", "shallow"].map(str::to_owned);
        Point { corpus, scenario, model, method: method.to_owned(), seed }
    }

    #[test]
    fn lines_count_along() {
        let mut lines = Lines::default();
        let started = Event::RunStarted {
            grid: "demo".into(),
            jobs: 3,
            done: 1,
            failed: 0,
            not_applicable: 0,
            to_run: 2,
            slots: 2,
        };
        assert_eq!(
            lines.line(&started).unwrap(),
            "demo: 2 jobs to run (1 done earlier), 2 at a time"
        );
        let finished = Event::JobFinished {
            job: JobKey("ab".into()),
            point: point("sc", 1),
            stage: Stage::Main,
            seconds: 1.26,
            dev_micro_f1: 0.75,
            dev_macro_f1: 0.625,
            test_micro_f1: Some(0.5),
            test_macro_f1: Some(0.25),
            updates: Some(640),
            verdict: Some(TrainingVerdict::Converged),
        };
        assert_eq!(
            lines.line(&finished).unwrap(),
            "[1/2] synthetic/full/shallow/sc/1: macro-F1 0.250, micro-F1 0.500, 1.3 s"
        );
        let told = |lost: TrainingVerdict| match finished.clone() {
            Event::JobFinished { job, point, stage, seconds, .. } => {
                let event = Event::JobFinished {
                    job,
                    point,
                    stage,
                    seconds,
                    dev_micro_f1: 0.0,
                    dev_macro_f1: 0.0,
                    test_micro_f1: Some(0.0),
                    test_macro_f1: Some(0.0),
                    updates: Some(36),
                    verdict: Some(lost),
                };
                Lines::default().line(&event).unwrap()
            }
            _ => unreachable!("it is finished"),
        };
        let lost = told(TrainingVerdict::NeverLearned);
        assert!(
            lost.ends_with("1.3 s; never learned: dev micro-F1 0.00 after 36 updates"),
            "{lost}"
        );
        let short = told(TrainingVerdict::StillImproving);
        assert!(short.ends_with("1.3 s; still improving after 36 updates"), "{short}");
        let failed = Event::JobFailed {
            job: JobKey("cd".into()),
            point: point("sc", 2),
            stage: Stage::Main,
            seconds: 0.1,
            failure: Failure::Vanished { code: 1 },
            reason: "the \x1bworker left".into(),
            log: "log.txt".into(),
        };
        assert_eq!(
            lines.line(&failed).unwrap(),
            "[2/2] synthetic/full/shallow/sc/2: failed: the \u{fffd}worker left (log: log.txt)"
        );
    }
}
