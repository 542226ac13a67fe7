//! The scripts of benches/peers, run by the Python that `scripts/need-peers` makes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The Python with the libraries; `TAILGRID_PEERS` names another.
fn python() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let made = root().join(target.unwrap_or_else(|| "target".into())).join("peers/bin/python");
    std::env::var_os("TAILGRID_PEERS").map_or(made, PathBuf::from)
}

/// What a script prints, given its arguments and its threads.
pub(super) fn run(script: &str, threads: usize, arguments: &[&str]) -> Value {
    let mut command = Command::new(python());
    command.arg(root().join("benches/peers").join(script)).args(arguments);
    for library in ["OMP", "OPENBLAS", "MKL"] {
        command.env(format!("{library}_NUM_THREADS"), threads.to_string());
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// A number of what a script printed.
pub(super) fn number(said: &Value, name: &str) -> f64 {
    said[name].as_f64().unwrap()
}
