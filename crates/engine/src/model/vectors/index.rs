//! The words of a table in the order of their hashes, and the row of each.
//!
//! The words whose hashes begin alike share a bucket, of which there are as many as words or a few
//! more: finding a word compares it with one or two.

use super::checksum::checksum;
use std::ops::Range;

/// Words, each once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Index {
    /// Where each bucket's words begin, and the end of the last.
    buckets: Vec<u32>,
    rows: Vec<u32>,
    /// Where each word ends in the text.
    ends: Vec<u32>,
    /// The words, one after the other.
    text: Vec<u8>,
}

/// The words of a file in its order, which is the order of the rows.
#[derive(Debug, Default)]
pub(super) struct Words {
    ends: Vec<u32>,
    text: Vec<u8>,
}

fn word<'t>(ends: &[u32], text: &'t [u8], place: usize) -> &'t [u8] {
    let start = place.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start as usize..ends[place] as usize]
}

/// The buckets of so many words.
fn buckets(words: usize) -> usize {
    words.next_power_of_two().max(2)
}

/// The bucket of a word: the first bits of its hash.
fn bucket(word: &[u8], buckets: usize) -> usize {
    (checksum(0, word) >> (64 - buckets.trailing_zeros())) as usize
}

impl Words {
    /// Adds the word of the next row.
    pub fn push(&mut self, word: &str) -> Result<(), String> {
        let end = u32::try_from(self.text.len() + word.len());
        let end = end.map_err(|_| "more than four gigabytes of words".to_owned())?;
        self.text.extend_from_slice(word.as_bytes());
        self.ends.push(end);
        Ok(())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The index of the words. Of a word that is there twice the first row counts, as of a file in
    /// the order of frequency it is the commoner's.
    pub fn into_index(self) -> Index {
        let of = |row: u32| word(&self.ends, &self.text, row as usize);
        let count = buckets(self.ends.len());
        let in_bucket = |row| (bucket(of(row), count), row);
        let mut order: Vec<(usize, u32)> = (0..self.ends.len() as u32).map(in_bucket).collect();
        order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| of(a.1).cmp(of(b.1))).then(a.1.cmp(&b.1))
        });
        order.dedup_by(|later, first| later.0 == first.0 && of(later.1) == of(first.1));
        let mut index = Index::default();
        for (bucket, row) in order {
            index.buckets.resize(bucket + 1, index.rows.len() as u32);
            index.rows.push(row);
            index.text.extend_from_slice(of(row));
            index.ends.push(index.text.len() as u32);
        }
        index.buckets.resize(count + 1, index.rows.len() as u32);
        index
    }
}

/// How large an index is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    pub words: usize,
    pub buckets: usize,
    /// The bytes of the words.
    pub text: usize,
}

impl Sizes {
    /// The bytes of such an index on disk; `None` if they cannot be counted.
    pub fn on_disk(self) -> Option<usize> {
        let numbers = self.words.checked_mul(2)?.checked_add(self.buckets)?.checked_add(1)?;
        numbers.checked_mul(4)?.checked_add(self.text)?.checked_add(8)
    }
}

impl Index {
    /// The row of a word.
    pub fn row(&self, wanted: &str) -> Option<u32> {
        let bucket = bucket(wanted.as_bytes(), self.buckets.len() - 1);
        let mut places = self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize;
        let place = places.find(|place| word(&self.ends, &self.text, *place) == wanted.as_bytes());
        place.map(|place| self.rows[place])
    }

    /// How large it is.
    pub fn sizes(&self) -> Sizes {
        let buckets = self.buckets.len() - 1;
        Sizes { words: self.rows.len(), buckets, text: self.text.len() }
    }

    /// As it is on disk: buckets, rows, ends, text, and a checksum of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.buckets.iter().chain(&self.rows).chain(&self.ends);
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend_from_slice(&self.text);
        bytes.extend(checksum(0, &bytes).to_le_bytes());
        bytes
    }

    /// The inverse of [`Index::to_bytes`]; `None` if a byte is wrong. Every row is below `rows`.
    pub fn from_bytes(bytes: Vec<u8>, sizes: Sizes, rows: usize) -> Option<Self> {
        let Sizes { words, buckets, text } = sizes;
        let (content, sum) = bytes.split_last_chunk()?;
        if sizes.on_disk() != Some(bytes.len()) || checksum(0, content) != u64::from_le_bytes(*sum)
        {
            return None;
        }
        let numbers = |range: Range<usize>| -> Vec<u32> {
            let bytes = content[4 * range.start..4 * range.end].as_chunks().0;
            bytes.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
        };
        let first = buckets + 1;
        let index = Self {
            buckets: numbers(0..first),
            rows: numbers(first..first + words),
            ends: numbers(first + words..first + 2 * words),
            text: content[content.len() - text..].to_vec(),
        };
        let reaches = |numbers: &[u32], end: usize| {
            numbers.is_sorted() && numbers.last().is_none_or(|last| *last as usize == end)
        };
        let whole = buckets.is_power_of_two()
            && buckets > 1
            && reaches(&index.buckets, words)
            && reaches(&index.ends, text)
            && index.rows.iter().all(|row| (*row as usize) < rows);
        whole.then_some(index)
    }
}
