//! Where each value of a YAML text stands, and what of YAML a grid may not use.
//!
//! Anchors, aliases, merge keys, tags, keys that are no text, repeated keys, a second document, and
//! input that is too large or too deep are refused here, before any value is built.

use super::diagnostic::{Diagnostic, Diagnostics, quoted};
use super::source::{SourceTexts, Span};
use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::HashSet;

/// Bytes of a grid file. Grids are written by hand; the largest known has a few kilobytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Nesting of a grid file.
const MAX_DEPTH: usize = 32;
/// Values of a grid file: each takes some hundred bytes of memory until the grid is checked.
const MAX_VALUES: usize = 100_000;
/// Entries of one list.
const MAX_ENTRIES: usize = 10_000;
/// Keys of one mapping, which may be copied for every model.
const MAX_KEYS: usize = 1000;

/// The place of a value and of what is in it.
#[derive(Debug)]
pub enum Mark {
    Scalar { at: Span },
    List { at: Span, items: Vec<Mark> },
    Map { at: Span, entries: Vec<(Span, Mark)> },
}

impl Mark {
    /// Where the value begins.
    pub fn at(&self) -> Span {
        match self {
            Mark::Scalar { at } | Mark::List { at, .. } | Mark::Map { at, .. } => *at,
        }
    }
}

/// A collection that is still open.
enum Open {
    List { at: Span, items: Vec<Mark> },
    Map { at: Span, entries: Vec<(Span, Mark)>, key: Option<(String, Span)>, keys: HashSet<String> },
}

struct Reader<'a> {
    sources: &'a SourceTexts,
    source: usize,
    stack: Vec<Open>,
    root: Option<Mark>,
    documents: usize,
    values: usize,
    /// What leaves no tree to check.
    fatal: Diagnostics,
    /// What is wrong, but lets the rest be checked in the same pass.
    found: &'a mut Diagnostics,
}

/// The places of the one document of a text; what a grid may not have is added to `found`.
pub fn read(
    text: &str,
    sources: &SourceTexts,
    source: usize,
    found: &mut Diagnostics,
) -> Option<Mark> {
    if text.len() > MAX_BYTES {
        let message = format!("the file has more than {MAX_BYTES} bytes");
        found.push(Diagnostic::error(message).help("is this really a grid file?"));
        return None;
    }
    let (stack, fatal) = (Vec::new(), Diagnostics::default());
    let (root, documents, values) = (None, 0, 0);
    let mut reader = Reader { sources, source, stack, root, documents, values, fatal, found };
    if let Err(error) = reader.run(text) {
        reader.fatal.push(error);
    }
    if reader.root.is_none() && reader.fatal.is_empty() {
        let start = Span { source, line: 1, column: 1, length: 1 };
        reader.fatal.push(Diagnostic::error("there is nothing in it").at(sources, start));
    }
    let root = reader.root.filter(|_| reader.fatal.is_empty());
    reader.found.append(reader.fatal);
    root
}

