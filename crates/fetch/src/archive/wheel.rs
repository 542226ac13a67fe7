//! Zip archives, as Python's wheels are.
//!
//! Only the wanted members are unpacked, each by its name in the central directory; what else the
//! archive holds, and how large it would be, does not matter.

use super::{Kind, Unpacker};
use crate::FetchError;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Takes the wanted members.
pub(super) fn read(unpacker: &mut Unpacker<'_>) -> Result<(), FetchError> {
    let path = unpacker.path;
    let file = File::open(path).map_err(FetchError::io("read", path))?;
    let archive = ZipArchive::new(BufReader::new(file));
    let mut archive = archive.map_err(|error| unpacker.unreadable(error))?;
    if archive.has_duplicate_names() {
        return Err(unpacker.unreadable("a name is there twice"));
    }
    for member in unpacker.wanted {
        let Some(index) = archive.index_for_name_raw(member.name.as_bytes()) else { continue };
        let mut entry = archive.by_index(index).map_err(|error| unpacker.refused(member, error))?;
        let found = (kind(&entry), entry.size());
        unpacker.take(member, found, &mut entry)?;
    }
    Ok(())
}

fn kind<R: Read + Seek>(entry: &ZipFile<'_, R>) -> Kind {
    const TYPE: u32 = 0o170_000;
    match entry.unix_mode().map(|mode| mode & TYPE) {
        _ if entry.is_symlink() => Kind::Other("a symbolic link"),
        _ if entry.is_dir() => Kind::Other("a folder"),
        None | Some(0 | 0o100_000) => Kind::File,
        Some(_) => Kind::Other("a device"),
    }
}
