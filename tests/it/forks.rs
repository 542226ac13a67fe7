//! Workers from a fork server: the same bits as new processes, and the same guarantees, whoever is
//! killed. With the real engine on small jobs.

use crate::program::{self, Workspace, text};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const GRID: &str = "\
version: 1
name: forks
corpora:
  - {name: tiny, format: synthetic, sentences: 150, dev_sentences: 60, test_sentences: 80}
models:
  - {name: softmax, encoder: shallow, head: softmax, embeddings: random, dimension: 16}
  - {name: crf, encoder: shallow, head: crf, embeddings: random, dimension: 16}
  - {name: bilstm, encoder: bilstm, head: softmax, embeddings: random, dimension: 16, hidden: 12}
  - {name: bilstm-crf, encoder: bilstm, head: crf, embeddings: random, dimension: 16, hidden: 12}
methods: [scr]
seeds: 1
baseline: scr
training: {epochs: 2, batch: 16, learning_rate: 0.01}
limits: {retries: 1}
";

/// Jobs of so many epochs; six take seconds, more outlast a test that kills them.
fn long(epochs: usize) -> String {
    let grid = GRID.replace("sentences: 150", "sentences: 1000");
    grid.replace("epochs: 2", &format!("epochs: {epochs}, patience: 0"))
}

fn backends() -> &'static [&'static str] {
    if cfg!(feature = "libtorch") { &["libtorch", "flex"] } else { &["flex"] }
}

/// Of each finished job, by its folder's name: its predictions, and what its record holds besides
/// times.
fn outcomes(workspace: &Workspace) -> Vec<(String, Vec<u8>, Value)> {
    let jobs = fs::read_dir(workspace.path("results/forks/jobs")).unwrap();
    let mut jobs: Vec<_> = jobs.map(|job| job.unwrap().path()).collect();
    jobs.sort();
    let outcome = |job: &std::path::PathBuf| {
        let record = fs::read(job.join("record.json")).unwrap();
        let mut outcome = serde_json::from_slice::<Value>(&record).unwrap()["outcome"].take();
        assert_eq!(outcome["weights"].as_str().map(str::len), Some(64), "{outcome}");
        for measured in ["train_seconds", "peak_rss_mb"] {
            outcome[measured].take();
        }
        for epoch in outcome["epochs"].as_array_mut().unwrap() {
            epoch["seconds"].take();
        }
        let name = job.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(job.join("predictions.tsv")).unwrap(), outcome)
    };
    jobs.iter().map(outcome).collect()
}

#[test]
fn a_forked_worker_gives_the_bits_of_a_new_process() {
    for backend in backends() {
        for threads in ["1", "2"] {
            let run = |fork: &str, jobs: &str| {
                let workspace = Workspace::new();
                workspace.write("grid.yaml", GRID);
                let options = ["--backend", backend, "--threads", threads, "--jobs", jobs];
                let arguments = [&["run", "grid.yaml", "--quiet"], &options[..]].concat();
                let output =
                    workspace.tailgrid(&arguments).env("TAILGRID_FORK", fork).output().unwrap();
                assert!(output.status.success(), "{}", text(&output.stderr));
                (outcomes(&workspace), workspace.read("results/forks/metrics.parquet"))
            };
            let anew = run("off", "1");
            assert_eq!(anew.0.len(), 4);
            for jobs in ["1", "2"] {
                let forked = run("", jobs);
                for (one, other) in anew.0.iter().zip(&forked.0) {
                    assert_eq!(one, other, "{backend}, {threads} threads, {jobs} at a time");
                }
                assert!(anew.1 == forked.1, "the metrics differ: {backend}, {threads} threads");
            }
        }
    }
}

