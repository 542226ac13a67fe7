//! The grid as meant, still unchecked: the file, on top of what it extends, under the `--set`s.

use super::catalogue::Catalogue;
use super::diagnostic::{Diagnostic, Diagnostics, quoted};
use super::marks::MAX_BYTES;
use super::node::{Node, Value, merge};
use super::path::{Setter, segments};
use super::source::{Source, Sources, Span};
use super::yaml;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Grids that extend each other.
const MAX_CHAIN: usize = 16;

/// The tree with all layers applied.
pub struct Layered {
    pub tree: Node,
    /// YAML to keep beside the results: the file as written, under comments that name its other
    /// layers. Written out, those would hold paths of this machine.
    pub as_run: String,
}

/// Reads the layers of a grid.
pub struct Layers<'a> {
    pub sources: &'a mut Sources,
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
        let base = tree.get("extends").and_then(Node::as_text).map(str::to_owned);
        if tree.get("extends").is_some() {
            tree = self.join(tree, path, &mut vec![canonical(path)])?;
        }
        for set in sets {
            self.option(&mut tree, set, catalogue);
        }
        let as_run = header(base.as_deref(), sets) + text.as_deref().unwrap_or_default();
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
        let source = self.sources.add(Source {
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
    fn join(&mut self, mut tree: Node, path: &Path, chain: &mut Vec<PathBuf>) -> Option<Node> {
        let Some(extends) = take(&mut tree, "extends") else { return Some(tree) };
        let Some(name) = extends.as_text() else {
            let message =
                format!("`extends` is the path of another grid, not {}", extends.describe());
            self.found.push(Diagnostic::error(message).at(self.sources, extends.at));
            return Some(tree);
        };
        let base = path.parent().unwrap_or(Path::new("")).join(name);
        let canonical = canonical(&base);
        if chain.contains(&canonical) || chain.len() >= MAX_CHAIN {
            let message = format!("{} extends itself in the end", quoted(name));
            self.found.push(Diagnostic::error(message).at(self.sources, extends.at));
            return None;
        }
        chain.push(canonical);
        let mut under = self.file(&base, Some(extends.at))?;
        // Results are kept by the grid's name: two grids must not share it by accident.
        take(&mut under, "name");
        let under = self.join(under, &base, chain)?;
        Some(merge(under, tree))
    }

    /// One `--set path=value`.
    fn option(&mut self, tree: &mut Node, set: &str, catalogue: &Catalogue) {
        let text = format!("--set {set}");
        let source = self.sources.add(Source {
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

/// Comments that name the layers under and over a file.
fn header(base: Option<&str>, sets: &[String]) -> String {
    let base = base.map(|base| format!("on top of {base}, which is not copied here"));
    let sets = sets.iter().map(|set| format!("run with --set {set}"));
    base.into_iter().chain(sets).map(|layer| format!("# {}\n", one_line(&layer))).collect()
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
