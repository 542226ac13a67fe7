//! A checksum inside a Parquet file, of its own bytes.
//!
//! The decoder trusts what it reads: a flipped bit can become another number, or a request for more
//! memory than there is, which ends the process. So a frame carries the SHA-256 of its bytes in its
//! footer's metadata, and is not decoded unless it matches. The sum is taken with zeros in its place.

use sha2::{Digest, Sha256};

/// The metadata's key.
pub(super) const KEY: &str = "tailgrid";
const MARK: &str = "sha256-of-this-file-with-zeros-here:";
const DIGITS: usize = 64;

/// The metadata's value before the sum is known.
pub(super) fn placeholder() -> String {
    format!("{MARK}{}", "0".repeat(DIGITS))
}

/// Puts the sum in its place; false where there is no place for it.
pub(super) fn close(bytes: &mut [u8]) -> bool {
    let Some(at) = place(bytes) else { return false };
    let digits = digits(bytes);
    bytes[at..at + DIGITS].copy_from_slice(digits.as_bytes());
    true
}

/// Whether these are the bytes that were closed.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let Some(at) = place(bytes) else { return false };
    let mut open = bytes.to_vec();
    open[at..at + DIGITS].fill(b'0');
    bytes[at..at + DIGITS] == *digits(&open).as_bytes()
}

fn digits(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Where the sum is: after the last mark, since the footer comes after all data.
fn place(bytes: &[u8]) -> Option<usize> {
    let mark = bytes.windows(MARK.len()).rposition(|window| window == MARK.as_bytes())?;
    let at = mark + MARK.len();
    (at + DIGITS <= bytes.len()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_changed_byte_breaks_the_seal() {
        let mut bytes = format!("data {} data {} end", placeholder(), placeholder()).into_bytes();
        assert!(!is_whole(&bytes));
        assert!(close(&mut bytes));
        assert!(is_whole(&bytes));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(!is_whole(&changed), "{at}");
        }
    }

    #[test]
    fn without_a_place_there_is_no_seal() {
        assert!(!close(&mut b"nothing".to_owned()));
        assert!(!is_whole(MARK.as_bytes()));
    }
}
