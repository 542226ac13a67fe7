//! The digest of a file or a folder: what a job's key knows of its corpus.

use super::{CorpusError, formats};
use domain::CorpusIdentity;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// SHA-256 in hexadecimal of what a format reads at a path, without holding a file in memory: of
/// the bytes of a file, or of the names and digests of a folder's files.
pub fn digest(format: &str, path: &Path) -> Result<String, CorpusError> {
    let endings = formats::reads(format).folder;
    if endings.is_empty() || !path.is_dir() {
        return digest_file(path);
    }
    let mut hash = Sha256::new();
    for file in files_of(path, endings)? {
        let name = file.strip_prefix(path).unwrap_or(&file);
        hash.update(name.as_os_str().as_encoded_bytes());
        hash.update([0]);
        hash.update(digest_file(&file)?);
    }
    Ok(hex::encode(hash.finalize()))
}

/// The files under a folder, at any depth, that have one of these endings, sorted by path. Links to
/// folders are not followed, and hidden files and folders are left out.
pub fn files_of(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, CorpusError> {
    let mut files = vec![];
    collect(folder, endings, 0, &mut files)?;
    files.sort_unstable();
    match files.is_empty() {
        true => {
            let endings = endings.join(" or ");
            Err(CorpusError::EmptyFolder { path: folder.to_owned(), endings })
        }
        false => Ok(files),
    }
}

fn collect(
    folder: &Path,
    endings: &[&str],
    depth: usize,
    files: &mut Vec<PathBuf>,
) -> Result<(), CorpusError> {
    const DEEPEST: usize = 32;
    let failed = |source| CorpusError::io(folder, source);
    if depth > DEEPEST {
        return Err(CorpusError::DeepFolder { path: folder.to_owned() });
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, endings, depth + 1, files)?;
        } else if endings.iter().any(|ending| name.ends_with(ending)) && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// SHA-256 in hexadecimal of a file's bytes.
pub fn digest_file(path: &Path) -> Result<String, CorpusError> {
    let failed = |source| CorpusError::io(path, source);
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed)?);
    let mut hash = Sha256::new();
    loop {
        let bytes = reader.fill_buf().map_err(failed)?;
        if bytes.is_empty() {
            return Ok(hex::encode(hash.finalize()));
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
        if identity.digests.get(role) != Some(&digest(&identity.format.kind, path)?) {
            return Err(CorpusError::Changed { path: path.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Part;

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
            assert_eq!(digest("columns", &file).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_that_changed_after_the_plan_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "abc").unwrap();
        let format = Part { kind: "columns".into(), parameters: Default::default() };
        let digests = [("train".to_owned(), digest("columns", &file).unwrap())].into();
        let identity = CorpusIdentity { format, digests };
        let files = [("train".to_owned(), file.clone())].into();
        assert!(verify(&identity, &files).is_ok());
        std::fs::write(&file, "abd").unwrap();
        assert!(matches!(verify(&identity, &files), Err(CorpusError::Changed { .. })));
    }

    #[test]
    fn a_folder_is_its_files_of_the_right_endings_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        };
        let names = ["b.txt", "a.txt", "deep/er/c.txt", ".hidden/d.txt", ".e.txt", "note.md"];
        names.into_iter().for_each(write);
        let found = files_of(folder.path(), &[".txt"]).unwrap();
        let names: Vec<_> = found.iter().map(|f| f.strip_prefix(folder.path()).unwrap()).collect();
        assert_eq!(names, ["a.txt", "b.txt", "deep/er/c.txt"].map(Path::new));
        let none = files_of(folder.path(), &[".knp"]).unwrap_err();
        assert!(matches!(none, CorpusError::EmptyFolder { .. }), "{none}");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors_with_their_path() {
        let folder = tempfile::tempdir().unwrap();
        let missing = digest("columns", &folder.path().join("none")).unwrap_err();
        assert!(matches!(missing, CorpusError::Missing { .. }), "{missing}");
        let unreadable = digest("columns", folder.path()).unwrap_err();
        assert!(matches!(unreadable, CorpusError::Unreadable { .. }), "{unreadable}");
    }
}
