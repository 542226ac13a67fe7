//! The cache with real formats on fixtures: never another corpus than the files', whatever happens.

use super::*;
use crate::digest;
use crate::formats::testing;
use domain::{Corpus, Part, Sentence, Tag, Tokens, TypeId, TypeSet};
use proptest::prelude::*;
use std::path::Path;

type Files = BTreeMap<String, PathBuf>;

/// A corpus of fixtures by role, with the identity that a grid would give it.
fn corpus(kind: &str, roles: &[(&str, PathBuf)]) -> (CorpusIdentity, Files) {
    let entry = formats::ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
    let format = Part { kind: kind.into(), parameters: entry.defaults() };
    let files: Files = roles.iter().map(|(role, path)| (role.to_string(), path.clone())).collect();
    let digests = files.iter().map(|(role, path)| (role.clone(), digest(kind, path).unwrap()));
    let digests = digests.collect();
    (CorpusIdentity { format, digests }, files)
}

/// A corpus whose reader has something to say.
fn columns(folder: &Path) -> (CorpusIdentity, Files) {
    let path = folder.join("train.tsv");
    std::fs::copy(testing::path("columns", "broken-iob2.tsv"), &path).unwrap();
    corpus("columns", &[("train", path.clone()), ("test", path)])
}

fn shelf(folder: &Path) -> Shelf {
    Shelf::new(folder.join("cache"), LIMIT)
}

/// The one entry that is there.
fn entry_path(folder: &Path) -> PathBuf {
    let files: Vec<_> = std::fs::read_dir(folder.join("cache")).unwrap().collect();
    assert_eq!(files.len(), 1);
    files[0].as_ref().unwrap().path()
}

#[test]
fn what_comes_from_the_cache_is_what_comes_from_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, files) = columns(folder.path());
    let shelf = shelf(folder.path());
    let parsed = load_from(&shelf, &identity, &files).unwrap();
    assert_eq!(parsed, formats::load(&identity.format, &files).unwrap());
    assert_eq!(parsed.remarks.len(), 2);
    files.values().for_each(|path| drop(std::fs::remove_file(path)));
    assert_eq!(load_from(&shelf, &identity, &files).unwrap(), parsed);
}

#[test]
fn remarks_speak_of_the_files_that_are_asked_for() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let shelf = shelf(one.path());
    for folder in [&one, &two] {
        let below = folder.path().join("knp");
        std::fs::create_dir(&below).unwrap();
        for name in ["w201106-0000000001.knp", "overlapping.knp"] {
            std::fs::copy(testing::path("knp", name), below.join(name)).unwrap();
        }
        std::fs::write(folder.path().join("list"), "overlapping\n").unwrap();
    }
    let load_in = |folder: &Path| {
        let list = folder.join("list");
        let roles =
            [("train", folder.join("knp")), ("test", list), ("documents", folder.join("knp"))];
        let (identity, files) = corpus("knp", &roles);
        (
            load_from(&shelf, &identity, &files).unwrap(),
            formats::load(&identity.format, &files).unwrap(),
        )
    };
    let (cached, parsed) = load_in(one.path());
    assert_eq!(cached, parsed);
    entry_path(one.path());
    let (cached, parsed) = load_in(two.path());
    assert_eq!(cached, parsed);
    assert!(cached.remarks.iter().all(|remark| remark.path.starts_with(two.path())));
    assert!(!cached.remarks.is_empty());
    entry_path(one.path());
}

#[test]
fn a_damaged_entry_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, files) = columns(folder.path());
    let shelf = shelf(folder.path());
    let parsed = load_from(&shelf, &identity, &files).unwrap();
    let path = entry_path(folder.path());
    let whole = std::fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        assert_eq!(entry::decode(&flipped, &files), None, "byte {at}");
        assert_eq!(entry::decode(&whole[..at], &files), None, "the first {at} bytes");
    }
    assert_eq!(entry::decode(&[&whole[..], b"x"].concat(), &files), None);
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(load_from(&shelf, &identity, &files).unwrap(), parsed);
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn what_is_not_the_files_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, files) = columns(folder.path());
    let shelf = shelf(folder.path());
    std::fs::write(&files["train"], "changed\tO\n\nwhile it\tO\n\nwas read\tO\n").unwrap();
    let read = load_from(&shelf, &identity, &files).unwrap();
    assert_eq!(read, formats::load(&identity.format, &files).unwrap());
    assert!(!folder.path().join("cache").exists());
    std::fs::write(&files["train"], "no tag\n").unwrap();
    assert!(load_from(&shelf, &identity, &files).is_err());
    assert!(!folder.path().join("cache").exists());
}

