//! What the two programs load when they start: `tailgrid` never LibTorch, `tailgrid-engine`
//! LibTorch with no help from the environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const TAILGRID: &str = env!("CARGO_BIN_EXE_tailgrid");

/// The engine is another package's program: `make test` builds it beside this one.
fn engine() -> PathBuf {
    Path::new(TAILGRID).with_file_name("tailgrid-engine")
}

/// Runs a program from another folder with an empty environment: no LD_LIBRARY_PATH, no LIBTORCH.
fn bare(program: impl AsRef<Path>, arguments: &[&str]) -> Output {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).env_clear().current_dir("/").output().unwrap()
}

/// The shared libraries of a program, as the loader finds them, without the addresses where they
/// were put: those are different every time, and may spell anything.
fn libraries(program: &Path) -> String {
    let done = bare("/usr/bin/ldd", &[&program.to_string_lossy()]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let listed = String::from_utf8(done.stdout).unwrap();
    listed.lines().map(|line| line.split(" (0x").next().unwrap_or(line).to_owned() + "\n").collect()
}

#[test]
fn tailgrid_does_not_load_libtorch() {
    let libraries = libraries(Path::new(TAILGRID));
    assert!(libraries.contains("libc.so"), "ldd says nothing: {libraries}");
    for word in ["torch", "c10", "gomp", "cudart"] {
        assert!(!libraries.contains(word), "{word} in:\n{libraries}");
    }
}

#[test]
fn the_engine_finds_all_it_loads_with_an_empty_environment() {
    let libraries = libraries(&engine());
    assert!(!libraries.contains("not found"), "{libraries}");
    assert_eq!(libraries.contains("libtorch_cpu.so"), cfg!(feature = "libtorch"), "{libraries}");
    assert!(!libraries.contains("libtorch_cuda"), "{libraries}");
}

#[test]
fn every_backend_that_is_built_in_works_from_any_folder() {
    let backends: &[&str] =
        if cfg!(feature = "libtorch") { &["libtorch", "flex"] } else { &["flex"] };
    for backend in backends {
        let done = bare(engine(), &["--check", backend]);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{backend}: {}: {said}", done.status);
    }
}

#[test]
fn tailgrid_starts_in_milliseconds() {
    let start = |_| {
        let began = Instant::now();
        let done = bare(TAILGRID, &["--version"]);
        assert!(done.status.success());
        began.elapsed()
    };
    // The quickest of several: other tests are running beside this one.
    let quickest = (0..20).map(start).min().unwrap();
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
}
