//! What this process computes on: the processor, and the instruction set that each library chose
//! for it.

use crate::model::{kernel_features, libtorch_instructions, mkl_instructions};
use domain::Processor;
use std::collections::BTreeMap;

/// The kind of this processor; none where the system does not tell.
pub fn processor() -> Option<Processor> {
    let mut processor = identity()?;
    let chosen = [
        ("tailgrid", Some(kernel_features()).filter(|features| !features.is_empty())),
        ("libtorch", libtorch_instructions()),
        ("mkl", mkl_instructions()),
    ];
    let chosen = chosen.into_iter().filter_map(|(name, set)| Some((name.to_owned(), set?)));
    processor.instructions = chosen.collect();
    Some(processor)
}

/// As the processor itself says it.
#[cfg(target_arch = "x86_64")]
fn identity() -> Option<Processor> {
    use std::arch::x86_64::{__cpuid as cpuid, CpuidResult};
    let text = |registers: &[u32]| {
        let bytes: Vec<u8> = registers.iter().flat_map(|register| register.to_le_bytes()).collect();
        let text = String::from_utf8_lossy(&bytes).replace('\0', "");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let CpuidResult { ebx, ecx, edx, .. } = cpuid(0);
    let vendor = text(&[ebx, edx, ecx]);
    let signature = cpuid(1).eax;
    let bits = |from: u32, count: u32| (signature >> from) & ((1 << count) - 1);
    let (family, model) = (bits(8, 4), bits(4, 4));
    // Extended as the manuals of both vendors say.
    let (family, model) = match family {
        0xf => (family + bits(20, 8), model | bits(16, 4) << 4),
        6 => (family, model | bits(16, 4) << 4),
        _ => (family, model),
    };
    let name = match cpuid(0x8000_0000).eax {
        0x8000_0004.. => {
            let parts = [0x8000_0002, 0x8000_0003, 0x8000_0004].map(cpuid);
            let registers = parts.iter().flat_map(|part| [part.eax, part.ebx, part.ecx, part.edx]);
            text(&registers.collect::<Vec<_>>())
        }
        _ => vendor.clone(),
    };
    let [family, model, stepping] = [family, model, bits(0, 4)].map(Some);
    Some(Processor {
        name,
        vendor: Some(vendor),
        family,
        model,
        stepping,
        instructions: BTreeMap::new(),
    })
}

/// As the system says it.
#[cfg(not(target_arch = "x86_64"))]
fn identity() -> Option<Processor> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let value = |name: &str| {
        let line =
            text.lines().find(|line| line.split(':').next().is_some_and(|n| n.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let number = |name: &str| {
        let value = value(name)?;
        match value.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        }
    };
    // ARM: who made it, the part, the variant.
    let (vendor, model, stepping) =
        (value("CPU implementer"), number("CPU part"), number("CPU variant"));
    let described = || Some(format!("{} part {}", vendor.as_deref()?, value("CPU part")?));
    let name = value("model name").or_else(described)?;
    let family = number("CPU architecture");
    Some(Processor { name, vendor, family, model, stepping, instructions: BTreeMap::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_processor_is_the_one_that_the_system_names() {
        let found = processor().unwrap();
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let value = |name: &str| {
            let line = text.lines().find(|line| line.split(':').next().unwrap().trim() == name);
            line.map(|line| line.split_once(':').unwrap().1.trim().to_owned())
        };
        let number = |name: &str| value(name).and_then(|value| value.parse::<u32>().ok());
        if let Some(name) = value("model name") {
            assert_eq!(found.name, name.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if cfg!(target_arch = "x86_64") {
            assert_eq!(found.vendor, value("vendor_id"));
            assert_eq!(found.family, number("cpu family"));
            assert_eq!(found.model, number("model"));
            assert_eq!(found.stepping, number("stepping"));
        }
        assert_eq!(processor(), Some(found));
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", target_os = "linux", feature = "libtorch"))]
    fn libtorch_and_mkl_tell_what_they_chose() {
        let chosen = processor().unwrap().instructions;
        let known = ["DEFAULT", "AVX2", "AVX512"];
        assert!(known.contains(&chosen["libtorch"].as_str()), "{chosen:?}");
        assert!(chosen.get("mkl").is_none_or(|set| set.contains("Intel")), "{chosen:?}");
    }
}
