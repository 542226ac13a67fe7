//! Bars on a terminal: one for each running job, and below them one for the run.

use super::lines::Lines;
use super::words::{duration, named};
use crate::domain::JobKey;
use crate::runner::events::Event;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;

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
            Event::RunStarted { to_run, slots, .. } => {
                self.overall.set_length(*to_run as u64);
                self.pace = Pace { slots: *slots, to_run: *to_run, ..Pace::default() };
                self.say(event);
            }
            Event::JobStarted { job, point, stage, .. } => {
                self.start(job, named(point, *stage));
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
            Event::JobFinished { job, seconds, .. } => {
                // Counted in the bar; a line for each of a thousand jobs would push all else away.
                let _ = self.lines.line(event);
                self.end(job, *seconds, false);
            }
            Event::JobFailed { job, seconds, .. } => {
                self.say(event);
                self.end(job, *seconds, true);
            }
            Event::JobRetried { job, .. } | Event::JobStopped { job, .. } => {
                self.say(event);
                self.remove(job);
            }
            Event::RunFinished { .. } => self.overall.finish_and_clear(),
            Event::PageServed { .. }
            | Event::Warning { .. }
            | Event::RecordSetAside { .. }
            | Event::SearchFinished { .. }
            | Event::Interrupted { .. } => self.say(event),
        }
    }

    fn say(&mut self, event: &Event) {
        if let Some(line) = self.lines.line(event) {
            // Only a terminal that went away refuses a line.
            let _ = self.screen.println(line);
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

    fn end(&mut self, job: &JobKey, seconds: f64, failed: bool) {
        self.remove(job);
        self.pace.ended(seconds, failed);
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

/// How long the rest will take, from how long the jobs took so far.
#[derive(Debug, Default)]
struct Pace {
    slots: usize,
    to_run: usize,
    count: usize,
    failed: usize,
    seconds: f64,
}

impl Pace {
    fn ended(&mut self, seconds: f64, failed: bool) {
        self.count += 1;
        self.failed += usize::from(failed);
        self.seconds += seconds;
    }

    fn message(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            n => format!("{n} failed, "),
        };
        format!("{failed}about {} left", duration(self.seconds_left()))
    }

    fn seconds_left(&self) -> f64 {
        let mean = self.seconds / self.count.max(1) as f64;
        let rounds = self.to_run.saturating_sub(self.count).div_ceil(self.slots.max(1));
        mean * rounds as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_counts_rounds_of_slots() {
        let mut pace = Pace { slots: 2, to_run: 7, ..Pace::default() };
        pace.ended(10.0, false);
        pace.ended(20.0, true);
        assert_eq!(pace.seconds_left(), 45.0);
        assert_eq!(pace.message(), "1 failed, about 45 s left");
    }

    #[test]
    fn a_run_without_jobs_has_nothing_left() {
        assert_eq!(Pace::default().seconds_left(), 0.0);
    }
}
