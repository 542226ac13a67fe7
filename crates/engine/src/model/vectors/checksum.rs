//! A fast checksum against damage, not against malice.

/// Any change of one word of eight bytes changes the sum, as every step can be undone.
pub(super) fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let step =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks();
    let sum = words.iter().fold(seed, |sum, word| step(sum, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    step(step(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}
