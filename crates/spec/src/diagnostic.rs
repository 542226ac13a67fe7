//! What is wrong with a grid, shown as compilers show it: the place, the line, a caret, what to do.
//!
//! A diagnostic owns all it shows, so it outlives the texts it speaks of. Text from a file is
//! cleaned before it is shown: a control character never reaches the terminal.

use super::source::{SourceTexts, Span};
use domain::printable;
use std::fmt;

/// Characters of a long line shown around the caret.
const WIDTH: usize = 100;
/// Errors, and warnings, that are shown; the others are counted.
const MOST: usize = 100;
/// Names that a help line lists, and that are looked through for the one that was meant.
const MOST_NAMES: usize = 100;

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
    pub place: Option<Box<DiagnosticPlace>>,
    /// What stands beside the caret: a did-you-mean, what was expected.
    pub label: String,
    /// What to do.
    pub help: Vec<String>,
}

/// A place with the part of its line that is around it: a line may be as long as the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiagnosticPlace {
    pub source: String,
    pub is_option: bool,
    pub line: usize,
    pub column: usize,
    pub length: usize,
    /// What is shown of the line.
    text: String,
    /// Characters of the line before `text`.
    cut: usize,
}

impl DiagnosticPlace {
    fn new(sources: &SourceTexts, span: Span) -> Option<Self> {
        let source = sources.get(span.source)?;
        // What is missing at the end of a text is missing after its last line.
        let line = sources.line(span.source, span.line)?;
        let column = if line.number < span.line { line.length + 1 } else { span.column };
        // A place in an option may be moved, so that all of its text is kept.
        let is_whole = source.is_option || line.length <= WIDTH;
        let cut = if is_whole { 0 } else { column.saturating_sub(1 + WIDTH / 2) };
        let width = if is_whole { line.length } else { WIDTH };
        Some(Self {
            source: source.name.clone(),
            is_option: source.is_option,
            line: line.number,
            column,
            length: span.length,
            text: sources.piece(span.source, &line, cut, width).to_owned(),
            cut,
        })
    }

    /// Moves it to the right, not beyond the end of its line.
    pub fn shift(&mut self, columns: usize) {
        self.column = (self.column + columns).min(self.cut + self.text.chars().count() + 1);
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
    pub fn at(mut self, sources: &SourceTexts, span: Span) -> Self {
        self.place = DiagnosticPlace::new(sources, span).map(Box::new);
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
    let length = typed.chars().count();
    let limit = (length / 3).max(1);
    // No name of another length is near, however long it is.
    let is_alike = |candidate: &&str| {
        candidate.chars().take(length + limit + 1).count().abs_diff(length) <= limit
    };
    known
        .into_iter()
        .filter(is_alike)
        .take(MOST_NAMES)
        .map(|candidate| (strsim::osa_distance(&typed, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A text of the user's inside a message.
pub fn quoted(text: &str) -> String {
    let shown = printable(text);
    match shown.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &shown[..end]),
        None => format!("`{shown}`"),
    }
}

/// Names in a row for a help line: `a, b, c`; of very many only the first ones.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut first: Vec<&str> = names.by_ref().take(MOST_NAMES).collect();
    first.extend(names.next().map(|_| "…"));
    first.join(", ")
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

impl DiagnosticPlace {
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
        let column = self.column.saturating_sub(1 + self.cut);
        let start = if text.chars().count() > WIDTH { column.saturating_sub(WIDTH / 2) } else { 0 };
        let shown: String = text.chars().skip(start).take(WIDTH).collect();
        (shown.trim_end().to_owned(), column - start)
    }
}

/// What is wrong with a grid, in the order in which it was met. The first errors and the first
/// warnings are kept and the others counted: a file of a megabyte may have a hundred thousand.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MOST {
            self.kept.push(diagnostic);
        }
    }

    /// Adds all of another list.
    pub fn append(&mut self, other: Self) {
        let (errors, warnings) = (self.errors + other.errors, self.warnings + other.warnings);
        other.kept.into_iter().for_each(|diagnostic| self.push(diagnostic));
        (self.errors, self.warnings) = (errors, warnings);
    }

    /// How many errors there are, with those that are only counted.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether a further error is only counted: nothing need be looked up for it.
    pub fn is_full(&self) -> bool {
        self.errors >= MOST
    }

