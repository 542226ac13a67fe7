//! Starting `tailgrid` in a folder of its own.

use crate::repository;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use tempfile::TempDir;

/// A temporary folder in which `tailgrid` runs.
pub struct Workspace {
    folder: TempDir,
    /// Further environment variables of the program.
    variables: Vec<(&'static str, PathBuf)>,
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workspace {
    /// An empty folder.
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), variables: Vec::new() }
    }

    /// The same folder, with WordNet's files as `tests/fixtures` has them.
    pub fn with_wordnet(mut self) -> Self {
        let folder = repository().join("tests/fixtures/wordnet");
        self.variables.push(("WNSEARCHDIR", folder));
        self
    }

    /// A path inside it.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        std::fs::write(path, text).expect("a file written");
    }

    /// A file's bytes.
    pub fn read(&self, relative: &str) -> Vec<u8> {
        let path = self.path(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// `tailgrid` with these arguments, not started yet.
    pub fn tailgrid(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path());
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `tailgrid` to its end and expects this exit code.
    pub fn expect(&self, code: i32, arguments: &[&str]) -> Output {
        let output = self.tailgrid(arguments).output().expect("tailgrid starts");
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "tailgrid {arguments:?}\n{out}\n{err}");
        output
    }

    /// Runs `tailgrid` with `--json` and reads what it prints.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.expect(0, &[arguments, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).expect("JSON on standard output")
    }
}

/// The program under test. Cargo has built it before whatever runs here, and puts it one folder
/// above.
pub fn tailgrid() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let own = std::env::current_exe().expect("the path of this program");
        own.ancestors().nth(2).expect("a test is in `deps`").join("tailgrid")
    });
    &PROGRAM
}

/// The program that has the models.
pub fn engine() -> PathBuf {
    tailgrid().with_file_name("tailgrid-engine")
}

/// The program under test in this folder, which also has its cache: no test writes into the user's.
pub fn command(place: &Path) -> Command {
    let mut command = Command::new(tailgrid());
    command.current_dir(place).env("XDG_CACHE_HOME", place.join(".cache"));
    // Grids are planned alike whatever the processor.
    command.env("TAILGRID_BF16", "software");
    command
}

/// Output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A record that was edited, in the form of a time when records had no sum of their bytes: any
/// other edit is damage.
pub fn without_sum(record: &str) -> String {
    match record.rfind(",\n  \"sum\": \"") {
        Some(end) => record[..end].replacen("\"version\": 3", "\"version\": 1", 1) + "\n}\n",
        None => record.to_owned(),
    }
}

/// A record's bytes with their sum, as the store writes them.
pub fn resealed(record: &Value) -> Vec<u8> {
    let mut record = record.clone();
    record.as_object_mut().expect("an object").remove("sum");
    let text = serde_json::to_string_pretty(&record).expect("JSON");
    let body = text.strip_suffix("\n}").expect("an object");
    let with = |sum: &str| format!("{body},\n  \"sum\": \"{sum}\"\n}}\n").into_bytes();
    let digest = Sha256::digest(with(&"0".repeat(64)));
    with(&digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}
