//! The committed report in a real browser, opened from disk. Needs Chromium, so it runs with
//! `make test-system` only.

use std::path::Path;
use std::process::Command;

/// What the browser made of the page, and what it complained of.
struct Seen {
    dom: String,
    complaints: Vec<String>,
}

/// Opens a page. Complaints are lines of the console and requests that the page made; the browser's
/// own requests have no origin, and every host name leads nowhere.
fn open(page: &Path) -> Seen {
    let profile = tempfile::tempdir().unwrap();
    let requests = profile.path().join("requests.json");
    let done = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--v=0"])
        .args(["--virtual-time-budget=5000", "--window-size=1280,2000"])
        .arg(format!("--log-net-log={}", requests.display()))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium starts (make test-system installs it)");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8_lossy(&done.stderr);
    let requests = std::fs::read_to_string(requests).unwrap();
    let by_the_page = |line: &&str| {
        line.contains("\"initiator\":\"") && !line.contains("\"initiator\":\"not an origin\"")
    };
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let complaints =
        console.chain(requests.lines().filter(by_the_page)).map(str::to_owned).collect();
    Seen { dom: String::from_utf8_lossy(&done.stdout).into_owned(), complaints }
}

#[test]
#[ignore = "needs Chromium: make test-system"]
fn system_the_example_report_opens_from_disk_and_asks_for_nothing_else() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example/index.html");
    let seen = open(&page);
    assert!(seen.complaints.is_empty(), "{}", seen.complaints.join("\n"));
    for wanted in ["<table", "<svg", "original", "nscrd", "focal", "bilstm", "shallow"] {
        assert!(seen.dom.contains(wanted), "the page has no {wanted}");
    }
    let sources = seen.dom.split("src=\"").skip(1);
    let foreign: Vec<&str> = sources.filter(|s| !s.starts_with("data:")).collect();
    assert!(foreign.is_empty(), "the page is not whole by itself: {foreign:?}");
}

#[test]
#[ignore = "needs Chromium: make test-system"]
fn system_a_page_that_asks_the_network_or_fails_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for body in ["<img src=\"https://example.org/x.png\">", "<script>undefined_name()</script>"] {
        let page = folder.path().join("page.html");
        std::fs::write(&page, format!("<!doctype html><title>t</title><table></table>{body}"))
            .unwrap();
        let seen = open(&page);
        assert!(seen.dom.contains("<table"), "{}", seen.dom);
        assert!(!seen.complaints.is_empty(), "nothing was noticed of {body}");
    }
}
