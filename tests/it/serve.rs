//! The page of a grid on a port of this machine: what is served, to whom, and that it follows a
//! run.

use crate::program::{Workspace, text};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const GRID: &str = "version: 1\nname: live\ncorpora: [synthetic]\n\
    models: [{name: m, encoder: shallow, head: softmax, embeddings: random}]\n\
    methods: [original, scr]\nseeds: 3\nbaseline: original\nmetric: macro_f1\n";

/// A `tailgrid` that serves, ended with its owner.
pub struct Served {
    child: Child,
    /// `http://127.0.0.1:PORT/`
    pub address: String,
}

impl Served {
    /// Starts it and waits until it says where it is.
    pub fn start(place: &Workspace, arguments: &[&str]) -> Self {
        let mut command = place.tailgrid(arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("tailgrid starts");
        let said = BufReader::new(child.stderr.take().expect("standard error"));
        let mut lines = said.lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("page: ").map(str::to_owned));
        // The rest is read so that the program never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.expect("an address") }
    }

    /// What is at a path: status and body.
    pub fn get(&self, path: &str) -> (String, String) {
        let host = self.address.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(host).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let answer = text(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.split(' ').nth(1).unwrap_or_default().to_owned(), body.to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn place() -> Workspace {
    let place = Workspace::new();
    place.write("live.yaml", GRID);
    place
}

const MOCK: [&str; 3] = ["live.yaml", "--engine", "mock"];

#[test]
fn a_served_page_follows_the_records() {
    let place = place();
    let served = Served::start(&place, &[&["serve"], &MOCK[..]].concat());
    let (status, page) = served.get("/");
    assert_eq!(status, "200");
    assert!(page.contains("6 jobs not run yet") && page.contains("connect-src 'self'"));
    let before = served.get("/version.json").1;
    place.expect(0, &[&["run", "--quiet"], &MOCK[..]].concat());
    let deadline = Instant::now() + Duration::from_secs(240);
    while !served.get("/").1.contains("6 / 6") {
        assert!(Instant::now() < deadline, "the page does not follow");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_ne!(served.get("/version.json").1, before);
    assert_eq!(served.get("/tables/jobs.csv").0, "200");
    assert_eq!(served.get("/../live.yaml").0, "404");
    assert!(!place.path("reports").exists(), "nothing is written");
}

#[test]
fn a_run_serves_its_page_and_ends_by_itself() {
    let place = place();
    let arguments = [&["run", "--serve", "127.0.0.1:0", "--jobs", "1"], &MOCK[..]].concat();
    let mut run = place.tailgrid(&arguments);
    run.env("TAILGRID_MOCK", "*:slow=150").stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = run.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix("page: ").map(str::to_owned)).unwrap();
    let served = Served { child, address };
    let (status, page) = served.get("/");
    assert!(status == "200" && page.contains("0 / 6"), "{page}");
    lines.for_each(drop);
    let mut served = served;
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[test]
fn programs_are_told_the_address_and_people_of_an_open_one() {
    let place = place();
    let arguments = [&["run", "--serve", "127.0.0.1:0", "--json"], &MOCK[..]].concat();
    let output = place.expect(0, &arguments);
    let events = text(&output.stdout);
    let served = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let served = served.filter(|event| event["event"] == "page-served").collect::<Vec<_>>();
    assert!(served[0]["address"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{events}");
    let open = place.expect(0, &[&["run", "--serve", "0.0.0.0:0"], &MOCK[..]].concat());
    assert!(text(&open.stderr).contains("other machines can read it"), "{}", text(&open.stderr));
}

#[test]
fn an_address_that_cannot_be_had_is_told_before_anything_runs() {
    let place = place();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = place.expect(3, &[&["run", "--serve", &address], &MOCK[..]].concat());
    assert!(text(&output.stderr).contains(&address), "{}", text(&output.stderr));
    let output = place.expect(2, &[&["run", "--serve", "nowhere"], &MOCK[..]].concat());
    assert!(text(&output.stderr).contains("127.0.0.1:8080"), "{}", text(&output.stderr));
}
