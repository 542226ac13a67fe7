//! The scripts of benches/peers, run by the Python that `scripts/need-peers` makes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/engine is two folders deep")
}

/// The Python of an environment under the target folder.
fn python(environment: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(target.unwrap_or_else(|| "target".into())).join(environment).join("bin/python")
}

/// What a script prints, given its arguments and its threads.
pub(super) fn run(environment: &str, script: &str, threads: usize, arguments: &[&str]) -> Value {
    let mut command = Command::new(python(environment));
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
