//! How much memory a worker and everything it started hold now.

use nix::unistd::Pid;

/// Resident bytes of a process and its descendants; `None` where the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn resident(root: Pid) -> Option<u64> {
    let mut total = own_resident(root.as_raw())?;
    let mut open = children(root.as_raw());
    while let Some(pid) = open.pop() {
        total += own_resident(pid).unwrap_or(0);
        open.extend(children(pid));
    }
    Some(total)
}

/// Resident bytes are known on Linux only.
#[cfg(not(target_os = "linux"))]
pub(super) fn resident(_root: Pid) -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
fn own_resident(pid: i32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(target_os = "linux")]
fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let of_task = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children"));
    let lists = tasks.flatten().flat_map(of_task);
    lists
        .flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<_>>())
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn own_memory_is_seen() {
        let pages = std::hint::black_box(vec![1u8; 64 << 20]);
        let seen = resident(nix::unistd::getpid()).unwrap();
        assert!(seen > std::hint::black_box(&pages).len() as u64, "{seen}");
    }

    #[test]
    fn descendants_are_counted_and_the_dead_are_not_an_error() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let own = nix::unistd::getpid().as_raw();
        assert!(children(own).contains(&(child.id() as i32)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(resident(Pid::from_raw(child.id() as i32)), None);
    }
}
