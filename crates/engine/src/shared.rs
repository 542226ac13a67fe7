//! What jobs of one fork server share: files whose digests are known, corpora as they were read,
//! the index of word vectors.
//!
//! The server fills it before it forks, so a worker finds it in its own memory, which is the
//! server's until it writes to it. A process that was not forked finds it empty and reads for
//! itself; either way a job sees the same bytes. Nothing here starts a thread or runs a tensor
//! operation.

use super::material::named_source;
use corpus::{self, CorpusError, Loaded};
use domain::{CorpusIdentity, JobRequest, Stage};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// So many corpora are kept, those used last. Each counts as memory of every worker, so they are
/// few.
const MOST_CORPORA: usize = 2;
/// So many digests are kept.
const MOST_DIGESTS: usize = 1000;
/// A file that changed this shortly before it was read may change again without a new time.
const SETTLED: Duration = Duration::from_secs(2);

thread_local! {
    static SHARED: RefCell<Shared> = RefCell::default();
}

#[derive(Default)]
struct Shared {
    digests: BTreeMap<PathBuf, (Witness, String)>,
    /// By what they were read from.
    corpora: VecDeque<(String, Loaded)>,
}

/// What changes when a file does: nobody writes to it without a new time of change.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Witness {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Witness {
    /// Of a plain file.
    fn of(path: &Path) -> Option<Self> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        Some(Self {
            device: data.dev(),
            inode: data.ino(),
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
        })
    }

    /// Whether a later change would show.
    fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
        self.changed.0.saturating_add(SETTLED.as_secs() as i64) < now
    }
}

/// Reads what a job names, so that its worker need not. What cannot be read is left for the worker
/// to tell.
pub fn make_ready(request: &JobRequest) {
    let JobRequest { settings, files, model_files, method_files, .. } = request;
    // A file of vectors is large and seldom read: there is a table of it, which goes by its digest.
    let model_files = model_files.iter().filter(|(role, _)| *role != parts::embeddings::ROLE);
    for (_, path) in files.iter().chain(model_files).chain(method_files) {
        learn_digest(path);
    }
    if let Some(source) = named_source(request) {
        source.keep_open();
    }
    let key = key(&settings.corpus, settings.stage);
    let known = SHARED.with_borrow_mut(|shared| {
        let place = shared.corpora.iter().position(|(known, _)| *known == key);
        let used = place.and_then(|place| shared.corpora.remove(place));
        used.map(|used| shared.corpora.push_back(used)).is_some()
    });
    if known || verify(&settings.corpus, files).is_err() {
        return;
    }
    if let Ok(loaded) = load(&settings.corpus, files, settings.stage) {
        SHARED.with_borrow_mut(|shared| {
            shared.corpora.push_back((key, loaded));
            while shared.corpora.len() > MOST_CORPORA {
                shared.corpora.pop_front();
            }
        });
    }
}

fn learn_digest(path: &Path) {
    let Some(witness) = Witness::of(path).filter(|it| it.is_settled(SystemTime::now())) else {
        return;
    };
    let is_known = |shared: &Shared| shared.digests.get(path).is_some_and(|(w, _)| *w == witness);
    if SHARED.with_borrow(is_known) {
        return;
    }
    let Ok(digest) = corpus::digest_file(path) else { return };
    SHARED.with_borrow_mut(|shared| {
        if shared.digests.len() >= MOST_DIGESTS {
            shared.digests.clear();
        }
        // A file that changed while it was read shows another witness from now on.
        shared.digests.insert(path.to_owned(), (witness, digest));
    });
}

/// The digest of a plain file that has not changed since the server read it.
fn known_digest(path: &Path) -> Option<String> {
    SHARED.with_borrow(|shared| {
        let (witness, digest) = shared.digests.get(path)?;
        (Witness::of(path)? == *witness).then(|| digest.clone())
    })
}

/// SHA-256 in hexadecimal of a file's bytes.
pub fn digest_file(path: &Path) -> Result<String, CorpusError> {
    known_digest(path).map_or_else(|| corpus::digest_file(path), Ok)
}

/// Whether a corpus's files still are what a job's settings say they are.
pub fn verify(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
) -> Result<(), CorpusError> {
    for (role, path) in files {
        let digest = match known_digest(path) {
            Some(digest) => digest,
            None => corpus::digest(&identity.format.kind, path)?,
        };
        if identity.digests.get(role) != Some(&digest) {
            return Err(CorpusError::Changed { path: path.clone() });
        }
    }
    Ok(())
}