#[test]
#[cfg(feature = "libtorch")]
fn variables_of_libraries_change_no_bits() {
    let run = |fork: &str, variables: &[(&str, &str)]| {
        let workspace = Workspace::new();
        workspace.write("grid.yaml", GRID);
        let mut command =
            workspace.tailgrid(&["run", "grid.yaml", "--quiet", "--only", "model=softmax,bilstm"]);
        command.env("TAILGRID_FORK", fork).envs(variables.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        outcomes(&workspace)
    };
    let variables = [
        ("ATEN_CPU_CAPABILITY", "default"),
        ("MKL_CBWR", "COMPATIBLE"),
        ("ONEDNN_MAX_CPU_ISA", "SSE41"),
        ("DNNL_MAX_CPU_ISA", "SSE41"),
        ("OMP_THREAD_LIMIT", "1"),
        ("MKL_VERBOSE", "1"),
        ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA"),
    ];
    let plain = run("", &[]);
    assert_eq!(plain.len(), 2);
    for fork in ["", "off"] {
        assert_eq!(run(fork, &variables), plain, "TAILGRID_FORK={fork}");
    }
}

#[test]
fn a_record_names_the_processor() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    workspace.expect(0, &["run", "grid.yaml", "--backend", "flex", "--only", "model=softmax"]);
    let jobs = fs::read_dir(workspace.path("results/forks/jobs")).unwrap();
    let job = jobs.map(|job| job.unwrap().file_name().into_string().unwrap()).next().unwrap();
    let record = workspace.read(&format!("results/forks/jobs/{job}/record.json"));
    let record: Value = serde_json::from_slice(&record).unwrap();
    let processor = &record["provenance"]["processor"];
    let name = processor["name"].as_str().unwrap();
    assert!(!name.is_empty());
    let told = workspace.expect(0, &["explain", &job]);
    assert!(text(&told.stdout).contains(name), "{told:?}");
}

/// A run that is under way, and every process of it by its mark.
struct Running {
    workspace: Workspace,
    child: Child,
}

impl Running {
    fn start(grid: &str, jobs: &str) -> Self {
        let workspace = Workspace::new();
        workspace.write("grid.yaml", grid);
        let mut command: Command =
            workspace.tailgrid(&["run", "grid.yaml", "--backend", "flex", "--jobs", jobs]);
        command.env("TAILGRID_TEST_MARK", workspace.path(""));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        Self { workspace, child }
    }

    fn runner(&self) -> i32 {
        self.child.id() as i32
    }

    /// All that is marked, without the runner.
    fn others(&self) -> Vec<i32> {
        let mark = format!("TAILGRID_TEST_MARK={}\0", self.workspace.path("").display());
        let marked = |pid: &i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|window| window == mark.as_bytes())
        };
        let pids = fs::read_dir("/proc").unwrap().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| *pid != self.runner()).filter(marked).collect()
    }

    /// The server has one thread, and leads the group that it was started in; a worker has its
    /// leash beside.
    fn server(&self) -> Option<i32> {
        self.others().into_iter().find(|pid| is_server(*pid))
    }

    fn workers(&self) -> Vec<i32> {
        let others = self.others().into_iter();
        others.filter(|pid| !is_server(*pid) && field(*pid, "Threads") > 1).collect()
    }
}

/// A server's standard input is a socket, a worker's a pipe.
fn is_server(pid: i32) -> bool {
    let stdin = fs::read_link(format!("/proc/{pid}/fd/0")).unwrap_or_default();
    stdin.to_string_lossy().starts_with("socket:")
}

/// A number of `/proc/PID/status`; 0 of a process that is gone.
fn field(pid: i32, name: &str) -> i32 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn end(pid: i32) {
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
}

fn until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = condition() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain: {what}");
        sleep(Duration::from_millis(5));
    }
}

fn two_workers(running: &Running) -> Vec<i32> {
    until("two workers", || Some(running.workers()).filter(|workers| workers.len() == 2))
}

#[test]
fn a_worker_is_the_runners_child_and_leads_its_own_group() {
    let mut running = Running::start(&long(400), "2");
    let workers = two_workers(&running);
    let server = until("a server", || running.server());
    assert_eq!(field(server, "Threads"), 1);
    for worker in workers {
        assert_eq!(field(worker, "PPid"), running.runner());
        let group = nix::unistd::getpgid(Some(Pid::from_raw(worker))).unwrap();
        assert_eq!(group.as_raw(), worker);
        let open = fs::read_dir(format!("/proc/{worker}/fd")).unwrap();
        let sockets = open.flatten().filter_map(|file| fs::read_link(file.path()).ok());
        let sockets = sockets.filter(|to| to.to_string_lossy().starts_with("socket:")).count();
        assert_eq!(sockets, 0, "a worker that holds the server's socket hides its death");
    }
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    until("no process left", || running.others().is_empty().then_some(()));
}

