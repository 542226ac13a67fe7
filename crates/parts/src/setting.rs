//! From a checked value to a field of a part's settings.

use domain::{ParameterValue, Part};

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
