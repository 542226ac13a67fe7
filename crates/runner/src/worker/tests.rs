use super::*;
use domain::{Epoch, JobKey};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::time::Instant;
use store::{Folder, testing};

struct Bench {
    _place: tempfile::TempDir,
    folder: Folder,
}

impl Bench {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::failed("ab", "sc", 1)]);
        Self { _place: place, folder }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.job(&JobKey("ab".into())).unwrap().log()).unwrap()
    }

    fn run(&self, script: &str, limits: Limits, inbox: Inbox) -> (Ending, Vec<usize>) {
        let job = self.folder.job(&JobKey("ab".into())).unwrap();
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        let program = EngineProgram::new("/bin/sh".into(), arguments);
        let request = JobRequest {
            job: JobKey("ab".into()),
            point: testing::point("sc", 1),
            settings: testing::settings(1),
            files: BTreeMap::new(),
            model_files: BTreeMap::new(),
            method_files: BTreeMap::new(),
            predictions: Some(job.attempt(store::KeptFile::Predictions)),
            kept_model: None,
        };
        let mut epochs = Vec::new();
        let mut log = LogFile::open(&job, 1).unwrap();
        let started = start(&program, &request, 1, &mut log, &inbox, |_| {}).unwrap();
        let ending = attend(started, &limits, log, inbox, |event| {
            if let WorkerEvent::Epoch { epoch, .. } = event {
                epochs.push(epoch.epoch);
            }
        });
        (ending, epochs)
    }

    fn failure(&self, script: &str, limits: Limits) -> Failure {
        match self.run(script, limits, mpsc::channel()).0 {
            Ending::Failed(failure) => failure,
            ending => panic!("{ending:?}"),
        }
    }
}

fn no_limits() -> Limits {
    Limits { time: None, memory: None, retries: 0 }
}

fn say(event: &WorkerEvent) -> String {
    format!("echo '{}'\n", serde_json::to_string(event).unwrap())
}

fn finished() -> String {
    say(&WorkerEvent::Finished { outcome: Box::new(testing::outcome()) })
}

fn epoch(epoch: usize) -> String {
    let epoch = Epoch { epoch, ..testing::outcome().epochs[0].clone() };
    say(&WorkerEvent::Epoch { epoch, epochs: 3 })
}

#[test]
fn a_job_that_comes_through_tells_its_epochs_and_its_outcome() {
    let bench = Bench::new();
    let script = format!(
        "read request; echo \"threads $OMP_NUM_THREADS\" >&2; {}{}{}",
        epoch(1),
        epoch(2),
        finished()
    );
    let (ending, epochs) = bench.run(&script, no_limits(), mpsc::channel());
    assert!(matches!(ending, Ending::Finished(outcome) if *outcome == testing::outcome()));
    assert_eq!(epochs, [1, 2]);
    assert_eq!(bench.log(), "threads 1\n");
}

#[test]
fn every_way_to_die_has_its_reason() {
    let bench = Bench::new();
    let failure = |script: &str| bench.failure(script, no_limits()).to_string();
    assert_eq!(failure("kill -ABRT $$"), "the worker was ended by signal 6 (SIGABRT)");
    assert_eq!(failure("kill -KILL $$"), "the worker was ended by signal 9 (SIGKILL)");
    assert_eq!(failure("exit 3"), "the worker left with exit code 3 and no result");
    let panic = "echo \"thread 'main' panicked at /a/b/c.rs:1:1:\" >&2; echo oh no >&2; exit 101";
    assert_eq!(failure(panic), "the engine panicked: oh no");
    assert!(bench.log().contains("panicked at …/b/c.rs:1:1:"));
    assert!(failure("echo hello").contains("could not be read: "));
    assert!(failure(&(epoch(2) + &epoch(1))).contains("out of order"));
    assert!(failure(&(finished() + &finished())).contains("after its result"));
}

#[test]
fn a_request_that_is_never_read_blocks_nobody() {
    let bench = Bench::new();
    let (ending, _) =
        bench.run(&format!("exec 0<&-; {}", finished()), no_limits(), mpsc::channel());
    assert!(matches!(ending, Ending::Finished(_)));
}

