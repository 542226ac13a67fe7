//! The head of an HTTP/1.1 request (RFC 9112), as far as a server of few files needs it. Whatever
//! the bytes are, there is an answer to them.

/// The longest head that is read.
pub const LONGEST_HEAD: usize = 8 << 10;

/// What is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// Whether only the head of the answer is wanted.
    pub is_head: bool,
    /// Without query and fragment, beginning with `/`; not decoded.
    pub path: String,
    /// The server's name and port as the client knows them.
    pub host: String,
}

/// Why a request is not answered with what it asks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    BadRequest,
    /// The name that the client knows this server by is not one of its own.
    WrongHost,
    NotFound,
    MethodNotAllowed,
    TooSlow,
    TooLong,
    VersionNotSupported,
    Busy,
}

impl Refusal {
    /// Code and reason of the status line.
    pub fn status(self) -> (u16, &'static str) {
        match self {
            Refusal::BadRequest => (400, "Bad Request"),
            Refusal::WrongHost => (421, "Misdirected Request"),
            Refusal::NotFound => (404, "Not Found"),
            Refusal::MethodNotAllowed => (405, "Method Not Allowed"),
            Refusal::TooSlow => (408, "Request Timeout"),
            Refusal::TooLong => (431, "Request Header Fields Too Large"),
            Refusal::VersionNotSupported => (505, "HTTP Version Not Supported"),
            Refusal::Busy => (503, "Service Unavailable"),
        }
    }
}

/// The place after the blank line that ends a head, if it is there.
pub fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}

/// A head up to and with its blank line.
pub fn parse(head: &[u8]) -> Result<Request, Refusal> {
    let head = std::str::from_utf8(head).map_err(|_| Refusal::BadRequest)?;
    let head = head.strip_suffix("\r\n\r\n").ok_or(Refusal::BadRequest)?;
    let mut lines = head.split("\r\n");
    let (is_head, target) = request_line(lines.next().unwrap_or_default())?;
    let named = host(lines)?;
    let (path, authority) = split_target(target)?;
    let host = authority.unwrap_or(named);
    Ok(Request { is_head, path: path.to_owned(), host: host.to_ascii_lowercase() })
}

fn request_line(line: &str) -> Result<(bool, &str), Refusal> {
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(Refusal::BadRequest);
    };
    match version {
        "HTTP/1.1" | "HTTP/1.0" => {}
        other if other.starts_with("HTTP/") => return Err(Refusal::VersionNotSupported),
        _ => return Err(Refusal::BadRequest),
    }
    match method {
        "GET" => Ok((false, target)),
        "HEAD" => Ok((true, target)),
        method if !method.is_empty() && method.bytes().all(is_token) => {
            Err(Refusal::MethodNotAllowed)
        }
        _ => Err(Refusal::BadRequest),
    }
}

/// The one host field; every other field is checked for its form alone.
fn host<'a>(lines: impl Iterator<Item = &'a str>) -> Result<&'a str, Refusal> {
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(Refusal::BadRequest)?;
        if name.is_empty() || !name.bytes().all(is_token) || value.contains(char::is_control) {
            return Err(Refusal::BadRequest);
        }
        if name.eq_ignore_ascii_case("host") && host.replace(value.trim()).is_some() {
            return Err(Refusal::BadRequest);
        }
    }
    host.ok_or(Refusal::BadRequest)
}

/// Path, and the host where the target names one: the origin and the absolute form.
fn split_target(target: &str) -> Result<(&str, Option<&str>), Refusal> {
    let (path, authority) = match target.strip_prefix("http://") {
        None => (target, None),
        Some(rest) => match rest.find('/') {
            Some(at) => (&rest[at..], Some(&rest[..at])),
            None => ("/", Some(rest)),
        },
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let plain = path.bytes().all(|byte| byte.is_ascii_graphic());
    (path.starts_with('/') && plain).then_some((path, authority)).ok_or(Refusal::BadRequest)
}

/// RFC 9110, 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(text: &str) -> Result<Request, Refusal> {
        parse(text.replace('\n', "\r\n").as_bytes())
    }

    #[test]
    fn a_browsers_request_is_read() {
        let request =
            asked("GET /tables/a.csv?x=1 HTTP/1.1\nHost: LocalHost:8080\nAccept: */*\n\n");
        let expected = Request {
            is_head: false,
            path: "/tables/a.csv".to_owned(),
            host: "localhost:8080".to_owned(),
        };
        assert_eq!(request, Ok(expected.clone()));
        let absolute = asked("HEAD http://localhost:8080/tables/a.csv HTTP/1.1\nHost: x\n\n");
        assert_eq!(absolute, Ok(Request { is_head: true, ..expected }));
        let root = asked("GET http://a HTTP/1.0\nHost: x\n\n").unwrap();
        assert_eq!((root.path.as_str(), root.host.as_str()), ("/", "a"));
    }

    #[test]
    fn what_is_wrong_has_its_own_answer() {
        let cases = [
            ("", Refusal::BadRequest),
            ("\n\n", Refusal::BadRequest),
            ("GET / HTTP/1.1\n\n", Refusal::BadRequest),
            ("GET / HTTP/1.1\nHost: a\nHost: b\n\n", Refusal::BadRequest),
            ("GET / HTTP/1.1\nHost : a\n\n", Refusal::BadRequest),
            ("GET / HTTP/1.1\nHost: a\n folded\n\n", Refusal::BadRequest),
            ("GET  / HTTP/1.1\nHost: a\n\n", Refusal::BadRequest),
            ("GET relative HTTP/1.1\nHost: a\n\n", Refusal::BadRequest),
            ("GET /\u{e9} HTTP/1.1\nHost: a\n\n", Refusal::BadRequest),
            ("POST / HTTP/1.1\nHost: a\n\n", Refusal::MethodNotAllowed),
            ("DELETE /tables HTTP/1.1\nHost: a\n\n", Refusal::MethodNotAllowed),
            ("G(T / HTTP/1.1\nHost: a\n\n", Refusal::BadRequest),
            ("GET / HTTP/2.0\nHost: a\n\n", Refusal::VersionNotSupported),
            ("GET / GOPHER\nHost: a\n\n", Refusal::BadRequest),
            ("OPTIONS * HTTP/1.1\nHost: a\n\n", Refusal::MethodNotAllowed),
        ];
        for (text, refusal) in cases {
            assert_eq!(asked(text), Err(refusal), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_without_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse(&bytes);
            let _ = end_of_head(&bytes);
        }

        #[test]
        fn nothing_near_a_request_is_without_one(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "GET", "HEAD", " ", "/", "http://", "HTTP/1.1", "\r\n", "\r", "\n", "Host", ":", "a",
                    "?", "#", "%2e", "..", "\0", "\u{202e}", "ä",
                ]),
                0..30,
            )
        ) {
            let text = parts.concat() + "\r\n\r\n";
            if let Ok(request) = parse(text.as_bytes()) {
                prop_assert!(request.path.starts_with('/'));
                prop_assert!(request.path.bytes().all(|byte| byte.is_ascii_graphic()));
            }
        }

        #[test]
        fn a_request_that_is_one_is_read(path in "/[a-z0-9./-]{0,40}", host in "[a-z0-9.:-]{1,30}") {
            let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
            prop_assert_eq!(parse(text.as_bytes()), Ok(Request { is_head: false, path, host }));
        }
    }
}
