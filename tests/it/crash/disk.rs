//! Disks that are full or read-only: real ones, small file systems in memory, where this process
//! may mount some; elsewhere these tests say that they were skipped.

use super::{Bench, assert_complete, code, text, undisturbed};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A file system of its own for a bench's results, gone when this is.
struct Disk {
    place: PathBuf,
}

impl Disk {
    /// Of this size; `None` where mounting is not allowed.
    fn mount(bench: &Bench, size: &str) -> Option<Self> {
        let place = bench.place.path().join("results");
        fs::create_dir(&place).unwrap();
        let disk = Self { place };
        if !disk.mounted(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]) {
            eprintln!("skipped: no file system can be mounted here");
            return None;
        }
        Some(disk)
    }

    fn remount(&self, options: &str) {
        assert!(self.mounted(&["-o", &format!("remount,{options}")]));
    }

    fn mounted(&self, arguments: &[&str]) -> bool {
        let mut mount = Command::new("mount");
        let mount = mount.args(arguments).arg(&self.place).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.place).stderr(Stdio::null()).status();
    }
}

#[test]
fn a_full_disk_stops_a_run_that_goes_on_when_there_is_room() {
    let reference = undisturbed();
    for size in ["40k", "120k", "200k", "300k"] {
        let bench = Bench::new();
        let Some(disk) = Disk::mount(&bench, size) else { return };
        let full = bench.run(&["--jobs", "2"], "");
        let messages = text(&full.stderr);
        assert!([3, 5].contains(&code(&full)), "{size}: {messages}");
        assert!(messages.contains("No space left on device"), "{size}: {messages}");
        disk.remount("size=64m");
        let finished = bench.records();
        let status = bench.command("status", &["--json"], "").output().unwrap();
        assert_eq!(code(&status), 0, "{size}: {status:?}");
        // Jobs that could not write their predictions failed; the others are not run again.
        let output = bench.run(&["--retry-failed"], "");
        assert_eq!(code(&output), 0, "{size}, {finished} records: {output:?}");
        assert_complete(&bench, &reference);
    }
}

#[test]
fn a_read_only_folder_can_be_looked_at_and_is_refused_by_run() {
    let bench = Bench::new();
    let Some(disk) = Disk::mount(&bench, "64m") else { return };
    assert_eq!(code(&bench.run(&["--only", "seed=1"], "")), 0);
    disk.remount("ro");
    for command in ["status", "plan", "compare"] {
        let output = bench.command(command, &[], "").output().unwrap();
        assert_eq!(code(&output), 0, "{command}: {output:?}");
    }
    let output = bench.run(&[], "");
    assert_eq!(code(&output), 3, "{output:?}");
    let message = text(&output.stderr);
    assert!(message.contains("Read-only file system"), "{message}");
    assert!(message.contains("`--results DIR`"), "{message}");
    disk.remount("rw");
    assert_eq!(code(&bench.run(&[], "")), 0);
    assert_complete(&bench, &undisturbed());
}