/// The corpus of files that were verified; of a trial, without its test set.
pub fn corpus(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
    stage: Stage,
) -> Result<Loaded, CorpusError> {
    let key = key(identity, stage);
    // A job may do with a corpus what it likes, and nobody needs this one after it: taken, not
    // copied.
    let kept = SHARED.with_borrow_mut(|shared| {
        let place = shared.corpora.iter().position(|(known, _)| *known == key)?;
        shared.corpora.remove(place)
    });
    kept.map_or_else(|| load(identity, files, stage), |(_, loaded)| Ok(loaded))
}

fn load(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
    stage: Stage,
) -> Result<Loaded, CorpusError> {
    match stage {
        Stage::Main => corpus::load_cached(identity, files),
        Stage::Trial => corpus::load_without_test(identity, files),
    }
}

/// Everything that a corpus as read depends on.
fn key(identity: &CorpusIdentity, stage: Stage) -> String {
    // Plain maps with text keys always have a JSON form.
    format!("{} {}", stage.name(), serde_json::to_string(identity).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;

    /// A file whose last change is long enough ago.
    fn settled(path: &Path) -> Witness {
        let witness = Witness::of(path).unwrap();
        Witness { changed: (0, 0), ..witness }
    }

    #[test]
    fn a_known_digest_holds_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        learn_digest(&path);
        assert_eq!(known_digest(&path), None, "it changed a moment ago");
        let witness = Witness::of(&path).unwrap();
        let remember = |witness, digest: &str| {
            SHARED.with_borrow_mut(|shared| {
                shared.digests.insert(path.clone(), (witness, digest.to_owned()))
            })
        };
        remember(witness, "known");
        assert_eq!(digest_file(&path).unwrap(), "known");
        fs::write(&path, "abd").unwrap();
        assert_eq!(known_digest(&path), None, "written to");
        remember(Witness::of(&path).unwrap(), "known");
        fs::remove_file(&path).unwrap();
        fs::write(&path, "abd").unwrap();
        assert_eq!(known_digest(&path), None, "another file of the same size and name");
        assert_eq!(digest_file(&path).unwrap(), corpus::digest_file(&path).unwrap());
    }

    #[test]
    fn only_what_changed_long_ago_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        let now = SystemTime::now();
        assert!(!Witness::of(&path).unwrap().is_settled(now));
        assert!(settled(&path).is_settled(now));
        assert!(Witness::of(&path).unwrap().is_settled(now + Duration::from_secs(10)));
        assert_eq!(Witness::of(folder.path()), None, "a folder has many files");
    }

    #[test]
    fn a_corpus_that_was_made_ready_is_the_one_that_is_read() {
        let request = request();
        let identity = &request.settings.corpus;
        let read = load(identity, &request.files, Stage::Main).unwrap();
        make_ready(&request);
        assert_eq!(SHARED.with_borrow(|shared| shared.corpora.len()), 1);
        make_ready(&request);
        assert_eq!(SHARED.with_borrow(|shared| shared.corpora.len()), 1);
        let shared = corpus(identity, &request.files, Stage::Main).unwrap();
        assert_eq!(shared.corpus, read.corpus);
        let mut trial = request.clone();
        trial.settings.stage = Stage::Trial;
        make_ready(&trial);
        let shared = corpus(identity, &request.files, Stage::Trial).unwrap();
        assert!(shared.corpus.test.is_empty());
    }

    #[test]
    fn few_corpora_are_kept_the_ones_used_last() {
        let mut requests = vec![request(); 3];
        for (seed, request) in (10..).zip(&mut requests) {
            let seed = domain::ParameterValue::Integer(seed);
            request.settings.corpus.format.parameters.0.insert("seed".into(), seed);
        }
        for at in [0, 1, 0, 2] {
            make_ready(&requests[at]);
        }
        let kept: Vec<String> = SHARED
            .with_borrow(|shared| shared.corpora.iter().map(|(key, _)| key.clone()).collect());
        let key = |at: usize| key(&requests[at].settings.corpus, Stage::Main);
        assert_eq!(kept, [key(0), key(2)]);
    }
}
