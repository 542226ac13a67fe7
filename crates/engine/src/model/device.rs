//! The two backends, and the only place that names them to Burn.

use burn::tensor::Device;
use domain::Backend;
use thiserror::Error;

/// Why a backend cannot be used.
#[derive(Debug, Error)]
pub enum BackendError {
    /// The engine was built without it.
    #[cfg(not(feature = "libtorch"))]
    #[error("this engine was built without LibTorch: run `make build`, or use `--backend flex`")]
    NoLibtorch,
    /// The backend runs and computes nonsense.
    #[error(
        "the backend says that 1 + 1 is {0}: LibTorch is damaged, or not the one for this processor"
    )]
    WrongSum(f32),
    /// A device that this backend does not have.
    #[error("the backend {backend} has no device `{device}`: `cpu`, or with libtorch `cuda:0`")]
    UnknownDevice { backend: Backend, device: String },
    /// LibTorch was built without CUDA, or finds no card.
    #[error(
        "this LibTorch finds no CUDA, which `{0}` needs: build with one that has it (`LIBTORCH=DIR make build`), or use `device: cpu`"
    )]
    NoCuda(String),
}

/// The device of a backend, without autodiff.
pub fn device(backend: Backend, name: &str) -> Result<Device, BackendError> {
    let unknown = || BackendError::UnknownDevice { backend, device: name.to_owned() };
    match (backend, name) {
        (Backend::Flex, "cpu") => Ok(Device::flex()),
        (Backend::Flex, _) => Err(unknown()),
        #[cfg(feature = "libtorch")]
        (Backend::Libtorch, "cpu") => Ok(libtorch()),
        #[cfg(feature = "libtorch")]
        (Backend::Libtorch, _) => {
            let number = name.strip_prefix("cuda:").and_then(|number| number.parse().ok());
            let number: usize = number.ok_or_else(unknown)?;
            match number < tch::Cuda::device_count().max(0) as usize {
                true => Ok(libtorch_cuda(number)),
                false => Err(BackendError::NoCuda(name.to_owned())),
            }
        }
        #[cfg(not(feature = "libtorch"))]
        (Backend::Libtorch, _) => Err(BackendError::NoLibtorch),
    }
}

// burn-tch is frozen upstream and marked so; see Cargo.toml for the pin.
#[cfg(feature = "libtorch")]
#[allow(deprecated)]
fn libtorch() -> Device {
    Device::libtorch()
}

#[cfg(feature = "libtorch")]
#[allow(deprecated)]
fn libtorch_cuda(number: usize) -> Device {
    Device::libtorch_cuda(number)
}

/// Whether tensors of this device are LibTorch's on the processor, which the fused blocks are
/// written for; a card runs the same modules on Burn's operations.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_told_with_what_to_do() {
        let told = |backend, name| device(backend, name).unwrap_err().to_string();
        assert!(told(Backend::Flex, "cuda:0").contains("has no device `cuda:0`"));
        #[cfg(feature = "libtorch")]
        {
            assert!(told(Backend::Libtorch, "gpu").contains("has no device `gpu`"));
            assert!(told(Backend::Libtorch, "cuda:99").contains("finds no CUDA"));
        }
    }
}
