//! Joining result folders of one grid: made by shards, or copied from other machines by hand.
//!
//! Everything is looked at before anything is written. A folder from elsewhere is not trusted: only plain
//! files with the names that a job has are read, no symbolic link is followed, and a record that is damaged
//! or of a later program is left where it is. Nothing in the target is ever replaced: a job that two folders
//! have must have come out the same in both, but for what is measured, or with scores that agree where
//! the processors are not known to be of one kind.

use super::frames::read_current;
use super::journal;
use super::lock::holder_of;
use super::{
    FileSum, FileSums, Folder, Holder, JobFolder, JobRecord, KeptFile, Placed, Provenance,
    RECORD_VERSION, SearchRecord, StoreError, Timings, TuningRecord, disk,
};
use atomic::plain;
use domain::{Apart, JobKey, Outcome, Point, Processor, apart};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const LOG: &str = "log.txt";
/// A longer file is no record, grid or list of searches.
const LONGEST: u64 = 256 << 20;
/// A longer file is no log: beginning and end of each attempt are kept.
const LONGEST_LOG: u64 = 256 << 20;

/// A results folder from elsewhere; nothing is written to it.
#[derive(Debug)]
pub struct Source {
    root: PathBuf,
    /// Where a journal was unpacked; gone with the source.
    _unpacked: Option<TempDir>,
}

/// What is left out, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    pub path: PathBuf,
    pub reason: String,
}

/// A job that came out differently in two folders.
#[derive(Clone, PartialEq, Debug)]
pub struct Conflict {
    pub job: JobKey,
    pub point: String,
    /// Which of its files differs.
    pub file: &'static str,
    pub folders: [PathBuf; 2],
    pub difference: Difference,
}

/// How much the same job differs in two folders.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// In its bits, although the processors are of one kind.
    Bits,
    /// In its bits, which processors of other or unknown kinds do not explain.
    Inexplicable,
    /// In this number, by more than other kinds of processors explain.
    Scores(Apart),
}

/// The same job in two folders.
enum Comparison {
    Same,
    /// From different kinds of processors, or unknown ones, with scores that agree.
    Close,
    Differs(&'static str, Difference),
}

/// What a merge is to do.
#[derive(Debug, Default)]
pub struct MergePlan {
    copies: Vec<Copy>,
    /// Jobs that were there already.
    pub same: usize,
    /// Of these, not with the same bits but with scores that agree, from other kinds of processors.
    pub close: usize,
    pub skipped: Vec<Skipped>,
    pub conflicts: Vec<Conflict>,
}

/// Files of a job that the target gets.
#[derive(Debug)]
struct Copy {
    job: JobKey,
    from: PathBuf,
    files: Vec<&'static str>,
    /// What its record knows of them.
    sums: FileSums,
    record: bool,
}

impl Source {
    /// The results folder at a path; `None` if there is none.
    pub fn open(path: &Path) -> Option<Self> {
        let jobs = fs::symlink_metadata(path.join("jobs")).ok()?;
        jobs.is_dir().then(|| Self { root: path.to_owned(), _unpacked: None })
    }

    /// The results folder that a journal holds.
    pub fn unpack(journal: &Path) -> Result<Self, StoreError> {
        let name = journal.file_name().unwrap_or_default().to_string_lossy();
        // Conflicts name the folder, so it has the journal's name.
        let place = tempfile::Builder::new().prefix(&format!("{name}-")).tempdir();
        let place = place.map_err(StoreError::io("unpack", journal))?;
        let root = journal::unpack(journal, place.path())?;
        Ok(Self { root, _unpacked: Some(place) })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The grid as it was run there.
    pub fn grid_text(&self) -> Option<String> {
        let bytes = read_plain(&self.root.join("grid.yaml")).ok()??;
        String::from_utf8(bytes).ok()
    }

    /// Who runs something in it at this moment.
    pub fn holder(&self) -> Option<Holder> {
        holder_of(plain::open(&self.root.join("lock")).ok()?)
    }

    /// Which jobs its frames call current, and which not; frames can be missing at any time.
    fn current(&self) -> HashMap<JobKey, bool> {
        let bytes = read_plain(&self.root.join("runs.parquet")).ok().flatten();
        bytes.and_then(read_current).unwrap_or_default()
    }

    /// What its searches tried and chose; nothing where that cannot be read, as it follows from the trials.
    pub fn searches(&self) -> Vec<SearchRecord> {
        let bytes = read_plain(&self.root.join("tuning.json")).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).map_or(Vec::new(), |record: TuningRecord| record.searches)
    }