impl Reader<'_> {
    fn run(&mut self, text: &str) -> Result<(), Diagnostic> {
        let mut parser = Parser::new_from_str(text);
        while let Some(event) = parser.next_event() {
            let (event, span) = event.map_err(|error| self.syntax(&error))?;
            let at = self.span(&span);
            self.event(event, at)?;
        }
        Ok(())
    }

    fn syntax(&self, error: &saphyr_parser::ScanError) -> Diagnostic {
        let (line, column) = (error.marker().line().max(1), error.marker().col() + 1);
        let at = Span { source: self.source, line, column, length: 1 };
        Diagnostic::error("this is not valid YAML").at(self.sources, at).label(error.info())
    }

    fn span(&self, span: &saphyr_parser::Span) -> Span {
        let (start, end) = (span.start, span.end);
        let length =
            if start.line() == end.line() { end.col().saturating_sub(start.col()) } else { 1 };
        Span {
            source: self.source,
            line: start.line().max(1),
            column: start.col() + 1,
            length: length.max(1),
        }
    }

    fn refuse(&mut self, at: Span, message: impl std::fmt::Display, help: &str) {
        self.fatal.push(Diagnostic::error(message).at(self.sources, at).help(help));
    }

    fn event(&mut self, event: Event<'_>, at: Span) -> Result<(), Diagnostic> {
        self.room(at)?;
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents == 2 {
                    self.refuse(at, "a second document begins here", "one file holds one grid");
                }
            }
            Event::Alias(_) => {
                self.refuse(at, "a grid has no aliases (`*name`)", "write the value out");
                self.close(Mark::Scalar { at });
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                self.scalar(&text, style, at);
            }
            Event::SequenceStart(anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                self.open(Open::List { at: first(at), items: Vec::new() }, at)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.decorations(at, anchor, tag.is_some());
                let open = Open::Map {
                    at: first(at),
                    entries: Vec::new(),
                    key: None,
                    keys: HashSet::new(),
                };
                self.open(open, at)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => {}
        }
        Ok(())
    }

    /// Whether there is room for one more value, before it is kept.
    fn room(&mut self, at: Span) -> Result<(), Diagnostic> {
        let is_value = !matches!(self.stack.last(), Some(Open::Map { key: None, .. }));
        self.values += usize::from(is_value);
        let message = match self.stack.last() {
            Some(Open::List { items, .. }) if items.len() > MAX_ENTRIES => {
                format!("a list of more than {MAX_ENTRIES} entries")
            }
            Some(Open::Map { entries, .. }) if entries.len() > MAX_KEYS => {
                format!("a mapping of more than {MAX_KEYS} keys")
            }
            _ if self.values > MAX_VALUES => format!("the file has more than {MAX_VALUES} values"),
            _ => return Ok(()),
        };
        let error = Diagnostic::error(message).at(self.sources, at);
        Err(error.help("is this really a grid file? A sweep can be several grids"))
    }

    fn decorations(&mut self, at: Span, anchor: usize, tagged: bool) {
        if anchor != 0 {
            self.refuse(at, "a grid has no anchors (`&name`)", "write the value out");
        }
        if tagged {
            self.refuse(at, "a grid has no YAML tags (`!name`)", "write the value alone");
        }
    }

    fn open(&mut self, open: Open, at: Span) -> Result<(), Diagnostic> {
        if let Some(Open::Map { key: None, .. }) = self.stack.last() {
            // Without its key a mapping cannot be followed any further.
            let error = Diagnostic::error("a key must be a text").at(self.sources, at);
            return Err(error.help("a mapping or a list cannot be a key"));
        }
        if self.stack.len() == MAX_DEPTH {
            let error = Diagnostic::error(format!("nested more than {MAX_DEPTH} deep"));
            return Err(error.at(self.sources, at));
        }
        self.stack.push(open);
        Ok(())
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, at: Span) {
        let twice = match self.stack.last_mut() {
            Some(Open::Map { key: key @ None, keys, .. }) => {
                let twice = !keys.insert(text.to_owned());
                *key = Some((text.to_owned(), at));
                twice
            }
            _ => return self.close(Mark::Scalar { at }),
        };
        if twice {
            let error = Diagnostic::error(format_args!("the key {} is here twice", quoted(text)));
            self.found.push(error.at(self.sources, at).help("keep one of them"));
        }
        if text == "<<" && style == ScalarStyle::Plain {
            self.refuse(at, "a grid has no merge keys (`<<`)", "a grid may `extends: other.yaml`");
        }
    }

    /// A finished value goes to the collection it stands in.
    fn close(&mut self, mark: Mark) {
        match self.stack.last_mut() {
            Some(Open::List { items, .. }) => items.push(mark),
            Some(Open::Map { entries, key, .. }) => {
                if let Some((_, at)) = key.take() {
                    entries.push((at, mark));
                } else {
                    // An alias where a key should be, refused already.
                    *key = Some((String::new(), mark.at()));
                }
            }
            None => self.root = self.root.take().or(Some(mark)),
        }
    }

    fn end(&mut self) {
        match self.stack.pop() {
            Some(Open::List { at, items }) => self.close(Mark::List { at, items }),
            Some(Open::Map { at, entries, .. }) => self.close(Mark::Map { at, entries }),
            None => {}
        }
    }
}

/// The first character of a collection.
fn first(at: Span) -> Span {
    Span { length: 1, ..at }
}
