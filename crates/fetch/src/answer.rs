//! What a server's answer means for the file that it was asked for. Pure.

use super::FetchError;
use std::time::Duration;
use ureq::http::header::{
    AsHeaderName, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, RETRY_AFTER,
};

/// A server that asks for more than this is not waited for so long.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How the body that follows is to be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// It is the whole file.
    Whole,
    /// It goes on where was asked.
    GoesOn,
    /// It is of no use; the file must be asked for from its beginning.
    StartOver,
}

/// Why an attempt did not bring the whole file.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It may go away by itself, after a pause that the server may have named.
    Passing {
        reason: String,
        pause: Option<Duration>,
    },
    Final(FetchError),
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Trouble::Final(error)
    }
}

impl Trouble {
    /// Something that may go away.
    pub fn passing(reason: impl ToString) -> Self {
        Trouble::Passing { reason: reason.to_string(), pause: None }
    }
}

/// What was asked for: a file of `size` bytes from byte `from` on.
#[derive(Copy, Clone, Debug)]
pub(super) struct Question<'a> {
    pub url: &'a str,
    pub from: u64,
    pub size: u64,
}

impl Question<'_> {
    /// Reads status and headers.
    pub fn judge(&self, status: u16, headers: &HeaderMap) -> Result<Answer, Trouble> {
        let url = || self.url.to_owned();
        match status {
            200 => self.body(headers, 0).map(|_| Answer::Whole),
            206 => match self.range(headers) && self.body(headers, self.from).is_ok() {
                true => Ok(Answer::GoesOn),
                false if self.from > 0 => Ok(Answer::StartOver),
                false => {
                    Err(self.unreachable("it sends a part of the file that was not asked for"))
                }
            },
            416 if self.from > 0 => Ok(Answer::StartOver),
            404 | 410 => Err(FetchError::NotThere { url: url(), status }.into()),
            401 | 403 | 407 | 451 => Err(FetchError::Refused { url: url(), status }.into()),
            408 | 429 | 500 | 502 | 503 | 504 => {
                let seconds = number(headers, RETRY_AFTER).map(Duration::from_secs);
                let pause = seconds.map(|pause| pause.min(LONGEST_PAUSE));
                let reason = format!("the server is busy or broken (HTTP status {status})");
                Err(Trouble::Passing { reason, pause })
            }
            _ => Err(self.unreachable(format!("the server answers with HTTP status {status}"))),
        }
    }

    /// Whether the body is as it should be: as long as the rest of the file, and not encoded.
    fn body(&self, headers: &HeaderMap, from: u64) -> Result<(), Trouble> {
        let encoding = text(headers, CONTENT_ENCODING).unwrap_or("identity");
        if encoding != "identity" {
            let reason = format!("it comes encoded ({encoding}), which was not asked for");
            return Err(self.unreachable(reason));
        }
        match number(headers, CONTENT_LENGTH) {
            Some(found) if found != self.size - from => Err(FetchError::Length {
                url: self.url.to_owned(),
                expected: self.size,
                found: found.to_string(),
            }
            .into()),
            _ => Ok(()),
        }
    }

    /// Whether `Content-Range: bytes 5-9/10` is where was asked, of a file of the right size.
    fn range(&self, headers: &HeaderMap) -> bool {
        let parse = |text: &str| {
            let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
            let start: u64 = range.split_once('-')?.0.trim().parse().ok()?;
            Some((start, total.trim().to_owned()))
        };
        match text(headers, CONTENT_RANGE).and_then(parse) {
            Some((start, total)) => {
                start == self.from && (total == "*" || total == self.size.to_string())
            }
            None => false,
        }
    }

    fn unreachable(&self, reason: impl ToString) -> Trouble {
        FetchError::Unreachable { url: self.url.to_owned(), reason: reason.to_string() }.into()
    }
}

fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn number(headers: &HeaderMap, name: impl AsHeaderName) -> Option<u64> {
    text(headers, name)?.parse().ok()
}

