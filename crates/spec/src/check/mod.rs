//! The checker: one walk over the tree that finds every error and builds the checked grid.
//!
//! It never stops at an error: what cannot be understood is left out, and the rest is checked. A
//! grid comes out only if nothing was found. It reads no file but those of corpora and models, for
//! their digests.

mod axes;
mod corpora;
mod grid;
mod models;
mod overrides;
mod parts;
mod queries;
mod ranges;
mod report;
mod rules;
mod stopping;
mod synonyms;
mod tune;

pub use axes::{CheckedMethod, Element};
pub use corpora::{CheckedCorpus, flattened};
pub use grid::{Checked, GRID_KEYS};
pub use models::CheckedModel;
pub use overrides::{Assignment, Axis, PATTERN_KEYS};
pub use ranges::RANGE;
pub use report::REPORT;
pub use rules::{LIMITS, MAX_RETRIES, MAX_SEEDS};
pub use stopping::{LEAST_LOOK, MAX_LOOKS, STOPPING};
pub use tune::{DEFAULTS as TUNE_DEFAULTS, MAX_TRIALS, TUNE};

use super::catalogue::Catalogue;
use super::diagnostic::{Diagnostic, Diagnostics, listed, quoted};
use super::node::{Key, Map, Node, Value};
use super::source::{SourceTexts, Span};
use domain::{Backend, TableKind};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Collects what is wrong.
pub struct Checker<'a> {
    pub sources: &'a SourceTexts,
    pub catalogue: &'a Catalogue,
    /// The backend of a training that names none.
    pub default_backend: Backend,
    /// The kinds of tables that `report` can name.
    pub tables: &'a [TableKind],
    /// Where embeddings and checkpoints of the catalogue are.
    pub pretrained: PathBuf,
    /// Whether no file but the grid's own is looked at; what stands for a file's digest is its path
    /// then.
    pub without_files: bool,
    found: Diagnostics,
    /// The same setting is met once for every point it goes into; it is wrong once. Digests of
    /// places and messages: the texts of a hundred thousand errors would take more memory than the
    /// grid.
    seen: HashSet<u64>,
    /// Digests of files, each read once.
    /// By the endings that a format looks for in a folder, and the path.
    digests: HashMap<(&'static [&'static str], PathBuf), Result<String, String>>,
}

impl<'a> Checker<'a> {
    /// A checker that has found `found` so far.
    pub fn new(sources: &'a SourceTexts, catalogue: &'a Catalogue, found: Diagnostics) -> Self {
        Self {
            sources,
            catalogue,
            default_backend: Backend::Libtorch,
            tables: &[],
            pretrained: PathBuf::new(),
            without_files: false,
            found,
            seen: HashSet::new(),
            digests: HashMap::new(),
        }
    }

    /// All that was found, errors and warnings.
    pub fn into_found(self) -> Diagnostics {
        self.found
    }

    /// What stands for the digest of a file that is not looked at: files of two paths stay apart.
    fn in_place_of_digest(path: &Path) -> String {
        format!("not read: {}", path.display())
    }

    /// A diagnostic at a place, to be told with [`Checker::tell`].
    pub fn at(&self, at: Span, message: impl Display) -> Diagnostic {
        Diagnostic::error(message).at(self.sources, at)
    }

    /// Adds a diagnostic, once.
    pub fn tell(&mut self, at: Span, diagnostic: Diagnostic) {
        let mut digest = DefaultHasher::new();
        (at, &diagnostic.message).hash(&mut digest);
        if self.seen.insert(digest.finish()) {
            self.found.push(diagnostic);
        }
    }

    /// Adds an error, once.
    pub fn error(&mut self, at: Span, message: impl Display) {
        let diagnostic = self.at(at, message);
        self.tell(at, diagnostic);
    }

    /// A grid without an error, of which nothing is left to run.
    pub fn no_jobs(&mut self, grid: Span) {
        if self.found.errors() == 0 {
            self.error(grid, "`exclude` leaves no job");
        }
    }

    /// A value of the wrong type.
    fn mismatch(&mut self, node: &Node, what: &str, expected: &str) {
        let message = format!("{what} is {}", node.describe());
        let diagnostic = self.at(node.at, message).label(format_args!("expected {expected}"));
        self.tell(node.at, diagnostic);
    }

    /// The entries of a mapping.
    pub fn map<'n>(&mut self, node: &'n Node, what: &str, expected: &str) -> Option<&'n Map> {
        match &node.value {
            Value::Map(map) => Some(map),
            _ => {
                self.mismatch(node, what, expected);
                None
            }
        }
    }

    /// The elements of a list that has some.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        match &node.value {
            Value::List(items) if items.is_empty() => {
                self.error(node.at, format_args!("{what} is empty: name at least one"));
                items
            }
            Value::List(items) => items,
            _ => {
                self.mismatch(node, what, "a list: `[a, b]`, or one `- a` a line");
                &[]
            }
        }
    }

    /// A text.
    pub fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        if node.as_text().is_none() {
            self.mismatch(node, what, "a text");
        }
        node.as_text()
    }

    /// A whole number in a range.
    pub fn integer(&mut self, node: &Node, what: &str, min: i64, max: i64) -> Option<i64> {
        match node.value {
            Value::Integer(v) if (min..=max).contains(&v) => Some(v),
            _ => {
                let range = match max {
                    i64::MAX => format!("a whole number, at least {min}"),
                    _ => format!("a whole number from {min} to {max}"),
                };
                self.mismatch(node, what, &range);
                None
            }
        }
    }

    /// An unknown key, with those that there are.
    pub fn unknown_key(&mut self, key: &Key, what: &str, known: &[&str]) {
        let message = format!("{what} has no setting {}", quoted(&key.text));
        let diagnostic = self.at(key.at, message);
        // `tag_column`, as other programs call it.
        let stem = ["_column", "-column", "_col", "_index"]
            .iter()
            .find_map(|end| key.text.strip_suffix(end))
            .filter(|stem| known.contains(stem));
        let diagnostic = match stem {
            Some(stem) => diagnostic
                .label(format_args!("did you mean `{stem}`?"))
                .help(format_args!("write `{stem}: N`, or `columns: {{{stem}: N}}`")),
            None => diagnostic.suggest(&key.text, known.iter().copied()),
        };
        let diagnostic =
            diagnostic.help(format_args!("{what} takes {}", listed(known.iter().copied())));
        self.tell(key.at, diagnostic);
    }

    /// An unknown name, with those that there are.
    pub fn unknown_name(&mut self, at: Span, what: &str, name: &str, known: &[&str]) {
        let diagnostic = self
            .at(at, format_args!("there is no {what} {}", quoted(name)))
            .suggest(name, known.iter().copied())
            .help(format_args!("known: {}", listed(known.iter().copied())));
        self.tell(at, diagnostic);
    }
}
