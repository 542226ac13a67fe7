use super::*;
use crate::testing::{Reply, Request, Server, names_in};
use domain::{Fingerprint, InnerPath};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::fs;
use std::time::Instant;
use tempfile::TempDir;

/// Long enough for several buffers.
fn content() -> Vec<u8> {
    (0..200_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

const PATIENCE: Patience = Patience {
    tries: 3,
    pause: Duration::from_millis(1),
    connect: Duration::from_secs(5),
    stall: Duration::from_secs(5),
};

/// A folder to fetch [`content`] into.
struct Place {
    folder: TempDir,
    patience: Patience,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), patience: PATIENCE }
    }

    fn fetch_from(&self, urls: &[String]) -> (Result<(), FetchError>, Vec<TransferEvent>) {
        let content = content();
        let file = RemoteFile {
            path: InnerPath::new("a/file").unwrap(),
            fingerprint: Fingerprint::new(&hex(&content), content.len() as u64).unwrap(),
        };
        let (target, agent) = (self.folder.path().join("a/file"), self.patience.agent());
        let download = Download {
            item: "item",
            file: &file,
            target: &target,
            patience: &self.patience,
            agent: &agent,
        };
        let mut told = Vec::new();
        let done = download.bring(urls, &mut |event| told.push(event.clone()));
        (done, told)
    }

    fn fetch(&self, server: &Server) -> Result<(), FetchError> {
        self.fetch_from(&[server.url("file")]).0
    }

    fn leave(&self, part: &[u8]) {
        fs::create_dir_all(self.folder.path().join("a")).unwrap();
        fs::write(self.folder.path().join("a/file.part"), part).unwrap();
    }

    #[track_caller]
    fn has_the_file(&self) {
        assert_eq!(names_in(self.folder.path()), ["a/file"]);
        assert!(fs::read(self.folder.path().join("a/file")).unwrap() == content(), "other bytes");
    }

    #[track_caller]
    fn is_empty(&self) {
        assert!(names_in(self.folder.path()).is_empty(), "{:?}", names_in(self.folder.path()));
    }
}

fn asked(server: &Server) -> Vec<Option<usize>> {
    server.requests().iter().map(|request| request.from).collect()
}

#[test]
fn a_whole_file_comes_with_its_progress() {
    let server = Server::start(|_, _| Reply::whole(&content()));
    let place = Place::new();
    let (done, told) = place.fetch_from(&[server.url("file")]);
    done.unwrap();
    place.has_the_file();
    let (item, file, size) = ("item".to_owned(), "a/file".to_owned(), 200_000);
    let started =
        TransferEvent::FileStarted { item: item.clone(), file: file.clone(), size, done: 0 };
    assert_eq!(told.first(), Some(&started));
    assert_eq!(told[told.len() - 2], TransferEvent::Advanced { done: size });
    assert_eq!(told.last(), Some(&TransferEvent::FileFinished { item, file, size }));
}

#[test]
fn what_breaks_off_goes_on_where_it_broke() {
    let server = Server::start(|request, number| match number {
        0 => Reply::of(&content(), request).cut(70_000),
        1 => Reply::of(&content(), request).cut(30_000),
        _ => Reply::of(&content(), request),
    });
    let place = Place::new();
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert_eq!(asked(&server), [None, Some(70_000), Some(100_000)]);
}

#[test]
fn a_line_that_always_breaks_is_a_slow_one_as_long_as_more_comes() {
    let server = Server::start(|request, _| Reply::of(&content(), request).cut(25_000));
    let place = Place::new();
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert_eq!(server.requests().len(), 8, "more than the three tries of one place");
}

#[test]
fn a_server_that_ignores_ranges_sends_it_all_again() {
    let server = Server::start(|_, number| match number {
        0 => Reply::whole(&content()).cut(70_000),
        _ => Reply::whole(&content()),
    });
    let place = Place::new();
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert_eq!(asked(&server), [None, Some(70_000)]);
}

#[test]
fn a_server_that_breaks_off_at_the_same_place_for_ever_is_given_up_and_its_part_kept() {
    let server = Server::start(|_, _| Reply::whole(&content()).cut(70_000));
    let place = Place::new();
    let error = place.fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::BrokeOff { tries: 3, .. }), "{error}");
    assert_eq!(names_in(place.folder.path()), ["a/file.part"]);
    // Another day, with a better server.
    let server = Server::start(|request, _| Reply::of(&content(), request));
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert_eq!(asked(&server), [Some(70_000)]);
}

