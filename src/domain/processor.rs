//! What the processor of this machine can do.

use super::{Backend, Precision, TrainingSettings};

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

/// Whether jobs here may compute in bf16: the processor multiplies in it, or it has AVX-512 and `TAILGRID_BF16=software`
/// asks for the same roundings in software, which save no time. They check results that were made elsewhere.
pub fn computes_bf16() -> bool {
    has_bf16_products()
        || has_avx512() && std::env::var_os(VARIABLE).is_some_and(|value| value == "software")
}

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
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
         To check results made elsewhere, TAILGRID_BF16=software computes them with AVX-512, no faster than f32"
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
