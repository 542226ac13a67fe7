//! A value that many jobs have in common.
//!
//! The jobs of a large grid differ in little but their seeds. What they share is kept once; a job
//! that is changed gets its own copy first, so nobody sees another's change. To serde it is the
//! value.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value behind a counted reference, cloned on change.
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<T>);

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> From<Arc<T>> for Shared<T> {
    fn from(value: Arc<T>) -> Self {
        Self(value)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_by_nobody_else() {
        let one = Shared::from(vec![1, 2]);
        let mut other = one.clone();
        assert!(std::ptr::eq(&*one, &*other));
        other.push(3);
        assert_eq!((one.len(), other.len()), (2, 3));
    }

    #[test]
    fn on_disk_it_is_the_value() {
        let shared = Shared::from(vec![1, 2]);
        let text = serde_json::to_string(&shared).unwrap();
        assert_eq!(text, "[1,2]");
        assert_eq!(serde_json::from_str::<Shared<Vec<i32>>>(&text).unwrap(), shared);
    }
}
