//! A report on a port of this machine, read-only.
//!
//! A hand-written HTTP/1.1 responder: one request a connection, GET and HEAD alone, and nothing but
//! the files of a [`Site`]. Requests are bounded in size and time and connections in number, so
//! that neither a stuck client nor a hostile one keeps others out for long; whoever asks under a
//! name that is not this machine's is refused. What is served is replaced as a whole, so a client
//! meets the old report or the new one.

mod names;
mod request;
mod site;

pub use site::Site;

use request::{Refusal, Request};
use site::ServedFile;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// Clients that are answered at a time, and as many that are told that it is too many.
const MOST_CONNECTIONS: usize = 32;
/// Time for a request, and for a client to take its answer.
const TIME_TO_ASK: Duration = Duration::from_secs(5);
const TIME_TO_TAKE: Duration = Duration::from_secs(30);
/// Bytes that are written at a time.
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
    /// By [`Crowd`].
    connections: [AtomicUsize; 2],
    watch: Mutex<Watch>,
}

/// What becomes of a client.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Crowd {
    Answered,
    /// There are too many others.
    Refused,
}

/// What clients have asked for.
#[derive(Default)]
struct Watch {
    last: Option<Instant>,
    /// Files that are on their way.
    giving: usize,
    /// The version of the page that somebody was given last, all of it.
    taken: Option<String>,
}

impl Server {
    /// Listens, and answers from threads of its own.
    pub fn start(address: SocketAddr, site: Site) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            site: RwLock::new(Arc::new(site)),
            connections: Default::default(),
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

    /// How long ago somebody asked for something; no time while somebody is taking it.
    pub fn idle(&self) -> Option<Duration> {
        let watch = self.watch();
        let ago = watch.last.map(|last| last.elapsed());
        if watch.giving > 0 { Some(Duration::ZERO) } else { ago }
    }

    /// Whether the page that is served now was given to somebody, all of it.
    pub fn is_taken(&self) -> bool {
        self.watch().taken.as_deref() == Some(self.site().version())
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
            if let Err(stream) = self.spawn(Crowd::Answered, stream) {
                // By a thread too, as it may still be talking. A client beyond these finds the door
                // shut.
                let _ = self.spawn(Crowd::Refused, stream);
            }
        }
    }

    /// Answers or refuses in a thread; gives the client back where there are too many.
    fn spawn(&self, crowd: Crowd, stream: TcpStream) -> Result<(), TcpStream> {
        let server = self.clone();
        let done = move |server: &Self| server.count(crowd).fetch_sub(1, Ordering::Relaxed);
        if self.count(crowd).fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            done(self);
            return Err(stream);
        }
        let attend = move || {
            // A client that goes away in the middle is its own affair.
            let _ = match crowd {
                Crowd::Answered => server.answer(&stream),
                Crowd::Refused => refuse(&stream, Refusal::Busy),
            };
            done(&server);
        };
        if thread::Builder::new().name("page".to_owned()).spawn(attend).is_err() {
            done(self);
        }
        Ok(())
    }

    fn count(&self, crowd: Crowd) -> &AtomicUsize {
        &self.shared.connections[crowd as usize]
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let asked = read_head(stream)?.and_then(|head| request::parse(&head));
        let found = asked.and_then(|request| self.find(&request));
        match found {
            Ok((site, request)) => self.give(stream, &site, &request)?,
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
        Ok((site, request.clone()))
    }

    /// Writes what was found in a site. The page is taken once all of it was written; who asks for
    /// its head alone has not seen it.
    fn give(&self, stream: &TcpStream, site: &Site, request: &Request) -> io::Result<()> {
        let Some(page) = site.page(&request.path) else { return Ok(()) };
        self.watch().giving += 1;
        let written = write_page(stream, page, request.is_head);
        let is_page = ["/", "/index.html"].contains(&request.path.as_str());
        let mut watch = self.watch();
        watch.giving -= 1;
        watch.last = Some(Instant::now());
        if written.is_ok() && is_page && !request.is_head {
            watch.taken = Some(site.version().to_owned());
        }
        written
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

fn write_page(stream: &TcpStream, page: &ServedFile, is_head: bool) -> io::Result<()> {
    let ServedFile { kind, policy, bytes } = page;
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Content-Security-Policy: {policy}\r\n{FIELDS}\r\n",
        bytes.len()
    );
    let deadline = Instant::now() + TIME_TO_TAKE;
    write_until(stream, head.as_bytes(), deadline)?;
    if is_head { Ok(()) } else { write_until(stream, bytes, deadline) }
}

/// Writes all of it before the deadline, however slowly it is taken: a time-out of the socket is
/// one for each write, and starts anew with every byte that a client takes.
fn write_until(mut stream: &TcpStream, bytes: &[u8], deadline: Instant) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(&rest[..rest.len().min(PIECE)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn write_refusal(stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
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
    write_until(stream, answer.as_bytes(), Instant::now() + TIME_TO_ASK)
}

/// Refuses whatever is asked for.
fn refuse(stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
    write_refusal(stream, refusal)?;
    leave(stream)
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
