//! The digest of a file: what a job's key knows of its corpus.

use super::CorpusError;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// SHA-256 of a file's bytes in hexadecimal, without holding the file in memory.
pub fn digest(path: &Path) -> Result<String, CorpusError> {
    let failed = |source| CorpusError::io(path, source);
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let mut hash = Sha256::new();
    loop {
        let bytes = reader.fill_buf().map_err(failed)?;
        if bytes.is_empty() {
            return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        let length = bytes.len();
        hash.update(bytes);
        reader.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_sha_256_of_the_bytes() {
        // FIPS 180-2, appendix B: "abc", and a million times "a".
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        for (content, expected) in [
            ("abc".to_owned(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "a".repeat(1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            ),
        ] {
            std::fs::write(&file, content).unwrap();
            assert_eq!(digest(&file).unwrap(), expected);
        }
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors_with_their_path() {
        let folder = tempfile::tempdir().unwrap();
        let missing = digest(&folder.path().join("none")).unwrap_err();
        assert!(matches!(missing, CorpusError::Missing { .. }), "{missing}");
        let unreadable = digest(folder.path()).unwrap_err();
        assert!(matches!(unreadable, CorpusError::Unreadable { .. }), "{unreadable}");
    }
}
