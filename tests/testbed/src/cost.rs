//! What a run of `tailgrid` takes.

use crate::{Workspace, text};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// What a command took.
#[derive(Copy, Clone, Debug)]
pub struct Cost {
    /// Of the processors, all threads together.
    pub time: Duration,
    /// On the wall.
    pub wall: Duration,
    /// At its height, in MiB.
    pub memory: u64,
}

impl Workspace {
    /// Runs `tailgrid` to a good end; what it printed, and what it cost.
    pub fn cost(&self, arguments: &[&str]) -> (String, Cost) {
        let mut command = self.tailgrid(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn().expect("tailgrid starts");
        let mut output = child.stdout.take().expect("standard output is a pipe");
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            output.read_to_end(&mut bytes).map(|_| bytes)
        });
        let mut memory = 0;
        while is_running(child.id()) {
            memory = memory.max(height(child.id()));
            std::thread::sleep(Duration::from_millis(5));
        }
        let cost = Cost { time: processor_time(child.id()), wall: start.elapsed(), memory };
        let output = child.wait_with_output().expect("the end of a child");
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        let printed = reader.join().expect("no panic in reading").expect("standard output");
        (text(&printed), cost)
    }
}

/// Whether a process runs; one that does not is left for its parent to wait for.
fn is_running(pid: u32) -> bool {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let status = waitid(Id::Pid(Pid::from_raw(pid as i32)), flags).expect("a child");
    status == WaitStatus::StillAlive
}

/// What a process has used of the processors, by hundredths of a second.
fn processor_time(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    // The name, in brackets, may have spaces in it; user and system time are the 14th and 15th.
    let (_, rest) = stat.rsplit_once(')').expect("a name in brackets");
    let fields = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = fields.map(|ticks| ticks.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}

/// The height of a process's memory so far, in MiB; 0 of one that has just ended.
fn height(pid: u32) -> u64 {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { return 0 };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0) / 1024
}
