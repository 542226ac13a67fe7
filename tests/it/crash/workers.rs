//! Workers that fail, vanish, are stopped or outlive their runner.

use super::*;

#[test]
fn workers_leave_when_their_runner_is_killed() {
    let bench = Bench::new();
    let mut child = bench.start("*:hang");
    until("two workers beside the runner", || bench.processes() == 3);
    child.kill().unwrap();
    child.wait().unwrap();
    until("no process left", || bench.processes() == 0);
}

#[test]
fn an_orphan_that_works_on_disturbs_nobody() {
    let reference = undisturbed();
    let bench = Bench::new();
    let mut child = bench.start("*:stubborn=1500");
    // A worker that has its request and has written to its log no longer needs its runner.
    until("two jobs at work", || {
        bench.job_folders().iter().filter(|job| has_log(job)).count() == 2
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(code(&bench.run(&[], "")), 0);
    assert!(bench.processes() > 0, "the orphans should outlive this run to test anything");
    until("no process left", || bench.processes() == 0);
    assert_complete(&bench, &reference);
}

#[test]
fn every_misbehaviour_is_recorded_with_its_reason_and_the_sweep_goes_on() {
    for (action, reason) in [
        ("abort", "the worker was ended by signal 6 (SIGABRT)"),
        ("kill", "the worker was ended by signal 9 (SIGKILL)"),
        ("exit", "the worker left with exit code 3 and no result"),
        ("panic", "the engine panicked: asked to panic"),
        ("garbage", "the worker's answer could not be read: "),
        ("huge-line", "the worker's answer could not be read: a line is longer than "),
        ("hang", "ran longer than its limit of 500ms"),
        ("hog", "used more memory than its limit of 100.0 MiB"),
    ] {
        let memory = if action == "hog" {
            "{memory: 100MiB, retries: 0}"
        } else {
            "{time: 500ms, retries: 0}"
        };
        let bench = Bench::with_limits(memory);
        let output = bench.run(&["--only", "seed=1"], &format!("method=sc:{action}"));
        assert_eq!(code(&output), 5, "{action}: {output:?}");
        assert!(text(&output.stdout).starts_with("4 jobs: 3 done, 1 failed"), "{output:?}");
        let status = bench.command("status", &["--only", "status=failed"], "").output().unwrap();
        let told = text(&status.stdout);
        assert!(told.contains(reason), "{action}: {told}");
        assert!(told.contains("synthetic/full/shallow/sc/1"), "{told}");
        let log = told.lines().find_map(|line| line.trim().strip_prefix("log: ")).unwrap();
        assert!(fs::read_to_string(bench.place.path().join(log)).unwrap().contains("sc/1"));
        assert_eq!(bench.processes(), 0);
    }
}

#[test]
fn failed_jobs_wait_for_their_retry() {
    let reference = undisturbed();
    let bench = Bench::with_limits("{time: 60s, retries: 0}");
    assert_eq!(code(&bench.run(&[], "method=sc:exit")), 5);
    let again = bench.run(&[], "");
    assert_eq!(code(&again), 5);
    assert!(text(&again.stdout).starts_with("nothing to do: 12 jobs: 9 done, 3 failed"));
    assert!(text(&again.stderr).contains("--retry-failed"), "{again:?}");
    assert_eq!(code(&bench.run(&["--retry-failed"], "")), 0);
    assert_complete(&bench, &reference);
}

#[test]
fn a_worker_that_vanishes_once_is_tried_again() {
    let bench = Bench::new();
    let output = bench.run(&[], "method=sc:flaky");
    assert_eq!(code(&output), 0, "{output:?}");
    assert_eq!(text(&output.stderr).matches("trying again").count(), 3);
}

#[test]
fn a_worker_can_be_ended_by_hand_and_its_job_is_tried_again() {
    let one_job = ["--only", "method=sc seed=1"];
    let signals = [(Signal::SIGTERM, "15 (SIGTERM)"), (Signal::SIGHUP, "1 (SIGHUP)")];
    for (signal, name) in signals.into_iter().filter(|(signal, _)| !is_ignored(*signal)) {
        let bench = Bench::with_limits("{time: 20s, retries: 1}");
        let runner = bench.command("run", &one_job, "*:hang").spawn().unwrap();
        let mut ended = 0;
        for _attempt in 0..2 {
            until("a worker at work", || {
                let worker =
                    bench.pids().into_iter().find(|&pid| is_new_worker(pid, &runner, ended));
                worker.inspect(|&pid| ended = pid).is_some()
            });
            kill(Pid::from_raw(ended), signal).unwrap();
        }
        let output = runner.wait_with_output().unwrap();
        assert_eq!(code(&output), 5, "{output:?}");
        let messages = text(&output.stderr);
        assert_eq!(messages.matches("trying again").count(), 1, "{messages}");
        let status = bench.command("status", &[], "").output().unwrap();
        let reason = format!("the worker was ended by signal {name}");
        assert!(text(&status.stdout).contains(&reason), "{status:?}");
    }
}

/// Whether whoever started the tests, as `nohup`, wants the signal ignored, also by all that they
/// start.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
    mask & (1 << (signal as u32 - 1)) != 0
}

/// Whether it is a worker, past what it does first, other than the one before.
fn is_new_worker(pid: i32, runner: &Child, before: i32) -> bool {
    // The thread that waits for the runner's end starts after the signals are unblocked.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    pid != runner.id() as i32 && pid != before && threads > 1
}

#[test]
fn a_run_that_was_stopped_for_longer_than_the_limit_hears_what_its_workers_said() {
    let bench = Bench::with_limits("{time: 2s, retries: 0}");
    let runner = bench.start("*:slow=200");
    until("two workers beside the runner", || bench.processes() == 3);
    signal(&runner, Signal::SIGSTOP);
    sleep(Duration::from_millis(2500));
    signal(&runner, Signal::SIGCONT);
    let output = runner.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
}
