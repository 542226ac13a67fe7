//! Results on standard output.

use super::{CliError, Exit};
use std::io::{ErrorKind, Write};

/// Prints a command's result. A reader that has seen enough (`| head`) is no error.
pub fn print(text: &str) -> Result<(), CliError> {
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

/// One line that cannot steer the terminal: names and reasons are whatever files and programs say.
pub fn printable(text: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_whitespace() => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(plain).collect()
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
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\n\tb"), "a\u{fffd}[31m  b");
    }

    #[test]
    fn columns_lean_on_their_sides() {
        let rows = [["a", "1", "x"], ["bc", "20", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows, " "), " a   1   x\n bc  20\n");
        assert_eq!(aligned_to(&rows, &[Side::Left, Side::Right], ""), "a    1  x\nbc  20\n");
    }
}
