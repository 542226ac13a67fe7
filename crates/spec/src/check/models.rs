//! Models: their parts, and the files that some of them read.
//!
//! Word vectors and checkpoints go by a name of the catalogue, whose files are in the user's cache,
//! or by a path relative to the grid. A job's key knows their bytes, not their names.

use super::Checker;
use super::axes::{Element, part};
use crate::catalogue::FileEntry;
use crate::diagnostic::quoted;
use crate::node::{Key, Map, Node, Value, get, put};
use crate::slots;
use crate::source::Span;
use corpus::digest_file;
use domain::ModelSettings;
use parts::Entry;
use parts::embeddings::pretrained::Pretrained;
use parts::{CHECKPOINT_FILES, Capability, embeddings, encoders, supported};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Keys of a model that are no parts of it.
const OWN: [&str; 4] = ["name", "training", "checkpoint", "queries"];

/// A model, what its head gives, and where its files are.
#[derive(Clone, Debug)]
pub struct CheckedModel {
    pub settings: ModelSettings,
    pub head: &'static Entry,
    pub files: BTreeMap<String, PathBuf>,
}

/// A file that a model or a method names, with the place of its name.
pub struct FileToDigest {
    pub role: String,
    pub path: PathBuf,
    pub at: Span,
    /// How to get it, for one of the catalogue.
    pub help: String,
}

impl Checker<'_> {
    /// The parts of a model, and its files with their digests.
    pub fn model(&mut self, element: &Element, node: &Node) -> Option<CheckedModel> {
        let what = format!("model `{}`", element.name);
        let mut map = self.map(node, &what, "a mapping")?.clone();
        let pieces = encoder_of(&map).is_some_and(|name| encoders::can(name, Capability::Pieces));
        let wanted = match pieces {
            true => self.checkpoint(&what, &map),
            false => self.no_checkpoint(&map).and_then(|()| self.vectors(&what, &mut map)),
        };
        let parts = self.parts(&what, (&map, node.at), slots::MODEL, &OWN)?;
        let head = parts.iter().find(|(slot, ..)| slot.name == "head")?.1;
        let [embeddings, encoder, head_part] =
            ["embeddings", "encoder", "head"].map(|slot| part(&parts, slot));
        let embeddings = embeddings.filter(|_| !pieces);
        let (mut digests, mut files) = (BTreeMap::new(), BTreeMap::new());
        for file in wanted? {
            digests.insert(file.role.clone(), self.model_file(&what, &file)?);
            files.insert(file.role, file.path);
        }
        let (encoder, head_part) = (encoder?, head_part?);
        let queries = self.queries(&what, &map, (&encoder.kind, &head_part.kind))?;
        let settings = ModelSettings { embeddings, encoder, head: head_part, queries, digests };
        Some(CheckedModel { settings, head, files })
    }

    /// Writes out embeddings that go by a name of the catalogue or by a file; gives that file.
    fn vectors(&mut self, what: &str, map: &mut Map) -> Option<Vec<FileToDigest>> {
        let Some(node) = get(map, "embeddings").cloned() else { return Some(vec![]) };
        let kind = node.get("kind").unwrap_or(&node);
        let Some(name) = kind.as_text() else { return Some(vec![]) };
        let named_file = node.get("file").cloned();
        if named_file.is_none() && embeddings::find(name).is_some() {
            return match embeddings::can(name, Capability::Pretrained) {
                true => {
                    let error =
                        self.at(kind.at, format_args!("embeddings of {what} need a `file`"));
                    let help = "a file of word vectors: `embeddings: {kind: pretrained, file: vectors.txt}`; or \
                                name one of the catalogue: `embeddings: glove-100d`";
                    self.tell(kind.at, error.help(help));
                    None
                }
                false => Some(vec![]),
            };
        }
        let wanted = match named_file {
            Some(file) => {
                let text = self.text(&file, &format!("`file` of the embeddings of {what}"))?;
                let path = self.sources.base(file.at).join(text);
                FileToDigest {
                    role: embeddings::ROLE.into(),
                    path,
                    at: file.at,
                    help: RELATIVE.into(),
                }
            }
            None => self.named_vectors(name, kind.at)?,
        };
        put(map, Key { text: "embeddings".into(), at: node.at }, written_out(&node));
        Some(vec![wanted])
    }

    /// Vectors that go by a name of the catalogue, or by the path of a file that is there.
    fn named_vectors(&mut self, name: &str, at: Span) -> Option<FileToDigest> {
        let role = embeddings::ROLE.to_owned();
        if let Some(entry) = self.catalogue.embeddings().iter().find(|entry| entry.name == name) {
            let file = entry.files.first()?;
            let path = self.pretrained.join("embeddings").join(name).join(file.as_str());
            return Some(FileToDigest { role, path, at, help: how_to_get(entry) });
        }
        let path = self.sources.base(at).join(name);
        if path.is_file() || name.contains('/') || self.without_files {
            return Some(FileToDigest { role, path, at, help: RELATIVE.into() });
        }
        let listed = self.catalogue.embeddings().iter().map(|entry| entry.name.as_str());
        let known: Vec<&str> =
            embeddings::ENTRIES.iter().map(|entry| entry.name).chain(listed).collect();
        self.unknown_name(at, "embeddings", name, &known);
        None
    }

    /// The files of the checkpoint that a model names.
    fn checkpoint(&mut self, what: &str, map: &Map) -> Option<Vec<FileToDigest>> {
        if let Some(node) = get(map, "embeddings") {
            let message = format!("{what} takes no `embeddings`: its encoder has its own");
            self.error(node.at, message);
            return None;
        }
        let Some(node) = get(map, "checkpoint") else { return Some(vec![]) };
        let name = self.text(node, &format!("`checkpoint` of {what}"))?;
        if self.without_files {
            let path = self.sources.base(node.at).join(name);
            let (role, help) = ("config.json".to_owned(), RELATIVE.to_owned());
            return Some(vec![FileToDigest { role, path, at: node.at, help }]);
        }
        let entry = self.catalogue.checkpoints().iter().find(|entry| entry.name == name);
        let (folder, help) = match entry {
            Some(entry) => (self.pretrained.join("checkpoints").join(name), how_to_get(entry)),
            None => (self.sources.base(node.at).join(name), RELATIVE.to_owned()),
        };
        if entry.is_none() && !folder.is_dir() {
            let known: Vec<&str> =
                self.catalogue.checkpoints().iter().map(|entry| entry.name.as_str()).collect();
            self.unknown_name(node.at, "checkpoint, and no folder,", name, &known);
            return None;
        }
        let present = |name: &str| folder.join(name).is_file();
        if present("config.json") && !present("model.safetensors") && !present(SHARDS) {
            let message = format!("{what}: the checkpoint has no model.safetensors");
            let error = self.at(node.at, message).help(&help);
            self.tell(
                node.at,
                error.help(
                    "a pickle (pytorch_model.bin) is not read, because opening one runs code",
                ),
            );
            return None;
        }
        if folder.join("config.json").exists()
            && let Err(problem) = supported::check(&folder, encoder_of(map).unwrap_or_default())
        {
            let message =
                format!("{what}: the checkpoint {} cannot be used: {problem}", quoted(name));
            let error = self.at(node.at, message).help(supported::SUPPORTED);
            self.tell(node.at, error);
            return None;
        }
        let wanted = |name: String| FileToDigest {
            path: folder.join(&name),
            role: name,
            at: node.at,
            help: help.clone(),
        };
        Some(checkpoint_files(&folder).into_iter().map(wanted).collect())
    }

    /// A checkpoint that nobody would read is a mistake.
    fn no_checkpoint(&mut self, map: &Map) -> Option<()> {
        let Some(node) = get(map, "checkpoint") else { return Some(()) };
        let name = encoder_of(map).unwrap_or("this");
        self.error(node.at, format_args!("the encoder `{name}` reads no checkpoint"));
        None
    }

    /// The digest of one file, read once a load.
    pub fn model_file(&mut self, what: &str, file: &FileToDigest) -> Option<String> {
        if self.without_files {
            return Some(Self::in_place_of_digest(&file.path));
        }
        let key: (&'static [&'static str], PathBuf) = (&[], file.path.clone());
        let known = self.digests.get(&key).cloned();
        let digest = known.unwrap_or_else(|| digest(&file.path));
        self.digests.insert(key, digest.clone());
        digest
            .map_err(|message| {
                let error = self.at(file.at, format_args!("{what}: {message}"));
                self.tell(file.at, error.help(&file.help));
            })
            .ok()
    }
}