#[test]
fn the_time_limit_ends_the_whole_group() {
    let bench = Bench::new();
    let limits = Limits { time: Some(Duration::from_millis(300)), ..no_limits() };
    let start = Instant::now();
    let failure = bench.failure("sleep 600 & echo $! >&2; wait", limits);
    assert!(failure.to_string().starts_with("ran longer than its limit of 300ms: "), "{failure}");
    assert!(start.elapsed() < GRACE);
    let grandchild: i32 = bench.log().trim().parse().unwrap();
    assert!(gone(grandchild));
}

/// Whether a process has ended; who adopts it may take a moment to reap it.
fn gone(pid: i32) -> bool {
    let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    (0..100).any(|_| {
        thread::sleep(Duration::from_millis(10));
        let state = state();
        state.is_empty() || state.contains(") Z ")
    })
}

#[test]
fn a_talkative_worker_does_not_evade_the_time_limit() {
    let bench = Bench::new();
    let limits = Limits { time: Some(Duration::from_millis(300)), ..no_limits() };
    let event = epoch(1).replace("\"epoch\":1,", "\"epoch\":$n,");
    let event = event.replace("\"epochs\":3", "\"epochs\":1000000000");
    let event = event.replace('"', "\\\"").replace('\'', "\"");
    let script = format!("n=0; while :; do n=$((n+1)); {event} done");
    let failure = bench.failure(&script, limits);
    assert!(matches!(failure, Failure::TimeLimit { .. }), "{failure}");
}

/// The verdict on a worker whose time is over while the notices wait to be heard.
fn verdict_when_late(exited: bool, queue: Vec<Notice>) -> Option<Ending> {
    let limits = Limits { time: Some(Duration::ZERO), ..no_limits() };
    // No group has this number.
    let mut watch = Watch::new(Pid::from_raw(i32::MAX), &limits, None, |_| {});
    watch.exited = exited;
    let (sender, notices) = mpsc::channel();
    queue.into_iter().for_each(|notice| sender.send(notice).unwrap());
    watch.until_over(&notices);
    watch.verdict
}

#[test]
fn a_result_that_waits_to_be_heard_counts_although_the_time_is_over() {
    let said = || {
        let outcome = Box::new(testing::outcome());
        Notice::Said(Ok(WorkerEvent::Finished { outcome }))
    };
    let late = verdict_when_late(false, vec![said(), Notice::Silent, Notice::Exited]);
    assert!(matches!(late, Some(Ending::Finished(_))), "{late:?}");
    let exit_first = verdict_when_late(false, vec![Notice::Exited, said(), Notice::Silent]);
    assert!(matches!(exit_first, Some(Ending::Finished(_))), "{exit_first:?}");
    let gone = verdict_when_late(true, vec![said(), Notice::Silent]);
    assert!(matches!(gone, Some(Ending::Finished(_))), "{gone:?}");
    assert!(verdict_when_late(true, Vec::new()).is_none());
    let stopped = verdict_when_late(true, vec![Notice::Stop]);
    assert!(matches!(stopped, Some(Ending::Stopped)), "{stopped:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_memory_limit_ends_a_glutton() {
    let bench = Bench::new();
    let limits = Limits { memory: Some(30 << 20), time: Some(Duration::from_secs(60)), retries: 0 };
    let script = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 600";
    let failure = bench.failure(script, limits);
    assert!(failure.to_string().starts_with("used more memory than its limit of 30.0 MiB: "));
}

#[test]
fn a_child_left_behind_does_not_hold_the_attempt_open() {
    let bench = Bench::new();
    let start = Instant::now();
    let (ending, _) =
        bench.run(&format!("sleep 600 & {}", finished()), no_limits(), mpsc::channel());
    assert!(matches!(ending, Ending::Finished(_)));
    assert!(start.elapsed() < GRACE);
}

#[test]
fn a_stop_ends_it_now() {
    let bench = Bench::new();
    let inbox = mpsc::channel();
    inbox.0.send(Notice::Stop).unwrap();
    let (ending, _) = bench.run("sleep 600", no_limits(), inbox);
    assert!(matches!(ending, Ending::Stopped));
}

#[test]
fn the_leash_ends_when_the_result_is_there() {
    let bench = Bench::new();
    // `cat` leaves at the end of input: without it the test would wait for the grace.
    let start = Instant::now();
    let (ending, _) =
        bench.run(&format!("read r; {} cat", finished()), no_limits(), mpsc::channel());
    assert!(matches!(ending, Ending::Finished(_)) && start.elapsed() < GRACE);
}
