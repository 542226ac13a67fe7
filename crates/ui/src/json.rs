//! `run --json`: every event as a line of JSON on standard output.

use runner::events::Event;
use std::io::Write;

/// Writes the event. A reader that has gone (`| head`) does not stop the run.
pub(super) fn show(event: &Event) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{}", event.to_line());
    let _ = stdout.flush();
}
