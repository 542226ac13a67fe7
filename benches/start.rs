//! How long a job takes to its first tensor operation, forked and as a new process, and what two
//! slots are worth.

use domain::{ForkAnswer, ForkRequest, JobKey, JobRequest};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use std::fs;
use std::io::{BufRead, BufReader, IoSlice, PipeReader, PipeWriter, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use store::Folder;
use testbed::{Workspace, engine};

const SHALLOW: &str =
    "{name: m, encoder: shallow, head: softmax, embeddings: random, dimension: 16}";
const BILSTM: &str =
    "{name: m, encoder: bilstm, head: softmax, embeddings: random, dimension: 100, hidden: 200}";

/// What the engine writes to its log right before the first tensor operation.
const READY: &str = "training on ";
/// What a job may take from a free slot to there.
const GOAL: Duration = Duration::from_millis(20);

fn backend() -> &'static str {
    if cfg!(feature = "libtorch") { "libtorch" } else { "flex" }
}

fn grid(model: &str, sentences: usize, epochs: usize, seeds: usize) -> String {
    format!(
        "version: 1\nname: bench\ncorpora:\n  - {{name: c, format: synthetic, sentences: {sentences}, \
         dev_sentences: 100, test_sentences: 100}}\nmodels: [{model}]\nmethods: [original]\n\
         seeds: {seeds}\ntraining: {{epochs: {epochs}, patience: 0}}\n"
    )
}

/// The request of the one job of a grid that was run.
fn request(workspace: &Workspace) -> JobRequest {
    let folder = Folder::new(&workspace.path("results"), "bench").unwrap();
    let key: JobKey = folder.keys().unwrap().remove(0);
    let record = folder.read_record(&key).unwrap().unwrap();
    JobRequest {
        job: key,
        point: record.point,
        settings: record.settings,
        files: Default::default(),
        model_files: Default::default(),
        method_files: Default::default(),
        predictions: Some(workspace.path("predictions.tsv")),
        kept_model: None,
    }
}

/// Hands over the request and waits for the line before the first operation, then for the end.
fn to_first_operation(
    start: Instant,
    request: &JobRequest,
    mut stdin: PipeWriter,
    stderr: PipeReader,
) -> Duration {
    stdin.write_all((serde_json::to_string(request).unwrap() + "\n").as_bytes()).unwrap();
    let mut lines = BufReader::new(stderr).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with(READY)));
    let taken = start.elapsed();
    assert!(line.is_some(), "the job ended before it began");
    lines.for_each(drop);
    taken
}

fn forked(socket: &mut UnixStream, request: &JobRequest) -> Duration {
    let start = Instant::now();
    let (stdin, stdin_end) = std::io::pipe().map(|(r, w)| (w, r)).unwrap();
    let (_stdout, stdout_end) = std::io::pipe().unwrap();
    let (stderr, stderr_end) = std::io::pipe().unwrap();
    let asked = ForkRequest { attempt: 1, request: request.clone() };
    let asked = serde_json::to_vec(&asked).unwrap();
    let length = (asked.len() as u32).to_le_bytes();
    let ends = [stdin_end.as_raw_fd(), stdout_end.as_raw_fd(), stderr_end.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&ends)];
    let (socket_fd, parts) = (socket.as_raw_fd(), [IoSlice::new(&length)]);
    sendmsg::<()>(socket_fd, &parts, &rights, MsgFlags::empty(), None).unwrap();
    socket.write_all(&asked).unwrap();
    drop((stdin_end, stdout_end, stderr_end));
    let mut answer = String::new();
    BufReader::new(&*socket).read_line(&mut answer).unwrap();
    let ForkAnswer::Forked { .. } = serde_json::from_str(&answer).unwrap() else {
        panic!("{answer}")
    };
    to_first_operation(start, request, stdin, stderr)
}

fn anew(request: &JobRequest) -> Duration {
    let start = Instant::now();
    let (stdin, stdin_end) = std::io::pipe().map(|(r, w)| (w, r)).unwrap();
    let (stderr, stderr_end) = std::io::pipe().unwrap();
    let mut command = Command::new(engine());
    command.stdin(stdin_end).stdout(Stdio::null()).stderr(stderr_end);
    let mut child = command.spawn().unwrap();
    drop(command);
    let taken = to_first_operation(start, request, stdin, stderr);
    child.wait().unwrap();
    taken
}

/// Tenth percentile and median in milliseconds.
fn spread(mut times: Vec<Duration>) -> [f64; 2] {
    times.sort();
    [times.len() / 10, times.len() / 2].map(|at| times[at].as_secs_f64() * 1e3)
}

pub fn bench_first_operation() {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", &grid(SHALLOW, 1000, 1, 1));
    workspace.expect(0, &["run", "grid.yaml", "--backend", backend(), "--quiet"]);
    let request = request(&workspace);
    let (mut socket, theirs) = UnixStream::pair().unwrap();
    let mut command = Command::new(engine());
    command.arg("--serve").env("OMP_NUM_THREADS", "1").stdin(OwnedFd::from(theirs));
    let mut server = command.spawn().unwrap();
    drop(command);
    // The first one waits for LibTorch and for the corpus.
    let first = forked(&mut socket, &request);
    let [low, median] = spread((0..50).map(|_| forked(&mut socket, &request)).collect());
    drop(socket);
    server.wait().unwrap();
    let [new_low, new_median] = spread((0..15).map(|_| anew(&request)).collect());
    println!(
        "to the first tensor operation: forked {median:.1} ms (tenth percentile {low:.1}, the first one {:.0}), \
         a new process {new_median:.0} ms ({new_low:.0})",
        first.as_secs_f64() * 1e3
    );
    assert!(median < GOAL.as_secs_f64() * 1e3, "{median:.1} ms");
}

/// Seconds a job of a whole run.
fn seconds_a_job(grid: &str, jobs: usize, slots: &str, fork: &str) -> f64 {
    let workspace = Workspace::new();
    workspace.write("grid.yaml", grid);
    let run = ["run", "grid.yaml", "--backend", backend(), "--jobs", slots, "--quiet"];
    let start = Instant::now();
    let done = workspace.tailgrid(&run).env("TAILGRID_FORK", fork).status().unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert!(done.success());
    let records = fs::read_dir(workspace.path("results/bench/jobs")).unwrap().count();
    assert_eq!(records, jobs);
    seconds / jobs as f64
}

pub fn bench_small_jobs() {
    let jobs =
        std::env::var("TAILGRID_BENCH_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let grid = grid(SHALLOW, 100, 1, jobs);
    for slots in ["1", "2"] {
        let forked = seconds_a_job(&grid, jobs, slots, "");
        let anew = seconds_a_job(&grid, jobs, slots, "off");
        println!(
            "{jobs} small shallow jobs, {slots} at a time: {:.1} ms a job forked, {:.1} ms as new processes",
            forked * 1e3,
            anew * 1e3
        );
    }
}

pub fn bench_two_slots() {
    let grid = grid(BILSTM, 1500, 2, 8);
    let [one, two] = ["1", "2"].map(|slots| seconds_a_job(&grid, 8, slots, ""));
    println!(
        "BiLSTM jobs of one thread: {one:.2} s a job in one slot, {two:.2} s in two, {:.2} times as many",
        one / two
    );
}