#[test]
fn a_killed_server_is_replaced_and_its_workers_go_on() {
    let running = Running::start(&long(6), "2");
    let workers = two_workers(&running);
    end(until("a server", || running.server()));
    sleep(Duration::from_millis(100));
    // A short job may be over by now; one that is not is still the runner's.
    let alive = workers.iter().filter(|pid| fs::exists(format!("/proc/{pid}")).unwrap_or(false));
    assert!(
        alive.map(|pid| field(*pid, "PPid")).all(|parent| [0, running.runner()].contains(&parent))
    );
    let output = running.child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("the fork server failed"), "{told}");
    assert!(told.contains("it is started again"), "{told}");
    assert!(text(&output.stdout).starts_with("4 jobs: 4 done"), "{output:?}");
    assert_eq!(outcomes(&running.workspace).len(), 4);
}

#[test]
fn a_killed_worker_is_tried_again_like_any_other() {
    let running = Running::start(&long(6), "1");
    let worker = until("a worker", || running.workers().first().copied());
    end(worker);
    let output = running.child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("ended by signal 9 (SIGKILL); trying again"), "{told}");
    let logs: Vec<String> = outcomes(&running.workspace)
        .iter()
        .map(|(job, ..)| running.workspace.read(&format!("results/forks/jobs/{job}/log.txt")))
        .map(|log| text(&log))
        .collect();
    assert_eq!(logs.iter().filter(|log| log.contains("--- attempt 2 ---")).count(), 1);
}

#[test]
fn an_interrupt_ends_workers_and_server() {
    let running = Running::start(&long(400), "2");
    two_workers(&running);
    kill(Pid::from_raw(running.runner()), Signal::SIGTERM).unwrap();
    let mut running = running;
    assert_eq!(running.child.wait().unwrap().code(), Some(6));
    until("no process left", || running.others().is_empty().then_some(()));
}

#[test]
fn a_second_interrupt_does_not_wait_for_a_stuck_server() {
    let mut running = Running::start(&long(400), "1");
    let worker = until("a worker", || running.workers().first().copied());
    let server = Pid::from_raw(until("a server", || running.server()));
    kill(server, Signal::SIGSTOP).unwrap();
    end(worker);
    // The next job has its log, and waits for the server.
    let logs = || {
        let jobs = fs::read_dir(running.workspace.path("results/forks/jobs")).ok()?;
        let logs = jobs.flatten().filter(|job| job.path().join("log.txt").is_file());
        (logs.count() == 2).then_some(())
    };
    until("a second job", logs);
    let start = Instant::now();
    for _ in 0..2 {
        kill(Pid::from_raw(running.runner()), Signal::SIGINT).unwrap();
        sleep(Duration::from_millis(200));
    }
    assert_eq!(running.child.wait().unwrap().code(), Some(6));
    // Two seconds, and room for a machine that does much else.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    until("no process left", || running.others().is_empty().then_some(()));
}

#[test]
fn limits_hold_for_forked_workers() {
    let workspace = Workspace::new();
    let limits = "limits: {time: 300ms, retries: 0}";
    workspace.write("grid.yaml", &long(400).replace("limits: {retries: 1}", limits));
    let run = ["run", "grid.yaml", "--backend", "flex", "--only", "model=bilstm"];
    workspace.expect(5, &run);
    let status = workspace.expect(0, &["status", "grid.yaml", "--backend", "flex"]);
    assert!(text(&status.stdout).contains("ran longer than its limit of 300ms"), "{status:?}");
}

#[test]
fn an_engine_that_cannot_serve_runs_every_job_as_a_new_process_and_says_so() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", GRID);
    // A copy of the programs whose engine refuses to serve.
    let folder = workspace.path("bin");
    fs::create_dir(&folder).unwrap();
    let tailgrid = folder.join("tailgrid");
    fs::copy(program::tailgrid(), &tailgrid).unwrap();
    let real = program::tailgrid().with_file_name("tailgrid-engine");
    let engine = format!(
        "#!/bin/sh\ncase $1 in --serve) echo 'no forks today' >&2; exit 1;; esac\nexec '{}' \"$@\"\n",
        real.display()
    );
    write_program(&folder.join("tailgrid-engine"), &engine);
    let mut command = Command::new(&tailgrid);
    command.args(["run", "grid.yaml", "--backend", "flex", "--jobs", "1"]);
    command.current_dir(workspace.path("")).env("XDG_CACHE_HOME", workspace.path(".cache"));
    let output = command.output().unwrap();
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("the fork server failed (no forks today)").count(), 3, "{told}");
    assert_eq!(told.matches("every job is started as a new process").count(), 1, "{told}");
    assert_eq!(outcomes(&workspace).len(), 4);
}

fn write_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
