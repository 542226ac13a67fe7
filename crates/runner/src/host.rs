//! What a record says of the machine: enough to tell hosts apart, nothing that names one.

use sha2::{Digest, Sha256};
use std::os::unix::ffi::OsStrExt;
use store::Provenance;

/// The provenance of records made by this process.
pub(super) fn provenance() -> Provenance {
    Provenance {
        tailgrid: env!("CARGO_PKG_VERSION").to_owned(),
        platform: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        host: short_hash(nix::unistd::gethostname().unwrap_or_default().as_bytes()),
        // Each worker tells its own.
        processor: None,
    }
}

fn short_hash(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_eight_hexadecimal_digits() {
        assert_eq!(short_hash(b"abc"), "ba7816bf");
        assert_eq!(provenance().host.len(), 8);
    }
}
