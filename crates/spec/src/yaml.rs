//! YAML text to [`Node`]s, and values back for messages: the only place that knows serde_yaml.
//!
//! serde_yaml gives the values, [`marks`](super::marks) their places over the same bytes; both
//! trees have the same shape, or the text is refused.

use super::diagnostic::{Diagnostic, Diagnostics};
use super::marks::{self, Mark};
use super::node::{Key, Node, Value};
use super::source::{SourceTexts, Span};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Reads one of the sources; what is wrong with it is added to `found`. `shift` is added to
/// columns, for a value that stands inside an option.
pub fn read(
    text: &str,
    sources: &SourceTexts,
    (source, shift): (usize, usize),
    found: &mut Diagnostics,
) -> Option<Node> {
    let before = found.kept().len();
    let node = read_unmoved(text, sources, (source, shift), found);
    let new = &mut found.kept_mut()[before..];
    for place in new.iter_mut().filter_map(|diagnostic| diagnostic.place.as_mut()) {
        place.shift(shift);
    }
    node
}

fn read_unmoved(
    text: &str,
    sources: &SourceTexts,
    (source, shift): (usize, usize),
    found: &mut Diagnostics,
) -> Option<Node> {
    let mark = marks::read(text, sources, source, found)?;
    let plain = match serde_yaml::from_str::<Plain>(text) {
        Ok(plain) => plain,
        Err(error) => {
            found.push(syntax(&error, sources, source));
            return None;
        }
    };
    let node = zip(plain, mark, shift);
    if let Err(Mismatch(at)) = node {
        let error = Diagnostic::error("two YAML readers disagree about this").at(sources, at);
        found.push(error.help("write it in quotes, or in another of YAML's forms"));
    }
    node.ok()
}

/// A value on one line: `7`, `[1, 2]`, `{kind: focal}`.
pub fn flow(node: &Node) -> String {
    let joined = |items: Vec<String>| items.join(", ");
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(v) => v.to_string(),
        Value::Integer(v) => v.to_string(),
        // The one writer of numbers that YAML reads as the same again, `.inf` too.
        Value::Real(v) => serde_yaml::to_string(v).unwrap_or_default().trim_end().to_owned(),
        Value::Text(v) => flow_text(v),
        Value::File(v) => flow_text(&v.to_string_lossy()),
        Value::List(items) => format!("[{}]", joined(items.iter().map(flow).collect())),
        Value::Map(map) => {
            let entry =
                |(key, node): &(Key, Node)| format!("{}: {}", flow_text(&key.text), flow(node));
            format!("{{{}}}", joined(map.iter().map(entry).collect()))
        }
    }
}

/// A text, in quotes where it would read as something else.
fn flow_text(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+".contains(c);
    let reads_as_itself = || serde_yaml::to_string(text).is_ok_and(|yaml| yaml.trim_end() == text);
    match !text.is_empty() && text.chars().all(is_plain) && reads_as_itself() {
        true => text.to_owned(),
        false => format!("\"{}\"", text.escape_debug()),
    }
}

fn syntax(error: &serde_yaml::Error, sources: &SourceTexts, source: usize) -> Diagnostic {
    let (line, column) = error.location().map_or((1, 1), |l| (l.line(), l.column()));
    let at = Span { source, line: line.max(1), column: column.max(1), length: 1 };
    let text = error.to_string();
    // The place is shown with the line; serde_yaml's own words for it would repeat it.
    let words = text.split(" at line ").next().unwrap_or(&text);
    Diagnostic::error("this is not valid YAML").at(sources, at).label(words)
}

/// A value without its place. Repeated keys are kept: `marks` tells of them, with their lines.
enum Plain {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    List(Vec<Plain>),
    Map(Vec<(Plain, Plain)>),
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Plain, E> {
        Ok(Plain::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Plain, E> {
        Ok(Plain::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Plain, E> {
        Ok(Plain::Integer(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Plain, E> {
        Ok(i64::try_from(v).map_or(Plain::Real(v as f64), Plain::Integer))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Plain, E> {
        Ok(Plain::Real(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Plain, E> {
        Ok(Plain::Text(v.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Plain, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Plain::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Plain, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Plain::Map(entries))
    }
}

/// The place in the option that a place in its value is; only the first line has text before it.
fn moved(at: Span, shift: usize) -> Span {
    Span { column: at.column + if at.line == 1 { shift } else { 0 }, ..at }
}

/// Where the two trees part.
struct Mismatch(Span);

fn zip(plain: Plain, mark: Mark, shift: usize) -> Result<Node, Mismatch> {
    let unmoved = mark.at();
    let at = moved(unmoved, shift);
    let value = match (plain, mark) {
        (Plain::List(values), Mark::List { items, .. }) if values.len() == items.len() => {
            let nodes = values.into_iter().zip(items).map(|(v, m)| zip(v, m, shift));
            Value::List(nodes.collect::<Result<_, _>>()?)
        }
        (Plain::Map(values), Mark::Map { entries, .. }) if values.len() == entries.len() => {
            let nodes = values.into_iter().zip(entries).map(|((key, value), (key_at, mark))| {
                let at = moved(key_at, shift);
                Ok((
                    Key { text: key.into_key().ok_or(Mismatch(key_at))?, at },
                    zip(value, mark, shift)?,
                ))
            });
            Value::Map(nodes.collect::<Result<_, _>>()?)
        }
        (plain, Mark::Scalar { .. }) => plain.into_scalar().ok_or(Mismatch(unmoved))?,
        _ => return Err(Mismatch(unmoved)),
    };
    Ok(Node { value, at })
}

impl Plain {
    fn into_scalar(self) -> Option<Value> {
        match self {
            Plain::Null => Some(Value::Null),
            Plain::Bool(v) => Some(Value::Bool(v)),
            Plain::Integer(v) => Some(Value::Integer(v)),
            Plain::Real(v) => Some(Value::Real(v)),
            Plain::Text(v) => Some(Value::Text(v)),
            Plain::List(_) | Plain::Map(_) => None,
        }
    }

    /// A key that is no text, `1:` or `true:`, is shown as it reads; no setting has such a name.
    fn into_key(self) -> Option<String> {
        match self {
            Plain::Null => Some("null".to_owned()),
            Plain::Bool(v) => Some(v.to_string()),
            Plain::Integer(v) => Some(v.to_string()),
            Plain::Real(v) => Some(v.to_string()),
            Plain::Text(v) => Some(v),
            Plain::List(_) | Plain::Map(_) => None,
        }
    }
}
