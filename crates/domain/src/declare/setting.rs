//! From a checked value to a field of a part's settings.

use super::{Parameter, ParameterKind, with_defaults};
use crate::{ParameterValue, Parameters, Part};

/// The type of a field of a part's settings.
pub trait Setting: Sized {
    /// The field's value, if this is one.
    fn of(value: &ParameterValue) -> Option<Self>;
}

impl Setting for bool {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl Setting for f64 {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Real(value) => Some(*value),
            ParameterValue::Integer(value) => Some(*value as f64),
            _ => None,
        }
    }
}

impl Setting for i64 {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Integer(value) => Some(*value),
            _ => None,
        }
    }
}

impl Setting for usize {
    fn of(value: &ParameterValue) -> Option<Self> {
        usize::try_from(i64::of(value)?).ok()
    }
}

impl Setting for u64 {
    fn of(value: &ParameterValue) -> Option<Self> {
        u64::try_from(i64::of(value)?).ok()
    }
}

impl Setting for String {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Text(value) => Some(value.clone()),
            _ => None,
        }
    }
}

impl Setting for Vec<String> {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Names(value) => Some(value.clone()),
            _ => None,
        }
    }
}

/// The typed settings of any part of a registry.
pub trait Registered: Sized {
    /// The settings of a checked part.
    fn read(part: &Part) -> Self;
}

impl<T: Registered> Setting for Box<T> {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Part(part) => Some(Box::new(T::read(part))),
            _ => None,
        }
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    Name(String),
    /// From 0; negative counts from the end.
    Place(i64),
}

impl Column {
    /// The kind of a parameter that names the column of this name by default.
    pub const fn kind(default: &'static str) -> ParameterKind {
        ParameterKind::Column { default }
    }
}

impl Setting for Column {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Integer(place) => Some(Column::Place(*place)),
            ParameterValue::Text(name) => Some(Column::Name(name.clone())),
            _ => None,
        }
    }
}

/// Settings that were declared.
pub trait Declared: Sized {
    /// What can be set.
    const PARAMETERS: &'static [Parameter];

    /// From checked parameters.
    fn read(parameters: &Parameters) -> Self;
}

/// A field of a part's settings.
///
/// # Panics
///
/// Settings are checked where they are read, so that every parameter is there and allowed.
pub fn value<T: Setting>(parameters: &Parameters, name: &str) -> T {
    parameters.value(name).unwrap_or_else(|| {
        panic!("settings are checked where they are read, and `{name}` is not right")
    })
}

/// Settings among those of a part; parameters that the part does not have are at their defaults.
pub fn group<T: Declared>(parameters: &Parameters, _name: &str) -> T {
    T::read(&with_defaults(T::PARAMETERS, parameters))
}
