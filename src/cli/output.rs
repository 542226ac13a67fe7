//! Results on standard output, messages on standard error. Everything that commands print goes
//! through here, where foreign text loses what a terminal would obey.

use super::{CliError, Exit};
use domain::escaped;
pub use domain::printable;
use report::tables::{Table, terminal};
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use terminal_size::{Width, terminal_size_of};

/// Prints a command's result, text or JSON. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> Result<(), CliError> {
    write(&escaped(text))
}

/// Prints what another program reads as it is, such as tokens; only a terminal is spared what it
/// would obey.
pub fn print_data(text: &str) -> Result<(), CliError> {
    match std::io::stdout().is_terminal() {
        true => print(text),
        false => write(text),
    }
}

/// A message on standard error. Whoever closed it does not want to know.
pub fn tell(message: impl Display) {
    let _ = writeln!(std::io::stderr(), "{}", escaped(&message.to_string()));
}

/// [`tell`], written like `eprintln!`, which would send foreign text as it is.
macro_rules! message {
    ($($argument:tt)*) => { $crate::cli::output::tell(format_args!($($argument)*)) };
}
pub(super) use message;

fn write(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes()));
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to standard output: {error}");
            Err(CliError::new(Exit::Internal, message))
        }
        _ => Ok(()),
    }
}

/// From here on tables fit the terminal that standard output is. They keep their lines in files and
/// pipes.
pub(super) fn fit_terminal() {
    let width = terminal_size_of(std::io::stdout()).map(|(Width(width), _)| usize::from(width));
    // It is set once, by the program and not by its tests.
    let _ = TERMINAL.set(width.filter(|width| *width > 0));
}

static TERMINAL: OnceLock<Option<usize>> = OnceLock::new();

/// How wide the terminal is; none where standard output is not one.
pub fn width() -> Option<usize> {
    TERMINAL.get().copied().flatten()
}

/// A table as standard output shows it.
pub fn shown(table: &Table) -> String {
    terminal::render(table, width())
}
