//! The grid as meant, still unchecked: the file, on top of what it extends, under the `--set`s.

use super::catalogue::Catalogue;
use super::diagnostic::{Diagnostic, Diagnostics, quoted};
use super::marks::MAX_BYTES;
use super::node::{Node, Value, merge};
use super::path::{Setter, segments};
use super::source::{SourceText, SourceTexts, Span};
use super::yaml;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Grids that extend each other.
const MAX_CHAIN: usize = 16;

/// The tree with all layers applied.
pub struct Layered {
    pub tree: Node,
    /// YAML to keep beside the results: the file as written, under comments that name its options
    /// and over comments that have the grids that it extends, so that it needs their files no more.
    pub as_run: String,
}

/// The grids under a file.
struct Bases {
    /// The file and those under it that were joined.
    chain: Vec<PathBuf>,
    /// Those that the file has in comments, the next one first: they stand for their files.
    copies: std::vec::IntoIter<String>,
    /// The comments that have those that were joined.
    comments: String,
}

/// Reads the layers of a grid.
pub struct Layers<'a> {
    pub sources: &'a mut SourceTexts,
    pub found: &'a mut Diagnostics,
}

impl Layers<'_> {
    /// The file at `path` with everything below and above it; `None` if there is no tree to check.
    pub fn read(
        &mut self,
        path: &Path,
        text: Option<&str>,
        sets: &[String],
        catalogue: &Catalogue,
    ) -> Option<Layered> {
        let mut tree = match text {
            Some(text) => self.tree(path, text.to_owned())?,
            None => self.file(path, None)?,
        };
        let text = self.sources.get(tree.at.source).map(|source| source.text.clone());
        let (own, copies) = without_copies(text.as_deref().unwrap_or_default());
        let (chain, copies) = (vec![canonical(path)], copies.into_iter());
        let mut bases = Bases { chain, copies, comments: String::new() };
        tree = self.join(tree, path, &mut bases)?;
        for set in sets {
            self.option(&mut tree, set, catalogue);
        }
        let mut as_run = header(sets) + own;
        if !bases.comments.is_empty() {
            as_run = as_run.trim_end().to_owned() + "\n" + &bases.comments;
        }
        Some(Layered { tree, as_run })
    }

    /// One file's own tree, always a mapping.
    fn file(&mut self, path: &Path, named_at: Option<Span>) -> Option<Node> {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(message) => {
                let error = Diagnostic::error(message);
                self.found.push(match named_at {
                    Some(at) => error.at(self.sources, at),
                    None => error
                        .help("give the path of a grid file, such as experiments/quickstart.yaml"),
                });
                return None;
            }
        };
        self.tree(path, text)
    }

    /// The tree of a file's text.
    fn tree(&mut self, path: &Path, text: String) -> Option<Node> {
        let source = self.sources.add(SourceText {
            name: path.display().to_string(),
            text: text.clone(),
            base: path.parent().unwrap_or(Path::new("")).to_owned(),
            is_option: false,
        });
        let node = yaml::read(&text, self.sources, (source, 0), self.found)?;
        if !matches!(node.value, Value::Map(_)) {
            let error =
                Diagnostic::error(format_args!("a grid is a mapping, this is {}", node.describe()));
            self.found.push(error.at(self.sources, node.at).help("begin with `version: 1`"));
            return None;
        }
        Some(node)
    }

    /// `tree` on top of the grid that it extends.
    fn join(&mut self, mut tree: Node, path: &Path, bases: &mut Bases) -> Option<Node> {
        let Some(extends) = take(&mut tree, "extends") else { return Some(tree) };
        let Some(name) = extends.as_text() else {
            let message =
                format!("`extends` is the path of another grid, not {}", extends.describe());
            self.found.push(Diagnostic::error(message).at(self.sources, extends.at));
            return Some(tree);
        };
        let base = path.parent().unwrap_or(Path::new("")).join(name);
        let canonical = canonical(&base);
        if bases.chain.contains(&canonical) || bases.chain.len() >= MAX_CHAIN {
            let message = format!("{} extends itself in the end", quoted(name));
            self.found.push(Diagnostic::error(message).at(self.sources, extends.at));
            return None;
        }
        bases.chain.push(canonical);
        let mut under = match bases.copies.next() {
            Some(copy) => self.tree(&base, copy)?,
            None => self.file(&base, Some(extends.at))?,
        };
        let text = self.sources.get(under.at.source).map(|source| source.text.as_str());
        bases.comments += &copy(name, text.unwrap_or_default());
        // Results are kept by the grid's name: two grids must not share it by accident.
        take(&mut under, "name");
        let under = self.join(under, &base, bases)?;
        Some(merge(under, tree))
    }

    /// One `--set path=value`.
    fn option(&mut self, tree: &mut Node, set: &str, catalogue: &Catalogue) {
        let text = format!("--set {set}");
        let source = self.sources.add(SourceText {
            name: text.clone(),
            text,
            base: PathBuf::new(),
            is_option: true,
        });
        let start = Span { source, line: 1, column: "--set ".len() + 1, length: 1 };
        let Some((path, value)) = set.split_once('=') else {
            let length = set.chars().count().max(1);
            let error = Diagnostic::error("`--set` needs a path and a value");
            let error = error.at(self.sources, Span { length, ..start });
            self.found.push(error.help("write it as `--set training.epochs=5`"));
            return;
        };
        let shift = start.column + path.chars().count();
        if let Some(node) = yaml::read(value, self.sources, (source, shift), self.found) {
            let setter = Setter { catalogue, sources: self.sources };
            if let Err(error) = setter.set(tree, &segments(path.trim(), start), node) {
                self.found.push(error);
            }
        }
    }
}

