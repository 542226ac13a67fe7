//! What this machine has for jobs now.

use std::fs;
use std::num::NonZeroUsize;

/// Overrides the number of cores, where the system's is not what jobs should use.
const CORES_VARIABLE: &str = "TAILGRID_CORES";

/// Cores that jobs may use: what `TAILGRID_CORES` says, or what the system gives this process.
pub fn cores() -> usize {
    let said = std::env::var(CORES_VARIABLE).ok().and_then(|cores| cores.trim().parse().ok());
    let seen = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    said.map_or_else(seen, NonZeroUsize::get)
}

/// Bytes that could be taken without swapping, by this machine and by the group that this process
/// is in; `None` where the system does not tell.
pub fn memory() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let number = |name: &str| {
        fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok()
    };
    // Files that were read long ago count as used, and are given up where memory is asked for.
    let idle = || {
        let text = fs::read_to_string("/sys/fs/cgroup/memory.stat").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("inactive_file "));
        line.and_then(|bytes| bytes.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    let used = || Some(number("memory.current")?.saturating_sub(idle()));
    let group = number("memory.max").and_then(|most| Some(most.saturating_sub(used()?)));
    machine.into_iter().chain(group).min()
}

fn of_machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_as_the_kernel_writes_it() {
        let text = "MemTotal:       24000000 kB\nMemAvailable:   22000000 kB\n";
        assert_eq!(of_machine(text), Some(22_000_000 * 1024));
        assert_eq!(of_machine("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn there_is_a_core() {
        assert!(cores() >= 1);
    }
}
