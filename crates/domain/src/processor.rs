//! What the processor of this machine can do.

use super::{Backend, Precision, TrainingSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The kind of processor that a job ran on, and what its libraries made of it. A job has the same
/// bits on equal ones.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// As it calls itself, `AMD EPYC 9R14`.
    pub name: String,
    /// `GenuineIntel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepping: Option<u32>,
    /// By library the instruction set that it chose: `libtorch`, `mkl`, and `tailgrid` for the
    /// program's own kernels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, String>,
}

impl fmt::Display for Processor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let numbers = [("family", self.family), ("model", self.model), ("stepping", self.stepping)];
        let numbers = numbers.iter().filter_map(|(name, n)| Some(format!("{name} {}", (*n)?)));
        let chosen = self.instructions.iter().map(|(library, set)| format!("{library}: {set}"));
        match numbers.chain(chosen).collect::<Vec<_>>().join(", ") {
            details if details.is_empty() => Ok(()),
            details => write!(f, " ({details})"),
        }
    }
}

/// Whether the processor multiplies in bf16.
pub fn has_bf16_products() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512bf16")
    }
    #[cfg(target_arch = "aarch64")]
    {
        std::arch::is_aarch64_feature_detected!("bf16")
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        false
    }
}

/// The variable that asks for bf16 in software.
const VARIABLE: &str = "TAILGRID_BF16";

/// Whether jobs here may compute in bf16: the processor multiplies in it, or
/// `TAILGRID_BF16=software` asks for the same roundings in software, which save no time. They check
/// results that were made elsewhere.
pub fn computes_bf16() -> bool {
    has_bf16_products() || std::env::var_os(VARIABLE).is_some_and(|value| value == "software")
}

/// Why a training cannot compute in its precision.
#[derive(Copy, Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PrecisionProblem {
    #[error("`precision: bf16` needs the backend libtorch; flex computes in f32 alone")]
    Backend,
    #[error("`precision: bf16` needs `device: cpu`")]
    Device,
    #[error(
        "`precision: bf16` needs a processor with bf16 products (AVX512-BF16, or bf16 on ARM); this one has none. \
         To check results made elsewhere, TAILGRID_BF16=software rounds in the same way, no faster than f32"
    )]
    Processor,
    #[error("`precision: bf16` needs a transformer; the encoder of this model is not one")]
    Encoder,
}

impl PrecisionProblem {
    /// What is wrong on a processor that has bf16 products, or not.
    pub fn of(training: &TrainingSettings, has_products: bool) -> Option<Self> {
        match training {
            TrainingSettings { precision: Precision::F32, .. } => None,
            TrainingSettings { backend: Backend::Flex, .. } => Some(PrecisionProblem::Backend),
            TrainingSettings { device, .. } if device != "cpu" => Some(PrecisionProblem::Device),
            _ if !has_products => Some(PrecisionProblem::Processor),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_needs_libtorch_the_processor_and_its_products() {
        let f32 = TrainingSettings::default();
        let bf16 = TrainingSettings { precision: Precision::Bf16, ..f32.clone() };
        let flex = TrainingSettings { backend: Backend::Flex, ..bf16.clone() };
        let cuda = TrainingSettings { device: "cuda:0".into(), ..bf16.clone() };
        for (training, has, expected) in [
            (&f32, false, None),
            (&bf16, true, None),
            (&bf16, false, Some(PrecisionProblem::Processor)),
            (&flex, true, Some(PrecisionProblem::Backend)),
            (&cuda, true, Some(PrecisionProblem::Device)),
        ] {
            assert_eq!(PrecisionProblem::of(training, has), expected);
        }
    }
}
