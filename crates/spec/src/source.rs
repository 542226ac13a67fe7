//! Where settings were written: the texts of a load and places in them.

use std::cell::OnceCell;
use std::path::PathBuf;

/// A text that settings came from.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// As the user knows it: the path as given, or the whole option.
    pub name: String,
    /// The text that places count in.
    pub text: String,
    /// The folder that file names in it are relative to.
    pub base: PathBuf,
    /// Whether it came from the command line, where a line number says nothing.
    pub is_option: bool,
}

/// A place in one of the [`SourceTexts`]: line and column from 1, length in characters.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub source: usize,
    pub line: usize,
    pub column: usize,
    pub length: usize,
}

/// All texts of a load. Never shrinks, so a [`Span`] stays valid.
#[derive(Clone, Debug, Default)]
pub struct SourceTexts(Vec<(SourceText, OnceCell<Index>)>);

/// Where the characters of a text are, so that no place needs a walk through all of it.
#[derive(Clone, Debug)]
struct Index {
    /// Each line's first byte and character; one more behind the last line's end.
    lines: Vec<(u32, u32)>,
    /// The byte of every [`STEP`]th character.
    marks: Vec<u32>,
}

/// Characters between two marks.
const STEP: usize = 256;

/// A line of a source.
#[derive(Copy, Clone, Debug)]
pub struct Line {
    /// From 1.
    pub number: usize,
    /// In characters, without its end.
    pub length: usize,
    /// The character of the text that is its first one.
    start: usize,
}

impl Index {
    fn new(text: &str) -> Self {
        let text = text.trim_end_matches('\n');
        let mut index = Self { lines: vec![(0, 0)], marks: Vec::new() };
        let mut count = 0;
        for (at, character) in text.char_indices() {
            if (count as usize).is_multiple_of(STEP) {
                index.marks.push(at as u32);
            }
            count += 1;
            if character == '\n' {
                index.lines.push((at as u32 + 1, count));
            }
        }
        index.lines.push((text.len() as u32 + 1, count + 1));
        index
    }

    fn line(&self, number: usize) -> Line {
        let number = number.clamp(1, self.lines.len() - 1);
        let [(_, start), (_, next)] = [number - 1, number].map(|line| self.lines[line]);
        Line { number, length: (next - start - 1) as usize, start: start as usize }
    }

    /// The byte of a character, that behind the last one too.
    fn byte(&self, text: &str, character: usize) -> usize {
        let Some(&mark) = self.marks.get(character / STEP) else { return text.len() };
        let rest = &text[mark as usize..];
        let step = rest.char_indices().nth(character % STEP);
        step.map_or(text.len(), |(at, _)| mark as usize + at)
    }
}

impl SourceTexts {
    /// Adds a text and gives its number.
    pub fn add(&mut self, source: SourceText) -> usize {
        self.0.push((source, OnceCell::new()));
        self.0.len() - 1
    }

    /// A text by number.
    pub fn get(&self, number: usize) -> Option<&SourceText> {
        self.0.get(number).map(|(source, _)| source)
    }

    /// A line of a text by its number, the nearest one where there is none.
    pub fn line(&self, source: usize, number: usize) -> Option<Line> {
        let (source, index) = self.0.get(source)?;
        Some(index.get_or_init(|| Index::new(&source.text)).line(number))
    }

    /// At most `count` characters of a line from its character `from` on.
    pub fn piece(&self, source: usize, line: &Line, from: usize, count: usize) -> &str {
        let Some((source, index)) = self.0.get(source) else { return "" };
        let index = index.get_or_init(|| Index::new(&source.text));
        let from = from.min(line.length);
        let end = from + count.min(line.length - from);
        let [from, end] = [from, end].map(|at| index.byte(&source.text, line.start + at));
        &source.text[from..end]
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
