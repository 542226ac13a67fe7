//! Results on standard output, messages on standard error. Everything that commands print goes
//! through here, where foreign text loses what a terminal would obey.

use super::{CliError, Exit};
use domain::escaped;
pub use domain::printable;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};

/// Prints a command's result, text or JSON. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> Result<(), CliError> {
    write(&escaped(text))
}

/// How wide the terminal is that results go to; `None` where they do not go to one.
pub fn width() -> Option<usize> {
    let stdout = std::io::stdout();
    let (width, _) = stdout.is_terminal().then(|| terminal_size::terminal_size_of(stdout))??;
    Some(usize::from(width.0))
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

/// The side of a column that its cells lean on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Side {
    Left,
    Right,
}

/// Columns of text under each other, two spaces apart; numbers of columns may differ.
pub fn aligned(rows: &[Vec<String>], indent: &str) -> String {
    aligned_to(rows, &[], indent)
}

/// The same with the side of each column; the left one where there is none.
pub fn aligned_to(rows: &[Vec<String>], sides: &[Side], indent: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|t| t.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(k, (cell, width)): (usize, (&String, &usize))| match sides.get(k) {
            Some(Side::Right) => format!("{cell:>width$}"),
            _ => format!("{cell:width$}"),
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        text.push_str(format!("{indent}{}", cells.join("  ")).trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lean_on_their_sides() {
        let rows = [["a", "1", "x"], ["bc", "20", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows, " "), " a   1   x\n bc  20\n");
        assert_eq!(aligned_to(&rows, &[Side::Left, Side::Right], ""), "a    1  x\nbc  20\n");
    }
}