/// Comments that name the options over a file.
fn header(sets: &[String]) -> String {
    sets.iter().map(|set| format!("# run with --set {}\n", one_line(set))).collect()
}

/// How a comment begins that names a grid, and how those begin that are its lines.
const COPY: &str = "# extends ";
const LINE: &str = "# | ";

/// Comments that have a grid under a file.
fn copy(name: &str, text: &str) -> String {
    // A carriage return alone ends a line of YAML too.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = text.lines().map(|line| format!("{LINE}{line}\n"));
    format!("{COPY}{}:\n", one_line(name)) + &lines.collect::<String>()
}

/// A file's text up to such comments, and the grids that they have.
fn without_copies(text: &str) -> (&str, Vec<String>) {
    let first = text.match_indices(COPY).map(|(at, _)| at).find(|&at| {
        let is_line = at == 0 || text[..at].ends_with('\n');
        is_line && text[at..].lines().nth(1).is_some_and(|next| next.starts_with(LINE))
    });
    let Some(first) = first else { return (text, Vec::new()) };
    let mut copies: Vec<String> = Vec::new();
    for line in text[first..].lines() {
        match (line.strip_prefix(LINE), copies.last_mut()) {
            (Some(line), Some(copy)) => *copy += &format!("{line}\n"),
            _ => copies.push(String::new()),
        }
    }
    (&text[..first], copies)
}

/// A text that stays in its comment: line ends and control characters escaped.
fn one_line(text: &str) -> String {
    let escaped = |c: char| match c {
        '\u{2028}' | '\u{2029}' | '\u{feff}' => c.escape_default().collect(),
        c if c.is_control() => c.escape_default().collect(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

fn take(node: &mut Node, key: &str) -> Option<Node> {
    let Value::Map(map) = &mut node.value else { return None };
    let index = map.iter().position(|(k, _)| k.text == key)?;
    Some(map.remove(index).1)
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The text of a file without a byte order mark, or why there is none.
pub fn read_text(path: &Path) -> Result<String, String> {
    let shown = quoted(&path.display().to_string());
    let bytes = read_start(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {shown}"),
        _ => format!("cannot read {shown}: {error}"),
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(_) => Err(format!("{shown} is not text in UTF-8")),
    }
}

/// No more of a file than shows that it is too large.
fn read_start(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
