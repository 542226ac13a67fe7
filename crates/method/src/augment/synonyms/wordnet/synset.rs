//! `data.*`: a line a synset, which starts at the place by which it is known.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// How much is read of a synset at first; nearly all have their names in it.
const FIRST: usize = 512;
/// No synset has so long names.
const MOST: usize = 1 << 14;

/// Calls for every name of the synset at a place; for none where there is no whole synset.
pub fn names(file: &File, offset: u64, tell: &mut impl FnMut(&str)) {
    if !names_within(file, offset, &mut [0; FIRST], tell) {
        names_within(file, offset, &mut vec![0; MOST], tell);
    }
}

/// The same if they are within a buffer's length; whether more bytes would change nothing.
fn names_within(file: &File, offset: u64, buffer: &mut [u8], tell: &mut impl FnMut(&str)) -> bool {
    let Some(read) = read(file, offset, buffer) else { return true };
    let line = buffer[..read].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let names = parse(line, offset);
    let whole = names.is_some() || line.len() < buffer.len();
    names.into_iter().flatten().for_each(tell);
    whole
}

/// Reads at a place as much as there is.
fn read(file: &File, offset: u64, bytes: &mut [u8]) -> Option<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(filled)
}

/// `offset file pos names name id [name id…] …`, the number of names in hexadecimal; `None` if they
/// are not all there.
fn parse(line: &[u8], offset: u64) -> Option<Vec<&str>> {
    let mut fields = line.split(|byte| *byte == b' ');
    let mut field = || str::from_utf8(fields.next()?).ok();
    if field()?.parse() != Ok(offset) {
        return None;
    }
    let count = (field()?, field()?, usize::from_str_radix(field()?, 16).ok()?).2;
    let mut names = Vec::new();
    for _ in 0..count {
        names.push(without_marker(field()?));
        // Its number is whole only if something follows: else the line may have been cut in it.
        field()?;
    }
    field().map(|_| names)
}

/// An adjective's name without where it may stand: `galore(ip)`.
fn without_marker(name: &str) -> &str {
    match name.strip_suffix(')').and_then(|name| name.rsplit_once('(')) {
        Some((name, _)) => name,
        None => name,
    }
}