/// What a failed request means. `stall` is how long was waited where nothing came.
pub(super) fn trouble(url: &str, error: ureq::Error, stall: Duration) -> Trouble {
    use ureq::Error;
    let unreachable =
        |reason: String| FetchError::Unreachable { url: url.to_owned(), reason }.into();
    match error {
        Error::TooManyRedirects => FetchError::Redirects { url: url.to_owned() }.into(),
        Error::RequireHttpsOnly(_) => FetchError::Insecure { url: url.to_owned() }.into(),
        Error::HostNotFound => unreachable("its host is not found; is there a network?".to_owned()),
        Error::BadUri(_) | Error::Http(_) => unreachable("this is no address".to_owned()),
        Error::Rustls(error) => unreachable(format!("its encryption is not trusted ({error})")),
        error => broken(error.into_io(), stall),
    }
}

/// What a connection that broke means.
pub(super) fn broken(error: std::io::Error, stall: Duration) -> Trouble {
    let timed_out = error.kind() == std::io::ErrorKind::TimedOut
        || matches!(error.get_ref().and_then(|e| e.downcast_ref()), Some(ureq::Error::Timeout(_)));
    match timed_out {
        true => Trouble::passing(format_args!("nothing came for {} s", stall.as_secs_f64())),
        false => Trouble::passing(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::http::{HeaderName, HeaderValue};

    fn judged(from: u64, status: u16, headers: &[(&str, &str)]) -> Result<Answer, String> {
        let pair = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
        };
        let headers: HeaderMap = headers.iter().map(pair).collect();
        let question = Question { url: "https://a/b", from, size: 10 };
        question.judge(status, &headers).map_err(|trouble| match trouble {
            Trouble::Final(error) => error.to_string(),
            Trouble::Passing { reason, pause } => format!("passing, {pause:?}: {reason}"),
        })
    }

    #[test]
    fn a_whole_file_is_as_long_as_it_should_be() {
        assert_eq!(judged(0, 200, &[("content-length", "10")]), Ok(Answer::Whole));
        assert_eq!(judged(4, 200, &[]), Ok(Answer::Whole), "a server may ignore the range");
        let longer = judged(0, 200, &[("content-length", "11")]).unwrap_err();
        assert!(longer.contains("gives 11 bytes where the catalogue has 10"), "{longer}");
        let encoded = judged(0, 200, &[("content-encoding", "gzip")]).unwrap_err();
        assert!(encoded.contains("encoded (gzip)"), "{encoded}");
    }

    #[test]
    fn a_part_goes_on_only_where_was_asked() {
        let range = |from, range| judged(from, 206, &[("content-range", range)]);
        assert_eq!(range(4, "bytes 4-9/10"), Ok(Answer::GoesOn));
        assert_eq!(range(4, "bytes 4-9/*"), Ok(Answer::GoesOn));
        for odd in ["bytes 3-9/10", "bytes 4-9/11", "bytes 4/10", "4-9/10", "bytes x-9/10", ""] {
            assert_eq!(range(4, odd), Ok(Answer::StartOver), "{odd}");
        }
        assert_eq!(judged(4, 206, &[]), Ok(Answer::StartOver));
        let long = [("content-range", "bytes 4-9/10"), ("content-length", "7")];
        assert_eq!(judged(4, 206, &long), Ok(Answer::StartOver));
        assert_eq!(judged(4, 416, &[]), Ok(Answer::StartOver));
        assert!(range(0, "bytes 3-9/10").unwrap_err().contains("not asked for"));
    }

    #[test]
    fn other_answers_are_final_or_passing() {
        for (status, words) in [
            (404, "no longer exists"),
            (403, "access denied"),
            (418, "HTTP status 418"),
            (416, "HTTP status 416"),
            (503, "passing, None: the server is busy"),
        ] {
            let said = judged(0, status, &[]).unwrap_err();
            assert!(said.contains(words), "{status}: {said}");
        }
        let asked = judged(0, 429, &[("retry-after", "7")]).unwrap_err();
        assert!(asked.starts_with("passing, Some(7s)"), "{asked}");
        let long = judged(0, 429, &[("retry-after", "86400")]).unwrap_err();
        assert!(long.starts_with("passing, Some(60s)"), "{long}");
        let date = judged(0, 503, &[("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT")]).unwrap_err();
        assert!(date.starts_with("passing, None"), "{date}");
    }
}
