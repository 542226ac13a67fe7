//! Corpora, embeddings, checkpoints and methods that go by name: what is shipped, under a user's
//! own catalogue.
//!
//! The shipped catalogue has no error in it (a test holds that); of a user's every error is told
//! with its place. Corpora are checked as part of the grid that names them, no earlier.

mod provenance;

pub use provenance::{Origin, Provenance, SplitCounts};

use super::check::Checker;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::layers;
use super::node::{Map, Node, Value, get};
use super::source::{SourceText, SourceTexts, Span};
use super::yaml;
use domain::InnerPath;
use method::catalogue as methods;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The catalogue as it is shipped.
pub const SHIPPED: &str = include_str!("../../../experiments/catalogue.yaml");

/// Keys of a catalogue corpus that name files in its folder.
const FILES: [&str; 8] =
    ["train", "dev", "test", "all", "documents", "annotations", "texts", "parts"];

/// Keys of a catalogue corpus that are no settings of it.
const ABOUT: [&str; 8] =
    ["name", "help", "licence", "source", "fetch", "restricted", "by_hand", "counts"];

/// Everything that goes by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    corpora: Vec<CorpusEntry>,
    embeddings: Vec<FileEntry>,
    checkpoints: Vec<FileEntry>,
}

/// A corpus of the catalogue.
#[derive(Clone, Debug)]
pub struct CorpusEntry {
    pub name: String,
    /// One line of help.
    pub help: String,
    /// Whose it is, and how to get it.
    pub provenance: Provenance,
    /// What a reader of its files must count, a split each.
    pub counts: BTreeMap<String, SplitCounts>,
    settings: Vec<(String, Node)>,
}

/// Word vectors, or a pretrained model: some files in a folder of its name.
#[derive(Clone, Debug)]
pub struct FileEntry {
    pub name: String,
    /// One line of help.
    pub help: String,
    /// Whose it is, and how to get it.
    pub provenance: Provenance,
    /// The files that must be there.
    pub files: Vec<InnerPath>,
}

impl FileEntry {
    /// How to get its files.
    pub fn how_to_get(&self) -> Option<String> {
        how_to_get(&self.name, &self.provenance)
    }
}

fn how_to_get(name: &str, provenance: &Provenance) -> Option<String> {
    match &provenance.origin {
        Origin::Fetch(_) => Some(format!("get it with `tailgrid fetch {name}`")),
        Origin::ByHand { advice, .. } if !advice.is_empty() => Some(advice.clone()),
        Origin::ByHand { .. } | Origin::BuiltIn => None,
    }
}

impl CorpusEntry {
    /// The files that it is read from, in the folder of all corpora.
    pub fn files(&self) -> Vec<&Path> {
        let mut files = Vec::new();
        self.settings.iter().for_each(|(_, node)| files_in(node, &mut files));
        files
    }
}

fn files_in<'a>(node: &'a Node, files: &mut Vec<&'a Path>) {
    match &node.value {
        Value::File(path) => files.push(path),
        Value::List(items) => items.iter().for_each(|item| files_in(item, files)),
        Value::Map(map) => map.iter().for_each(|(_, node)| files_in(node, files)),
        _ => {}
    }
}

impl Catalogue {
    /// The shipped catalogue; files of its corpora are in `<folder>/<name>/`.
    pub fn shipped(folder: &Path) -> Self {
        read("catalogue.yaml".to_owned(), SHIPPED.to_owned(), folder).0
    }

    /// The shipped catalogue under a user's own: an entry of the same name takes the shipped one's
    /// place.
    pub fn with_own(folder: &Path, own: Option<&Path>) -> Result<Self, Diagnostics> {
        let mut catalogue = Self::shipped(folder);
        let Some(path) = own else { return Ok(catalogue) };
        let text = layers::read_text(path).map_err(|message| {
            let error = Diagnostic::error(message);
            Diagnostics::from(error.help("give `--catalogue` the path of a catalogue file"))
        })?;
        let (read, found) = read(path.display().to_string(), text, folder);
        found.into_warnings()?;
        replace(&mut catalogue.corpora, read.corpora, |entry| &entry.name);
        replace(&mut catalogue.embeddings, read.embeddings, |entry| &entry.name);
        replace(&mut catalogue.checkpoints, read.checkpoints, |entry| &entry.name);
        Ok(catalogue)
    }

