//! Where settings were written: the texts of a load and places in them.

use std::path::PathBuf;

/// A text that settings came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// As the user knows it: the path as given, or the whole option.
    pub name: String,
    /// The text that places count in.
    pub text: String,
    /// The folder that file names in it are relative to.
    pub base: PathBuf,
    /// Whether it came from the command line, where a line number says nothing.
    pub is_option: bool,
}

/// A place in one of the [`Sources`]: line and column from 1, length in characters.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub source: usize,
    pub line: usize,
    pub column: usize,
    pub length: usize,
}

/// All texts of a load. Never shrinks, so a [`Span`] stays valid.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a text and gives its number.
    pub fn add(&mut self, source: Source) -> usize {
        self.0.push(source);
        self.0.len() - 1
    }

    /// A text by number.
    pub fn get(&self, number: usize) -> Option<&Source> {
        self.0.get(number)
    }

    /// The folder that a file name written at `span` is relative to.
    pub fn base(&self, span: Span) -> PathBuf {
        self.get(span.source).map(|source| source.base.clone()).unwrap_or_default()
    }

    /// `grid.yaml:3`, or the option itself.
    pub fn place(&self, span: Span) -> String {
        match self.get(span.source) {
            Some(source) if source.is_option => source.name.clone(),
            Some(source) => format!("{}:{}", source.name, span.line),
            None => String::new(),
        }
    }
}
