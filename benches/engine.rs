//! What `tailgrid-engine --bench` measures, and what the scripts of `benches/peers` do with the
//! same data.

use serde_json::Value;
use std::process::{Command, Output};
use testbed::{engine, python, repository};

/// What the engine prints of a measurement.
pub fn measured(arguments: &[&str]) -> String {
    // As `tailgrid run` starts its engine.
    let command = Command::new(engine())
        .arg("--bench")
        .args(arguments)
        .env("OMP_WAIT_POLICY", "PASSIVE")
        .output();
    printed(command.expect("the engine starts"))
}

/// The same of a measurement that prints JSON.
pub fn measured_json(arguments: &[&str]) -> Value {
    serde_json::from_str(&measured(arguments)).expect("JSON from the engine")
}

/// What a script prints, given its arguments and its threads.
pub fn peer(environment: &str, script: &str, threads: usize, arguments: &[&str]) -> Value {
    let mut command = Command::new(python(environment));
    command.arg(repository().join("benches/peers").join(script)).args(arguments);
    for library in ["OMP", "OPENBLAS", "MKL"] {
        command.env(format!("{library}_NUM_THREADS"), threads.to_string());
    }
    let output = command.output().expect("the environment is there (make bench makes it)");
    serde_json::from_str(&printed(output)).expect("JSON from the script")
}

/// A number of what was printed.
pub fn number(printed: &Value, name: &str) -> f64 {
    printed[name].as_f64().unwrap_or_else(|| panic!("no number `{name}` in {printed}"))
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}
