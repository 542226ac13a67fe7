//! How the engine is started, whatever for: the one place that makes a command of its program.
//!
//! The libraries in the engine choose their instructions, number of threads and rounding by
//! environment variables too. A job's key knows nothing of those, so the engine does not inherit
//! them: the same job has the same bits from any shell, batch system or container on one kind of
//! processor.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// Environment variables that cap the engine's threads, whatever library reads them: OpenMP and MKL
/// under LibTorch, rayon under flex, the BLAS that either may be built with, and Polars.
const THREAD_CAPS: [&str; 7] = [
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
];

/// The first letters of variables that change what libraries compute, or write to the engine's
/// output.
const REMOVED: [&str; 13] = [
    "ATEN_",
    "BLIS_",
    "DNNL_",
    "GOMP_",
    "GOTO_",
    "KMP_",
    "LIBOMP_",
    "MKL_",
    "NVIDIA_TF32_",
    "OMP_",
    "ONEDNN_",
    "OPENBLAS_",
    "TORCH_ALLOW_TF32_",
];

/// How OpenMP's threads wait: it changes times alone, so the user's choice counts.
const WAIT_POLICY: &str = "OMP_WAIT_POLICY";
/// Settings of the C library, colon-separated.
const TUNABLES: &str = "GLIBC_TUNABLES";
/// Those of its settings that choose among its mathematical functions.
const PROCESSOR_TUNABLES: &str = "glibc.cpu.";

/// A command that starts the engine with so many threads for each of its libraries.
pub fn engine_command(engine: &Path, threads: usize) -> Command {
    let mut command = Command::new(engine);
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_removed(name)) {
        command.env_remove(name);
    }
    if let Some(tunables) = std::env::var_os(TUNABLES) {
        match without_processor(&tunables) {
            Some(rest) => command.env(TUNABLES, rest),
            None => command.env_remove(TUNABLES),
        };
    }
    for variable in THREAD_CAPS {
        command.env(variable, threads.to_string());
    }
    // A library that adapts its thread count at run time would change a job's bits.
    command.env("OMP_DYNAMIC", "FALSE").env("MKL_DYNAMIC", "FALSE");
    // OpenMP's threads otherwise spin while they wait, on cores that the job's other threads and
    // other jobs need.
    if std::env::var_os(WAIT_POLICY).is_none() {
        command.env(WAIT_POLICY, "PASSIVE");
    }
    command
}

fn is_removed(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    name != WAIT_POLICY && REMOVED.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()))
}

/// The C library's settings without those of the processor; none where no other is left.
fn without_processor(tunables: &OsStr) -> Option<OsString> {
    let tunables = tunables.to_string_lossy();
    let rest = tunables.split(':').filter(|setting| !setting.starts_with(PROCESSOR_TUNABLES));
    let rest = rest.collect::<Vec<_>>().join(":");
    (!rest.is_empty()).then(|| rest.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chooses_instructions_threads_or_rounding_is_not_inherited() {
        for name in [
            "ATEN_CPU_CAPABILITY",
            "MKL_CBWR",
            "MKL_ENABLE_INSTRUCTIONS",
            "MKL_DEBUG_CPU_TYPE",
            "MKL_VERBOSE",
            "ONEDNN_MAX_CPU_ISA",
            "DNNL_MAX_CPU_ISA",
            "DNNL_DEFAULT_FPMATH_MODE",
            "OMP_NUM_THREADS",
            "OMP_THREAD_LIMIT",
            "OMP_SCHEDULE",
            "KMP_AFFINITY",
            "GOMP_CPU_AFFINITY",
            "OPENBLAS_CORETYPE",
            "NVIDIA_TF32_OVERRIDE",
        ] {
            assert!(is_removed(OsStr::new(name)), "{name}");
        }
        for name in ["OMP_WAIT_POLICY", "PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "OMP"] {
            assert!(!is_removed(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn settings_of_the_c_library_that_are_not_of_the_processor_stay() {
        let without = |text: &str| without_processor(OsStr::new(text));
        assert_eq!(without("glibc.cpu.hwcaps=-AVX2"), None);
        let rest = without("glibc.malloc.check=1:glibc.cpu.hwcaps=-FMA:glibc.rtld.nns=4");
        assert_eq!(rest, Some("glibc.malloc.check=1:glibc.rtld.nns=4".into()));
    }

    #[test]
    fn threads_are_capped_for_every_library() {
        let command = engine_command(Path::new("engine"), 3);
        let set = |name: &str| {
            let found = command.get_envs().filter(|(key, _)| *key == name).last();
            found.and_then(|(_, value)| value).map(|value| value.to_string_lossy().into_owned())
        };
        for name in THREAD_CAPS {
            assert_eq!(set(name).as_deref(), Some("3"), "{name}");
        }
        assert_eq!(set("OMP_DYNAMIC").as_deref(), Some("FALSE"));
    }
}
