//! A server that misbehaves on purpose, for tests of what fetches from it.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    pub path: String,
    /// The first byte asked for, where only a part was.
    pub from: Option<usize>,
}

/// The bytes of an answer, sent as they are; then the connection is closed.
#[derive(Clone, Debug)]
pub struct Reply {
    bytes: Vec<u8>,
    /// Where nothing comes for a while.
    pause: Option<(usize, Duration)>,
}

impl Reply {
    /// A status line with headers, and a body without a length.
    pub fn new(head: &str, body: &[u8]) -> Self {
        let head = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n");
        Self { bytes: [head.as_bytes(), body].concat(), pause: None }
    }

    /// The whole of a file.
    pub fn whole(content: &[u8]) -> Self {
        Self::new(&format!("200 OK\r\nContent-Length: {}", content.len()), content)
    }

    /// The file as asked for, from a server that knows ranges.
    pub fn of(content: &[u8], request: &Request) -> Self {
        let Some(from) = request.from else { return Self::whole(content) };
        let (last, size) = (content.len() - 1, content.len());
        let range = format!("Content-Range: bytes {from}-{last}/{size}");
        let length = format!("Content-Length: {}", size - from);
        Self::new(&format!("206 Partial Content\r\n{range}\r\n{length}"), &content[from..])
    }

    /// The same, broken off after so many bytes of its body.
    pub fn cut(mut self, body: usize) -> Self {
        let head = self.bytes.windows(4).position(|w| w == b"\r\n\r\n").map_or(0, |at| at + 4);
        self.bytes.truncate(head + body);
        self
    }

    /// The same, with nothing coming for a while before its last `bytes`.
    pub fn pausing(mut self, bytes: usize, time: Duration) -> Self {
        self.pause = Some((self.bytes.len() - bytes, time));
        self
    }

    fn send(&self, to: &mut TcpStream) -> std::io::Result<()> {
        let (at, time) = self.pause.unwrap_or((self.bytes.len(), Duration::ZERO));
        to.write_all(&self.bytes[..at])?;
        to.flush()?;
        thread::sleep(time);
        to.write_all(&self.bytes[at..])
    }
}

/// A server on this machine, for as long as the test runs.
pub struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts one; `answer` is given each request with its number, from 0.
    pub fn start(answer: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (asked, answer) = (requests.clone(), Arc::new(answer));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (asked, answer) = (asked.clone(), answer.clone());
                thread::spawn(move || {
                    let Some(request) = read(&stream) else { return };
                    let number = {
                        let mut asked = asked.lock().expect("no panic");
                        asked.push(request.clone());
                        asked.len() - 1
                    };
                    // A client that has gone does not matter.
                    let _ = answer(&request, number).send(&mut stream);
                });
            }
        });
        Self { address, requests }
    }

    /// The address of a file.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no panic").clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let mut from = None;
    for line in lines.take_while(|line| !line.is_empty()) {
        let line = line.to_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().ok();
        }
    }
    Some(Request { path, from })
}

/// The files under a folder, hidden ones too, by their paths in it.
pub fn names_in(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.path().is_dir() {
            true => names.extend(names_in(&entry.path()).iter().map(|n| format!("{name}/{n}"))),
            false => names.push(name),
        }
    }
    names.sort();
    names
}
