//! Progress for people and programs, fed by events only: the runner's, and those of a transfer.
//!
//! One consumer a file: bars on a terminal, plain lines without one, JSON lines on standard output.
//! None of them can stop or change a run: what cannot be shown is not shown.

mod bars;
mod json;
mod lines;
mod summary;
mod transfer;
mod words;

pub use summary::{of_counts, text as summary_text};
pub use transfer::transfer;

use domain::{escaped, printable};
use runner::events::Event;
use std::io::IsTerminal;

/// How progress is shown.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Style {
    Bars,
    Lines,
    Json,
    Quiet,
}

impl Style {
    /// What fits the options and what standard error is.
    pub fn choose(json: bool, quiet: bool) -> Self {
        match (json, quiet) {
            (true, _) => Style::Json,
            (false, true) => Style::Quiet,
            (false, false) if std::io::stderr().is_terminal() => Style::Bars,
            (false, false) => Style::Lines,
        }
    }
}

/// A consumer of events in this style.
pub fn progress(style: Style) -> Box<dyn FnMut(&Event)> {
    match style {
        Style::Quiet => Box::new(|_| {}),
        Style::Json => Box::new(json::show),
        Style::Lines => {
            let mut lines = lines::Lines::default();
            Box::new(move |event| {
                if let Some(line) = lines.line(event) {
                    eprint_line(&line);
                }
            })
        }
        Style::Bars => {
            let mut bars = bars::Bars::new();
            Box::new(move |event| bars.show(event))
        }
    }
}

/// A warning on standard error, for when there are no events any more.
pub fn warn(message: &str) {
    eprint_line(&format!("warning: {}", printable(message)));
}

/// Like `eprintln!`, which panics where standard error is closed, and sends foreign text as it is.
fn eprint_line(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{}", escaped(line));
}
