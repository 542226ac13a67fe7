//! Eight workers at once, and two runs that want the same folder.

use super::{Bench, JOBS, assert_complete, code, text, undisturbed};
use std::process::Child;

fn start(bench: &Bench, more: &[&str]) -> Child {
    let arguments = [&["--jobs", "8", "--json"], more].concat();
    bench.command("run", &arguments, "*:slow=15").spawn().unwrap()
}

/// How many jobs a run finished, by its events.
fn finished(events: &[u8]) -> usize {
    text(events).matches("\"event\":\"job-finished\"").count()
}

#[test]
fn of_two_runs_at_once_one_works_the_other_refuses_or_waits_and_no_job_runs_twice() {
    let reference = undisturbed();
    for round in 0..8 {
        let bench = Bench::new();
        let more: &[&str] = if round % 2 == 0 { &["--wait"] } else { &[] };
        let runs = [start(&bench, more), start(&bench, more)];
        let outputs = runs.map(|run| run.wait_with_output().unwrap());
        let mut codes = outputs.each_ref().map(code);
        codes.sort();
        match more.is_empty() {
            // One that comes when the other is just done has nothing to do.
            true => assert!([[0, 8], [0, 0]].contains(&codes), "{outputs:?}"),
            false => assert_eq!(codes, [0, 0], "{outputs:?}"),
        }
        let jobs: usize = outputs.iter().map(|output| finished(&output.stdout)).sum();
        assert_eq!(jobs, JOBS, "{outputs:?}");
        assert_complete(&bench, &reference);
    }
}

#[test]
fn a_run_that_waits_says_for_whom_and_starts_when_the_other_is_killed() {
    let bench = Bench::new();
    let mut first = bench.start("*:hang");
    super::until("the first runs", || bench.processes() == 3);
    let second = bench.command("run", &["--wait"], "").spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    first.kill().unwrap();
    let pid = first.id();
    first.wait().unwrap();
    let output = second.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{output:?}");
    let told = format!("waiting for another run to end (pid {pid}, started ");
    assert!(text(&output.stderr).contains(&told), "{output:?}");
    assert_complete(&bench, &undisturbed());
}