    fn job(&self, key: &JobKey) -> PathBuf {
        self.root.join("jobs").join(&key.0)
    }

    /// The keys of its jobs, sorted, and what has not the form of a job.
    fn keys(&self, target: &Folder) -> Result<(Vec<JobKey>, Vec<Skipped>), StoreError> {
        let jobs = self.root.join("jobs");
        let (mut keys, mut skipped) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&jobs).map_err(StoreError::io("read", &jobs))? {
            let entry = entry.map_err(StoreError::io("read", &jobs))?;
            let key = JobKey(entry.file_name().to_string_lossy().into_owned());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && target.job(&key).is_ok() {
                keys.push(key);
            } else if !key.0.starts_with('.') {
                let reason = "it is not a folder that has a job's key as its name".to_owned();
                skipped.push(Skipped { path: entry.path(), reason });
            }
        }
        keys.sort();
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((keys, skipped))
    }
}

/// A job as a folder has it.
struct Entry {
    folder: PathBuf,
    record: JobRecord,
    files: Vec<&'static str>,
}

impl Entry {
    /// `None` where there is no record.
    fn read(folder: &Path, key: &JobKey) -> Result<Option<Self>, Skipped> {
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
    fn compare(&self, other: &Self) -> Result<Comparison, StoreError> {
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

    /// Whether a file of the same job is the same, as far as both have it; by its sums where they are known.
    fn has_same(&self, other: &Self, name: &'static str) -> Result<bool, StoreError> {
        if let [Some(ours), Some(theirs)] = [self, other].map(|one| one.record.files.get(name)) {
            return Ok(ours == theirs);
        }
        let both = self.files.contains(&name) && other.files.contains(&name);
        let (ours, theirs) = (self.folder.join(name), other.folder.join(name));
        Ok(!both || same_bytes(&ours, &theirs).map_err(StoreError::io("read", &theirs))?)
    }
}

impl MergePlan {
    /// What is to do for the target to have the jobs of all sources.
    pub fn make(target: &Folder, sources: &[Source]) -> Result<Self, StoreError> {
        let mut plan = Self::default();
        // Jobs that come from a source before.
        let mut coming: HashMap<JobKey, PathBuf> = HashMap::new();
        for source in sources {
            let (keys, skipped) = source.keys(target)?;
            plan.skipped.extend(skipped);
            for key in keys {
                let there = target.job(&key)?.path().to_owned();
                let before = [Some(&there), coming.get(&key)].map(|it| it.cloned());
                let taken = plan.consider(&source.job(&key), &key, before.into_iter().flatten());
                match taken {
                    Ok(true) => drop(coming.insert(key.clone(), source.job(&key))),
                    Ok(false) => {}
                    Err(Stop::Skip(skipped)) => plan.skipped.push(skipped),
                    Err(Stop::Error(error)) => return Err(error),
                }
            }
        }
        Ok(plan)
    }

    /// Looks at a job of a source beside the folders that have it already; whether it is to be copied.
    fn consider(
        &mut self,
        from: &Path,
        key: &JobKey,
        before: impl Iterator<Item = PathBuf>,
    ) -> Result<bool, Stop> {
        let Some(new) = Entry::read(from, key)? else { return Ok(false) };
        let (mut missing, mut sums) = (new.files.clone(), new.record.files.clone());
        let (mut record, mut is_close) = (true, false);
        for folder in before {
            let Some(old) = Entry::read(&folder, key)? else { continue };
            match old.compare(&new)? {
                Comparison::Same => missing.retain(|name| !old.files.contains(name)),
                Comparison::Close => {
                    is_close = true;
                    // Files of another run do not belong to this record.
                    missing.clear();
                }
                Comparison::Differs(file, difference) => {
                    let (job, point) = (key.clone(), new.record.point.to_string());
                    let folders = [old.folder, new.folder];
                    self.conflicts.push(Conflict { job, point, file, folders, difference });
                    return Ok(false);
                }
            }
            // A record that stays knows its files best.
            sums.extend(old.record.files);
            record = false;
        }
        self.same += usize::from(!record);
        self.close += usize::from(is_close);
        let is_copied = record || !missing.is_empty();
        if is_copied {
            let (job, from) = (key.clone(), from.to_owned());
            self.copies.push(Copy { job, from, files: missing, sums, record });
        }
        Ok(is_copied)
    }

    /// How many jobs the target gets.
    pub fn new_jobs(&self) -> usize {
        self.copies.iter().filter(|copy| copy.record).count()
    }

    /// Copies what is missing, each file in one step and a job's record last; only for the holder of the
    /// target's lock. A job that turns out to be damaged is left out.
    pub fn carry_out(&mut self, target: &Folder) -> Result<(), StoreError> {
        for copy in std::mem::take(&mut self.copies) {
            match copy.carry_out(target) {
                Ok(()) => self.copies.push(copy),
                Err(Stop::Skip(skipped)) => self.skipped.push(skipped),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Copy {
    fn carry_out(&self, target: &Folder) -> Result<(), Stop> {
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
    let bytes = read_plain(&path).map_err(StoreError::io("read", &path))?.unwrap_or_default();
    // The bytes that are written are those that were checked.
    JobRecord::parse(&bytes, job, &path)?;
    let path = place.record();
    disk::write_by(&place.temporary(&path), &path, &bytes).map(drop)
}

/// Why a job is not considered further.
enum Stop {
    Skip(Skipped),
    Error(StoreError),
}

impl From<Skipped> for Stop {
    fn from(skipped: Skipped) -> Self {
        Stop::Skip(skipped)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Error(error)
    }
}

impl Folder {
    /// Every job that has a record and is current, under the name that it was run by; trials by their numbers
    /// in the searches. What is current only a run knows, which has the corpora: a job is, unless the frames
    /// of the folder, or of those that were merged into it, say otherwise.
    pub fn recorded_jobs(
        &self,
        searches: &[SearchRecord],
        merged: &[Source],
    ) -> Result<Vec<Placed>, StoreError> {
        // A frame that is not a regular file is replaced like a damaged one.
        let own = disk::read(&self.frame("runs")).ok().flatten();
        let own = own.and_then(read_current).unwrap_or_default();
        let merged: Vec<_> = merged.iter().map(Source::current).collect();
        let is_current = |key: &JobKey| match own.get(key) {
            Some(current) => *current,
            None => {
                let mut known = merged.iter().filter_map(|of_source| of_source.get(key));
                known.clone().next().is_none() || known.any(|current| *current)
            }
        };
        let mut numbers: HashMap<&JobKey, Vec<u64>> = HashMap::new();
        for trial in searches.iter().flat_map(|search| &search.history) {
            numbers.entry(&trial.job).or_default().push(trial.trial as u64);
        }
        let mut placed = Vec::new();
        for key in self.keys()?.into_iter().filter(is_current) {
            let Some(JobRecord { point, settings, .. }) = self.read_record(&key)? else { continue };
            if settings.stage.is_main() {
                placed.push((key, point).into());
                continue;
            }
            for number in numbers.get(&key).into_iter().flatten() {
                let (job, point) = (key.clone(), point.clone());
                placed.push(Placed { job, point, trial: Some(*number) });
            }
        }
        Ok(placed)
    }
}

/// The searches of several folders; of one that two have, that which has come further.
pub fn join_searches(all: impl IntoIterator<Item = SearchRecord>) -> Vec<SearchRecord> {
    let mut joined: Vec<SearchRecord> = Vec::new();
    for search in all {
        match joined.iter_mut().find(|known| known.title() == search.title()) {
            Some(known) if known.ended() < search.ended() => *known = search,
            Some(_) => {}
            None => joined.push(search),
        }
    }
    joined.sort_by_key(SearchRecord::title);
    joined
}

/// A record without what is measured, without the names and the form of its time, and without what the
/// other one does not have yet: the same for the same job.
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

/// The content of a regular file, `None` if there is none.
fn read_plain(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match plain::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The most that a file of a job may be long, and still be taken over.
fn longest(name: &str) -> u64 {
    let kept = KeptFile::ALL.into_iter().find(|kept| kept.name() == name);
    kept.map_or(LONGEST_LOG, KeptFile::longest)
}

/// What is wrong with the length of a file, by what its record knows of it or by what any job has.
fn wrong_length(name: &str, length: u64, written: Option<&FileSum>) -> Option<String> {
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

#[cfg(test)]
mod tests;
