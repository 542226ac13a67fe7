//! Turns on the tensor code of the files that both packages read (`cfg(tensors)`), and tells the
//! linker where the engine finds LibTorch when it starts, so that nobody needs
//! LD_LIBRARY_PATH: in the folder they were built with, else in the one that `.libtorch` names now,
//! else in `../lib` beside a program that was moved. Without the feature `libtorch` it does nothing.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rustc-cfg=tensors");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LIBTORCH");
    if env::var_os("CARGO_FEATURE_LIBTORCH").is_none() {
        return;
    }
    let link =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../.libtorch");
    let folder = env::var_os("LIBTORCH").map_or_else(|| link.clone(), PathBuf::from);
    match folder.canonicalize() {
        Ok(real) if real.join("lib/libtorch_cpu.so").exists() => {
            search_at_start(&real.join("lib"));
            search_at_start(&link.join("lib"));
            search_at_start(Path::new("$ORIGIN/../lib"));
        }
        _ => println!(
            "cargo::error=there is no LibTorch in {}: run `make libtorch`, or build without it with `make build BACKEND=flex`",
            folder.display()
        ),
    }
}

/// Adds a folder to those that the loader looks in. Word by word: a path may contain a comma.
fn search_at_start(folder: &Path) {
    for word in ["-rpath", &folder.to_string_lossy()] {
        println!("cargo::rustc-link-arg=-Xlinker");
        println!("cargo::rustc-link-arg={word}");
    }
}
