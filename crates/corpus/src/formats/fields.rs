//! The fields of a line as places in it, so that one list serves every line of a file.

use std::ops::Range;

/// Where the fields of the line that was split last are.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    places: Vec<Range<usize>>,
}

impl Fields {
    /// Splits a line at each separator, which is not empty.
    pub fn split(&mut self, line: &str, separator: &str) {
        self.places.clear();
        let mut start = 0;
        match separator.as_bytes() {
            // Byte by byte is several times as fast on short lines, and a character of one byte is
            // never part of another.
            [separator] => {
                for (end, byte) in line.bytes().enumerate() {
                    if byte == *separator {
                        self.places.push(start..end);
                        start = end + 1;
                    }
                }
            }
            _ => {
                for (end, found) in line.match_indices(separator) {
                    self.places.push(start..end);
                    start = end + found.len();
                }
            }
        }
        self.places.push(start..line.len());
    }

    /// Splits a line at runs of spaces and tabs; those at its ends part nothing.
    pub fn split_at_blanks(&mut self, line: &str) {
        self.places.clear();
        self.places.extend(between_blanks(line));
    }

    /// Takes fields that follow one another without a gap, as places where they end.
    pub fn set_ends(&mut self, ends: &[usize]) {
        self.places.clear();
        let starts = std::iter::once(&0).chain(ends);
        self.places.extend(starts.zip(ends).map(|(&start, &end)| start..end));
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// The field at a place, of the line that was split; empty if there is none.
    pub fn of<'t>(&self, line: &'t str, place: usize) -> &'t str {
        self.places.get(place).and_then(|range| line.get(range.clone())).unwrap_or("")
    }

    /// Every field of the line that was split.
    pub fn all<'t>(&self, line: &'t str) -> impl Iterator<Item = &'t str> {
        (0..self.count()).map(move |place| self.of(line, place))
    }
}

/// The places between runs of spaces and tabs.
///
/// Columns that are aligned with spaces are mostly that: a line is taken 64 bytes at a time, as a
/// word with a bit for each byte, whose edges are where a field starts or ends.
pub(super) fn between_blanks(line: &str) -> impl Iterator<Item = Range<usize>> {
    let mut chunks = line.as_bytes().chunks(u64::BITS as usize);
    let (mut chunk_end, mut edges, mut is_inside) = (0, 0u64, false);
    let mut next_edge = move || {
        while edges == 0 {
            let filled = filled(chunks.next()?);
            edges = filled ^ (filled << 1 | u64::from(is_inside));
            is_inside = filled >> (u64::BITS - 1) == 1;
            chunk_end += u64::BITS as usize;
        }
        let edge = chunk_end - u64::BITS as usize + edges.trailing_zeros() as usize;
        edges &= edges - 1;
        Some(edge)
    };
    std::iter::from_fn(move || {
        let start = next_edge()?;
        Some(start..next_edge().unwrap_or(line.len()))
    })
}

/// A bit for each byte, the first one lowest, that is no space and no tab; what is missing is
/// blank.
fn filled(chunk: &[u8]) -> u64 {
    let (words, rest) = chunk.as_chunks::<8>();
    let bits = |(at, word): (usize, &[u8; 8])| filled_of_eight(*word) << (8 * at);
    let whole = words.iter().enumerate().map(bits).fold(0, |filled, bits| filled | bits);
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    whole | filled_of_eight(last).checked_shl(8 * words.len() as u32).unwrap_or(0)
}

/// The same of eight bytes at once.
fn filled_of_eight(bytes: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = 0x7f * ONES;
    let word = u64::from_le_bytes(bytes);
    // The highest bit of every byte that differs from `byte`: adding to its lower bits sets it
    // unless they are all equal.
    let differs = |byte: u8| {
        let difference = word ^ (u64::from(byte) * ONES);
        ((difference & LOW) + LOW) | difference
    };
    let filled = (differs(b' ') & differs(b'\t')) >> 7 & ONES;
    // Brings the eight bits together in the highest byte, in their order.
    filled.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(line: &str, separator: &str) -> Vec<String> {
        let mut fields = Fields::default();
        fields.split("some, other line", ", ");
        fields.split(line, separator);
        fields.all(line).map(str::to_owned).collect()
    }

    fn split_at_blanks(line: &str) -> Vec<String> {
        let mut fields = Fields::default();
        fields.split_at_blanks(line);
        fields.all(line).map(str::to_owned).collect()
    }

    #[test]
    fn what_is_no_field_is_empty() {
        let mut fields = Fields::default();
        fields.split("a b", " ");
        assert_eq!((fields.count(), fields.of("a b", 1), fields.of("a b", 2)), (2, "b", ""));
        fields.set_ends(&[1, 1, 3]);
        assert!(fields.all("abc").eq(["a", "", "bc"]));
    }

    proptest! {
        #[test]
        fn lines_are_split_as_the_standard_library_does(
            line in "[ab,é\t ]{0,12}", separator in "[,\t ]|é|, |ab"
        ) {
            let expected: Vec<&str> = line.split(separator.as_str()).collect();
            prop_assert_eq!(split(&line, &separator), expected);
        }

        #[test]
        fn so_are_blanks_on_either_side_of_a_chunk(line in "[aé\t ]{0,12}( {0,60}[aé]{0,40}){0,4}") {
            let words: Vec<&str> = line.split([' ', '\t']).filter(|w| !w.is_empty()).collect();
            prop_assert_eq!(split_at_blanks(&line), words);
        }
    }
}
