//! Parameters of registry entries: described once, checked, listed and hashed from that description.

use super::job::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a registry says of one of its entries: a method, a loss, an encoder, a corpus format.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name that grids use.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Its parameters with defaults and ranges.
    pub parameters: &'static [Parameter],
    /// What it needs to make sense, in words (`a token-level head`), empty if nothing.
    pub needs: &'static str,
    /// Where it comes from: paper and equation or section, empty if common knowledge.
    pub source: &'static str,
}

/// One parameter of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub help: &'static str,
    pub kind: ParameterKind,
}

/// The type of a parameter with its default and its range, ends included.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    Bool {
        default: bool,
    },
    Integer {
        default: i64,
        min: i64,
        max: i64,
    },
    Real {
        default: f64,
        min: f64,
        max: f64,
    },
    Choice {
        default: &'static str,
        of: &'static [&'static str],
    },
    /// One of some names in upper or lower case, each of which may have others, `(other, name)`. A value
    /// is the name itself however it is written, so that a key never depends on that.
    Named {
        default: &'static str,
        of: &'static [&'static str],
        others: &'static [(&'static str, &'static str)],
    },
    Text {
        default: &'static str,
    },
    /// A column of a table: its name, or its place from 0, negative from the end.
    Column {
        default: &'static str,
    },
    /// A whole number from `min`, or one of some words, of which the default is one.
    Count {
        default: &'static str,
        words: &'static [&'static str],
        min: i64,
    },
    /// A number in a range, or one of some words.
    Strength {
        default: f64,
        min: f64,
        max: f64,
        words: &'static [&'static str],
    },
    /// A set of names, none by default.
    Names,
    /// Another entry, by name or with parameters of its own. One that takes a part itself is no choice.
    Part {
        default: &'static str,
        of: fn() -> &'static [Entry],
    },
}

/// What one part of a model sets of another's parameters where nobody else does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Preset {
    Whole(i64),
    Number(f64),
    Word(&'static str),
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Preset::Whole(value) => write!(f, "{value}"),
            Preset::Number(value) => write!(f, "{value}"),
            Preset::Word(value) => f.write_str(value),
        }
    }
}

/// A parameter's value. Numbers of a `Real` parameter are always `Real`, so `2` and `2.0` mean the
/// same and give the same key.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParameterValue {
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    /// Sorted, each once.
    Names(Vec<String>),
    Part(Box<Part>),
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterValue::Bool(v) => write!(f, "{v}"),
            ParameterValue::Integer(v) => write!(f, "{v}"),
            ParameterValue::Real(v) => write!(f, "{v}"),
            ParameterValue::Text(v) => f.write_str(v),
            ParameterValue::Names(v) => write!(f, "[{}]", v.join(", ")),
            ParameterValue::Part(part) => write!(f, "{part}"),
        }
    }
}

impl Parameter {
    /// The default value.
    pub fn default_value(&self) -> ParameterValue {
        match self.kind {
            ParameterKind::Bool { default } => ParameterValue::Bool(default),
            ParameterKind::Integer { default, .. } => ParameterValue::Integer(default),
            ParameterKind::Real { default, .. } | ParameterKind::Strength { default, .. } => {
                ParameterValue::Real(default)
            }
            ParameterKind::Choice { default, .. }
            | ParameterKind::Named { default, .. }
            | ParameterKind::Text { default }
            | ParameterKind::Count { default, .. }
            | ParameterKind::Column { default } => ParameterValue::Text(default.to_owned()),
            ParameterKind::Names => ParameterValue::Names(vec![]),
            ParameterKind::Part { default, of } => {
                let entry = of().iter().find(|entry| entry.name == default);
                let parameters = entry.map(|entry| Parameters::defaults(entry.parameters));
                let parameters = parameters.unwrap_or_default();
                ParameterValue::Part(Box::new(Part { kind: default.to_owned(), parameters }))
            }
        }
    }

