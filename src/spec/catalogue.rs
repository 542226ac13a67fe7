//! Corpora and methods that a grid can call by name.

use super::node::{Node, Value, get};
use super::source::{Source, Sources, Span};
use super::yaml;
use crate::method::catalogue as methods;
use std::path::{Path, PathBuf};

/// The catalogue of corpora as it is shipped.
pub const CORPORA: &str = include_str!("../../experiments/catalogue.yaml");

/// Keys of a catalogue corpus that name files in its folder.
const FILES: [&str; 8] =
    ["train", "dev", "test", "all", "documents", "annotations", "texts", "parts"];

/// Everything that goes by name.
#[derive(Clone, Debug)]
pub struct Catalogue {
    corpora: Vec<CorpusEntry>,
}

/// A corpus of the catalogue.
#[derive(Clone, Debug)]
pub struct CorpusEntry {
    pub name: String,
    /// One line of help.
    pub help: String,
    settings: Vec<(String, Node)>,
}

impl Catalogue {
    /// The shipped catalogue; files of its corpora are in `<folder>/<name>/`.
    pub fn shipped(folder: &Path) -> Self {
        let mut sources = Sources::default();
        let source = sources.add(Source {
            name: "catalogue.yaml".to_owned(),
            text: CORPORA.to_owned(),
            base: PathBuf::new(),
            is_option: false,
        });
        let tree = yaml::read(CORPORA, &sources, (source, 0), &mut Vec::new());
        let entries = match tree.as_ref().and_then(|tree| tree.get("corpora")).map(|n| &n.value) {
            Some(Value::List(items)) => {
                items.iter().filter_map(|item| entry(item, folder)).collect()
            }
            _ => Vec::new(),
        };
        Self { corpora: entries }
    }

    /// The corpora, in the order of the file.
    pub fn corpora(&self) -> &[CorpusEntry] {
        &self.corpora
    }

    /// A corpus written out, everything of it at the place where it was named.
    pub fn corpus(&self, name: &str, at: Span) -> Option<Node> {
        let entry = self.corpora.iter().find(|entry| entry.name == name)?;
        let named = ("name".to_owned(), Node::text(name, at));
        let settings = entry.settings.iter().map(|(key, node)| (key.clone(), moved(node, at)));
        Some(Node::map(std::iter::once(named).chain(settings), at))
    }

    /// A method written out.
    pub fn method(&self, name: &str, at: Span) -> Option<Node> {
        let parts = methods::find(name)?.parts.iter();
        let parts = parts.map(|(slot, kind)| ((*slot).to_owned(), Node::text(*kind, at)));
        let named = ("name".to_owned(), Node::text(name, at));
        Some(Node::map(std::iter::once(named).chain(parts), at))
    }

    /// A corpus or a method written out; no name is both.
    pub fn expand(&self, name: &str, at: Span) -> Option<Node> {
        self.corpus(name, at).or_else(|| self.method(name, at))
    }
}

fn entry(item: &Node, folder: &Path) -> Option<CorpusEntry> {
    let Value::Map(map) = &item.value else { return None };
    let text = |key: &str| get(map, key).and_then(Node::as_text).map(str::to_owned);
    let name = text("name")?;
    let settings = map
        .iter()
        .filter(|(key, _)| key.text != "name" && key.text != "help")
        .map(|(key, node)| match FILES.contains(&key.text.as_str()) {
            true => (key.text.clone(), in_folder(node, &folder.join(&name))),
            false => (key.text.clone(), node.clone()),
        })
        .collect();
    Some(CorpusEntry { help: text("help").unwrap_or_default(), settings, name })
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
mod tests {
    use super::*;

    const AT: Span = Span { source: 0, line: 1, column: 1, length: 1 };

    #[test]
    fn every_corpus_of_the_shipped_catalogue_is_there() {
        let catalogue = Catalogue::shipped(Path::new("corpora"));
        let names: Vec<_> = catalogue.corpora().iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["synthetic", "wnut17", "anem", "ncbi-disease", "ec"]);
        assert!(catalogue.corpora().iter().all(|entry| !entry.help.is_empty()));
        let wnut = catalogue.corpus("wnut17", AT).unwrap();
        let train = wnut.get("train").map(|node| node.value.clone());
        assert_eq!(train, Some(Value::File("corpora/wnut17/wnut17train.conll".into())));
    }

    #[test]
    fn no_name_is_a_corpus_and_a_method() {
        let catalogue = Catalogue::shipped(Path::new(""));
        for method in methods::METHODS {
            assert!(catalogue.corpus(method.name, AT).is_none(), "{}", method.name);
            assert!(catalogue.method(method.name, AT).is_some());
        }
    }
}
