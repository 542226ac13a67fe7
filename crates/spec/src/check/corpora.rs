//! Corpora: their format, their files, and the digests of those.

use super::Checker;
use super::axes::Element;
use crate::diagnostic::{listed, quoted};
use crate::node::{Map, Node, Value, get};
use crate::slots::CORPUS;
use crate::source::Span;
use corpus::formats::FormatFiles;
use corpus::{self, CorpusError, WHOLE, formats};
use domain::{CorpusIdentity, Parameters, Part};
use parts::{Entry, Scenario};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a corpus in splits, and whether it can do without.
const SPLITS: [(&str, bool); 3] = [("train", true), ("dev", false), ("test", true)];
/// Keys of a corpus that are no parameters of its format, whatever that is.
const OWN: [&str; 6] = ["name", "train", "dev", "test", WHOLE, "parts"];

/// Names that a further part cannot have: they are splits.
const RESERVED: [&str; 4] = ["train", "dev", "test", WHOLE];

/// Where corpora of the catalogue may also be.
const ELSEWHERE: &str = "say where the corpora are, one folder a name, with `--corpora DIR`";

/// A corpus, and where its files are.
#[derive(Clone, Debug)]
pub struct CheckedCorpus {
    pub identity: CorpusIdentity,
    pub files: BTreeMap<String, PathBuf>,
    /// Further training parts by name. They are no part of the corpus's identity: only a scenario
    /// that takes one knows of it.
    pub parts: BTreeMap<String, Digested>,
}

impl CheckedCorpus {
    /// The corpus with what a scenario takes of its parts; `Err` is the reason why it cannot.
    pub fn under(&self, scenario: &Parameters) -> Result<Self, String> {
        let name = &Scenario::new(scenario).extra_train;
        let mut corpus = self.clone();
        if name.is_empty() {
            return Ok(corpus);
        }
        let Some(part) = self.parts.get(name) else {
            return Err(format!("the corpus has no part `{name}` to train on"));
        };
        let role = corpus::part_role(name);
        corpus.identity.digests.insert(role.clone(), part.digest.clone());
        corpus.files.insert(role, part.path.clone());
        Ok(corpus)
    }
}

/// A file or folder of a corpus.
#[derive(Clone, Debug)]
pub struct Digested {
    pub path: PathBuf,
    pub digest: String,
}

