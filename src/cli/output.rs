//! Results on standard output, messages on standard error. Everything that commands print goes
//! through here, where foreign text loses what a terminal would obey.

use super::{CliError, Exit};
use domain::escaped;
pub use domain::printable;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use terminal_size::{Width, terminal_size_of};

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

/// The same with the side of each column; the left one where there is none. On a terminal no line is
/// longer than the terminal is wide, if the table can be set so.
pub fn aligned_to(rows: &[Vec<String>], sides: &[Side], indent: &str) -> String {
    fitted(rows, sides, indent, terminal_width())
}

/// From here on tables fit the terminal that standard output is. They keep their lines in files and pipes.
pub(super) fn fit_terminal() {
    let width = terminal_size_of(std::io::stdout()).map(|(Width(width), _)| usize::from(width));
    // It is set once, by the program and not by its tests.
    let _ = TERMINAL.set(width.filter(|width| *width > 0));
}

static TERMINAL: OnceLock<Option<usize>> = OnceLock::new();

/// How wide the terminal is; none where standard output is not one.
fn terminal_width() -> Option<usize> {
    TERMINAL.get().copied().flatten()
}

/// What is between two columns.
const GAP: &str = "  ";
/// No column of words is made narrower than this.
const NARROWEST: usize = 20;

/// The table within a width: words go on in the next line of their column, and where that is not enough, further
/// columns follow below, each part with the first column.
fn fitted(rows: &[Vec<String>], sides: &[Side], indent: &str, width: Option<usize>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |c: usize| rows.iter().filter_map(|row| row.get(c)).map(|t| length(t)).max();
    let widths: Vec<usize> = (0..columns).map(|c| widest(c).unwrap_or(0)).collect();
    let all: Vec<usize> = (0..columns).collect();
    let Some(room) = width.map(|width| width.saturating_sub(indent.len())) else {
        return lines(rows, sides, indent, &all, &widths);
    };
    let narrowed = narrowed(rows, sides, widths, room);
    let parts = parts(&narrowed, room);
    parts.iter().map(|part| lines(rows, sides, indent, part, &narrowed)).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// The widths of columns whose words are broken into lines as far as that is needed, and no further.
fn narrowed(
    rows: &[Vec<String>],
    sides: &[Side],
    mut widths: Vec<usize>,
    room: usize,
) -> Vec<usize> {
    let longest_word = |c: usize| {
        let words = rows.iter().filter_map(|row| row.get(c)).flat_map(|cell| cell.split(' '));
        words.map(length).max().unwrap_or(0).max(NARROWEST)
    };
    // Numbers stay on one line, and the first column has the names of the rows.
    let least: Vec<usize> = (0..widths.len())
        .map(|c| match sides.get(c) {
            Some(Side::Right) => usize::MAX,
            _ if c == 0 => usize::MAX,
            _ => longest_word(c),
        })
        .collect();
    let whole = widths.clone();
    while total(&widths) > room {
        let wide = (0..widths.len()).filter(|c| widths[*c] > least[*c]).max_by_key(|c| widths[*c]);
        let Some(widest) = wide else {
            // There will be parts below each other, in which each column has more room.
            let beside = room.saturating_sub(whole[0] + GAP.len());
            let fit = |(width, least): (&usize, &usize)| *width.min(&beside.max(*least));
            return whole.iter().zip(&least).map(fit).collect();
        };
        widths[widest] -= 1;
    }
    widths
}

/// The columns that are set beside each other, part after part; all of them if there is room.
fn parts(widths: &[usize], room: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    for column in 0..widths.len() {
        let part = parts.last_mut().expect("there is one from the beginning");
        let with: Vec<usize> = part.iter().chain([&column]).map(|c| widths[*c]).collect();
        // A part of names alone would not be worth its lines.
        match total(&with) > room && part.len() > 1 {
            true => parts.push(vec![0, column]),
            false => part.push(column),
        }
    }
    parts
}

/// How long a line of so wide columns is.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

/// Some columns of the rows, each cell in as many lines as it needs.
fn lines(
    rows: &[Vec<String>],
    sides: &[Side],
    indent: &str,
    columns: &[usize],
    widths: &[usize],
) -> String {
    let mut text = String::new();
    for row in rows {
        let own: Vec<usize> = columns.iter().copied().filter(|c| *c < row.len()).collect();
        let cells: Vec<Vec<&str>> = own.iter().map(|c| broken(&row[*c], widths[*c])).collect();
        // A row without cells parts the table.
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(1) {
            let cell = |(cell, c): (&Vec<&str>, &usize)| {
                let (text, width) = (cell.get(line).copied().unwrap_or_default(), widths[*c]);
                match sides.get(*c) {
                    Some(Side::Right) => format!("{text:>width$}"),
                    _ => format!("{text:width$}"),
                }
            };
            let cells: Vec<String> = cells.iter().zip(&own).map(cell).collect();
            text.push_str(format!("{indent}{}", cells.join(GAP)).trim_end());
            text.push('\n');
        }
    }
    text
}

/// Lines of words; on a terminal those that are longer than it is wide are broken at spaces and go on with a
/// further indent.
pub fn paragraphs(text: &str) -> String {
    match terminal_width() {
        Some(width) => text.lines().map(|line| paragraph(line, width)).collect(),
        None => text.to_owned(),
    }
}

fn paragraph(line: &str, width: usize) -> String {
    let words = line.trim_start_matches(' ');
    let indent = &line[..line.len() - words.len()];
    let further = match indent {
        "" => String::new(),
        _ => format!("{indent}{GAP}"),
    };
    let broken = broken(words, width.saturating_sub(further.len()));
    let before = std::iter::once(indent).chain(std::iter::repeat(&*further));
    broken.iter().zip(before).map(|(part, indent)| format!("{indent}{part}\n")).collect()
}

/// A text in lines of at most so many characters, where its spaces allow that; at least one line.
fn broken(text: &str, width: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while length(rest) > width {
        let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
        let space = rest[..end].rfind(' ').filter(|_| !rest[end..].starts_with(' '));
        let end = if rest[end..].starts_with(' ') { Some(end) } else { space };
        // A word that is too long has a line of its own.
        let Some(end) = end.filter(|end| *end > 0).or_else(|| rest.find(' ').filter(|at| *at > 0))
        else {
            break;
        };
        found.push(rest[..end].trim_end());
        rest = rest[end..].trim_start();
    }
    found.push(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lean_on_their_sides() {
        let rows = [["a", "1", "x"], ["bc", "20", ""]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows, " "), " a   1   x\n bc  20\n");
        assert_eq!(aligned_to(&rows, &[Side::Left, Side::Right], ""), "a    1  x\nbc  20\n");
        assert_eq!(aligned(&[vec![], rows[1].clone()], " "), "\n bc  20\n");
    }

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn words_go_on_in_their_column_where_a_line_would_be_too_long() {
        let rows = rows(&[
            &["scr", "sentences with rare types are repeated more often", "{resample: scr}"],
            &["focal", "a loss", "{loss: focal}"],
        ]);
        let expected = [
            "  scr    sentences with rare   {resample: scr}",
            "         types are repeated",
            "         more often",
            "  focal  a loss                {loss: focal}",
        ];
        assert_eq!(fitted(&rows, &[], "  ", Some(46)).lines().collect::<Vec<_>>(), expected);
        for width in [None, Some(200)] {
            assert_eq!(fitted(&rows, &[], "  ", width).lines().count(), 2);
        }
    }

    #[test]
    fn columns_of_numbers_that_do_not_fit_follow_below_with_the_names_again() {
        let rows =
            rows(&[&["method", "mean", "p", "verdict"], &["scr", "65.41", "0.0503", "above"]]);
        let sides = [Side::Left, Side::Right, Side::Right];
        let expected = "method   mean       p\nscr     65.41  0.0503\n\
                        method  verdict\nscr     above\n";
        assert_eq!(fitted(&rows, &sides, "", Some(24)), expected);
        // However narrow the terminal is, each part has a column.
        assert_eq!(fitted(&rows, &sides, "", Some(1)).lines().count(), 6);
        assert_eq!(fitted(&[], &sides, "", Some(24)), "");
    }

    #[test]
    fn no_line_is_longer_than_the_terminal_unless_a_name_is() {
        let cells =
            ["original", "5 (2 missing)", "−9.16", "[−0.02, +19.98]", "no difference shown"];
        let row: Vec<String> = (0..20).map(|c| cells[c % 5].to_owned()).collect();
        let sides: Vec<Side> =
            (0..20).map(|c| if c % 5 == 0 { Side::Left } else { Side::Right }).collect();
        for width in 31..200 {
            for line in fitted(&[row.clone(), row.clone()], &sides, "  ", Some(width)).lines() {
                assert!(length(line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn lines_of_words_keep_their_indent() {
        assert_eq!(paragraph("  focal: a loss", 12), "  focal: a\n    loss\n");
        assert_eq!(paragraph("one two", 5), "one\ntwo\n");
        assert_eq!(paragraph("", 5), "\n");
        assert_eq!(
            paragraphs("a line that no terminal breaks\n"),
            "a line that no terminal breaks\n"
        );
    }

    #[test]
    fn texts_break_at_spaces() {
        assert_eq!(broken("", 5), [""]);
        assert_eq!(broken("one two", 7), ["one two"]);
        assert_eq!(broken("one two", 6), ["one", "two"]);
        assert_eq!(broken("one two", 3), ["one", "two"]);
        assert_eq!(broken("élève x", 5), ["élève", "x"]);
        assert_eq!(broken("incomprehensible a", 5), ["incomprehensible", "a"]);
    }
}
