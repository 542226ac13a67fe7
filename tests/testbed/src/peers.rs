//! The libraries that numbers and times are compared with.

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn repository() -> &'static Path {
    let place = Path::new(env!("CARGO_MANIFEST_DIR"));
    place.ancestors().nth(2).expect("the testbed is two folders deep")
}

/// The Python of an environment that `scripts/need-peers` makes under the target folder.
pub fn python(environment: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| "target".into());
    repository().join(target).join(environment).join("bin/python")
}
