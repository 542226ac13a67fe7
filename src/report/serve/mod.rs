//! A report on a port of this machine, read-only.
//!
//! A hand-written HTTP/1.1 responder: one request a connection, GET and HEAD alone, and nothing but
//! the files of a [`Site`]. Requests are bounded in size and time and connections in number, so that
//! neither a stuck client nor a hostile one keeps others out for long; whoever asks under a name that is
//! not this machine's is refused. What is served is replaced as a whole, so a client meets the old
//! report or the new one.

mod names;
mod request;
mod site;

pub use site::Site;

use request::{Refusal, Request};
use site::Page;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// Clients that are answered at a time.
const MOST_CONNECTIONS: usize = 32;
/// Time for a request, and for a client to take its answer.
const TIME_TO_ASK: Duration = Duration::from_secs(5);
const TIME_TO_TAKE: Duration = Duration::from_secs(30);
/// Bytes after which the time is looked at.
const PIECE: usize = 64 << 10;
/// Time in which a client that was refused can finish what it is saying.
const TIME_TO_LEAVE: Duration = Duration::from_millis(500);

/// A server. It lives as long as its process.
#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    site: RwLock<Arc<Site>>,
    connections: AtomicUsize,
    watch: Mutex<Watch>,
}

/// What clients have asked for.
#[derive(Default)]
struct Watch {
    last: Option<Instant>,
    /// The version of the page that was given out last.
    taken: String,
}

impl Server {
    /// Listens, and answers from threads of its own.
    pub fn start(address: SocketAddr, site: Site) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            site: RwLock::new(Arc::new(site)),
            connections: AtomicUsize::new(0),
            watch: Mutex::default(),
        });
        let server = Self { address, shared };
        let accepting = server.clone();
        thread::Builder::new()
            .name("page".to_owned())
            .spawn(move || accepting.accept(&listener))?;
        Ok(server)
    }

    /// Where it listens; the port is never 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves another report from now on.
    pub fn publish(&self, site: Site) {
        *self.shared.site.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(site);
    }

    /// The version of the report that is served.
    pub fn version(&self) -> String {
        self.site().version().to_owned()
    }

    /// How long ago somebody asked for something.
    pub fn idle(&self) -> Option<Duration> {
        self.watch().last.map(|last| last.elapsed())
    }

    /// Whether the page that is served now was given to somebody.
    pub fn is_taken(&self) -> bool {
        self.watch().taken == self.site().version()
    }

    fn watch(&self) -> std::sync::MutexGuard<'_, Watch> {
        self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn site(&self) -> Arc<Site> {
        self.shared.site.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn accept(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                // Out of file descriptors, most likely: others will be given back.
                thread::sleep(Duration::from_millis(50));
                continue;
            };
            let server = self.clone();
            if self.shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
                refuse(&stream, Refusal::Busy);
                self.shared.connections.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let answer = move || {
                // A client that goes away in the middle is its own affair.
                let _ = server.answer(&stream);
                server.shared.connections.fetch_sub(1, Ordering::Relaxed);
            };
            if thread::Builder::new().name("page".to_owned()).spawn(answer).is_err() {
                self.shared.connections.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_write_timeout(Some(TIME_TO_TAKE))?;
        let asked = read_head(stream)?.and_then(|head| request::parse(&head));
        let found = asked.and_then(|request| self.find(&request));
        match found {
            Ok((site, request)) => {
                // Found a line above in the same site.
                if let Some(page) = site.page(&request.path) {
                    write_page(stream, page, request.is_head)?;
                }
            }
            Err(refusal) => write_refusal(stream, refusal)?,
        }
        leave(stream)
    }

    fn find(&self, request: &Request) -> Result<(Arc<Site>, Request), Refusal> {
        if !names::is_ours(&request.host, self.address) {
            return Err(Refusal::WrongHost);
        }
        let site = self.site();
        site.page(&request.path).ok_or(Refusal::NotFound)?;
        let mut watch = self.watch();
        watch.last = Some(Instant::now());
        if ["/", "/index.html"].contains(&request.path.as_str()) {
            watch.taken = site.version().to_owned();
        }
        drop(watch);
        Ok((site, request.clone()))
    }
}

/// The head of a request; nothing where the client said nothing at all.
fn read_head(mut stream: &TcpStream) -> io::Result<Result<Vec<u8>, Refusal>> {
    let deadline = Instant::now() + TIME_TO_ASK;
    let (mut head, mut buffer) = (Vec::new(), [0; 2048]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Err(Refusal::TooSlow));
        }
        stream.set_read_timeout(Some(left))?;
        let read = match stream.read(&mut buffer) {
            Err(error) if is_timeout(&error) => return Ok(Err(Refusal::TooSlow)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        head.extend_from_slice(&buffer[..read]);
        let end = request::end_of_head(&head);
        if end.unwrap_or(head.len()) > request::LONGEST_HEAD {
            return Ok(Err(Refusal::TooLong));
        }
        if let Some(end) = end {
            head.truncate(end);
            return Ok(Ok(head));
        }
        if read == 0 {
            return Ok(Err(Refusal::BadRequest));
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// Fields of every answer: nothing is kept, guessed, framed, or read by another site.
const FIELDS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
    Connection: close\r\n";

fn write_page(mut stream: &TcpStream, page: &Page, is_head: bool) -> io::Result<()> {
    let Page { kind, policy, bytes } = page;
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Content-Security-Policy: {policy}\r\n{FIELDS}\r\n",
        bytes.len()
    );
    stream.write_all(head.as_bytes())?;
    if is_head {
        return Ok(());
    }
    // The time is for the whole of it, however slowly it is taken.
    let until = Instant::now() + TIME_TO_TAKE;
    for piece in bytes.chunks(PIECE) {
        if Instant::now() >= until {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.write_all(piece)?;
    }
    Ok(())
}

fn write_refusal(mut stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
    let (code, reason) = refusal.status();
    let advice = match refusal {
        Refusal::WrongHost => ": ask by the address that tailgrid printed, or as localhost",
        _ => "",
    };
    let body = format!("{code} {reason}{advice}\n");
    let allow = if refusal == Refusal::MethodNotAllowed { "Allow: GET, HEAD\r\n" } else { "" };
    let answer = format!(
        "HTTP/1.1 {code} {reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n{allow}{FIELDS}\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes())?;
    stream.flush()
}

/// Refuses without waiting for a request.
fn refuse(stream: &TcpStream, refusal: Refusal) {
    let written = stream
        .set_write_timeout(Some(TIME_TO_LEAVE))
        .and_then(|()| write_refusal(stream, refusal))
        .and_then(|()| stream.shutdown(Shutdown::Write));
    // The client may be gone.
    let _ = written;
}

/// Ends a connection so that the answer arrives: closing one with unread bytes would take it back.
fn leave(mut stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let deadline = Instant::now() + TIME_TO_LEAVE;
    let mut buffer = [0; 2048];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        stream.set_read_timeout(Some(left))?;
        if stream.read(&mut buffer)? == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