#[test]
fn a_part_that_is_whole_already_is_only_checked() {
    let server = Server::start(|_, _| Reply::new("404 Not Found", b""));
    let place = Place::new();
    place.leave(&content());
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert!(server.requests().is_empty());
}

#[test]
fn a_part_of_another_file_is_thrown_away() {
    for part in [vec![b'x'; 100], vec![b'x'; 200_000], vec![b'x'; 300_000]] {
        let server = Server::start(|request, _| Reply::of(&content(), request));
        let place = Place::new();
        place.leave(&part);
        place.fetch(&server).unwrap();
        place.has_the_file();
        assert_eq!(server.requests().last().unwrap().from, None, "{}", part.len());
    }
}

#[test]
fn a_range_that_was_not_asked_for_is_not_used() {
    for (range, status) in [("bytes 7-199999/200000", "206 x"), ("bytes */200000", "416 x")] {
        let server = Server::start(move |request, _| match request.from {
            Some(_) => Reply::new(&format!("{status}\r\nContent-Range: {range}"), b"odd"),
            None => Reply::whole(&content()),
        });
        let place = Place::new();
        place.leave(&content()[..50]);
        place.fetch(&server).unwrap();
        place.has_the_file();
        assert_eq!(asked(&server), [Some(50), None]);
    }
}

#[test]
fn garbage_of_the_right_length_is_refused_and_removed() {
    let server = Server::start(|_, _| Reply::whole(&vec![b'x'; content().len()]));
    let place = Place::new();
    let error = place.fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::Checksum { .. }), "{error}");
    assert!(error.to_string().contains(&hex(&content())), "{error}");
    place.is_empty();
    assert_eq!(server.requests().len(), 1, "the same bytes would come again");
}

#[test]
fn a_page_in_the_place_of_the_file_is_refused() {
    let server = Server::start(|_, _| Reply::whole(b"<html>Please log in</html>"));
    let place = Place::new();
    let error = place.fetch(&server).unwrap_err().to_string();
    assert!(error.contains("gives 26 bytes where the catalogue has 200000"), "{error}");
    place.is_empty();
}

#[test]
fn no_more_is_taken_than_the_file_has() {
    let endless = [content(), vec![b'x'; 1_000_000]].concat();
    let server = Server::start(move |_, _| Reply::new("200 OK", &endless));
    let place = Place::new();
    let error = place.fetch(&server).unwrap_err().to_string();
    assert!(error.contains("gives more than 200000 bytes"), "{error}");
    place.is_empty();
}

#[test]
fn what_ends_early_without_a_length_is_not_whole() {
    let server = Server::start(|_, _| Reply::new("200 OK", &content()[..199_999]));
    let place = Place::new();
    let error = place.fetch(&server).unwrap_err().to_string();
    assert!(error.contains("closed too early") && error.contains("same command"), "{error}");
    assert_eq!(names_in(place.folder.path()), ["a/file.part"]);
}

#[test]
fn redirects_are_followed_but_not_for_ever() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/real" => Reply::of(&content(), request),
        "/loop" => Reply::new("302 Found\r\nLocation: /loop", b""),
        _ => Reply::new("301 Moved\r\nLocation: /real", b""),
    });
    let place = Place::new();
    let (done, _) = place.fetch_from(&[server.url("loop")]);
    assert!(matches!(done, Err(FetchError::Redirects { .. })), "{done:?}");
    place.is_empty();
    place.leave(&content()[..50]);
    place.fetch(&server).unwrap();
    place.has_the_file();
    assert_eq!(server.requests().last().unwrap().from, Some(50), "the range goes along");
}

