//! `scripts/get-libtorch`: its tests are in Python beside this file, as it is, and run from here so
//! that `make test` is every test. They download nothing.

#[test]
#[cfg(feature = "libtorch")]
fn get_libtorch_passes_its_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let done = std::process::Command::new("python3")
        .arg(root.join("tests/it/get_libtorch.py"))
        .env_remove("LIBTORCH")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
