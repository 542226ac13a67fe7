//! A checksum inside a file, of its own bytes.
//!
//! A flipped bit in a record is another number, and Parquet's decoder trusts what it reads: there
//! it can be a request for more memory than there is, which ends the process. So both carry the
//! SHA-256 of their bytes and are not used unless it matches. The sum is taken with zeros in its
//! place.

use super::index::hexadecimal;
use sha2::{Digest, Sha256};

/// The key of a Parquet file's metadata.
pub(super) const KEY: &str = "tailgrid";
const DIGITS: usize = 64;
const OPEN: [u8; DIGITS] = [b'0'; DIGITS];

/// What stands before the sum: each kind of file has its mark.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Seal {
    mark: &'static str,
}

/// Of Parquet files, in the metadata of their footer.
pub(super) const FRAME: Seal = Seal { mark: "sha256-of-this-file-with-zeros-here:" };
/// Of records: their last entry.
pub(super) const RECORD: Seal = Seal { mark: ",\n  \"sum\": \"" };
/// What follows the sum of a record.
const RECORD_END: &str = "\"\n}\n";

impl Seal {
    /// The mark with a place for the sum.
    pub fn placeholder(self) -> String {
        format!("{}{}", self.mark, "0".repeat(DIGITS))
    }

    /// Puts the sum in its place; false where there is no place for it.
    pub fn close(self, bytes: &mut [u8]) -> bool {
        let Some(at) = self.place(bytes) else { return false };
        bytes[at..at + DIGITS].copy_from_slice(&OPEN);
        let digits = hexadecimal(bytes);
        bytes[at..at + DIGITS].copy_from_slice(digits.as_bytes());
        true
    }

    /// The sum, if these are the bytes that were closed.
    pub fn sum(self, bytes: &[u8]) -> Option<&str> {
        let at = self.place(bytes)?;
        let (sum, rest) = bytes[at..].split_at(DIGITS);
        let hash = Sha256::new_with_prefix(&bytes[..at]).chain_update(OPEN).chain_update(rest);
        let digits = hex::encode(hash.finalize());
        std::str::from_utf8(sum).ok().filter(|sum| *sum == digits)
    }

    /// Where the sum is: after the last mark, since it comes after all data.
    fn place(self, bytes: &[u8]) -> Option<usize> {
        let mark = self.mark.as_bytes();
        let at = bytes.windows(mark.len()).rposition(|window| window == mark)? + mark.len();
        (at + DIGITS <= bytes.len()).then_some(at)
    }
}

/// The text of a record with its sum as the last entry.
pub(super) fn close_record(mut text: String) -> Vec<u8> {
    if let Some(open) = text.strip_suffix("\n}").map(str::len) {
        text.truncate(open);
        text.push_str(&RECORD.placeholder());
        text.push_str(RECORD_END);
    }
    let mut bytes = text.into_bytes();
    RECORD.close(&mut bytes);
    bytes
}

/// A record's bytes without their sum, and whether it matched; `None` where there is no sum.
pub(super) fn open_record(bytes: &[u8]) -> Option<(Vec<u8>, bool)> {
    let at = RECORD.place(bytes)?;
    let mut open = bytes[..at - RECORD.mark.len()].to_vec();
    // What the sum is followed by is for the parser to judge.
    open.extend(bytes[at + DIGITS..].strip_prefix(b"\"").unwrap_or(b"\""));
    Some((open, RECORD.sum(bytes).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_breaks_the_seal() {
        let mark = FRAME.placeholder();
        let mut bytes = format!("data {mark} data {mark} end").into_bytes();
        assert_eq!(FRAME.sum(&bytes), None);
        assert!(FRAME.close(&mut bytes));
        assert!(FRAME.sum(&bytes).is_some());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(FRAME.sum(&changed), None, "{at}");
        }
    }

    #[test]
    fn without_a_place_there_is_no_seal() {
        assert!(!FRAME.close(&mut b"nothing".to_owned()));
        assert_eq!(FRAME.sum(FRAME.mark.as_bytes()), None);
    }

    #[test]
    fn a_closed_record_opens_to_what_it_was() {
        let text = "{\n  \"a\": \",\\n  \\\"sum\\\": \\\"\"\n}";
        let closed = close_record(text.to_owned());
        let value: serde_json::Value = serde_json::from_slice(&closed).unwrap();
        assert_eq!(value["sum"].as_str().map(str::len), Some(DIGITS));
        assert_eq!(open_record(&closed), Some((format!("{text}\n").into_bytes(), true)));
        assert_eq!(open_record(text.as_bytes()), None);
    }
}
