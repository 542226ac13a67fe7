//! The settings of a part: values by name. What they may be is declared with
//! [`declare`](super::declare).

use super::declare::Setting;
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

    /// A value by name, as this type; `None` if it is not there, or another one.
    pub fn value<T: Setting>(&self, name: &str) -> Option<T> {
        self.get(name).and_then(T::of)
    }
}
