//! `index.*`: a line a lemma, in the order of their bytes, with where its synsets stand in
//! `data.*`.

use super::SynonymsError;
use std::cmp::Ordering;
use std::path::Path;

/// The lines of an index file, found by their first word.
#[derive(Debug)]
pub struct Index {
    bytes: Vec<u8>,
    /// Where each line of a lemma starts.
    starts: Vec<usize>,
    /// The beginning of each of these lines: side by side, so that a search seldom looks at the
    /// text.
    keys: Vec<u64>,
}

impl Index {
    /// Reads a file; its lines are taken apart only when they are asked for.
    pub fn open(path: &Path) -> Result<Self, SynonymsError> {
        let bytes = std::fs::read(path).map_err(SynonymsError::unreadable(path))?;
        Self::new(bytes, path)
    }

    fn new(bytes: Vec<u8>, path: &Path) -> Result<Self, SynonymsError> {
        let mut starts = Vec::new();
        let mut keys = Vec::new();
        let (mut start, mut before) = (0, &b""[..]);
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            // The licence stands on lines that begin with a space.
            if !line.is_empty() && !line.starts_with(b" ") {
                let lemma = line.split(|byte| *byte <= b' ').next().unwrap_or_default();
                if lemma < before {
                    return Err(SynonymsError::Unsorted { path: path.into(), line: number + 1 });
                }
                before = lemma;
                starts.push(start);
                keys.push(key(lemma));
            }
            start += line.len() + 1;
        }
        if starts.is_empty() {
            return Err(SynonymsError::Empty { path: path.into() });
        }
        Ok(Self { bytes, starts, keys })
    }

    /// Where the synsets of a lemma stand, the most frequent sense first; none if there is no such
    /// lemma.
    pub fn synsets(&self, lemma: &str) -> Vec<u64> {
        let lemma = lemma.as_bytes();
        // No lemma has a space, which lets a line's word be compared together with what ends it.
        if lemma.is_empty() || lemma.iter().any(|byte| *byte <= b' ') {
            return Vec::new();
        }
        let key = key(lemma);
        let first = self.keys.partition_point(|other| *other < key);
        // None of most words, a few of the others: nearer than a second search.
        let alike = self.keys[first..].iter().take_while(|other| **other == key).count();
        let starts = &self.starts[first..first + alike];
        let found = starts.binary_search_by(|&start| self.compare(start, lemma));
        let line = found.ok().and_then(|place| self.line(starts[place]));
        line.and_then(offsets).unwrap_or_default()
    }

    /// The lemma of a line beside another.
    fn compare(&self, start: usize, lemma: &[u8]) -> Ordering {
        let line = &self.bytes[start..];
        let (same_length, rest) = line.split_at(lemma.len().min(line.len()));
        let ends = rest.first().is_none_or(|byte| *byte <= b' ');
        same_length.cmp(lemma).then(if ends { Ordering::Equal } else { Ordering::Greater })
    }

    fn line(&self, start: usize) -> Option<&str> {
        let line = self.bytes[start..].split(|byte| *byte == b'\n').next()?;
        str::from_utf8(line).ok()
    }
}

/// The first bytes of a lemma as a number, in the order of lemmas: a space ends a short one, as in
/// the file.
fn key(lemma: &[u8]) -> u64 {
    let mut padded = [b' '; 8];
    padded.iter_mut().zip(lemma).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(padded)
}

/// `lemma pos synsets pointers [symbol…] senses tagged offset…`
fn offsets(line: &str) -> Option<Vec<u64>> {
    let mut fields = line.split_ascii_whitespace().skip(2);
    let synsets: usize = fields.next()?.parse().ok()?;
    let pointers: usize = fields.next()?.parse().ok()?;
    let mut offsets = fields.skip(pointers).skip(2);
    let mut found = Vec::new();
    for _ in 0..synsets {
        found.push(offsets.next()?.parse().ok()?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(text: &str) -> Result<Index, String> {
        Index::new(text.into(), Path::new("index.noun")).map_err(|error| error.to_string())
    }

    #[test]
    fn lemmas_are_found_by_their_whole_name() {
        let index = index(
            "  1 The licence\ncat n 1 0 1 0 00000010\ncats n 2 2 @ ~ 2 1 00000020 00000030  \n",
        )
        .unwrap();
        assert_eq!(index.synsets("cat"), [10]);
        assert_eq!(index.synsets("cats"), [20, 30]);
        for absent in ["", "ca", "catss", "dog", "1", "cat n"] {
            assert_eq!(index.synsets(absent), [0; 0], "{absent}");
        }
    }

    #[test]
    fn a_damaged_line_has_no_synsets() {
        let lines = ["cat", "cat n", "cat n x 0 1 0 1", "cat n 3 0 3 0 1 2", "cat n 1 9 1 0 1"];
        for line in
            lines.into_iter().chain(["cat n 99999999999999999999 0 1 0 1", "cat n 1 0 1 0 -1"])
        {
            assert_eq!(index(line).unwrap().synsets("cat"), [0; 0], "{line}");
        }
        let index = Index::new(b"cat n \xff 0 1 0 1".to_vec(), Path::new("")).unwrap();
        assert_eq!(index.synsets("cat"), [0; 0]);
    }

    #[test]
    fn a_file_that_cannot_be_searched_is_refused() {
        assert!(index("b n\na n\n").unwrap_err().starts_with("index.noun:2: the words"));
        assert!(index("  only a licence\n").unwrap_err().starts_with("index.noun: no line"));
    }
}
