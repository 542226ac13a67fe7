//! What is shown while something is fetched: a bar for the file that comes, or plain lines.

use super::{Style, eprint_line};
use bytesize::ByteSize;
use domain::TransferEvent;
use domain::printable;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How often a bar moves that nobody pushes.
const TICK: Duration = Duration::from_millis(120);

/// A consumer of transfer events in this style; JSON is for results, so it shows lines.
pub fn transfer(style: Style) -> Box<dyn FnMut(&TransferEvent)> {
    match style {
        Style::Quiet => Box::new(|_| {}),
        Style::Lines | Style::Json => Box::new(|event| {
            if let Some(line) = line(event) {
                eprint_line(&line);
            }
        }),
        Style::Bars => {
            let mut bar = Bar::new();
            Box::new(move |event| bar.show(event))
        }
    }
}

/// The line for an event, if it deserves one.
fn line(event: &TransferEvent) -> Option<String> {
    let text = match event {
        TransferEvent::FileStarted { item, file, size, done: 0 } => {
            format!("{item}: {file}, {}", ByteSize(*size))
        }
        TransferEvent::FileStarted { item, file, size, done } => {
            let (done, size) = (ByteSize(*done), ByteSize(*size));
            format!("{item}: {file} goes on at {done} of {size}")
        }
        TransferEvent::Retried { item, file, reason, pause_ms } => {
            let seconds = *pause_ms as f64 / 1000.0;
            format!("{item}: {file}: {reason}; trying again in {seconds:.1} s")
        }
        TransferEvent::ClientStarted { item, command } => format!("{item}: {command}"),
        TransferEvent::Advanced { .. }
        | TransferEvent::FileFinished { .. }
        | TransferEvent::ClientFinished => return None,
    };
    Some(printable(&text))
}

/// One bar: files come one after the other.
struct Bar {
    screen: MultiProgress,
    current: Option<ProgressBar>,
}

impl Bar {
    fn new() -> Self {
        let screen = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        Self { screen, current: None }
    }

    fn show(&mut self, event: &TransferEvent) {
        match event {
            TransferEvent::FileStarted { item, file, size, done } => {
                let bar = ProgressBar::new(*size).with_position(*done);
                let template = "{prefix}  {bar:30} {bytes}/{total_bytes}  {bytes_per_sec}  {eta}";
                self.start(bar, template, &format!("{item}: {file}"));
                if let Some(bar) = &self.current {
                    bar.reset_eta();
                }
            }
            TransferEvent::ClientStarted { item, command } => {
                let bar = ProgressBar::new_spinner();
                self.start(bar, "{spinner} {prefix}  {elapsed}", &format!("{item}: {command}"));
                if let Some(bar) = &self.current {
                    bar.enable_steady_tick(TICK);
                }
            }
            TransferEvent::Advanced { done } => {
                if let Some(bar) = &self.current {
                    bar.set_position(*done);
                }
            }
            TransferEvent::FileFinished { .. } | TransferEvent::ClientFinished => self.end(),
            TransferEvent::Retried { .. } => {
                self.end();
                if let Some(line) = line(event) {
                    // Only a terminal that went away refuses a line.
                    let _ = self.screen.println(line);
                }
            }
        }
    }

    fn start(&mut self, bar: ProgressBar, template: &str, prefix: &str) {
        self.end();
        let bar = match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style.progress_chars("━╸ ")),
            Err(_) => bar,
        };
        let bar = self.screen.add(bar.with_prefix(printable(prefix)));
        bar.tick();
        self.current = Some(bar);
    }

    fn end(&mut self) {
        if let Some(bar) = self.current.take() {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_comes_and_what_broke() {
        let [item, file] = ["wnut17", "train\x1b"].map(str::to_owned);
        let started = |done| TransferEvent::FileStarted {
            item: item.clone(),
            file: file.clone(),
            size: 4 << 20,
            done,
        };
        assert_eq!(line(&started(0)).unwrap(), "wnut17: train\u{fffd}, 4.0 MiB");
        assert_eq!(
            line(&started(1 << 20)).unwrap(),
            "wnut17: train\u{fffd} goes on at 1.0 MiB of 4.0 MiB"
        );
        let (item, file, reason) = (item.clone(), file.clone(), "it broke".to_owned());
        let retried = TransferEvent::Retried { item, file, reason, pause_ms: 1500 };
        assert_eq!(
            line(&retried).unwrap(),
            "wnut17: train\u{fffd}: it broke; trying again in 1.5 s"
        );
        assert_eq!(line(&TransferEvent::Advanced { done: 3 }), None);
    }

    #[test]
    fn a_bar_survives_any_order_of_events() {
        let [item, file] = ["a", "b"].map(str::to_owned);
        let mut bar = Bar::new();
        bar.screen.set_draw_target(ProgressDrawTarget::hidden());
        bar.show(&TransferEvent::Advanced { done: 3 });
        bar.show(&TransferEvent::ClientFinished);
        bar.show(&TransferEvent::ClientStarted { item: item.clone(), command: file.clone() });
        bar.show(&TransferEvent::FileStarted { item, file, size: 0, done: 9 });
        bar.show(&TransferEvent::Advanced { done: 3 });
        assert_eq!(bar.current.as_ref().map(ProgressBar::position), Some(3));
    }
}