    /// The corpora, in the order of the file.
    pub fn corpora(&self) -> &[CorpusEntry] {
        &self.corpora
    }

    /// Word vectors.
    pub fn embeddings(&self) -> &[FileEntry] {
        &self.embeddings
    }

    /// Pretrained models.
    pub fn checkpoints(&self) -> &[FileEntry] {
        &self.checkpoints
    }

    /// A corpus written out, everything of it at the place where it was named.
    pub fn corpus(&self, name: &str, at: Span) -> Option<Node> {
        let entry = self.corpora.iter().find(|entry| entry.name == name)?;
        let named = ("name".to_owned(), Node::text(name, at));
        let settings = entry.settings.iter().map(|(key, node)| (key.clone(), moved(node, at)));
        Some(Node::map(std::iter::once(named).chain(settings), at))
    }

    /// How to get a file of one of the corpora.
    pub fn how_to_get(&self, file: &Path) -> Option<String> {
        let entry = self.corpora.iter().find(|entry| entry.files().contains(&file))?;
        how_to_get(&entry.name, &entry.provenance)
    }

    /// A method written out.
    pub fn method(&self, name: &str, at: Span) -> Option<Node> {
        let parts = methods::find(name)?.parts.iter();
        // In short form, so that what an override sets of it takes their place.
        let parts = parts.flat_map(|part| {
            let presets = part.presets.iter();
            let presets = presets.map(|(name, preset)| (*name, Node::preset(*preset, at)));
            let kind = (part.slot, Node::text(part.kind, at));
            std::iter::once(kind).chain(presets).map(|(key, node)| (key.to_owned(), node))
        });
        let named = ("name".to_owned(), Node::text(name, at));
        Some(Node::map(std::iter::once(named).chain(parts), at))
    }

    /// A corpus or a method written out; no name is both.
    pub fn expand(&self, name: &str, at: Span) -> Option<Node> {
        self.corpus(name, at).or_else(|| self.method(name, at))
    }
}

/// Puts entries in the place of those of the same name, the others at the end.
fn replace<T>(entries: &mut Vec<T>, own: Vec<T>, name: impl Fn(&T) -> &str) {
    for entry in own {
        match entries.iter_mut().find(|old| name(old) == name(&entry)) {
            Some(old) => *old = entry,
            None => entries.push(entry),
        }
    }
}

/// Reads a catalogue; what is wrong with an entry is told, and the entry left out.
fn read(name: String, text: String, folder: &Path) -> (Catalogue, Diagnostics) {
    let (mut sources, mut found) = (SourceTexts::default(), Diagnostics::default());
    let base = PathBuf::new();
    let source = sources.add(SourceText { name, text: text.clone(), base, is_option: false });
    let tree = yaml::read(&text, &sources, (source, 0), &mut found);
    let nothing = Catalogue::default();
    let mut checker = Checker::new(&sources, &nothing, found);
    let read = tree.and_then(|tree| checker.catalogue(&tree, folder));
    (read.unwrap_or_default(), checker.into_found())
}

