//! What is wrong with a grid, shown as compilers show it: the place, the line, a caret, what to do.
//!
//! A diagnostic owns all it shows, so it outlives the texts it speaks of. Text from a file is
//! cleaned before it is shown: a control character never reaches the terminal.

use super::source::{Sources, Span};
use std::fmt;

/// Characters of a long line shown around the caret.
const WIDTH: usize = 100;

/// Whether the grid can be used all the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that is wrong, or odd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// What is wrong, one line.
    pub message: String,
    /// Where, if it is anywhere.
    pub place: Option<Box<Place>>,
    /// What stands beside the caret: a did-you-mean, what was expected.
    pub label: String,
    /// What to do.
    pub help: Vec<String>,
}

/// A place with the line it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub source: String,
    pub is_option: bool,
    pub line: usize,
    pub column: usize,
    pub length: usize,
    pub text: String,
}

impl Place {
    fn new(sources: &Sources, span: Span) -> Option<Self> {
        let source = sources.get(span.source)?;
        let lines: Vec<&str> = source.text.trim_end_matches('\n').split('\n').collect();
        // What is missing at the end of a text is missing after its last line.
        let line = span.line.clamp(1, lines.len());
        let text = lines[line - 1].to_owned();
        let column = if line < span.line { text.chars().count() + 1 } else { span.column };
        let (length, is_option) = (span.length, source.is_option);
        Some(Self { source: source.name.clone(), is_option, line, column, length, text })
    }

    /// Moves it to the right, not beyond the end of its line.
    pub fn shift(&mut self, columns: usize) {
        self.column = (self.column + columns).min(self.text.chars().count() + 1);
    }
}

impl Diagnostic {
    /// An error with no place.
    pub fn error(message: impl fmt::Display) -> Self {
        Self {
            severity: Severity::Error,
            message: message.to_string(),
            place: None,
            label: String::new(),
            help: Vec::new(),
        }
    }

    /// Points at a place.
    pub fn at(mut self, sources: &Sources, span: Span) -> Self {
        self.place = Place::new(sources, span).map(Box::new);
        self
    }

    /// Turns it into a warning.
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Says something beside the caret.
    pub fn label(mut self, label: impl fmt::Display) -> Self {
        self.label = label.to_string();
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl fmt::Display) -> Self {
        self.help.push(help.to_string());
        self
    }

    /// Beside the caret: the nearest of the known names, if one is near.
    pub fn suggest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match did_you_mean(name, known) {
            Some(near) => self.label(format_args!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// The known name that a mistyped one most likely means.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
    let limit = (typed.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&typed, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Printable on one line: control characters as spaces or `?`, long texts cut.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '?',
            c => c,
        })
        .collect()
}

/// A text of the user's inside a message.
pub fn quoted(text: &str) -> String {
    let shown = printable(text);
    match shown.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &shown[..end]),
        None => format!("`{shown}`"),
    }
}

/// Names in a row for a help line: `a, b, c`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)?;
        let margin = match &self.place {
            Some(place) => place.show(&self.label, f)?,
            None => 1,
        };
        for help in &self.help {
            write!(f, "\n{:margin$} = help: {help}", "")?;
        }
        Ok(())
    }
}

impl Place {
    /// Shows the line with its caret; gives the width of the margin.
    fn show(&self, label: &str, f: &mut fmt::Formatter<'_>) -> Result<usize, fmt::Error> {
        let number = if self.is_option { String::new() } else { self.line.to_string() };
        let margin = number.len().max(1);
        let (line, column) = self.window();
        let left = line.chars().count().saturating_sub(column).max(1);
        let caret = "^".repeat(self.length.clamp(1, left));
        let source = printable(&self.source);
        match self.is_option {
            true => write!(f, "\n{:margin$}--> on the command line", "")?,
            false => write!(f, "\n{:margin$}--> {source}:{}:{}", "", self.line, self.column)?,
        }
        write!(f, "\n{:margin$} |\n{}", "", format!("{number:margin$} | {line}").trim_end())?;
        write!(f, "\n{:margin$} | {:column$}{caret}", "", "")?;
        if !label.is_empty() {
            write!(f, " {label}")?;
        }
        Ok(margin)
    }

    /// The part of the line around the place, and the place's offset in it.
    fn window(&self) -> (String, usize) {
        let text = printable(self.text.trim_end_matches('\r'));
        let column = self.column.saturating_sub(1);
        let start = if text.chars().count() > WIDTH { column.saturating_sub(WIDTH / 2) } else { 0 };
        let shown: String = text.chars().skip(start).take(WIDTH).collect();
        (shown.trim_end().to_owned(), column - start)
    }
}

/// Everything that is wrong with a grid, never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.0 {
            writeln!(f, "{diagnostic}\n")?;
        }
        let errors = self.0.iter().filter(|d| d.severity == Severity::Error).count();
        match errors {
            1 => write!(f, "1 error; nothing was started"),
            n => write!(f, "{n} errors; nothing was started"),
        }
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(did_you_mean("epoch", ["epochs", "batch"]), Some("epochs"));
        assert_eq!(did_you_mean("FOCAL", ["focal"]), Some("focal"));
        assert_eq!(did_you_mean("scrn", ["nscrd", "scr", "scrd"]), Some("scr"));
        assert_eq!(did_you_mean("transformer", ["bilstm", "shallow"]), None);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\tb"), "a?[31m b");
        assert_eq!(quoted(&"x".repeat(80)).chars().count(), 63);
    }

    #[test]
    fn a_place_deep_in_a_long_line_is_shown_in_a_window() {
        let text = format!("{}here{}", "x".repeat(500), "y".repeat(500));
        let place =
            Place { source: "a".into(), is_option: false, line: 1, column: 501, length: 4, text };
        let (line, column) = place.window();
        assert_eq!(&line[column..column + 4], "here");
        assert!(line.len() <= WIDTH);
    }
}
