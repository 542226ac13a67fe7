//! Corpora: their format, their files, and the digests of those.

use super::Checker;
use super::axes::Element;
use crate::corpus::{self, CorpusError, formats};
use crate::domain::{CorpusIdentity, Part};
use crate::spec::diagnostic::quoted;
use crate::spec::node::{Map, Node, Value, get};
use crate::spec::slots::CORPUS;
use crate::spec::source::Span;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a corpus, and whether it can do without.
const ROLES: [(&str, bool); 3] = [("train", true), ("dev", false), ("test", true)];
/// Keys of a corpus that are no parameters of its format.
const OWN: [&str; 4] = ["name", "train", "dev", "test"];

/// A corpus, and where its files are.
#[derive(Clone, Debug)]
pub struct CheckedCorpus {
    pub identity: CorpusIdentity,
    pub files: BTreeMap<String, PathBuf>,
}

/// A file of a corpus.
struct Digested {
    path: PathBuf,
    digest: String,
}

impl Checker<'_> {
    /// What a corpus is, with the digests of its files.
    pub fn corpus(&mut self, element: &Element, node: &Node) -> Option<CheckedCorpus> {
        let what = format!("corpus `{}`", element.name);
        let map = flattened(self.map(node, &what, "a mapping")?.clone());
        let parts = self.parts(&what, (&map, node.at), CORPUS, &OWN);
        let files = self.files(&what, (&map, node.at));
        let (_, _, format) = parts?.pop()?;
        let settled = self.settings(&what, (&map, node.at), &format);
        let files = files.filter(|_| settled)?;
        let digests = files.iter().map(|(role, file)| (role.clone(), file.digest.clone()));
        Some(CheckedCorpus {
            identity: CorpusIdentity { format, digests: digests.collect() },
            files: files.into_iter().map(|(role, file)| (role, file.path)).collect(),
        })
    }

    /// Whether the settings of a format go together.
    fn settings(&mut self, what: &str, (map, at): (&Map, Span), format: &Part) -> bool {
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
    fn files(&mut self, what: &str, (map, at): (&Map, Span)) -> Option<BTreeMap<String, Digested>> {
        let mut files = BTreeMap::new();
        let format = get(map, "format").and_then(|node| node.get("kind").unwrap_or(node).as_text());
        let Some(entry) = format.and_then(|name| CORPUS[0].find(name)) else { return Some(files) };
        let mut complete = true;
        for (role, required) in ROLES {
            match (get(map, role), formats::reads_files(entry.name)) {
                (Some(node), true) => match self.file(what, role, node) {
                    Some(file) => drop(files.insert(role.to_owned(), file)),
                    None => complete = false,
                },
                (None, true) if required => {
                    let error = self.at(at, format_args!("{what} needs its `{role}` file"));
                    self.tell(at, error.help("the path is relative to the grid file"));
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

    /// Finds and digests one file.
    fn file(&mut self, what: &str, role: &str, node: &Node) -> Option<Digested> {
        let (path, catalogued) = match &node.value {
            Value::File(path) => (path.clone(), true),
            Value::Text(text) => (self.sources.base(node.at).join(text), false),
            _ => {
                self.text(node, &format!("`{role}` of {what}"));
                return None;
            }
        };
        match self.digest(&path) {
            Ok(digest) => Some(Digested { path, digest }),
            Err(message) => {
                let error = self.at(node.at, format_args!("{what}, `{role}`: {message}"));
                let error = match catalogued {
                    true => error
                        .help("say where the corpora are, one folder a name, with `--corpora DIR`"),
                    false => error.help("the path is relative to the grid file"),
                };
                self.tell(node.at, error);
                None
            }
        }
    }

    /// The digest of a file, read once a load.
    fn digest(&mut self, path: &Path) -> Result<String, String> {
        if let Some(known) = self.digests.get(path) {
            return known.clone();
        }
        let shown = quoted(&path.display().to_string());
        let digest = match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("there is no file {shown}"))
            }
            Err(error) => Err(format!("cannot read {shown}: {error}")),
            Ok(data) if !data.is_file() => Err(format!("{shown} is not a file")),
            Ok(_) => corpus::digest(path).map_err(|error| error.to_string()),
        };
        self.digests.insert(path.to_owned(), digest.clone());
        digest
    }
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
fn flattened(mut map: Map) -> Map {
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
