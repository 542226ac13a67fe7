//! From the offsets of a file to places in a text.

use super::{AnnotationError, Unit};
use std::ops::Range;

/// The offsets of a text in one unit.
pub struct Offsets<'t> {
    text: &'t str,
    unit: Unit,
    /// The byte at which each unit begins and the end of the text; `NOWHERE` inside of a character.
    /// Empty if a unit is a byte.
    bytes: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl<'t> Offsets<'t> {
    /// The offsets of a text.
    pub fn new(text: &'t str, unit: Unit) -> Self {
        let mut bytes = vec![];
        if unit != Unit::Bytes && !text.is_ascii() {
            for (at, character) in text.char_indices() {
                bytes.push(at);
                if unit == Unit::Utf16 && character.len_utf16() == 2 {
                    bytes.push(NOWHERE);
                }
            }
            bytes.push(text.len());
        }
        Self { text, unit, bytes }
    }

    /// The bytes from one offset to another.
    pub fn range(&self, (start, end): (usize, usize)) -> Result<Range<usize>, AnnotationError> {
        let (unit, length) = (self.unit, self.length());
        match (start, end) {
            _ if end > length => Err(AnnotationError::Outside { start, end, length, unit }),
            _ if start >= end => Err(AnnotationError::Empty { start, end }),
            _ => Ok(self.byte(start)?..self.byte(end)?),
        }
    }

    /// How many units the text has.
    fn length(&self) -> usize {
        self.bytes.len().checked_sub(1).unwrap_or(self.text.len())
    }

    fn byte(&self, offset: usize) -> Result<usize, AnnotationError> {
        let byte = self.bytes.get(offset).copied().unwrap_or(offset);
        match self.text.is_char_boundary(byte) {
            true => Ok(byte),
            false => Err(AnnotationError::InsideCharacter { offset, unit: self.unit }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "aé\u{1f600}b";

    fn found(unit: Unit, start: usize, end: usize) -> Result<&'static str, String> {
        let range = Offsets::new(TEXT, unit).range((start, end));
        range.map(|range| &TEXT[range]).map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_letter_has_three_offsets() {
        assert_eq!(found(Unit::Characters, 3, 4).unwrap(), "b");
        assert_eq!(found(Unit::Utf16, 4, 5).unwrap(), "b");
        assert_eq!(found(Unit::Bytes, 7, 8).unwrap(), "b");
        assert_eq!(found(Unit::Characters, 0, 4).unwrap(), TEXT);
        assert_eq!(Offsets::new("plain", Unit::Utf16).range((1, 5)), Ok(1..5));
    }

    #[test]
    fn half_a_character_is_none() {
        let half = found(Unit::Utf16, 2, 3).unwrap_err();
        assert!(half.starts_with("offset 3, counted in UTF-16 units, is inside"), "{half}");
        assert!(found(Unit::Bytes, 2, 3).unwrap_err().starts_with("offset 2, counted in bytes"));
    }

    #[test]
    fn spans_outside_of_the_text_and_empty_ones_are_told() {
        let outside = found(Unit::Characters, 3, 5).unwrap_err();
        assert!(outside.contains("from 3 to 5 is outside"), "{outside}");
        assert!(outside.contains("which has 4 characters"), "{outside}");
        assert_eq!(found(Unit::Bytes, 1, 1).unwrap_err(), "the span from 1 to 1 is empty");
        assert_eq!(found(Unit::Utf16, 2, 1).unwrap_err(), "the span from 2 to 1 is empty");
        assert!(Offsets::new("", Unit::Characters).range((0, usize::MAX)).is_err());
    }
}
