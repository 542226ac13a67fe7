//! The words of a table, sorted, and the row of each.

use super::checksum::checksum;

/// Sorted words, each once.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Index {
    /// Where each word ends in the text.
    ends: Vec<u32>,
    rows: Vec<u32>,
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

    /// The words sorted. Of a word that is there twice the first row counts, as of a file in the order
    /// of frequency it is the commoner's.
    pub fn into_index(self) -> Index {
        let of = |row: &u32| word(&self.ends, &self.text, *row as usize);
        let mut rows: Vec<u32> = (0..self.ends.len() as u32).collect();
        rows.sort_unstable_by(|a, b| of(a).cmp(of(b)).then(a.cmp(b)));
        rows.dedup_by(|later, first| of(later) == of(first));
        let mut index = Index { rows, ..Index::default() };
        for row in &index.rows {
            index.text.extend_from_slice(of(row));
            index.ends.push(index.text.len() as u32);
        }
        index
    }
}

impl Index {
    /// The row of a word.
    pub fn row(&self, wanted: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match word(&self.ends, &self.text, middle).cmp(wanted.as_bytes()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.rows[middle]),
            }
        }
        None
    }

    /// How many words there are, and the bytes of their text.
    pub fn sizes(&self) -> (usize, usize) {
        (self.ends.len(), self.text.len())
    }

    /// As it is on disk: ends, rows, text, and a checksum of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::size_on_disk(self.sizes()).unwrap_or(0));
        self.ends.iter().chain(&self.rows).for_each(|n| bytes.extend(n.to_le_bytes()));
        bytes.extend_from_slice(&self.text);
        bytes.extend(checksum(0, &bytes).to_le_bytes());
        bytes
    }

    /// The bytes of an index of so many words and bytes of text; `None` if they cannot be counted.
    pub fn size_on_disk((words, text): (usize, usize)) -> Option<usize> {
        words.checked_mul(8)?.checked_add(text)?.checked_add(8)
    }

    /// The inverse of [`Index::to_bytes`]; `None` if a byte is wrong. Every row is below `rows`.
    pub fn from_bytes(bytes: &[u8], (words, text): (usize, usize), rows: usize) -> Option<Self> {
        let (content, sum) = bytes.split_last_chunk()?;
        if Self::size_on_disk((words, text)) != Some(bytes.len())
            || checksum(0, content) != u64::from_le_bytes(*sum)
        {
            return None;
        }
        let (numbers, content) = content.split_at_checked(8 * words)?;
        let numbers = numbers.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut ends: Vec<u32> = numbers.collect();
        let found = ends.split_off(words);
        let whole = ends.is_sorted()
            && ends.last().is_none_or(|end| *end as usize == text)
            && found.iter().all(|row| (*row as usize) < rows);
        whole.then(|| Self { ends, rows: found, text: content.to_vec() })
    }
}
