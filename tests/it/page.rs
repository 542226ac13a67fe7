//! Reports in a real browser, from disk and served. Needs Chromium, and Node.js to drive it, so it
//! runs with `make test-system` only.

use crate::program::{Workspace, resealed, tailgrid, text};
use crate::serve::Served;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

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

/// A grid of two scenarios and a method that fails, with nothing run yet.
const GRID: &str = "version: 1\nname: seen\ncorpora: [synthetic]\n\
    scenarios: [full, {name: low, train_sentences: 40}]\n\
    models:\n  - {name: shallow, encoder: shallow, head: softmax, embeddings: random}\n\
    \x20 - {name: bilstm, encoder: bilstm, head: softmax, embeddings: random}\n\
    methods: [original, sc, scr, scrd, nscrd, focal]\nseeds: 3\nbaseline: original\nmetric: macro_f1\n";

/// The grid run with the mock engine, of which every job of `focal` fails.
fn seen() -> Workspace {
    let place = Workspace::new();
    place.write("seen.yaml", GRID);
    let mut run = place.tailgrid(&["run", "seen.yaml", "--engine", "mock", "--quiet"]);
    let ran = run.env("TAILGRID_MOCK", "method=focal:panic").output().unwrap();
    assert_eq!(ran.status.code(), Some(5), "{}", text(&ran.stderr));
    place
}

/// Has the browser check something (tests/browser/drive.cjs).
fn drive(check: &str, argument: &str) -> Command {
    let target = tailgrid().parent().and_then(Path::parent).expect("target");
    let mut node = Command::new("node");
    node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/drive.cjs"));
    node.args([check, argument]).env("NODE_PATH", target.join("browser/node_modules"));
    node
}

fn check(name: &str, argument: &str) {
    let done = drive(name, argument).output().expect("node starts (make test-system installs it)");
    assert!(done.status.success(), "{name} {argument}:\n{}", text(&done.stderr));
}

/// Renders the report of a workspace, or of what is selected of it, and gives its page.
fn page_of(place: &Workspace, selected: &[&str]) -> String {
    let report = ["report", "seen.yaml", "--engine", "mock", "--quiet"];
    place.expect(0, &[&report[..], selected].concat());
    place.path("reports/seen/index.html").to_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs Chromium and Node.js: make test-system"]
fn system_the_page_sorts_filters_opens_cells_and_is_accessible() {
    let place = seen();
    let page = page_of(&place, &[]);
    check("page", &page);
    check("plain", &page);
    check("single", &page_of(&place, &["--only", "method=original"]));
}

#[test]
#[ignore = "needs Chromium and Node.js: make test-system"]
fn system_nothing_hostile_runs_in_the_page() {
    // What corpora and workers can bring: types, tokens, reasons. Names of a grid are checked when
    // it is read.
    let bad = "</script><img src=x onerror=window.broken=1>";
    let odd = "'\"><svg/onload=window.broken=1>\u{202e}\u{7}";
    let place = seen();
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    for job in std::fs::read_dir(place.path("results/seen/jobs")).unwrap() {
        let job = job.unwrap().path();
        let record = std::fs::read_to_string(job.join("record.json")).unwrap();
        let record = record
            .replace("asked to panic", bad)
            .replace("\"product\"", &quoted(bad))
            .replace("\"work\"", &quoted(odd));
        // Only a record that knows nothing of its files lets other predictions pass.
        let mut record: Value = serde_json::from_str(&record).unwrap();
        record.as_object_mut().unwrap().remove("files");
        std::fs::write(job.join("record.json"), resealed(&record)).unwrap();
        let predictions = format!("{bad}\tB-{bad}\tO\n{odd}\tO\tB-{odd}\n\n");
        std::fs::write(job.join("predictions.tsv"), predictions).unwrap();
    }
    check("hostile", &page_of(&place, &[]));
}

#[test]
#[ignore = "needs Chromium and Node.js: make test-system"]
fn system_a_served_page_follows_a_run() {
    let place = Workspace::new();
    place.write("seen.yaml", GRID);
    let mock = ["seen.yaml", "--engine", "mock"];
    place.expect(0, &[&["run", "--quiet", "--only", "seed=1,2"], &mock[..]].concat());
    let served = Served::start(&place, &[&["serve"], &mock[..]].concat());
    let mut browser = drive("live", &served.address).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(browser.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    place.expect(0, &[&["run", "--quiet"], &mock[..]].concat());
    assert!(browser.wait().unwrap().success());
}