    /// Those that are kept.
    pub fn kept(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// The same, to be changed.
    pub fn kept_mut(&mut self) -> &mut [Diagnostic] {
        &mut self.kept
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.errors == 0 && self.warnings == 0
    }

    /// The warnings, if there is no error; the last one tells how many more there are.
    pub fn into_warnings(mut self) -> Result<Vec<Diagnostic>, Self> {
        if self.errors > 0 {
            return Err(self);
        }
        if let Some(more) = self.more(Severity::Warning) {
            self.kept.push(Diagnostic::error(more).warning());
        }
        Ok(self.kept)
    }

    /// How many of a severity are not kept, in words.
    fn more(&self, severity: Severity) -> Option<String> {
        let (count, word) = match severity {
            Severity::Error => (self.errors, "error"),
            Severity::Warning => (self.warnings, "warning"),
        };
        let more = count.checked_sub(MOST).filter(|more| *more > 0)?;
        Some(format!("and {}", counted(more, &format!("more {word}"))))
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        let mut diagnostics = Self::default();
        diagnostics.push(diagnostic);
        diagnostics
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.kept {
            writeln!(f, "{diagnostic}\n")?;
        }
        for more in [Severity::Error, Severity::Warning].map(|severity| self.more(severity)) {
            more.map_or(Ok(()), |more| writeln!(f, "{more}\n"))?;
        }
        write!(f, "{}; nothing was started", counted(self.errors, "error"))
    }
}

/// `1 error`, `9,980 errors`.
fn counted(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    format!("{shown} {what}{}", if count == 1 { "" } else { "s" })
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::super::source::SourceText;
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
        assert_eq!(quoted("a\u{1b}[31m\tb"), "`a\u{fffd}[31m b`");
        assert_eq!(quoted(&"x".repeat(80)).chars().count(), 63);
    }

    #[test]
    fn a_place_deep_in_a_long_line_is_shown_in_a_window() {
        let text = format!("a\n{}here{}\nb\n", "é".repeat(500), "y".repeat(500));
        let mut sources = SourceTexts::default();
        let source =
            SourceText { name: "a".into(), text, base: Default::default(), is_option: false };
        let source = sources.add(source);
        for (column, expected) in [(501, "here"), (1, "éééé"), (1001, "yyyy"), (401, "éééé")]
        {
            let span = Span { source, line: 2, column, length: 4 };
            let place = DiagnosticPlace::new(&sources, span).unwrap();
            let (line, offset) = place.window();
            assert_eq!(line.chars().skip(offset).take(4).collect::<String>(), expected, "{column}");
            assert!(line.chars().count() <= WIDTH && place.text.len() <= 2 * WIDTH, "{column}");
        }
        // What is missing at the end is missing after the last line.
        let place =
            DiagnosticPlace::new(&sources, Span { source, line: 9, column: 1, length: 1 }).unwrap();
        assert_eq!((place.line, place.column, place.window()), (3, 2, ("b".to_owned(), 1)));
    }

    #[test]
    fn many_errors_and_warnings_are_counted_and_the_first_ones_kept() {
        let mut found = Diagnostics::default();
        (0..9_999).for_each(|n| found.push(Diagnostic::error(n)));
        (0..101).for_each(|n| found.push(Diagnostic::error(n).warning()));
        let text = found.to_string();
        assert!(text.starts_with("error: 0\n\nerror: 1\n\n"), "{text}");
        let end =
            "and 9,899 more errors\n\nand 1 more warning\n\n9,999 errors; nothing was started";
        assert!(text.ends_with(end), "{text}");
        assert_eq!(found.kept().len(), 200);
        let mut one = Diagnostics::from(Diagnostic::error("odd"));
        assert_eq!(one.to_string(), "error: odd\n\n1 error; nothing was started");
        one.append(found);
        assert_eq!((one.errors(), one.kept().len()), (10_000, 200));
    }

    #[test]
    fn a_name_that_is_far_longer_is_not_compared() {
        let long = "x".repeat(10_000_000);
        let known = vec![long.as_str(); 1000];
        assert_eq!(did_you_mean("focl", known.into_iter().chain(["focal"])), Some("focal"));
        assert_eq!(listed(vec!["a"; 101]).len(), 3 * 101);
    }
}
