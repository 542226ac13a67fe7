//! Parameters of registry entries: described once, checked, listed and hashed from that
//! description.

use super::{Capability, Need};
use crate::{ParameterValue, Parameters, Part};
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
    /// What it needs to make sense.
    pub needs: Need,
    /// What it gives to other parts.
    pub gives: &'static [Capability],
    /// Where it comes from: paper and equation or section, empty if common knowledge.
    pub source: &'static str,
}

impl Entry {
    /// All parameters at their defaults.
    pub fn defaults(&self) -> Parameters {
        defaults(self.parameters)
    }

    /// The entry as a part, with its defaults.
    pub fn part(&self) -> Part {
        Part { kind: self.name.to_owned(), parameters: self.defaults() }
    }

    /// What is wrong with settings of this entry that were read from a file, if anything.
    pub fn check(&self, parameters: &Parameters) -> Result<(), String> {
        check(self.parameters, parameters)
    }
}

/// Every parameter of a table at its default.
pub fn defaults(of: &[Parameter]) -> Parameters {
    Parameters(of.iter().map(|p| (p.name.to_owned(), p.default_value())).collect())
}

/// The values that are given, and the defaults of those that are not. What is not in the table is
/// left out.
pub fn with_defaults(table: &[Parameter], given: &Parameters) -> Parameters {
    let value = |p: &Parameter| given.get(p.name).cloned().unwrap_or_else(|| p.default_value());
    Parameters(table.iter().map(|p| (p.name.to_owned(), value(p))).collect())
}

/// What is wrong with values that should be those of a table, if anything: each has to be there,
/// and allowed.
pub fn check(table: &[Parameter], values: &Parameters) -> Result<(), String> {
    check_given(table, values)?;
    match table.iter().find(|parameter| values.get(parameter.name).is_none()) {
        Some(missing) => Err(format!("`{}` is missing", missing.name)),
        None => Ok(()),
    }
}

/// The same where some may be missing.
pub fn check_given(table: &[Parameter], values: &Parameters) -> Result<(), String> {
    if let Some(stray) = values.0.keys().find(|name| table.iter().all(|p| p.name != **name)) {
        return Err(format!("there is no parameter `{stray}`"));
    }
    for parameter in table {
        let name = parameter.name;
        let Some(value) = values.get(name) else { continue };
        let refused = |expected: String| format!("`{name}` is {value}, expected {expected}");
        let normal = parameter.check(value.clone()).map_err(refused)?;
        // One name for a list of them is fine in a grid, which makes it a list.
        if matches!((value, &normal), (ParameterValue::Text(_), ParameterValue::Names(_))) {
            return Err(refused(parameter.expected()));
        }
        if let (ParameterValue::Part(part), ParameterKind::Part { of, .. }) =
            (value, parameter.kind)
        {
            check_part(of(), part)?;
        }
    }
    Ok(())
}

/// What is wrong with a part that should be one of these entries with all its parameters, if
/// anything.
pub fn check_part(entries: &'static [Entry], part: &Part) -> Result<(), String> {
    let entry = entries.iter().find(|entry| entry.name == part.kind);
    let entry = entry.ok_or_else(|| format!("there is no `{}`", part.kind))?;
    entry.check(&part.parameters).map_err(|error| format!("{}: {error}", part.kind))
}

/// How many parameters are in some tables.
pub const fn length(tables: &[&[Parameter]]) -> usize {
    let (mut total, mut at) = (0, 0);
    while at < tables.len() {
        total += tables[at].len();
        at += 1;
    }
    total
}

/// The parameters of some tables as one: [`length`] says how many they are.
pub const fn flattened<const N: usize>(tables: &[&[Parameter]]) -> [Parameter; N] {
    let mut all = [Parameter { name: "", help: "", kind: ParameterKind::Names }; N];
    let (mut next, mut table) = (0, 0);
    while table < tables.len() {
        let mut at = 0;
        while at < tables[table].len() {
            all[next] = tables[table][at];
            next += 1;
            at += 1;
        }
        table += 1;
    }
    all
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
    /// One of some names in upper or lower case, each of which may have others, `(other, name)`. A
    /// value is the name itself however it is written, so that a key never depends on that.
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
    /// Another entry, by name or with parameters of its own. One that takes a part itself is no
    /// choice.
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
                let entry = entry.expect("a test asks for the default of every part");
                ParameterValue::Part(Box::new(entry.part()))
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

    /// The entries that can be this parameter's value: those of a part, and none for any other
    /// kind.
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