impl Checker<'_> {
    /// What a corpus is, with the digests of its files.
    pub fn corpus(&mut self, element: &Element, node: &Node) -> Option<CheckedCorpus> {
        let what = format!("corpus `{}`", element.name);
        let map = flattened(self.map(node, &what, "a mapping")?.clone());
        let entry = format_of(&map);
        let reads = entry.map(|entry| formats::reads(entry.name));
        let own: Vec<&str> =
            OWN.into_iter().chain(reads.iter().flat_map(|reads| reads.roles).copied()).collect();
        let parts = self.parts(&what, (&map, node.at), CORPUS, &own);
        let files = self.files(&what, (&map, node.at), entry);
        let further = self.further_parts(&what, &map, entry);
        let (_, _, format) = parts?.pop()?;
        let settled = self.settings(&what, (&map, node.at), &format);
        let (files, parts) = (files.filter(|_| settled)?, further?);
        let digests = files.iter().map(|(role, file)| (role.clone(), file.digest.clone()));
        Some(CheckedCorpus {
            identity: CorpusIdentity { format, digests: digests.collect() },
            files: files.into_iter().map(|(role, file)| (role, file.path)).collect(),
            parts,
        })
    }

    /// Whether the settings of a format go together.
    pub fn settings(&mut self, what: &str, (map, at): (&Map, Span), format: &Part) -> bool {
        let Err(error) = formats::check(format) else { return true };
        let message = format!("{what}, {error}");
        let given = match &error {
            CorpusError::Setting { parameter, .. } => key_of(map, parameter),
            _ => None,
        };
        let mut diagnostic = self.at(given.unwrap_or(at), message);
        if let (CorpusError::Setting { parameter, .. }, None) = (&error, given)
            && let Some(value) = format.parameters.get(parameter)
        {
            diagnostic = diagnostic.help(format_args!("`{parameter}` is {value} by default"));
        }
        self.tell(given.unwrap_or(at), diagnostic);
        false
    }

    /// The files of a corpus; none if its format is unknown or reads none.
    fn files(
        &mut self,
        what: &str,
        (map, at): (&Map, Span),
        entry: Option<&Entry>,
    ) -> Option<BTreeMap<String, Digested>> {
        let mut files = BTreeMap::new();
        let Some(entry) = entry else { return Some(files) };
        let reads = formats::reads(entry.name);
        let mut complete = true;
        let roles = self.roles(map, &reads);
        if reads.files && self.is_missing(what, map, at, &roles) {
            return None;
        }
        for (role, required) in roles {
            match (get(map, role), reads.files) {
                (Some(node), true) => match self.file(what, entry.name, role, node) {
                    Some(file) => drop(files.insert(role.to_owned(), file)),
                    None => complete = false,
                },
                (None, true) if required => {
                    let error = self.at(at, format_args!("{what} needs its `{role}` file"));
                    let help = format!(
                        "the path is relative to the grid file; a corpus in one file is `{WHOLE}: FILE`"
                    );
                    self.tell(at, error.help(help));
                    complete = false;
                }
                (Some(file), false) => {
                    let message = format!("format `{}` reads no `{role}` file", entry.name);
                    self.error(file.at, message);
                    complete = false;
                }
                (None, _) => {}
            }
        }
        complete.then_some(files)
    }

    /// Whether there is nothing at all of a corpus, which is one error and not one for each file: a
    /// corpus of the catalogue that nobody fetched, or the folder of all files mistyped.
    fn is_missing(
        &mut self,
        what: &str,
        map: &Map,
        at: Span,
        roles: &[(&'static str, bool)],
    ) -> bool {
        if self.without_files {
            return false;
        }
        let given: Vec<&Node> = roles.iter().filter_map(|(role, _)| get(map, role)).collect();
        let path = |node: &&Node| match &node.value {
            Value::File(path) => Some(path.clone()),
            Value::Text(text) => Some(self.sources.base(node.at).join(text)),
            _ => None,
        };
        let Some(paths) = given.iter().map(path).collect::<Option<Vec<PathBuf>>>() else {
            return false;
        };
        let [first, _, ..] = &paths[..] else { return false };
        let Some(folder) = first.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
            return false;
        };
        let catalogued = given.iter().all(|node| matches!(node.value, Value::File(_)));
        let is_one = paths.iter().all(|path| path.parent() == Some(folder)) && !folder.exists();
        if paths.iter().any(|path| path.exists()) || !(catalogued || is_one) {
            return false;
        }
        let shown = quoted(&folder.display().to_string());
        let mut names: Vec<&str> =
            paths.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        names.dedup();
        let names = listed(names);
        let problem = match folder.exists() {
            false => format!("there is no folder {shown} with {names}"),
            true => format!("none of its files is in {shown}: {names}"),
        };
        let at = if catalogued { at } else { given[0].at };
        let error = self.at(at, format_args!("{what}: {problem}"));
        let error = match (catalogued, self.catalogue.how_to_get(first)) {
            (false, _) => error.help("the path is relative to the grid file"),
            (true, None) => error.help(ELSEWHERE),
            (true, Some(how)) => error.help(how).help(ELSEWHERE),
        };
        self.tell(at, error);
        true
    }

    /// The files that a corpus has or should have: its splits, or one file for all of them.
    fn roles(&mut self, map: &Map, reads: &FormatFiles) -> Vec<(&'static str, bool)> {
        let further = reads.roles.iter().map(|role| (*role, false));
        let Some(whole) = get(map, WHOLE) else {
            return SPLITS.into_iter().chain(further).collect();
        };
        if let Some((role, _)) = SPLITS.iter().find(|(role, _)| get(map, role).is_some()) {
            let message =
                format!("`{WHOLE}` is the whole corpus, so `{role}` cannot stand beside it");
            self.error(whole.at, message);
        }
        std::iter::once((WHOLE, true)).chain(further).collect()
    }

    /// The further training parts of a corpus.
    fn further_parts(
        &mut self,
        what: &str,
        map: &Map,
        entry: Option<&Entry>,
    ) -> Option<BTreeMap<String, Digested>> {
        let (Some(node), Some(entry)) = (get(map, "parts"), entry) else {
            return Some(BTreeMap::new());
        };
        let parts =
            self.map(node, &format!("`parts` of {what}"), "names with a file each")?.clone();
        let mut files = BTreeMap::new();
        for (key, node) in &parts {
            if RESERVED.contains(&key.text.as_str()) {
                let message = format!("a further part of {what} cannot be called `{}`", key.text);
                self.error(key.at, message);
                return None;
            }
            let role = format!("parts.{}", key.text);
            files.insert(key.text.clone(), self.file(what, entry.name, &role, node)?);
        }
        Some(files)
    }

    /// Finds and digests one file.
    fn file(&mut self, what: &str, format: &str, role: &str, node: &Node) -> Option<Digested> {
        let (path, catalogued) = match &node.value {
            Value::File(path) => (path.clone(), true),
            Value::Text(text) => (self.sources.base(node.at).join(text), false),
            _ => {
                self.text(node, &format!("`{role}` of {what}"));
                return None;
            }
        };
        match self.digest(format, &path) {
            Ok(digest) => Some(Digested { path, digest }),
            Err(message) => {
                let error = self.at(node.at, format_args!("{what}, `{role}`: {message}"));
                let error = match (catalogued, self.catalogue.how_to_get(&path)) {
                    (false, _) if !path.exists() && has_backslash(&path) => {
                        error.help(format_args!("write `/` between folders: `{}`", slashes(node)))
                    }
                    (false, _) => error.help("the path is relative to the grid file"),
                    (true, None) => error.help(ELSEWHERE),
                    (true, Some(how)) => error.help(how).help(ELSEWHERE),
                };
                self.tell(node.at, error);
                None
            }
        }
    }

    /// The digest of a file or folder, read once a load.
    fn digest(&mut self, format: &str, path: &Path) -> Result<String, String> {
        if self.without_files {
            return Ok(Self::in_place_of_digest(path));
        }
        let key = (formats::reads(format).folder, path.to_owned());
        if let Some(known) = self.digests.get(&key) {
            return known.clone();
        }
        let shown = quoted(&path.display().to_string());
        let digest = match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("there is no file {shown}"))
            }
            Err(error) => Err(format!("cannot read {shown}: {error}")),
            Ok(data) if data.is_dir() && key.0.is_empty() => {
                Err(format!("{shown} is a folder, and format `{format}` reads files"))
            }
            Ok(data) if !data.is_file() && !data.is_dir() => Err(format!("{shown} is not a file")),
            Ok(_) => corpus::digest(format, path).map_err(|error| error.to_string()),
        };
        self.digests.insert(key, digest.clone());
        digest
    }
}

