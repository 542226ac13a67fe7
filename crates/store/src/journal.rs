//! A journal: the finished records of a grid in one compressed file, without predictions and
//! models.
//!
//! It is gzip over JSON lines: first the grid and its searches, then one line per record. A line
//! holds the record's own bytes, so that its seal stays whole. The same records give the same file.
//!
//! A journal from elsewhere is not trusted: it is unpacked to a folder of its own, which is then
//! merged like any other results folder.

use super::{Folder, StoreError, disk};
use domain::JobKey;
use flate2::{Compression, GzBuilder, bufread::MultiGzDecoder};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Raised whenever a line means something else.
const VERSION: u64 = 1;
/// A longer line is not part of a journal.
const LONGEST_LINE: u64 = 256 << 20;
/// A journal that unpacks to more is refused: a small file can claim any size.
const MOST_UNPACKED: u64 = 16 << 30;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    journal: u64,
    grid: String,
    /// `grid.yaml`
    text: Option<String>,
    /// `tuning.json`
    searches: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    job: JobKey,
    /// `record.json`
    record: String,
}

/// Writes the records of these jobs to a journal; each must have one that is whole.
pub fn write_journal(folder: &Folder, jobs: &[JobKey], path: &Path) -> Result<(), StoreError> {
    let mut keys: Vec<&JobKey> = jobs.iter().collect();
    keys.sort();
    keys.dedup();
    let temporary = disk::temporary_beside(path);
    let written = File::create_new(&temporary)
        .map_err(StoreError::io("write", path))
        .and_then(|file| write_lines(folder, &keys, path, file));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    disk::adopt(&temporary, path)
}

fn write_lines(
    folder: &Folder,
    keys: &[&JobKey],
    path: &Path,
    file: File,
) -> Result<(), StoreError> {
    let failed = || StoreError::io("write", path);
    // Without a time of its own the same records give the same bytes.
    let mut out = GzBuilder::new().mtime(0).write(BufWriter::new(file), Compression::default());
    let text = |path: PathBuf| -> Result<Option<String>, StoreError> {
        let text = disk::read(&path)?.map(String::from_utf8).transpose();
        text.map_err(io::Error::other).map_err(StoreError::io("read", &path))
    };
    let head = Head {
        journal: VERSION,
        grid: folder.grid().to_owned(),
        text: text(folder.grid_file())?,
        searches: text(folder.tuning_file())?,
    };
    write_line(&mut out, &head).map_err(failed())?;
    for key in keys {
        // Reading it as a record shows that it is whole.
        folder.read_record(key)?;
        let record = folder.job(key)?.record();
        let Some(record) = text(record)? else { continue };
        write_line(&mut out, &Line { job: (*key).clone(), record }).map_err(failed())?;
    }
    let mut file = out.finish().map_err(failed())?;
    file.flush().map_err(failed())
}

fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Unpacks a journal below a folder of the caller's, and says where the results folder is.
pub(super) fn unpack(journal: &Path, place: &Path) -> Result<PathBuf, StoreError> {
    let file = File::open(journal).map_err(StoreError::io("read", journal))?;
    let unpacked = MultiGzDecoder::new(BufReader::new(file)).take(MOST_UNPACKED);
    let mut lines = Lines { from: BufReader::new(unpacked), number: 0, journal };
    let head: Head = lines.next()?.ok_or_else(|| lines.damaged("it is empty"))?;
    if head.journal > VERSION {
        let path = journal.to_owned();
        return Err(StoreError::Newer { path, found: head.journal, known: VERSION });
    }
    let folder = Folder::new(place, &head.grid)?;
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap_or(place))
            .and_then(|()| fs::write(&path, text))
            .map_err(StoreError::io("write", &path))
    };
    fs::create_dir_all(folder.jobs()).map_err(StoreError::io("write", folder.jobs()))?;
    for (path, text) in [(folder.grid_file(), head.text), (folder.tuning_file(), head.searches)] {
        text.map_or(Ok(()), |text| write(path, &text))?;
    }
    while let Some(Line { job, record }) = lines.next()? {
        write(folder.job(&job)?.record(), &record)?;
    }
    Ok(folder.path().to_owned())
}

/// The lines of a journal.
struct Lines<'a, R> {
    from: R,
    number: usize,
    journal: &'a Path,
}

impl<R: BufRead> Lines<'_, R> {
    fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<Option<T>, StoreError> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(LONGEST_LINE).read_until(b'\n', &mut bytes);
        match read {
            Ok(0) => Ok(None),
            Ok(_) if bytes.last() != Some(&b'\n') => Err(self.damaged("it ends within a line")),
            Ok(_) => serde_json::from_slice(&bytes).map(Some).map_err(|error| self.damaged(error)),
            Err(error) => Err(self.damaged(error)),
        }
    }

    fn damaged(&self, message: impl std::fmt::Display) -> StoreError {
        StoreError::Damaged {
            path: self.journal.to_owned(),
            message: format!("line {}: {message}", self.number),
            advice: "it must be a file that `tailgrid export --journal` wrote, whole",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn key(key: &str) -> JobKey {
        JobKey(key.to_owned())
    }

    fn journal(place: &Path) -> PathBuf {
        let records = [testing::done("ab", "sc", 1), testing::done("cd", "sc", 2)];
        let folder = testing::folder(&place.join("results"), &records);
        folder.write_grid("version: 1\nname: grid\n").unwrap();
        let path = place.join("grid.journal");
        write_journal(&folder, &[key("cd"), key("ab"), key("ab")], &path).unwrap();
        path
    }

    #[test]
    fn records_come_back_byte_by_byte() {
        let place = tempfile::tempdir().unwrap();
        let path = journal(place.path());
        let unpacked = unpack(&path, &place.path().join("elsewhere")).unwrap();
        let original = place.path().join("results/grid");
        for file in ["grid.yaml", "jobs/ab/record.json", "jobs/cd/record.json"] {
            let read = |root: &Path| fs::read(root.join(file)).unwrap();
            assert_eq!(read(&unpacked), read(&original), "{file}");
        }
        let first = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::remove_dir_all(place.path().join("results")).unwrap();
        assert_eq!(fs::read(journal(place.path())).unwrap(), first, "the same bytes again");
    }

    #[test]
    fn every_cut_is_noticed() {
        let place = tempfile::tempdir().unwrap();
        let path = journal(place.path());
        let whole = fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(7) {
            fs::write(&path, &whole[..length]).unwrap();
            let error = unpack(&path, &place.path().join("cut")).unwrap_err();
            assert!(matches!(error, StoreError::Damaged { .. }), "{length}: {error}");
        }
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("bad.journal");
        for (grid, job) in [("../up", "ab"), ("grid", "../../ab")] {
            let mut out =
                GzBuilder::new().write(File::create(&path).unwrap(), Compression::default());
            let grid = grid.to_owned();
            let head = Head { journal: VERSION, grid, text: None, searches: None };
            write_line(&mut out, &head).unwrap();
            write_line(&mut out, &Line { job: key(job), record: "x".to_owned() }).unwrap();
            out.finish().unwrap();
            let error = unpack(&path, &place.path().join("in")).unwrap_err();
            assert!(matches!(error, StoreError::Name { .. }), "{error}");
        }
    }
}
