//! Tells the linker where the engine finds LibTorch when it starts, so that nobody needs
//! LD_LIBRARY_PATH: in the folder they were built with, else in the one that `.libtorch` names now,
//! else in `../lib` beside a program that was moved. Without the feature `libtorch` there is
//! nothing to find.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    if env::var_os("CARGO_FEATURE_LIBTORCH").is_none() {
        return;
    }
    let link = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default())
        .join("../../.libtorch");
    let folder = env::var_os("LIBTORCH").map_or_else(|| link.clone(), PathBuf::from);
    match folder.canonicalize() {
        Ok(real) if real.join("lib/libtorch_cpu.so").exists() => {
            search_at_start(&real.join("lib"));
            search_at_start(&link.join("lib"));
            search_at_start(Path::new("$ORIGIN/../lib"));
            if let Some(version) = version(&real) {
                println!("cargo::rustc-env=LIBTORCH_VERSION={version}");
            }
        }
        _ => println!(
            "cargo::error=there is no LibTorch in {}: run `make libtorch`, or build without it with `make build BACKEND=flex`",
            folder.display()
        ),
    }
}

/// `2.9.1`, as LibTorch's headers say it.
fn version(folder: &Path) -> Option<String> {
    let header = folder.join("include/torch/csrc/api/include/torch/version.h");
    let text = fs::read_to_string(header).ok()?;
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        line.map(|rest| rest.trim().to_owned())
    };
    let parts = ["TORCH_VERSION_MAJOR", "TORCH_VERSION_MINOR", "TORCH_VERSION_PATCH"].map(number);
    let parts: Option<Vec<String>> = parts.into_iter().collect();
    parts.map(|parts| parts.join("."))
}

/// Adds a folder to those that the loader looks in. Word by word: a path may contain a comma.
fn search_at_start(folder: &Path) {
    for word in ["-rpath", &folder.to_string_lossy()] {
        println!("cargo::rustc-link-arg=-Xlinker");
        println!("cargo::rustc-link-arg={word}");
    }
}
