//! Every write, fsync, rename and new folder of a run, one after the other: once it fails, once the
//! process is killed there, once with half of the bytes written. The next run always arrives.

use super::{Bench, assert_complete, code, finished, text};
use std::process::Output;

/// Two jobs: every kind of change of the folder happens, and few of each.
fn small() -> Bench {
    Bench::of(
        "version: 1\nname: crash\ncorpora: [synthetic]\n\
         models: [{name: shallow, encoder: shallow, head: softmax}]\n\
         methods: [original]\nseeds: 2\nbaseline: original\nlimits: {time: 60s, retries: 1}\n",
    )
}

fn run(bench: &Bench, failpoint: &str) -> Output {
    let mut command = bench.command("run", &["--jobs", "1"], "");
    command.env("TAILGRID_FAILPOINT", failpoint).output().unwrap()
}

/// How often an operation could be made to fail in this way.
fn walk(reference: &Bench, operation: &str, action: &str) -> usize {
    let mut count = 0;
    loop {
        let bench = small();
        let failpoint = format!("{operation}:{}={action}", count + 1);
        let output = run(&bench, &failpoint);
        let messages = text(&output.stderr);
        if !messages.contains(&format!("failpoint {operation}:{}", count + 1)) {
            assert_eq!(code(&output), 0, "{failpoint}: {messages}");
            return count;
        }
        count += 1;
        check_end(&output, &failpoint, action);
        let again = bench.run(&[], "");
        assert_eq!(code(&again), 0, "after {failpoint}: {again:?}");
        assert_complete(&bench, reference);
    }
}

/// A run that was killed says nothing; one that met an error says which, and what to do.
fn check_end(output: &Output, failpoint: &str, action: &str) {
    let messages = text(&output.stderr);
    if action != "ENOSPC" {
        assert_eq!(code(output), -1, "{failpoint}: {messages}");
    } else if !failpoint.starts_with("append") {
        assert_eq!(code(output), 3, "{failpoint}: {messages}");
        assert!(messages.contains("No space left on device"), "{failpoint}: {messages}");
        assert!(messages.contains("make room and run the same command again"), "{messages}");
    }
}

#[test]
fn a_run_stopped_at_any_write_sync_rename_or_folder_goes_on_to_identical_frames() {
    let reference = finished(small());
    for (operation, least) in [("write", 6), ("sync", 15), ("rename", 8), ("folder", 3)] {
        let stopped = walk(&reference, operation, "kill");
        assert!(stopped >= least, "only {stopped} times {operation}");
        assert_eq!(walk(&reference, operation, "ENOSPC"), stopped, "{operation}");
    }
}

#[test]
fn the_folders_of_a_new_grid_are_on_disk_before_anything_is_in_them() {
    for sync in 1..=2 {
        let output = run(&small(), &format!("sync:{sync}=ENOSPC"));
        let messages = text(&output.stderr);
        assert_eq!(code(&output), 3, "{messages}");
        assert!(messages.contains("cannot make the folder"), "{messages}");
    }
}

#[test]
fn half_a_write_or_half_a_line_is_as_if_it_had_not_been() {
    let reference = finished(small());
    assert!(walk(&reference, "write", "torn") >= 6);
    assert_eq!(walk(&reference, "append", "torn"), 2);
    assert_eq!(walk(&reference, "append", "ENOSPC"), 2);
}

#[test]
fn a_failpoint_that_is_none_stops_everything() {
    let bench = small();
    let output = run(&bench, "write:first=kill");
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("TAILGRID_FAILPOINT"), "{output:?}");
    assert_eq!(bench.records(), 0);
}