    /// The value as this parameter's type, or what it should have been, in words.
    pub fn check(&self, value: ParameterValue) -> Result<ParameterValue, String> {
        use ParameterValue as V;
        match (self.kind, value) {
            (ParameterKind::Bool { .. }, V::Bool(v)) => Ok(V::Bool(v)),
            (ParameterKind::Integer { min, max, .. }, V::Integer(v))
                if (min..=max).contains(&v) =>
            {
                Ok(V::Integer(v))
            }
            (
                ParameterKind::Real { min, max, .. } | ParameterKind::Strength { min, max, .. },
                V::Integer(v),
            ) if (min..=max).contains(&(v as f64)) => Ok(V::Real(v as f64)),
            (
                ParameterKind::Real { min, max, .. } | ParameterKind::Strength { min, max, .. },
                V::Real(v),
            ) if (min..=max).contains(&v) => Ok(V::Real(v)),
            (
                ParameterKind::Choice { .. }
                | ParameterKind::Count { .. }
                | ParameterKind::Strength { .. },
                V::Text(v),
            ) if self.words().contains(&v.as_str()) => Ok(V::Text(v)),
            (ParameterKind::Named { of, others, .. }, V::Text(v)) => {
                let other = others.iter().find(|(other, _)| other.eq_ignore_ascii_case(&v));
                let name = other.map_or(v.as_str(), |(_, name)| name);
                let known = of.iter().find(|known| known.eq_ignore_ascii_case(name));
                known.map(|known| V::Text((*known).to_owned())).ok_or_else(|| self.expected())
            }
            (ParameterKind::Count { min, .. }, V::Integer(v)) if v >= min => Ok(V::Integer(v)),
            (ParameterKind::Text { .. } | ParameterKind::Column { .. }, V::Text(v)) => {
                Ok(V::Text(v))
            }
            (ParameterKind::Column { .. }, V::Integer(v)) => Ok(V::Integer(v)),
            (ParameterKind::Names, V::Text(v)) => Ok(V::Names(vec![v])),
            (ParameterKind::Names, V::Names(mut v)) => {
                v.sort_unstable();
                v.dedup();
                Ok(V::Names(v))
            }
            (ParameterKind::Part { .. }, V::Part(part))
                if self.choices().any(|entry| entry.name == part.kind) =>
            {
                Ok(V::Part(part))
            }
            _ => Err(self.expected()),
        }
    }

    /// What values are allowed, in words: `a number from 0 to 10`.
    pub fn expected(&self) -> String {
        match self.kind {
            ParameterKind::Bool { .. } => "true or false".to_owned(),
            ParameterKind::Integer { min, max, .. } => match max {
                i64::MAX => format!("a whole number, at least {min}"),
                _ => format!("a whole number from {min} to {max}"),
            },
            ParameterKind::Real { min, max, .. } => match max.is_infinite() {
                true => format!("a number, at least {min}"),
                false => format!("a number from {min} to {max}"),
            },
            ParameterKind::Choice { of, .. } | ParameterKind::Named { of, .. } => {
                format!("one of {}", of.join(", "))
            }
            ParameterKind::Text { .. } => "a text".to_owned(),
            ParameterKind::Column { .. } => "a column's name, or its place from 0".to_owned(),
            ParameterKind::Count { words, min, .. } => {
                format!("a whole number, at least {min}, or one of {}", words.join(", "))
            }
            ParameterKind::Strength { min, max, words, .. } => {
                format!("a number from {min} to {max}, or {}", words.join(" or "))
            }
            ParameterKind::Names => "a list of names".to_owned(),
            ParameterKind::Part { .. } => {
                let names: Vec<&str> = self.choices().map(|entry| entry.name).collect();
                format!("one of {}", names.join(", "))
            }
        }
    }

    /// The words that can be this parameter's value, where only some can be.
    pub fn words(&self) -> &'static [&'static str] {
        match self.kind {
            ParameterKind::Choice { of, .. } | ParameterKind::Named { of, .. } => of,
            ParameterKind::Count { words, .. } | ParameterKind::Strength { words, .. } => words,
            _ => &[],
        }
    }

    /// Other names of its words.
    pub fn other_words(&self) -> impl Iterator<Item = &'static str> + use<> {
        let others = match self.kind {
            ParameterKind::Named { others, .. } => others,
            _ => &[],
        };
        others.iter().map(|(other, _)| *other)
    }

    /// The entries that can be this parameter's value: those of a part, and none for any other kind.
    pub fn choices(&self) -> impl Iterator<Item = &'static Entry> + use<> {
        let entries = match self.kind {
            ParameterKind::Part { of, .. } => of(),
            _ => &[],
        };
        let takes_part = |entry: &Entry| {
            entry.parameters.iter().any(|p| matches!(p.kind, ParameterKind::Part { .. }))
        };
        entries.iter().filter(move |entry| !takes_part(entry))
    }
}

/// Checked values by name, every one present.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(pub BTreeMap<String, ParameterValue>);

impl Parameters {
    /// The defaults of a list of parameters.
    pub fn defaults(of: &[Parameter]) -> Self {
        Self(of.iter().map(|p| (p.name.to_owned(), p.default_value())).collect())
    }

    /// A value by name.
    pub fn get(&self, name: &str) -> Option<&ParameterValue> {
        self.0.get(name)
    }

    /// A number; settings that come from the checker always have it.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Some(ParameterValue::Real(v)) => *v,
            Some(ParameterValue::Integer(v)) => *v as f64,
            _ => f64::NAN,
        }
    }

    /// A whole number, 0 if there is none.
    pub fn integer(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(ParameterValue::Integer(v)) => *v,
            _ => 0,
        }
    }

    /// A text, empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(ParameterValue::Text(v)) => v,
            _ => "",
        }
    }

    /// A set of names, empty if there is none.
    pub fn names(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(ParameterValue::Names(v)) => v,
            _ => &[],
        }
    }

    /// Another entry with its parameters.
    pub fn part(&self, name: &str) -> Option<&Part> {
        match self.get(name) {
            Some(ParameterValue::Part(part)) => Some(part),
            _ => None,
        }
    }

    /// A switch, off if there is none.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(ParameterValue::Bool(true)))
    }
}
