//! The grid as written: a tree of values, each of which knows where it stands.

use super::diagnostic::quoted;
use super::source::Span;
use super::training;
use parts::Preset;
use std::path::PathBuf;

/// A value with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub value: Value,
    pub at: Span,
}

/// What a grid file can hold. Entries of a mapping stay in the order of the file.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    /// A file whose place is known already: one of a catalogue corpus.
    File(PathBuf),
    List(Vec<Node>),
    Map(Map),
}

/// The entries of a mapping.
pub type Map = Vec<(Key, Node)>;

/// A mapping's key with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub text: String,
    pub at: Span,
}

impl Node {
    /// A text at a place.
    pub fn text(text: impl Into<String>, at: Span) -> Self {
        Self { value: Value::Text(text.into()), at }
    }

    /// A value that a registry sets, at a place.
    pub fn preset(preset: Preset, at: Span) -> Self {
        let value = match preset {
            Preset::Whole(value) => Value::Integer(value),
            Preset::Number(value) => Value::Real(value),
            Preset::Word(value) => Value::Text(value.to_owned()),
        };
        Self { value, at }
    }

    /// A mapping at a place, its keys at the same one.
    pub fn map(entries: impl IntoIterator<Item = (String, Node)>, at: Span) -> Self {
        let entries = entries.into_iter().map(|(text, node)| (Key { text, at }, node));
        Self { value: Value::Map(entries.collect()), at }
    }

    /// The value of a key, if this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(map) => get(map, key),
            _ => None,
        }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, in words for a message.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(v) => format!("`{v}`"),
            Value::Integer(v) => format!("the number {v}"),
            Value::Real(v) => format!("the number {v}"),
            Value::Text(v) => format!("the text {}", quoted(v)),
            Value::File(v) => format!("the file {}", quoted(&v.to_string_lossy())),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// The value of a key.
pub fn get<'a>(map: &'a Map, key: &str) -> Option<&'a Node> {
    map.iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
}

/// Puts a value under a key, in the place of an older one.
pub fn put(map: &mut Map, key: Key, node: Node) {
    match map.iter_mut().find(|(k, _)| k.text == key.text) {
        Some(entry) => *entry = (key, node),
        None => map.push((key, node)),
    }
}

/// Whether a key replaces another one of an outer level: of `epochs` and `updates` the inner
/// level's counts.
pub fn replaces(key: &str, outer: &str) -> bool {
    training::replaced_by(key).contains(&outer)
}

/// `over` on top of `under`: mappings are joined key by key, everything else is replaced.
pub fn merge(under: Node, over: Node) -> Node {
    match (under.value, over.value) {
        (Value::Map(mut base), Value::Map(top)) => {
            base.retain(|(outer, _)| !top.iter().any(|(key, _)| replaces(&key.text, &outer.text)));
            for (key, node) in top {
                let node = match base.iter().position(|(k, _)| k.text == key.text) {
                    Some(index) => merge(base[index].1.clone(), node),
                    None => node,
                };
                put(&mut base, key, node);
            }
            Node { value: Value::Map(base), at: over.at }
        }
        (_, value) => Node { value, at: over.at },
    }
}
