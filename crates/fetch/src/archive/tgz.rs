//! Gzipped tar archives, as npm packs them.
//!
//! Members are read as they stand in the archive, one after the other, without its extensions: a
//! name of more than 255 bytes, a sparse file or an entry that renames the next one is none that is
//! wanted.

use super::{Kind, Unpacker};
use crate::FetchError;
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use tar::{Archive, EntryType};

/// Takes the wanted members; the whole archive is read, for one that is there twice.
pub(super) fn read(unpacker: &mut Unpacker<'_>) -> Result<(), FetchError> {
    let path = unpacker.path;
    let file = File::open(path).map_err(FetchError::io("read", path))?;
    let (most, inner) = (unpacker.most(), GzDecoder::new(BufReader::new(file)));
    let mut archive = Archive::new(Bounded { inner, left: most, most });
    let entries = archive.entries().map_err(|error| unpacker.unreadable(error))?.raw(true);
    for entry in entries {
        let mut entry = entry.map_err(|error| unpacker.unreadable(error))?;
        if let Some(member) = unpacker.find(&entry.path_bytes()) {
            let found = (kind(entry.header().entry_type()), entry.size());
            unpacker.take(member, found, &mut entry)?;
        }
    }
    Ok(())
}

fn kind(entry: EntryType) -> Kind {
    match entry {
        EntryType::Regular | EntryType::Continuous => Kind::File,
        EntryType::Symlink => Kind::Other("a symbolic link"),
        EntryType::Link => Kind::Other("a hard link"),
        EntryType::Directory => Kind::Other("a folder"),
        EntryType::Char | EntryType::Block | EntryType::Fifo => Kind::Other("a device"),
        _ => Kind::Other("a special entry"),
    }
}

/// A reader that fails where a bomb goes on.
struct Bounded<R> {
    inner: R,
    left: u64,
    most: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 && !buffer.is_empty() {
            let message = format!("it unpacks to more than {} bytes", self.most);
            return Err(io::Error::other(message));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.inner.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}
