//! A job as one folder has it, beside the same job of another.

use super::super::{
    FileSum, FileSums, JobRecord, KeptFile, Provenance, RECORD_VERSION, StoreError, Timings,
};
use super::source::read_plain;
use super::{Difference, Skipped};
use atomic::plain;
use domain::{JobKey, Outcome, Point, Processor, apart};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

const LOG: &str = "log.txt";
/// A longer file is no log: beginning and end of each attempt are kept.
const LONGEST_LOG: u64 = 256 << 20;

/// The same job in two folders.
pub(super) enum Comparison {
    Same,
    /// From different kinds of processors, or unknown ones, with scores that agree.
    Close,
    Differs(&'static str, Difference),
}

/// A job as a folder has it.
pub(super) struct Entry {
    pub folder: PathBuf,
    pub record: JobRecord,
    pub files: Vec<&'static str>,
}

impl Entry {
    /// `None` where there is no record.
    pub fn read(folder: &Path, key: &JobKey) -> Result<Option<Self>, Skipped> {
        let skipped = |name: &str, reason: String| Skipped { path: folder.join(name), reason };
        let path = folder.join("record.json");
        let bytes = match read_plain(&path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(error) => return Err(skipped("record.json", error.to_string())),
        };
        let record = JobRecord::parse(&bytes, key, &path)
            .map_err(|error| skipped("record.json", without_advice(&error)))?;
        let mut files = Vec::new();
        for name in KeptFile::ALL.map(KeptFile::name).into_iter().chain([LOG]) {
            let length = match plain::open(&folder.join(name)).and_then(|file| file.metadata()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(skipped(name, error.to_string())),
                Ok(found) => found.len(),
            };
            match wrong_length(name, length, record.files.get(name)) {
                Some(wrong) => return Err(skipped(name, wrong)),
                None => files.push(name),
            }
        }
        Ok(Some(Self { folder: folder.to_owned(), record, files }))
    }

    /// This job beside the same one of another folder.
    pub fn compare(&self, other: &Self) -> Result<Comparison, StoreError> {
        let Some(file) = self.different_file(other)? else { return Ok(Comparison::Same) };
        let kinds = [self, other].map(|entry| entry.record.provenance.processor.as_ref());
        if Processor::is_one_kind(kinds[0], kinds[1]) {
            return Ok(Comparison::Differs(file, Difference::Bits));
        }
        let is_comparable = self.record.settings == other.record.settings;
        Ok(match (&self.record.outcome, &other.record.outcome) {
            (Some(one), Some(another)) if is_comparable => {
                match apart(one, another).into_iter().next() {
                    None => Comparison::Close,
                    Some(apart) => Comparison::Differs("record.json", Difference::Scores(apart)),
                }
            }
            _ => Comparison::Differs(file, Difference::Inexplicable),
        })
    }

    /// Which file of the same job has not the same content in another folder.
    fn different_file(&self, other: &Self) -> Result<Option<&'static str>, StoreError> {
        let [ours, theirs] =
            [(self, other), (other, self)].map(|(a, b)| unmeasured(&a.record, &b.record));
        if ours != theirs {
            return Ok(Some("record.json"));
        }
        for name in KeptFile::ALL.map(KeptFile::name) {
            if !self.has_same(other, name)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Whether a file of the same job is the same, as far as both have it; by its sums where they
    /// are known.
    fn has_same(&self, other: &Self, name: &'static str) -> Result<bool, StoreError> {
        if let [Some(ours), Some(theirs)] = [self, other].map(|one| one.record.files.get(name)) {
            return Ok(ours == theirs);
        }
        let both = self.files.contains(&name) && other.files.contains(&name);
        let (ours, theirs) = (self.folder.join(name), other.folder.join(name));
        Ok(!both || same_bytes(&ours, &theirs).map_err(StoreError::io("read", &theirs))?)
    }
}

/// A record without what is measured, without the names and the form of its time, and without what
/// the other one does not have yet: the same for the same job.
fn unmeasured(record: &JobRecord, other: &JobRecord) -> JobRecord {
    let mut record = record.clone();
    record.version = RECORD_VERSION;
    // They are compared one by one, as far as both have them.
    record.files = FileSums::default();
    // How far a job came before its time was over is measured.
    record.partial = None;
    let nothing = String::new;
    record.point = Point {
        corpus: nothing(),
        scenario: nothing(),
        model: nothing(),
        method: nothing(),
        seed: 0,
    };
    let (tailgrid, platform, host) = (nothing(), nothing(), nothing());
    record.provenance = Provenance { tailgrid, platform, host, processor: None };
    record.attempts = 0;
    record.timings = Timings { started_at: nothing(), seconds: 0.0 };
    let weights = other.outcome.as_ref().and_then(|outcome| outcome.weights.as_ref());
    record.outcome = record.outcome.map(|outcome| {
        let outcome = outcome.unmeasured();
        let own = outcome.weights.clone().filter(|_| weights.is_some());
        Outcome { weights: own, ..outcome }
    });
    record
}

/// What is wrong, without what a run would do about it in its own folder.
fn without_advice(error: &StoreError) -> String {
    match error {
        StoreError::Damaged { message, .. } => format!("it is damaged: {message}"),
        StoreError::Newer { found, known, .. } => {
            format!("it has version {found}, and this program knows up to {known}")
        }
        other => other.to_string(),
    }
}

/// The most that a file of a job may be long, and still be taken over.
fn longest(name: &str) -> u64 {
    let kept = KeptFile::ALL.into_iter().find(|kept| kept.name() == name);
    kept.map_or(LONGEST_LOG, KeptFile::longest)
}

/// What is wrong with the length of a file, by what its record knows of it or by what any job has.
pub(super) fn wrong_length(name: &str, length: u64, written: Option<&FileSum>) -> Option<String> {
    let size = |bytes: u64| bytesize::ByteSize(bytes).display().iec().to_string();
    let most = longest(name);
    match written {
        Some(written) if length != written.bytes => Some(format!(
            "it is damaged: {length} bytes of it are there, and {} were written",
            written.bytes
        )),
        _ if length > most => {
            Some(format!("it has {}; a job's {name} has at most {}", size(length), size(most)))
        }
        _ => None,
    }
}

fn same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let mut readers = [BufReader::new(plain::open(a)?), BufReader::new(plain::open(b)?)];
    loop {
        let [a, b] = &mut readers;
        let (left, right) = (a.fill_buf()?, b.fill_buf()?);
        let n = left.len().min(right.len());
        if n == 0 || left[..n] != right[..n] {
            return Ok(left.is_empty() && right.is_empty());
        }
        a.consume(n);
        b.consume(n);
    }
}