#[test]
fn every_setting_and_every_byte_has_its_own_entry() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, _) = columns(folder.path());
    let name = entry_name(&identity).unwrap();
    let mut other = identity.clone();
    other.format.parameters.0.insert("seed".into(), domain::ParameterValue::Integer(2));
    assert_ne!(entry_name(&other).unwrap(), name);
    let mut other = identity.clone();
    other.digests.insert("train".into(), "0".repeat(64));
    assert_ne!(entry_name(&other).unwrap(), name);
    assert_eq!(entry_name(&identity).unwrap(), name);
}

#[test]
fn several_may_start_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, files) = columns(folder.path());
    let shelf = shelf(folder.path());
    let parsed = formats::load(&identity.format, &files).unwrap();
    std::thread::scope(|scope| {
        let start = || (0..50).all(|_| load_from(&shelf, &identity, &files).unwrap() == parsed);
        let running: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        assert!(running.into_iter().all(|thread| thread.join().unwrap()));
    });
    entry_path(folder.path());
}

#[test]
fn the_folder_is_where_the_environment_says() {
    let folder = |set: &[(&str, &str)]| {
        let value =
            |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, v)| v.into());
        folder(value).map(|path| path.display().to_string())
    };
    let home = ("HOME", "/home/ada");
    assert_eq!(folder(&[home]).unwrap(), "/home/ada/.cache/tailgrid/corpora");
    let cache = ("XDG_CACHE_HOME", "/var/cache");
    assert_eq!(folder(&[home, cache]).unwrap(), "/var/cache/tailgrid/corpora");
    let relative = folder(&[home, ("XDG_CACHE_HOME", "cache")]).unwrap();
    assert_eq!(relative, "/home/ada/.cache/tailgrid/corpora");
    assert_eq!(folder(&[home, (SWITCH, "off")]), None);
    assert_eq!(folder(&[]), None);
}

/// A cache that outlives a change of a reader would hand out what the old one read. This holds what
/// readers give for a fixture each: if it fails, raise [`READERS`] and write down the new digest.
#[test]
fn a_reader_that_reads_otherwise_has_another_version() {
    let of = |kind: &str, name: &str| {
        let path = testing::path(kind, name);
        let texts = (kind == "tags").then(|| ("texts", testing::path(kind, "linnaeus/txt")));
        let splits = ["train", "dev", "test"].map(|split| (split, path.clone()));
        let roles: Vec<_> = splits.into_iter().chain(texts).collect();
        let (identity, files) = corpus(kind, &roles);
        let loaded = formats::load(&identity.format, &files).unwrap();
        let digest = Sha256::digest(entry::encode(&loaded, &files).unwrap());
        format!("{kind} {:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
    };
    let found = [
        of("columns", "traps.tsv"),
        of("columns", "broken-iob2.tsv"),
        of("csv", "kaggle.csv"),
        of("ontonotes", "made.gold_conll"),
        of("knp", "w201106-0000000001.knp"),
        of("brat", "pairs"),
        of("json-spans", "stockmark.json"),
        of("pubtator", "ncbi.txt"),
        of("tags", "linnaeus/tags.tsv"),
    ];
    let expected = [
        "columns 2f3bb223",
        "columns a526861f",
        "csv 7ab517f3",
        "ontonotes 844797f6",
        "knp a331e344",
        "brat 205ef529",
        "json-spans cc6bd6d2",
        "pubtator ff6b5c43",
        "tags 483f6d1b",
    ];
    assert_eq!((READERS, found), (2, expected.map(String::from)));
}

/// Sentences of any text, with tags of three types.
fn sentences() -> impl Strategy<Value = Vec<Sentence>> {
    let token = prop_oneof![4 => ".{1,4}", 1 => "x{120,300}"];
    let sentence = prop::collection::vec((token, 0..7usize), 1..20).prop_map(|rows| Sentence {
        tokens: rows.iter().map(|(token, _)| token).collect::<Tokens>(),
        tags: rows.iter().map(|&(_, index)| Tag::from_index(index)).collect(),
    });
    prop::collection::vec(sentence, 0..6)
}

proptest! {
    #[test]
    fn any_corpus_comes_back(
        train in sentences(), dev in sentences(), test in sentences(), part in sentences()
    ) {
        let types = TypeSet::new(["a", "b-c", "ü"].map(String::from));
        prop_assert_eq!(types.id("ü"), Some(TypeId(2)));
        let parts = [("ds".to_owned(), part)].into();
        let corpus = Corpus { types, train, dev, test, parts, annotations: vec![] };
        let loaded = Loaded { corpus, remarks: vec![] };
        let bytes = entry::encode(&loaded, &Files::new()).unwrap();
        prop_assert_eq!(entry::decode(&bytes, &Files::new()), Some(loaded));
    }
}
