//! The two backends, and the only place that names them to Burn.

use crate::domain::Backend;
use burn::tensor::Device;
use thiserror::Error;

/// Why a backend cannot be used.
#[derive(Debug, Error)]
pub enum BackendError {
    /// The engine was built without it.
    #[error("this engine was built without LibTorch: run `make build`, or use `--backend flex`")]
    NoLibtorch,
    /// The backend runs and computes nonsense.
    #[error(
        "the backend says that 1 + 1 is {0}: LibTorch is damaged, or not the one for this processor"
    )]
    WrongSum(f32),
    /// Only the CPU is supported.
    #[error("unknown device `{0}`: only `cpu` is supported")]
    UnknownDevice(String),
}

/// The device of a backend, without autodiff.
pub fn device(backend: Backend, name: &str) -> Result<Device, BackendError> {
    if name != "cpu" {
        return Err(BackendError::UnknownDevice(name.to_owned()));
    }
    match backend {
        Backend::Flex => Ok(Device::flex()),
        #[cfg(feature = "libtorch")]
        Backend::Libtorch => Ok(libtorch()),
        #[cfg(not(feature = "libtorch"))]
        Backend::Libtorch => Err(BackendError::NoLibtorch),
    }
}

// burn-tch is frozen upstream and marked so; see Cargo.toml for the pin.
#[cfg(feature = "libtorch")]
#[allow(deprecated)]
fn libtorch() -> Device {
    Device::libtorch()
}

/// Whether tensors of this device are LibTorch's.
#[cfg(feature = "libtorch")]
pub(super) fn is_libtorch(device: &Device) -> bool {
    *device == libtorch()
}

/// What runs the tensors, with its version.
pub fn backend_version(backend: Backend) -> String {
    match backend {
        // The pin of engine/Cargo.toml.
        Backend::Flex => "flex 0.22.1".to_owned(),
        // LibTorch has no call for it that tch knows; the build script reads it from its headers.
        Backend::Libtorch => {
            format!("libtorch {}", option_env!("LIBTORCH_VERSION").unwrap_or("of unknown version"))
        }
    }
}

/// Caps the threads of this process's tensor operations. Call before the first of them.
pub fn set_threads(threads: usize) {
    #[cfg(feature = "libtorch")]
    {
        tch::set_num_threads(threads as i32);
        tch::set_num_interop_threads(1);
    }
    // An error means that the pool is already there, which only tests can bring about.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
}
