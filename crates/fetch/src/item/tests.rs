use super::*;
use crate::testing::{Reply, Server, names_in};
use domain::InnerPath;
use sha2::{Digest, Sha256};

fn file(path: &str, content: &str) -> RemoteFile {
    let hex: String =
        Sha256::digest(content.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let fingerprint = Fingerprint::new(&hex, content.len() as u64).unwrap();
    RemoteFile { path: InnerPath::new(path).unwrap(), fingerprint }
}

/// A server of two files, and how to fetch them.
fn two_files() -> (Server, Vec<Remote>) {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/one" => Reply::of(b"first", request),
        "/two" => Reply::of(b"second", request),
        _ => Reply::new("404 Not Found", b""),
    });
    let remote = |path: &str, file| Remote::File { urls: vec![server.url(path)], file };
    let remotes = vec![remote("one", file("a.txt", "first")), remote("two", file("b/c", "second"))];
    (server, remotes)
}

fn fetch(item: &Item<'_>, force: bool) -> Result<Fetched, FetchError> {
    item.fetch(&Options { force, ..Options::default() }, &mut |_| {})
}

#[test]
fn what_is_there_is_checked_and_not_fetched_again() {
    let (server, remotes) = two_files();
    let place = tempfile::tempdir().unwrap();
    let item = Item { name: "two", folder: &place.path().join("two"), remotes: &remotes };
    assert_eq!(item.presence(), Presence::Nothing);
    assert_eq!(fetch(&item, false).unwrap(), Fetched { files: 2, bytes: 11 });
    assert_eq!(names_in(place.path()), ["two/a.txt", "two/b/c"]);
    assert_eq!(item.presence(), Presence::All);
    assert_eq!(fetch(&item, false).unwrap(), Fetched::default());
    fs::remove_file(item.folder.join("a.txt")).unwrap();
    assert_eq!(item.presence(), Presence::Some);
    assert_eq!(fetch(&item, true).unwrap(), Fetched { files: 1, bytes: 5 });
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_file_of_the_users_own_is_replaced_only_if_that_is_wanted() {
    let (server, remotes) = two_files();
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.txt"), "other").unwrap();
    let item = Item { name: "two", folder: place.path(), remotes: &remotes };
    let error = fetch(&item, false).unwrap_err();
    assert!(matches!(error, FetchError::Different { .. }), "{error}");
    assert!(server.requests().is_empty());
    assert_eq!(names_in(place.path()), ["a.txt"]);
    fetch(&item, true).unwrap();
    assert_eq!(fs::read(place.path().join("a.txt")).unwrap(), b"first");
}

#[test]
fn two_fetches_do_not_write_into_one_folder() {
    let (_server, remotes) = two_files();
    let place = tempfile::tempdir().unwrap();
    let item = Item { name: "two", folder: place.path(), remotes: &remotes };
    let other = Lock::take(place.path()).unwrap();
    assert!(matches!(fetch(&item, false), Err(FetchError::InUse { .. })));
    drop(other);
    fetch(&item, false).unwrap();
}

#[test]
fn a_folder_that_has_everything_need_not_be_writable() {
    let (_server, remotes) = two_files();
    let place = tempfile::tempdir().unwrap();
    let item = Item { name: "two", folder: place.path(), remotes: &remotes };
    fetch(&item, false).unwrap();
    // Root may write anywhere, so what shows is that nothing was tried: no lock is in the way.
    let _other = Lock::take(place.path()).unwrap();
    assert_eq!(fetch(&item, false).unwrap(), Fetched::default());
}

#[test]
fn the_work_folder_is_empty_and_goes_away() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(WORK);
    fs::create_dir(&path).unwrap();
    fs::write(path.join("left by a killed fetch"), "").unwrap();
    let work = Work::new(path.clone()).unwrap();
    assert_eq!(fs::read_dir(&work.0).unwrap().count(), 0);
    drop(work);
    assert!(!path.exists());
}

#[test]
fn what_fails_leaves_no_empty_folder() {
    let (server, _) = two_files();
    let remotes =
        [Remote::File { urls: vec![server.url("none")], file: file("deep/a.txt", "first") }];
    let place = tempfile::tempdir().unwrap();
    let item = Item { name: "it", folder: &place.path().join("it"), remotes: &remotes };
    let error = fetch(&item, false).unwrap_err();
    assert!(matches!(error, FetchError::NotThere { .. }), "{error}");
    assert!(names_in(place.path()).is_empty());
}