/// The names of a checkpoint's files that decide what the model computes.
fn checkpoint_files(folder: &Path) -> BTreeSet<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let counts =
        |name: &String| CHECKPOINT_FILES.contains(&name.as_str()) || name.ends_with(".safetensors");
    names.filter(counts).chain(["config.json".to_owned()]).collect()
}

/// The list of a checkpoint's weights where they are in several files.
const SHARDS: &str = "model.safetensors.index.json";

/// What helps with a path.
const RELATIVE: &str = "the path is relative to the grid file";

fn digest(path: &Path) -> Result<String, String> {
    let shown = quoted(&path.display().to_string());
    match path.is_dir() {
        true => Err(format!("{shown} is a folder, not a file")),
        false => digest_file(path).map_err(|error| error.to_string()),
    }
}

fn how_to_get(entry: &FileEntry) -> String {
    entry.how_to_get().unwrap_or_else(|| RELATIVE.to_owned())
}

/// The encoder that a model names.
fn encoder_of(map: &Map) -> Option<&str> {
    let node = get(map, "encoder")?;
    node.get("kind").unwrap_or(node).as_text()
}

/// The embeddings as a registry entry with its parameters, without their file.
fn written_out(node: &Node) -> Node {
    let kind = ("kind".to_owned(), Node::text(Pretrained::NAME, node.at));
    let given = match &node.value {
        Value::Map(map) => map.as_slice(),
        _ => &[],
    };
    let mut written = Node::map([kind], node.at);
    if let Value::Map(map) = &mut written.value {
        let others = given.iter().filter(|(key, _)| !["kind", "file"].contains(&key.text.as_str()));
        map.extend(others.cloned());
    }
    written
}
