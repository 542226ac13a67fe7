//! The JSON of the npm package of GloVe vectors: `vectors` maps each word to its numbers, of which
//! the first `dimensions` are the vector; what follows is its norm and place.

use super::{MOST_DIMENSIONS, Take, VectorsError};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::Read;
use std::path::Path;

pub(super) fn read(
    path: &Path,
    reader: impl Read,
    take: &mut Take<'_>,
) -> Result<(), VectorsError> {
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = json.deserialize_map(Document { take }).and_then(|()| json.end());
    read.map_err(|error| VectorsError::line(path, error.line())(error.to_string()))
}

/// The outermost object.
struct Document<'a, 't> {
    take: &'a mut Take<'t>,
}

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `dimensions` and then `vectors`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let (mut dimension, mut found) = (None, false);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "dimensions" => dimension = Some(map.next_value::<usize>()?),
                "vectors" => {
                    map.next_value_seed(Words { dimension, take: &mut *self.take })?;
                    found = true;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if found { Ok(()) } else { Err(M::Error::missing_field("vectors")) }
    }
}

/// The object of words; without a dimension every number is part of the vector.
struct Words<'a, 't> {
    dimension: Option<usize>,
    take: &'a mut Take<'t>,
}

impl<'de> DeserializeSeed<'de> for Words<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Words<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of words, each with a list of numbers")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut numbers = Vec::new();
        while let Some(word) = map.next_key::<String>()? {
            numbers.clear();
            map.next_value_seed(Numbers(&mut numbers))?;
            let length = self.dimension.unwrap_or(numbers.len());
            let Some(vector) = numbers.get(..length) else {
                let n = numbers.len();
                return Err(M::Error::custom(format_args!("`{word}` has only {n} numbers")));
            };
            (self.take)(&word, vector).map_err(M::Error::custom)?;
        }
        Ok(())
    }
}

/// A list of numbers, added to the end.
struct Numbers<'a>(&'a mut Vec<f32>);

impl<'de> DeserializeSeed<'de> for Numbers<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Numbers<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        while let Some(number) = list.next_element()? {
            // The norm and the place follow the vector.
            if self.0.len() == MOST_DIMENSIONS + 2 {
                return Err(S::Error::custom("more numbers than a word vector can have"));
            }
            self.0.push(number);
        }
        Ok(())
    }
}
