//! A folder of files in place of one file.

use crate::load::FileContent;
use crate::{CorpusError, files_of};
use std::path::Path;

/// Reads a file, or the files of a folder that have one of these endings one after the other. A
/// reader accepts a file without sentences; it is an error if no file has any.
pub(super) fn read(
    path: &Path,
    endings: &[&str],
    mut read: impl FnMut(&Path) -> Result<FileContent, CorpusError>,
) -> Result<FileContent, CorpusError> {
    match path.is_dir() {
        false => non_empty(path, read(path)?),
        true => read_each(path, files_of(path, endings)?, read),
    }
}

/// Reads these files one after the other; `path` is for the message if no sentence is in any.
pub(super) fn read_each<P: AsRef<Path>>(
    path: &Path,
    files: impl IntoIterator<Item = P>,
    mut read: impl FnMut(&Path) -> Result<FileContent, CorpusError>,
) -> Result<FileContent, CorpusError> {
    let mut content = FileContent::default();
    for file in files {
        content.append(read(file.as_ref())?);
    }
    non_empty(path, content)
}

fn non_empty(path: &Path, content: FileContent) -> Result<FileContent, CorpusError> {
    match content.sentences.is_empty() {
        true => Err(CorpusError::Empty { path: path.to_owned() }),
        false => Ok(content),
    }
}
