//! Taking a job over into the target, each file in one step and the record last.

use super::super::{FileSum, FileSums, Folder, JobFolder, JobRecord, StoreError, disk};
use super::entry::wrong_length;
use super::source::read_plain;
use super::{Skipped, Stop};
use atomic::plain;
use domain::JobKey;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of a job that the target gets.
#[derive(Debug)]
pub(super) struct JobCopy {
    pub job: JobKey,
    pub from: PathBuf,
    pub files: Vec<&'static str>,
    /// What its record knows of them.
    pub sums: FileSums,
    pub record: bool,
}

impl JobCopy {
    pub fn carry_out(&self, target: &Folder) -> Result<(), Stop> {
        let Self { job, from, files, sums, record } = self;
        let place = target.job(job)?;
        place.create()?;
        let mut arrived = Vec::new();
        let copied = files.iter().try_for_each(|name| {
            let temporary = place.temporary(&place.path().join(name));
            arrived.push((*name, temporary.clone()));
            take_over(&from.join(name), &temporary, name, sums.get(*name))
        });
        if let Err(stop) = copied {
            // The first error is the one to tell; nothing of the job is taken over.
            arrived.iter().for_each(|(_, temporary)| drop(fs::remove_file(temporary)));
            // It goes if it is empty.
            let _ = fs::remove_dir(place.path());
            return Err(stop);
        }
        for (name, temporary) in arrived {
            disk::adopt(&temporary, &place.path().join(name))?;
        }
        if *record {
            write_record(from, &place, job)?;
        }
        // The job's folder is new as well.
        Ok(disk::sync_folder_of(place.path())?)
    }
}

fn take_over(
    from: &Path,
    temporary: &Path,
    name: &str,
    written: Option<&FileSum>,
) -> Result<(), Stop> {
    match copy(from, temporary, name, written).map_err(StoreError::io("copy", from))? {
        Some(reason) => Err(Stop::Skip(Skipped { path: from.to_owned(), reason })),
        None => Ok(()),
    }
}

fn write_record(from: &Path, place: &JobFolder, job: &JobKey) -> Result<(), StoreError> {
    let path = from.join("record.json");
    let gone = || io::Error::from(io::ErrorKind::NotFound);
    let bytes = read_plain(&path).and_then(|bytes| bytes.ok_or_else(gone));
    let bytes = bytes.map_err(StoreError::io("read", &path))?;
    // The bytes that are written are those that were checked.
    JobRecord::parse(&bytes, job, &path)?;
    let path = place.record();
    disk::write_by(&place.temporary(&path), &path, &bytes).map(drop)
}

/// Copies a file of a job beside its place; what is wrong with it.
fn copy(
    from: &Path,
    temporary: &Path,
    name: &str,
    written: Option<&FileSum>,
) -> io::Result<Option<String>> {
    let file = plain::open(from)?;
    let length = file.metadata()?.len();
    if let Some(wrong) = wrong_length(name, length, written) {
        return Ok(Some(wrong));
    }
    // It may grow meanwhile.
    let sum = FileSum::copy(&mut file.take(length), &mut File::create_new(temporary)?)?;
    let difference = written.and_then(|written| sum.difference(written));
    Ok(difference.map(|message| format!("it is damaged: {message}")))
}
