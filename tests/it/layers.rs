//! What Cargo cannot say of the rooms: which of them may use a third-party crate. Who may use whom
//! of the rooms stands in their own `Cargo.toml`.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// The only packages that may depend on a crate.
const FENCES: &[(&str, &[&str])] = &[
    ("burn", &["tailgrid-engine"]),
    ("burn-tch", &["tailgrid-engine"]),
    ("tch", &["tailgrid-engine"]),
    ("safetensors", &["tailgrid-engine"]),
    ("polars", &["tailgrid-analysis", "tailgrid-store"]),
    ("plotters", &["tailgrid-report"]),
    ("plotters-backend", &["tailgrid-report"]),
    ("tiny-skia", &["tailgrid-report"]),
    ("indicatif", &["tailgrid-ui"]),
    ("serde_yaml", &["tailgrid-spec"]),
    ("ureq", &["tailgrid-fetch"]),
    ("clap", &["tailgrid"]),
];

/// The names of what each package of the workspace depends on.
fn packages() -> BTreeMap<String, Vec<String>> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let arguments = ["metadata", "--no-deps", "--format-version=1", "--manifest-path", manifest];
    let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let packages = metadata["packages"].as_array().unwrap();
    let dependencies = |package: &Value| -> Vec<String> {
        package["dependencies"].as_array().unwrap().iter().map(name).collect()
    };
    packages.iter().map(|package| (name(package), dependencies(package))).collect()
}

#[test]
fn a_crate_is_used_behind_its_fence_alone() {
    let packages = packages();
    for (fenced, allowed) in FENCES {
        for (package, dependencies) in &packages {
            let uses = dependencies.iter().any(|dependency| dependency == fenced);
            assert!(!uses || allowed.contains(&&**package), "{package} may not use {fenced}");
        }
        assert!(allowed.iter().all(|package| packages[*package].iter().any(|d| d == fenced)));
    }
}

#[test]
fn the_lowest_rooms_know_no_other_and_nobody_knows_the_programs() {
    let packages = packages();
    assert!(packages.len() > 10, "{packages:?}");
    for (package, dependencies) in &packages {
        let rooms: Vec<&String> =
            dependencies.iter().filter(|name| name.starts_with("tailgrid")).collect();
        assert!(
            !rooms.iter().any(|name| ["tailgrid", "tailgrid-engine"].contains(&name.as_str())),
            "{package}"
        );
        let is_lowest = ["tailgrid-domain", "tailgrid-stats"].contains(&package.as_str());
        assert!(!is_lowest || rooms.is_empty(), "{package} knows {rooms:?}");
    }
}

#[test]
fn the_sweep_knows_nothing_of_how_results_are_shown() {
    let packages = packages();
    let known = &packages["tailgrid-sweep"];
    for shows in ["clap", "tailgrid-report", "tailgrid-serve", "tailgrid-ui"] {
        assert!(!known.iter().any(|name| name == shows), "tailgrid-sweep knows {shows}");
    }
}
