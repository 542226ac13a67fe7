//! One file from its address: resumed where it broke off, tried again where that can help, checked.

use super::answer::{Answer, Question, Trouble, broken, trouble};
use super::part::Part;
use super::{FetchError, Listener};
use domain::{RemoteFile, TransferEvent};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;
use ureq::Agent;
use ureq::http::header::{ACCEPT_ENCODING, RANGE};

/// Redirects that are followed; a file behind more than these is behind a loop.
const MOST_REDIRECTS: u32 = 10;
/// No pause between two tries grows beyond this by itself.
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// How long a fetch waits, and how often it tries.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Patience {
    /// Tries in a row that bring nothing new.
    pub tries: u32,
    /// The pause after the first of them; each further one is twice as long.
    pub pause: Duration,
    /// How long a connection may take to be made.
    pub connect: Duration,
    /// How long nothing may come over a connection.
    pub stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            tries: 5,
            pause: Duration::from_millis(500),
            connect: Duration::from_secs(20),
            stall: Duration::from_secs(30),
        }
    }
}

impl Patience {
    fn pause_after(&self, tries: u32) -> Duration {
        let doubled = 1u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX);
        self.pause.saturating_mul(doubled).min(LONGEST_PAUSE)
    }

    /// What asks servers; proxies are those that the environment names.
    pub(super) fn agent(&self) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(MOST_REDIRECTS)
            .timeout_connect(Some(self.connect))
            .timeout_per_read(Some(self.stall))
            .timeout_per_write(Some(self.stall))
            .user_agent(concat!("tailgrid/", env!("CARGO_PKG_VERSION")));
        config.build().new_agent()
    }
}

/// A file that is to come.
pub(super) struct Download<'a> {
    pub item: &'a str,
    pub file: &'a RemoteFile,
    pub target: &'a Path,
    pub patience: &'a Patience,
    pub agent: &'a Agent,
}

impl Download<'_> {
    /// Brings the file from the first address that has it.
    pub fn bring(&self, urls: &[String], tell: Listener<'_>) -> Result<(), FetchError> {
        let mut first = None;
        for url in urls {
            match self.bring_from(url, tell) {
                // The first address is the authors' own: what it says is what to tell.
                Err(error) if error.is_of_address() => drop(first.get_or_insert(error)),
                ended => return ended,
            }
        }
        Err(first.unwrap_or_else(|| FetchError::Unreachable {
            url: self.file.path.as_str().to_owned(),
            reason: "the catalogue has no address for it".to_owned(),
        }))
    }

    fn bring_from(&self, url: &str, tell: Listener<'_>) -> Result<(), FetchError> {
        let mut part = Part::open(self.target)?;
        let mut inherited = part.length() > 0;
        let (mut tries, mut furthest) = (0, part.length());
        loop {
            match self.attempt(url, &mut part, tell) {
                Ok(()) => {
                    let found = part.sha256()?;
                    if found == self.file.fingerprint.sha256() {
                        return self.finish(part, tell);
                    } else if !inherited {
                        part.discard();
                        return Err(self.checksum(url, found));
                    }
                    // What an earlier fetch left may be of another file.
                    part.restart()?;
                    (inherited, furthest) = (false, 0);
                }
                Err(Trouble::Final(error)) => {
                    match error {
                        FetchError::Length { .. } => part.discard(),
                        _ => part.leave(),
                    }
                    return Err(error);
                }
                Err(Trouble::Passing { reason, pause }) => {
                    // As long as more comes each time, a bad line is a slow one.
                    tries = if part.length() > furthest { 1 } else { tries + 1 };
                    furthest = furthest.max(part.length());
                    if tries >= self.patience.tries {
                        part.leave();
                        return Err(FetchError::BrokeOff { url: url.to_owned(), tries, reason });
                    }
                    let pause = pause.unwrap_or_else(|| self.patience.pause_after(tries));
                    self.wait(reason, pause, tell);
                }
            }
        }
    }

    /// Asks for what is missing and takes what comes.
    fn attempt(&self, url: &str, part: &mut Part, tell: Listener<'_>) -> Result<(), Trouble> {
        let size = self.file.fingerprint.size();
        if part.length() > size {
            part.restart()?;
        }
        if part.length() == size {
            return Ok(());
        }
        let question = Question { url, from: part.length(), size };
        let stall = self.patience.stall;
        let mut response = self.ask(&question).map_err(|error| trouble(url, error, stall))?;
        match question.judge(response.status().as_u16(), response.headers())? {
            Answer::GoesOn => {}
            Answer::Whole => part.restart()?,
            Answer::StartOver => {
                part.restart()?;
                return Err(Trouble::passing("the server could not go on where it broke off"));
            }
        }
        tell(&TransferEvent::FileStarted {
            item: self.item.to_owned(),
            file: self.file.path.as_str().to_owned(),
            size,
            done: part.length(),
        });
        self.receive(&question, &mut response.body_mut().as_reader(), part, tell)
    }

    fn ask(
        &self,
        question: &Question<'_>,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let request = self.agent.get(question.url).header(ACCEPT_ENCODING, "identity");
        let request = match question.from {
            0 => request,
            from => request.header(RANGE, format!("bytes={from}-")),
        };
        // What begins encrypted stays so, through every redirect.
        request.config().https_only(question.url.starts_with("https://")).build().call()
    }

    fn receive(
        &self,
        question: &Question<'_>,
        body: &mut dyn Read,
        part: &mut Part,
        tell: Listener<'_>,
    ) -> Result<(), Trouble> {
        let mut buffer = vec![0; 1 << 16];
        while part.length() < question.size {
            let read = match body.read(&mut buffer) {
                Ok(0) => return Err(Trouble::passing("the connection was closed too early")),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(broken(error, self.patience.stall)),
            };
            if part.length() + read as u64 > question.size {
                return Err(Trouble::Final(FetchError::Length {
                    url: question.url.to_owned(),
                    expected: question.size,
                    found: format!("more than {}", question.size),
                }));
            }
            part.write(&buffer[..read])?;
            tell(&TransferEvent::Advanced { done: part.length() });
        }
        Ok(())
    }

    fn finish(&self, part: Part, tell: Listener<'_>) -> Result<(), FetchError> {
        let size = part.length();
        part.adopt()?;
        let (item, file) = (self.item.to_owned(), self.file.path.as_str().to_owned());
        tell(&TransferEvent::FileFinished { item, file, size });
        Ok(())
    }

    fn wait(&self, reason: String, pause: Duration, tell: Listener<'_>) {
        let (item, file) = (self.item.to_owned(), self.file.path.as_str().to_owned());
        let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        tell(&TransferEvent::Retried { item, file, reason, pause_ms });
        std::thread::sleep(pause);
    }

    fn checksum(&self, url: &str, found: String) -> FetchError {
        let expected = self.file.fingerprint.sha256().to_owned();
        FetchError::Checksum { what: url.to_owned(), expected, found }
    }
}

#[cfg(test)]
mod tests;
