//! Dotted paths into the grid's tree: `training.epochs`, `models.0.hidden`, `methods.focal.gamma`.

use super::catalogue::Catalogue;
use super::diagnostic::{Diagnostic, listed, quoted};
use super::node::{Key, Map, Node, Value, get, put, replaces};
use super::source::{SourceTexts, Span};

/// The segments of a dotted path, each with its place; `at` is where the path begins.
pub fn segments(path: &str, at: Span) -> Vec<Key> {
    let mut column = at.column;
    path.split('.')
        .map(|segment| {
            let length = segment.chars().count();
            let at = Span { column, length: length.max(1), ..at };
            column += length + 1;
            Key { text: segment.to_owned(), at }
        })
        .collect()
}

/// What setting a path needs to know.
#[derive(Copy, Clone)]
pub struct Setter<'a> {
    pub catalogue: &'a Catalogue,
    pub sources: &'a SourceTexts,
}

impl Setter<'_> {
    /// Sets `value` at a path below `node`. Missing mappings are made, so an unknown name shows up
    /// as an unknown key, at the place where it was written; a list must have the element.
    pub fn set(self, node: &mut Node, path: &[Key], value: Node) -> Result<(), Diagnostic> {
        let Some((key, rest)) = path.split_first() else {
            *node = value;
            return Ok(());
        };
        if key.text.is_empty() {
            return Err(self.error(key, "a part of the path is empty"));
        }
        match &mut node.value {
            Value::Map(map) => {
                let mut child = get(map, &key.text)
                    .filter(|_| !rest.is_empty())
                    .cloned()
                    .unwrap_or(Node { value: Value::Map(Vec::new()), at: key.at });
                if let Value::Text(name) = &child.value
                    && !rest.is_empty()
                {
                    // `loss: focal` is short for `loss: {kind: focal}`.
                    child = Node::map(
                        [("kind".to_owned(), Node::text(name.clone(), child.at))],
                        child.at,
                    );
                }
                self.set(&mut child, rest, value)?;
                if rest.is_empty() {
                    self.give_way(map, key);
                }
                put(map, key.clone(), child);
                Ok(())
            }
            Value::List(items) => {
                let item = self.element(items, key)?;
                if !rest.is_empty()
                    && let Some(expanded) =
                        item.as_text().and_then(|n| self.catalogue.expand(n, item.at))
                {
                    *item = expanded;
                }
                self.set(item, rest, value)
            }
            _ => {
                let message = format!("{} has nothing inside it to set", node.describe());
                Err(self.error(key, message))
            }
        }
    }

    /// Takes out what a key replaces though it has another name, but for what the command line set
    /// as well: whether the two go together is for the checker to say.
    fn give_way(self, map: &mut Map, key: &Key) {
        let is_option = |at: Span| self.sources.get(at.source).is_some_and(|s| s.is_option);
        map.retain(|(known, _)| {
            !replaces(&key.text, &known.text) || is_option(known.at) && is_option(key.at)
        });
    }

    /// An element of a list, by number from 0 or by name.
    fn element<'n>(self, items: &'n mut [Node], key: &Key) -> Result<&'n mut Node, Diagnostic> {
        let names: Vec<String> = items.iter().map(|item| name(item).to_owned()).collect();
        let by_number = key.text.parse::<usize>().ok().filter(|index| *index < names.len());
        match by_number.or_else(|| names.iter().position(|name| *name == key.text)) {
            Some(index) => Ok(&mut items[index]),
            None => {
                let known = names.iter().map(String::as_str).filter(|name| !name.is_empty());
                let message = format!("the list has no element {}", quoted(&key.text));
                Err(self.error(key, message).suggest(&key.text, known.clone()).help(format_args!(
                    "elements go by number from 0, or by name: {}",
                    listed(known)
                )))
            }
        }
    }

    fn error(self, key: &Key, message: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::error(message).at(self.sources, key.at)
    }
}

/// The name of an element of an axis, empty if it has none.
fn name(item: &Node) -> &str {
    item.as_text().or_else(|| item.get("name").and_then(Node::as_text)).unwrap_or("")
}
