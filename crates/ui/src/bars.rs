//! Bars on a terminal: one for each running job, and below them one for the run.

use super::lines::Lines;
use super::words::{duration, named};
use domain::{JobKey, escaped, printable};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use runner::events::Event;
use std::collections::BTreeMap;
use std::time::Instant;

/// The bars of a run.
pub(super) struct Bars {
    screen: MultiProgress,
    overall: ProgressBar,
    running: BTreeMap<JobKey, ProgressBar>,
    lines: Lines,
    pace: Pace,
}

impl Bars {
    pub(super) fn new() -> Self {
        let screen = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let overall = screen.add(styled(ProgressBar::new(0), "{bar:20} {pos}/{len} {wide_msg}"));
        Self {
            screen,
            overall,
            running: BTreeMap::new(),
            lines: Lines::default(),
            pace: Pace::default(),
        }
    }

    /// Draws what the event changes.
    pub(super) fn show(&mut self, event: &Event) {
        match event {
            Event::RunStarted { to_run, .. } => {
                self.overall.set_length(*to_run as u64);
                self.pace = Pace::default();
                self.say(event);
            }
            Event::JobStarted { job, point, stage, .. } => {
                self.start(job, printable(&named(point, *stage)));
            }
            Event::Epoch { job, epoch, epochs, dev_micro_f1, .. } => {
                if let Some(bar) = self.running.get(job) {
                    bar.set_length(*epochs as u64);
                    bar.set_position(*epoch as u64);
                    let name = bar.prefix();
                    bar.set_message(format!(
                        "{name}  epoch {epoch}/{epochs}, dev F1 {dev_micro_f1:.3}"
                    ));
                }
            }
            Event::JobFinished { job, .. } => {
                // Counted in the bar; a line for each of a thousand jobs would push all else away.
                let _ = self.lines.line(event);
                self.end(job, false);
            }
            Event::JobFailed { job, .. } => {
                self.say(event);
                self.end(job, true);
            }
            Event::JobRetried { job, .. } | Event::JobStopped { job, .. } => {
                self.say(event);
                self.remove(job);
            }
            Event::ComparisonDecided { not_run, .. } => {
                let left = self.overall.length().unwrap_or(0).saturating_sub(*not_run as u64);
                self.overall.set_length(left);
                self.say(event);
            }
            Event::Outlook { seconds_left } => {
                self.pace.expect(*seconds_left, Instant::now());
                self.overall.set_message(self.pace.message());
            }
            Event::Summary(_) => {
                self.overall.finish_and_clear();
                self.say(event);
            }
            Event::RunFinished { .. } => {}
            Event::Waiting { .. }
            | Event::PageServed { .. }
            | Event::Warning { .. }
            | Event::RecordSetAside { .. }
            | Event::SearchFinished { .. }
            | Event::LevelPaused { .. }
            | Event::Interrupted { .. } => self.say(event),
        }
    }

    fn say(&mut self, event: &Event) {
        if let Some(line) = self.lines.line(event) {
            // Only a terminal that went away refuses a line.
            let _ = self.screen.println(escaped(&line));
        }
    }

    fn start(&mut self, job: &JobKey, name: String) {
        // The name is part of the message, which is cut where a narrow terminal ends.
        let bar = styled(ProgressBar::new(1), "  {bar:10} {wide_msg}");
        let bar = self.screen.insert_before(&self.overall, bar);
        bar.set_prefix(name.clone());
        bar.set_message(name);
        bar.tick();
        self.running.insert(job.clone(), bar);
    }

    fn end(&mut self, job: &JobKey, failed: bool) {
        self.remove(job);
        self.pace.ended(failed);
        self.overall.set_position(self.pace.count as u64);
        self.overall.set_message(self.pace.message());
    }

    fn remove(&mut self, job: &JobKey) {
        if let Some(bar) = self.running.remove(job) {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
    }
}

fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
        Err(_) => bar,
    }
}

/// How far the run is, and how long the rest will take as the runner expects it.
#[derive(Debug, Default)]
struct Pace {
    count: usize,
    failed: usize,
    /// Seconds, and when they were expected.
    left: Option<(f64, Instant)>,
}

impl Pace {
    fn ended(&mut self, failed: bool) {
        self.count += 1;
        self.failed += usize::from(failed);
    }

    fn expect(&mut self, seconds_left: f64, now: Instant) {
        self.left = Some((seconds_left, now));
    }

    fn message(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            n => format!("{n} failed, "),
        };
        match self.left {
            None => failed.trim_end_matches(", ").to_owned(),
            Some((seconds, since)) => {
                let left = (seconds - since.elapsed().as_secs_f64()).max(0.0);
                format!("{failed}about {} left", duration(left))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_the_runner_expects() {
        let mut pace = Pace::default();
        assert_eq!(pace.message(), "");
        pace.ended(true);
        assert_eq!(pace.message(), "1 failed");
        pace.expect(45.9, Instant::now());
        assert_eq!(pace.message(), "1 failed, about 45 s left");
    }
}
