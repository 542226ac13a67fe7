use super::*;
use report::{Artefact, Report};

fn report() -> Report {
    let files = vec![
        Artefact::new("index.html", b"<p>page</p>".to_vec()),
        Artefact::new("figures/a.svg", b"<svg/>".to_vec()),
        Artefact::new("tables/a.csv", b"a,b\n".to_vec()),
    ];
    Report { files, warnings: vec![] }
}

fn server() -> Server {
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    Server::start(loopback, Site::new(report(), "one")).expect("a server on loopback")
}

/// Sends bytes and takes the whole answer.
fn send(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    stream.write_all(bytes).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

fn ask(server: &Server, request: &str) -> String {
    let host = server.address();
    send(server, format!("{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("")
}

#[test]
fn the_files_of_the_report_are_served_with_their_kinds_and_fences() {
    let server = server();
    let page = ask(&server, "GET /");
    assert!(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{page}");
    assert!(page.ends_with("\r\n\r\n<p>page</p>"));
    assert!(page.contains("connect-src 'self'") && page.contains("script-src 'sha256-"));
    assert_eq!(page, ask(&server, "GET /index.html?x#y"));
    let svg = ask(&server, "GET /figures/a.svg");
    assert!(svg.contains("image/svg+xml") && svg.contains("sandbox") && svg.ends_with("<svg/>"));
    assert!(ask(&server, "GET /tables/a.csv").contains("Content-Type: text/csv"));
    for answer in [&page, &svg, &ask(&server, "GET /none"), &ask(&server, "POST /")] {
        for field in [
            "X-Content-Type-Options: nosniff",
            "Cache-Control: no-store",
            "X-Frame-Options: DENY",
            "Content-Security-Policy: default-src 'none'",
            "frame-ancestors 'none'",
            "Connection: close",
        ] {
            assert!(answer.contains(field), "{field}: {answer}");
        }
        assert!(!answer.contains("Access-Control"), "no other site may read it");
    }
}

#[test]
fn a_head_is_a_page_without_its_body() {
    let server = server();
    let (head, whole) = (ask(&server, "HEAD /"), ask(&server, "GET /"));
    assert_eq!(head + "<p>page</p>", whole);
}

#[test]
fn nothing_but_the_report_is_found() {
    let server = server();
    let paths = [
        "/etc/passwd",
        "/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/tables/",
        "/tables",
        "/tables/../index.html",
        "//index.html",
        "/index.html/",
        "/figures/a.svg%00",
        "/Cargo.toml",
    ];
    for path in paths {
        assert_eq!(status(&ask(&server, &format!("GET {path}"))), "404", "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"] {
        let answer = ask(&server, &format!("{method} /"));
        assert_eq!(status(&answer), "405", "{method}");
        assert!(answer.contains("Allow: GET, HEAD"));
    }
}

#[test]
fn a_foreign_name_is_refused() {
    let server = server();
    let port = server.address().port();
    for host in
        [format!("evil.example:{port}"), format!("127.0.0.1.evil.example:{port}"), "x".into()]
    {
        let answer = send(&server, format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
        assert_eq!(status(&answer), "421", "{host}");
        assert!(!answer.contains("<p>"));
    }
    let own = send(&server, format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").as_bytes());
    assert_eq!(status(&own), "200");
}

#[test]
fn no_bytes_keep_others_from_being_answered() {
    let server = server();
    assert_eq!(status(&send(&server, b"\0\xff\xfe nonsense\r\n\r\n")), "400");
    assert_eq!(status(&send(&server, &[b'a'; 20_000])), "431");
    assert_eq!(status(&ask(&server, &format!("GET /{}", "a".repeat(9000)))), "431");
    // Clients that say nothing, as many as are answered at a time but a few: those above may still
    // be closing.
    let silent: Vec<TcpStream> = (4..MOST_CONNECTIONS)
        .map(|_| TcpStream::connect(server.address()).expect("connected"))
        .collect();
    assert_eq!(status(&ask(&server, "GET /")), "200");
    let mut one = &silent[0];
    let mut answer = String::new();
    one.set_read_timeout(Some(TIME_TO_ASK * 3)).expect("set");
    one.read_to_string(&mut answer).expect("an answer");
    assert_eq!(status(&answer), "408");
}

#[test]
fn one_client_too_many_is_told_so() {
    let server = server();
    let silent: Vec<TcpStream> = (0..MOST_CONNECTIONS)
        .map(|_| TcpStream::connect(server.address()).expect("connected"))
        .collect();
    let mut busy = TcpStream::connect(server.address()).expect("connected");
    let mut answer = String::new();
    busy.read_to_string(&mut answer).expect("an answer");
    assert_eq!(status(&answer), "503");
    drop(silent);
    let deadline = Instant::now() + Duration::from_secs(5);
    while status(&ask(&server, "GET /")) != "200" {
        assert!(Instant::now() < deadline, "the others are gone");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_client_too_many_may_finish_what_it_says() {
    let server = server();
    let silent: Vec<TcpStream> = (0..MOST_CONNECTIONS)
        .map(|_| TcpStream::connect(server.address()).expect("connected"))
        .collect();
    let mut busy = TcpStream::connect(server.address()).expect("connected");
    // Time to be refused in, and for a connection that was closed to say so.
    for half in ["GET / HTTP/1.1\r\n", "Host: x\r\n", "\r\n"] {
        thread::sleep(Duration::from_millis(40));
        busy.write_all(half.as_bytes()).expect("it is listened to");
    }
    let mut answer = String::new();
    busy.read_to_string(&mut answer).expect("an answer");
    assert_eq!(status(&answer), "503");
    drop(silent);
}

/// Two ends of a connection.
fn connection() -> [TcpStream; 2] {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("bound");
    let near = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
    [near, listener.accept().expect("accepted").0]
}

/// More than the buffers of a connection hold.
const LONG: usize = 32 << 20;

#[test]
fn the_time_to_take_an_answer_is_for_all_of_it() {
    let [near, mut far] = connection();
    let reader = thread::spawn(move || {
        let mut piece = vec![0; 32 << 10];
        while far.read(&mut piece).is_ok_and(|read| read > 0) {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let start = Instant::now();
    let written = write_until(&near, &vec![0; LONG], start + Duration::from_millis(400));
    assert!(is_timeout(&written.expect_err("it is taken too slowly")));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    drop(near);
    reader.join().expect("read");
}

#[test]
fn a_page_is_taken_when_all_of_it_was_given() {
    let files = vec![Artefact::new("index.html", vec![b'x'; LONG])];
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let site = Site::new(Report { files, warnings: vec![] }, "long");
    let server = Server::start(loopback, site).expect("a server on loopback");
    let mut slow = TcpStream::connect(server.address()).expect("connected");
    write!(slow, "GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).expect("sent");
    let mut first = [0; 1000];
    slow.read_exact(&mut first).expect("a beginning");
    thread::sleep(Duration::from_millis(100));
    assert!(!server.is_taken(), "the rest is on its way");
    assert_eq!(server.idle(), Some(Duration::ZERO), "somebody is at it");
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).expect("the rest");
    assert!(server.is_taken() && rest.len() > LONG - first.len());
}

#[test]
fn whoever_asks_for_a_head_has_not_taken_the_page() {
    let server = server();
    ask(&server, "HEAD /");
    assert!(!server.is_taken() && server.idle().is_some());
}

#[test]
fn another_report_takes_the_place_of_the_first_as_a_whole() {
    let server = server();
    assert!(ask(&server, "GET /version.json").ends_with("{\"v\":1,\"version\":\"one\"}"));
    assert!(!server.is_taken());
    ask(&server, "GET /");
    assert!(server.is_taken() && server.idle().is_some());
    let files = vec![Artefact::new("index.html", b"<p>later</p>".to_vec())];
    server.publish(Site::new(Report { files, warnings: vec![] }, "two"));
    assert!(!server.is_taken());
    assert!(ask(&server, "GET /").ends_with("<p>later</p>"));
    assert_eq!(status(&ask(&server, "GET /tables/a.csv")), "404");
    assert!(ask(&server, "GET /version.json").contains("\"two\""));
}
