//! How fast and in how much memory corpora of the size of OntoNotes are read.
//!
//! Each reading runs in a process of its own, which tells the processor time of its thread, so that
//! other load on the machine does not count, and by how much its memory grew at most.

mod made;

use super::{Loaded, digest, formats, load, load_cached};
use domain::{CorpusIdentity, Part};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a reading took.
#[derive(Copy, Clone, Debug)]
struct Measured {
    milliseconds: i64,
    /// The same from the cache.
    cached_milliseconds: i64,
    grown_kib: u64,
}

/// What the process of its own is to read: a format, a space and a path.
const TASK: &str = "TAILGRID_MEASURED_READING";
const ANSWER: &str = "measured: ";

fn tokens(loaded: &Loaded) -> usize {
    let corpus = &loaded.corpus;
    [&corpus.train, &corpus.dev, &corpus.test].into_iter().flatten().map(|s| s.len()).sum()
}

/// The processor time of this thread so far.
fn milliseconds() -> i64 {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).expect("the use of resources");
    (usage.user_time() + usage.system_time()).num_milliseconds()
}

/// A line of `/proc/self/status` in KiB: `VmRSS` is held now, `VmHWM` was held at most.
fn memory(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status");
    let value = status.lines().find_map(|text| text.strip_prefix(line)).expect("the line");
    value.trim_matches([':', ' ', '\t', 'k', 'B']).parse().expect("a number")
}

#[test]
#[ignore = "is started by the test below"]
fn in_a_process_of_its_own() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (kind, path) = task.split_once(' ').expect("a format and a path");
    let entry = formats::ENTRIES.iter().find(|entry| entry.name == kind).expect("a format");
    let format = Part { kind: kind.into(), parameters: entry.defaults() };
    let files = [("all".to_owned(), PathBuf::from(path))].into();
    let digests = [("all".to_owned(), digest(kind, path.as_ref()).expect("a digest"))].into();
    let identity = CorpusIdentity { format, digests };

    let (before, held) = (milliseconds(), memory("VmRSS"));
    let loaded = load(&identity.format, &files).expect("a corpus");
    let (after, most) = (milliseconds(), memory("VmHWM"));
    assert!(tokens(&loaded) >= made::TOKENS);

    assert!(load_cached(&identity, &files).expect("a corpus") == loaded);
    let before_cached = milliseconds();
    let cached = load_cached(&identity, &files).expect("a corpus");
    let after_cached = milliseconds();
    assert!(cached == loaded);
    println!("{ANSWER}{} {} {}", after - before, after_cached - before_cached, most - held);
}

fn measure(kind: &str, path: &Path, cache: &Path) -> Measured {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--nocapture", "speed::in_a_process_of_its_own"])
        .env(TASK, format!("{kind} {}", path.display()))
        .env("XDG_CACHE_HOME", cache)
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text.lines().find_map(|line| line.split_once(ANSWER)).map(|(_, numbers)| numbers);
    let numbers: Vec<u64> =
        answer.unwrap_or("").split(' ').filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [parsed, cached, grown_kib] => {
            Measured { milliseconds: parsed as i64, cached_milliseconds: cached as i64, grown_kib }
        }
        _ => panic!("no answer in:\n{text}\n{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn a_corpus_of_the_size_of_ontonotes_is_read_in_time_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (conll, columns) = (folder.path().join("made.gold_conll"), folder.path().join("made.tsv"));
    made::write(&conll, &columns).unwrap();
    for (kind, path) in [("ontonotes", &conll), ("columns", &columns)] {
        let file_kib = path.metadata().unwrap().len() / 1024;
        // Other load can only add, so the best of a few is what the reader takes.
        let tries = (0..3).map(|_| measure(kind, path, folder.path()));
        let measured = tries.min_by_key(|measured| measured.milliseconds).expect("three tries");
        println!("{kind}: a file of {} MiB: {measured:?}", file_kib / 1024);
        let Measured { milliseconds, cached_milliseconds, grown_kib } = measured;
        assert!(milliseconds < 1500, "{kind}: {milliseconds} ms");
        assert!(grown_kib < 3 * file_kib, "{kind}: {grown_kib} KiB for a file of {file_kib} KiB");
        assert!(cached_milliseconds < milliseconds, "{kind}: {measured:?}");
    }
}