impl Checker<'_> {
    fn catalogue(&mut self, tree: &Node, folder: &Path) -> Option<Catalogue> {
        let map = self.map(tree, "a catalogue", "a mapping that begins with `version: 1`")?;
        for (key, _) in map {
            let known = ["version", "corpora", "embeddings", "checkpoints"];
            if !known.contains(&key.text.as_str()) {
                self.unknown_key(key, "a catalogue", &known);
            }
        }
        match get(map, "version") {
            Some(version) => drop(self.integer(version, "`version` of a catalogue", 1, 1)),
            None => self.error(tree.at, "a catalogue begins with `version: 1`"),
        }
        Some(Catalogue {
            corpora: self.entries(map, "corpora", |checker, name, map, at| {
                checker.corpus_entry(name, (map, at), folder)
            }),
            embeddings: self.entries(map, "embeddings", Self::file_entry),
            checkpoints: self.entries(map, "checkpoints", Self::file_entry),
        })
    }

    /// The entries of a list, each with a name of its own.
    fn entries<T>(
        &mut self,
        map: &Map,
        list: &str,
        mut entry: impl FnMut(&mut Self, String, &Map, Span) -> Option<T>,
    ) -> Vec<T> {
        let Some(node) = get(map, list) else { return Vec::new() };
        let (mut read, mut names) = (Vec::new(), Vec::new());
        for item in self.list(node, &format!("`{list}` of a catalogue")) {
            let what = format!("an entry of `{list}`");
            let Some(map) = self.map(item, &what, "a mapping with a `name`") else { continue };
            let Some(name) = self.required(map, "name", (&what, item.at)) else { continue };
            // A name is a folder's name too.
            if InnerPath::new(&name).is_none() || name.contains('/') {
                self.error(item.at, format_args!("`{name}` cannot be the name of {what}"));
            } else if names.contains(&name) {
                self.error(item.at, format_args!("`{name}` is twice in `{list}`"));
            } else {
                names.push(name.clone());
                read.extend(entry(self, name, map, item.at));
            }
        }
        read
    }

    fn corpus_entry(
        &mut self,
        name: String,
        (map, at): (&Map, Span),
        folder: &Path,
    ) -> Option<CorpusEntry> {
        let what = format!("corpus `{name}`");
        let settings: Vec<(String, Node)> = map
            .iter()
            .filter(|(key, _)| !ABOUT.contains(&key.text.as_str()))
            .map(|(key, node)| match FILES.contains(&key.text.as_str()) {
                true => (key.text.clone(), in_folder(node, &folder.join(&name))),
                false => (key.text.clone(), node.clone()),
            })
            .collect();
        let reads_files = settings.iter().any(|(key, _)| FILES.contains(&key.as_str()));
        let provenance = self.provenance(&what, (map, at), reads_files);
        let counts = get(map, "counts").map(|node| self.counts(&what, node)).unwrap_or_default();
        let help = self.optional(map, "help", &what);
        Some(CorpusEntry { name, help, provenance: provenance?, counts, settings })
    }

    fn file_entry(&mut self, name: String, map: &Map, at: Span) -> Option<FileEntry> {
        let what = format!("`{name}`");
        let known: Vec<&str> =
            ABOUT.into_iter().filter(|key| *key != "counts").chain(["files"]).collect();
        for (key, _) in map.iter().filter(|(key, _)| !known.contains(&key.text.as_str())) {
            self.unknown_key(key, &what, &known);
        }
        let provenance = self.provenance(&what, (map, at), true)?;
        let fetched = match &provenance.origin {
            Origin::Fetch(remotes) => remotes.iter().flat_map(|r| r.files()).collect(),
            _ => Vec::new(),
        };
        let files = match get(map, "files") {
            Some(node) => self.inner_paths(&what, node)?,
            None => fetched.into_iter().map(|file| file.path.clone()).collect(),
        };
        if files.is_empty() {
            self.error(at, format_args!("{what} needs its `files`"));
        }
        Some(FileEntry { help: self.optional(map, "help", &what), provenance, files, name })
    }

    fn inner_paths(&mut self, what: &str, node: &Node) -> Option<Vec<InnerPath>> {
        let items = self.list(node, &format!("`files` of {what}")).iter();
        items.map(|item| self.inner_path(what, item)).collect()
    }
}

/// Every file name of a value as a file of the folder.
fn in_folder(node: &Node, folder: &Path) -> Node {
    let value = match &node.value {
        Value::Text(file) => Value::File(folder.join(file)),
        Value::Map(map) => {
            let files = map.iter().map(|(key, node)| (key.text.clone(), in_folder(node, folder)));
            return Node::map(files, node.at);
        }
        value => value.clone(),
    };
    Node { value, at: node.at }
}

/// The same value, all of it at another place.
fn moved(node: &Node, at: Span) -> Node {
    let value = match &node.value {
        Value::List(items) => Value::List(items.iter().map(|item| moved(item, at)).collect()),
        Value::Map(map) => {
            return Node::map(map.iter().map(|(k, n)| (k.text.clone(), moved(n, at))), at);
        }
        value => value.clone(),
    };
    Node { value, at }
}

#[cfg(test)]
mod tests;
