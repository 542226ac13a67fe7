//! The settings of a part: values by name. What they may be is declared in `parts`.

use super::job::Part;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A parameter's value. Numbers of a real parameter are always `Real`, so `2` and `2.0` mean the
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

/// Checked values by name, every one present.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(pub BTreeMap<String, ParameterValue>);

impl Parameters {
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

    /// A switch, off if there is none.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(ParameterValue::Bool(true)))
    }
}
