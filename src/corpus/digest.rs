//! The digest of a file: what a job's key knows of its corpus.

use super::CorpusError;
use crate::domain::CorpusIdentity;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

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

/// Whether the files still are what a job's settings say they are.
pub fn verify(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
) -> Result<(), CorpusError> {
    for (role, path) in files {
        if identity.digests.get(role) != Some(&digest(path)?) {
            return Err(CorpusError::Changed { path: path.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Part;

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
    fn a_file_that_changed_after_the_plan_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "abc").unwrap();
        let format = Part { kind: "columns".into(), parameters: Default::default() };
        let digests = [("train".to_owned(), digest(&file).unwrap())].into();
        let identity = CorpusIdentity { format, digests };
        let files = [("train".to_owned(), file.clone())].into();
        assert!(verify(&identity, &files).is_ok());
        std::fs::write(&file, "abd").unwrap();
        assert!(matches!(verify(&identity, &files), Err(CorpusError::Changed { .. })));
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