fn has_backslash(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&b'\\')
}

/// A path as it is written on this system.
fn slashes(node: &Node) -> String {
    let path = quoted(&node.as_text().unwrap_or_default().replace('\\', "/"));
    path.trim_matches('`').to_owned()
}

/// The format that a corpus names, if there is one of that name.
fn format_of(map: &Map) -> Option<&'static Entry> {
    let node = get(map, "format")?;
    CORPUS[0].find(node.get("kind").unwrap_or(node).as_text()?)
}

/// Where a parameter of the format is given, beside it or inside it.
fn key_of(map: &Map, parameter: &str) -> Option<Span> {
    let nested = match get(map, "format").map(|node| &node.value) {
        Some(Value::Map(nested)) => nested.as_slice(),
        _ => &[],
    };
    map.iter().chain(nested).find(|(key, _)| key.text == parameter).map(|(key, _)| key.at)
}

/// `columns: {token: 0}` beside `format: columns` is `token: 0`.
pub fn flattened(mut map: Map) -> Map {
    let format = get(&map, "format").and_then(Node::as_text).unwrap_or("").to_owned();
    let nested = map
        .iter()
        .position(|(key, node)| key.text == format && matches!(node.value, Value::Map(_)))
        .map(|index| map.remove(index).1.value);
    if let Some(Value::Map(entries)) = nested {
        map.extend(entries);
    }
    map
}