#[test]
fn a_file_that_is_not_there_is_looked_for_at_the_next_address() {
    let server = Server::start(|request, _| match request.path.as_str() {
        "/there" => Reply::of(&content(), request),
        _ => Reply::new("404 Not Found", b"<html>no</html>"),
    });
    let place = Place::new();
    let [gone, there] = ["gone", "there"].map(|path| server.url(path));
    let (done, _) = place.fetch_from(&[gone.clone(), server.url("gone-too")]);
    let error = done.unwrap_err();
    assert!(matches!(&error, FetchError::NotThere { url, status: 404 } if *url == gone), "{error}");
    place.is_empty();
    place.fetch_from(&[gone, there]).0.unwrap();
    place.has_the_file();
    assert!(place.fetch_from(&[]).0.is_err());
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::start(|request, number| match number {
        0 => Reply::new("503 Busy\r\nContent-Length: 0", b""),
        1 => Reply::new("429 Slowly\r\nRetry-After: 0\r\nContent-Length: 0", b""),
        _ => Reply::of(&content(), request),
    });
    let place = Place::new();
    let (done, told) = place.fetch_from(&[server.url("file")]);
    done.unwrap();
    place.has_the_file();
    let retried = told.iter().filter(|event| matches!(event, TransferEvent::Retried { .. }));
    assert_eq!(retried.count(), 2);
}

#[test]
fn a_connection_that_falls_silent_is_given_up_and_goes_on() {
    let silence = Duration::from_secs(20);
    let server = Server::start(move |request, number| match number {
        0 => Reply::of(&content(), request).pausing(100_000, silence),
        _ => Reply::of(&content(), request),
    });
    let mut place = Place::new();
    place.patience.stall = Duration::from_millis(200);
    let began = Instant::now();
    let (done, told) = place.fetch_from(&[server.url("file")]);
    done.unwrap();
    assert!(began.elapsed() < silence / 2);
    place.has_the_file();
    assert_eq!(asked(&server), [None, Some(100_000)]);
    let said = told.iter().find_map(|event| match event {
        TransferEvent::Retried { reason, .. } => Some(reason.as_str()),
        _ => None,
    });
    assert_eq!(said, Some("nothing came for 0.2 s"));
}

#[test]
fn what_is_no_web_server_is_told_as_such() {
    let server = Server::start(|_, _| Reply::new("\0\0\0", b"").cut(0));
    let error = Place::new().fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::BrokeOff { .. }), "{error}");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = Place::new();
    let (done, _) = place.fetch_from(&[format!("http://{closed}/file")]);
    let error = done.unwrap_err().to_string();
    assert!(error.contains("refused"), "{error}");
    place.is_empty();
    for odd in ["", "file", "http://", "http:// /x", "ftp://127.0.0.1/x"] {
        let (done, _) = place.fetch_from(&[odd.to_owned()]);
        assert!(done.is_err(), "{odd}");
    }
    place.is_empty();
}

#[test]
fn a_file_that_cannot_be_written_is_told_with_its_path() {
    let server = Server::start(|request, _| Reply::of(&content(), request));
    let place = Place::new();
    fs::write(place.folder.path().join("a"), "a file where a folder should be").unwrap();
    let error = place.fetch(&server).unwrap_err();
    assert!(matches!(error, FetchError::Io { .. }), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn pauses_grow_and_end() {
    let pauses: Vec<u128> =
        [1, 2, 3, 9, 99].map(|tries| Patience::default().pause_after(tries).as_millis()).into();
    assert_eq!(pauses, [500, 1000, 2000, 8000, 8000]);
}

/// What a server does wrong, by number; the last one does nothing wrong.
fn misbehaved(kind: u8, request: &Request, at: usize) -> Reply {
    let (content, garbage) = (content(), vec![b'x'; at.max(1)]);
    match kind {
        0 => Reply::of(&content, request).cut(at),
        1 => Reply::whole(&content).cut(at),
        2 => Reply::new("200 OK", &content[..at]),
        3 => Reply::new("500 Oh", &garbage),
        4 => Reply::new("206 x\r\nContent-Range: bytes 1-2/3", &garbage),
        5 => Reply::new("416 x", &garbage),
        6 => Reply::new("x", &garbage),
        _ => Reply::of(&content, request),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_file_is_whole_or_not_there(
        left in 0usize..250_000,
        steps in prop::collection::vec((0u8..9, 0usize..200_000), 0..6),
    ) {
        let server = Server::start(move |request, number| {
            let (kind, at) = steps.get(number).copied().unwrap_or((8, 0));
            misbehaved(kind, request, at)
        });
        let place = Place::new();
        place.leave(&[content(), content()].concat()[..left]);
        let done = place.fetch(&server);
        let target = place.folder.path().join("a/file");
        prop_assert_eq!(done.is_ok(), target.exists());
        if done.is_ok() {
            place.has_the_file();
        }
    }
}
