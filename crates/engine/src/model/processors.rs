//! Functions compiled for several kinds of processors.

/// The instructions of this processor that the kernels of this program choose by; empty where it
/// has none of them.
pub fn kernel_features() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let features = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
            ("avx512bw", is_x86_feature_detected!("avx512bw")),
            ("avx512vl", is_x86_feature_detected!("avx512vl")),
            ("avx512dq", is_x86_feature_detected!("avx512dq")),
            ("avx512bf16", is_x86_feature_detected!("avx512bf16")),
        ];
        let found = features.iter().filter(|(_, is_here)| *is_here).map(|(name, _)| *name);
        found.collect::<Vec<_>>().join(" ")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        String::new()
    }
}

/// Defines a function whose body is compiled several times; the processor decides which one runs.
/// In the body `FUSED` says whether a multiplication and an addition are one instruction.
macro_rules! for_each_processor {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_type_parameters)]
            fn body<const FUSED: bool>($($argument: $type),*) $(-> $result)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
                fn wide($($argument: $type),*) $(-> $result)? { body::<true>($($argument),*) }
                #[target_feature(enable = "avx2,fma")]
                fn medium($($argument: $type),*) $(-> $result)? { body::<true>($($argument),*) }
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has the instructions.
                    return unsafe { wide($($argument),*) };
                }
                if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                    // SAFETY: the same.
                    return unsafe { medium($($argument),*) };
                }
            }
            body::<false>($($argument),*)
        }
    };
}
pub(super) use for_each_processor;
