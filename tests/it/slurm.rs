//! `submit` and what `status` makes of it: with commands that speak like Slurm's, and on a real
//! Slurm (`make test-system`).

mod cluster;

use crate::frames::unmeasured;
use crate::program::{Workspace, text};
use cluster::Cluster;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;
use std::time::{Duration, Instant};

const GRID: &str = "version: 1\nname: far\ncorpora: [synthetic]\n\
    models: [{name: shallow, encoder: shallow, head: softmax}]\n\
    methods: [original, sc, scr, focal]\nseeds: 3\nbaseline: original\n";

/// A workspace with commands of its own before all others.
fn with_commands(commands: &[(&str, &str)]) -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    for (name, script) in commands {
        let relative = format!("bin/{name}");
        place.write(&relative, &format!("#!/bin/sh\n{script}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path(&relative), mode).unwrap();
    }
    std::fs::create_dir_all(place.path("bin")).unwrap();
    place
}

/// `tailgrid COMMAND grid.yaml --engine mock …`, which finds the workspace's commands only.
fn run(place: &Workspace, command: &str, more: &[&str]) -> Output {
    let mut program = place.tailgrid(&[&[command, "grid.yaml", "--engine", "mock"], more].concat());
    program.env("PATH", place.path("bin")).env_remove("TAILGRID_CORPORA").output().unwrap()
}

fn status(place: &Workspace) -> Value {
    serde_json::from_slice(&run(place, "status", &["--json"]).stdout).unwrap()
}

#[test]
fn a_dry_run_prints_the_script_and_does_nothing() {
    let place = with_commands(&[]);
    let options = [
        "--dry-run",
        "--partition",
        "big",
        "--time",
        "4:00:00",
        "--array-size",
        "3",
        "--cpus-per-task",
        "4",
        "--threads",
        "2",
        "--only",
        "method=sc,scr seed=1",
        "--mem",
        "8G",
        "--retry-failed",
        "--",
        "--gres=gpu:1",
        "--comment=it's mine",
    ];
    let output = run(&place, "submit", &options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let folder = place.path("").canonicalize().unwrap().display().to_string();
    let folder = folder.trim_end_matches('/');
    let program = crate::program::tailgrid().canonicalize().unwrap();
    let script = text(&output.stdout)
        .replace(folder, "/home/me")
        .replace(&program.display().to_string(), "/opt/tailgrid");
    insta::assert_snapshot!(script, @r##"
        #!/bin/sh
        # By `tailgrid submit`. Submitted again, it goes on where it stopped.
        #SBATCH --job-name=tailgrid-far
        #SBATCH --array=0-2
        #SBATCH --cpus-per-task=4
        #SBATCH --output=/home/me/results/far/slurm/%A_%a.log
        #SBATCH --open-mode=append
        #SBATCH --signal=B:INT@60
        #SBATCH --partition=big
        #SBATCH --time=4:00:00
        #SBATCH --mem=8G
        #SBATCH --gres=gpu:1 "--comment=it's mine"

        cd /home/me || exit 1
        # In place of the shell, so that Slurm's signals reach it.
        exec /opt/tailgrid run grid.yaml --shared --results results --corpora data --only 'method=sc,scr seed=1' --threads 2 --engine mock --retry-failed --jobs "$((${SLURM_CPUS_PER_TASK:-4} / 2))"
        "##);
    assert!(!place.path("results").exists());
}

#[test]
fn without_slurm_the_error_says_what_to_do_and_status_says_nothing() {
    let place = with_commands(&[]);
    let output = run(&place, "submit", &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said.contains("no sbatch here") && said.contains("apt-get install slurm-wlm"),
        "{said}"
    );
    assert!(!place.path("results").exists());
    place.write("results/far/slurm/7.json", &submission(7, 2));
    assert_eq!(status(&place)["slurm"], serde_json::json!([]));
    assert!(!text(&run(&place, "status", &[]).stdout).contains("slurm"));
}

fn submission(array: u64, tasks: u64) -> String {
    format!(
        "{{\"version\": 1, \"array\": {array}, \"tasks\": {tasks}, \"script\": \"1.sh\", \
         \"submitted_at\": \"2026-01-01T00:00:00Z\", \"jobs\": [\"ab\"], \"undecided\": 0}}"
    )
}

#[test]
fn what_sbatch_says_against_a_script_is_told() {
    let sbatch = "case $1 in --version) exit 0;; esac; echo 'sbatch: error: invalid partition specified: x' >&2; exit 1";
    let place = with_commands(&[("sbatch", sbatch)]);
    let output = run(&place, "submit", &["--partition", "x"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("invalid partition specified: x"), "{said}");
    assert!(said.contains("nothing was submitted"), "{said}");
    assert!(!place.path("results/far/slurm/12.json").exists());
}

#[test]
fn wrong_options_are_told_before_anything_is_written() {
    let place = with_commands(&[]);
    for (options, words) in [
        (&["--threads", "4", "--cpus-per-task", "2"][..], "give --cpus-per-task 4 or more"),
        (&["--", "--array=0-9"], "give --array-size N"),
        (&["--only", "method=none"], "is selected"),
        (&["--account", "a\"b", "--dry-run"], "--account `a\"b` cannot be written into a script"),
    ] {
        let output = run(&place, "submit", options);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{options:?}: {said}");
    }
    assert!(!place.path("results").exists());
}

#[test]
fn a_submission_is_recorded_and_shown_with_what_slurm_says() {
    let sbatch = "case $1 in --version) exit 0;; esac; cp \"$2\" submitted.sh; echo 12";
    let squeue = "echo \"$*\" >> asked; printf '12_0 PENDING\\n12_1 RUNNING\\n12_2 NODE_FAIL\\n'";
    let place =
        with_commands(&[("sbatch", sbatch), ("squeue", squeue), ("cp", "exec /bin/cp \"$@\"")]);
    let output = run(&place, "submit", &["--array-size", "5", "--json"]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&said["array"], &said["tasks"], &said["jobs"]),
        (&12.into(), &5.into(), &12.into())
    );
    assert_eq!(place.read("submitted.sh"), place.read("results/far/slurm/1.sh"));
    let record: Value = serde_json::from_slice(&place.read("results/far/slurm/12.json")).unwrap();
    assert_eq!(record["jobs"].as_array().unwrap().len(), 12);
    let record = text(&place.read("results/far/slurm/12.json"));
    assert!(!record.contains(&place.path("").display().to_string()), "no absolute path: {record}");
    // Tasks 3 and 4 are gone, and only one of them left word.
    place.write("results/far/slurm/12_3.json", "{\"version\": 1, \"interrupted\": true}");
    let slurm = &status(&place)["slurm"][0];
    let counts =
        ["pending", "running", "ended", "stopped"].map(|name| slurm[name].as_u64().unwrap());
    assert_eq!((counts, slurm["lost"].as_array().unwrap().len()), ([1, 1, 0, 1], 2));
    insta::assert_snapshot!(text(&run(&place, "status", &[]).stdout), @r##"
        far: 12 jobs
          done         0
          failed       0
          to do       12
          n/a          0

        slurm
          array job 12: 1 pending, 1 running, 1 stopped, 2 lost
            12_2 is lost (node fail), log: results/far/slurm/12_2.log
            12_4 is lost, log: results/far/slurm/12_4.log
          `tailgrid submit` again runs what stopped and lost tasks left
        "##);
    // Another one is a hand more, and says who is there already.
    let again = text(&run(&place, "submit", &[]).stderr);
    assert!(again.contains("note: 2 tasks of array job 12 are at the same jobs"), "{again}");
    // What is done is not lost, whoever did it.
    place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    assert_eq!(status(&place)["slurm"][0]["lost"], serde_json::json!([]));
    let nothing = text(&run(&place, "submit", &[]).stdout);
    assert!(nothing.starts_with("nothing to do in `far`"), "{nothing}");
}

#[test]
fn a_task_runs_its_script_and_leaves_word_of_its_end() {
    // A scheduler that runs the tasks one after the other, at once.
    let sbatch = "case $1 in --version) exit 0;; esac
        for task in 0 1; do SLURM_ARRAY_JOB_ID=3 SLURM_ARRAY_TASK_ID=$task /bin/sh \"$2\" >&2 || exit 1; done; echo 3";
    let place = with_commands(&[("sbatch", sbatch), ("squeue", "exit 0")]);
    let output = run(&place, "submit", &["--array-size", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(status(&place)["done"], 12);
    assert_eq!(status(&place)["slurm"][0]["ended"], 2);
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(240), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A folder whose name has to be quoted, on a cluster.
struct Sweep<'c> {
    cluster: &'c Cluster,
    place: Workspace,
    engine: &'static [&'static str],
}

impl Sweep<'_> {
    fn new<'c>(cluster: &'c Cluster, grid: &str, engine: &'static [&'static str]) -> Sweep<'c> {
        let place = Workspace::new();
        place.write("it's a 100% grid/far.yaml", grid);
        Sweep { cluster, place, engine }
    }

    fn tailgrid(&self, command: &str, more: &[&str], mock: &str) -> Output {
        let grid = "it's a 100% grid/far.yaml";
        let mut program = self.place.tailgrid(&[&[command, grid], self.engine, more].concat());
        program.args(["--results", "my results"]).env("TAILGRID_MOCK", mock);
        let output = program.env("SLURM_CONF", self.cluster.configuration()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        output
    }

    fn submit(&self, more: &[&str], mock: &str) -> u64 {
        let output = self.tailgrid("submit", &[more, &["--json"]].concat(), mock);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        said["array"].as_u64().unwrap()
    }

    fn status(&self) -> Value {
        serde_json::from_slice(&self.tailgrid("status", &["--json"], "").stdout).unwrap()
    }

    /// How many tasks of the array job of this number stand so.
    fn tasks(&self, array: u64, state: &str) -> u64 {
        let status = self.status();
        let jobs = status["slurm"].as_array().unwrap();
        let job = jobs.iter().find(|job| job["array"] == array).unwrap();
        job[state]
            .as_array()
            .map_or_else(|| job[state].as_u64(), |it| Some(it.len() as u64))
            .unwrap()
    }

    fn done(&self) -> u64 {
        self.status()["done"].as_u64().unwrap()
    }

    /// Nothing is left to do, and the frames are those of a run without Slurm.
    fn assert_as_local(&self) {
        let status = self.status();
        assert_eq!((&status["to_do"], &status["failed"]), (&0.into(), &0.into()), "{status}");
        let frames = |results: &str| unmeasured(&self.place.path(results), "far");
        let grid = "it's a 100% grid/far.yaml";
        let local = [&["run", grid, "--results", "local"], self.engine].concat();
        self.place.expect(0, &local);
        assert!(frames("my results") == frames("local"), "the frames differ");
    }
}

#[test]
#[ignore = "needs Slurm: make test-system"]
fn system_slurm_a_sweep_with_a_task_killed_half_way_has_the_frames_of_a_local_run() {
    let cluster = Cluster::start();
    let sweep = Sweep::new(&cluster, GRID, &["--engine", "mock"]);
    // An epoch of 300 ms: no job is over within a second, and the sweep takes some.
    let first =
        sweep.submit(&["--partition", "main", "--time", "10", "--array-size", "2"], "*:slow=300");
    until("two tasks at work", || sweep.tasks(first, "running") == 2 && sweep.done() >= 2);
    cluster.kill_task(first, 1);
    until("a lost task", || sweep.tasks(first, "lost") == 1);
    let shown = text(&sweep.tailgrid("status", &[], "").stdout);
    assert!(shown.contains(&format!("{first}_1 is lost")), "{shown}");
    // The other one is cancelled, which it notices: it leaves word and what it had.
    cluster.cancel(&format!("{first}_0"));
    until("a stopped task", || sweep.tasks(first, "stopped") == 1);
    assert!(sweep.done() < 12, "there must be something left");
    let second = sweep.submit(&["--partition", "main", "--time", "10"], "*:slow=10");
    until("the end", || sweep.tasks(second, "pending") + sweep.tasks(second, "running") == 0);
    assert_eq!((sweep.tasks(second, "lost"), sweep.tasks(first, "lost")), (0, 0));
    sweep.assert_as_local();
}

#[test]
#[ignore = "needs Slurm: make test-system"]
fn system_slurm_real_training_has_the_frames_of_a_local_run() {
    let grid = "version: 1\nname: far\ncorpora: [synthetic]\n\
        scenarios: [{name: few, train_sentences: 60}]\n\
        models: [{name: bilstm, encoder: bilstm, head: softmax, hidden: 8}]\n\
        methods: [original, sc]\nseeds: 2\nbaseline: original\n\
        training: {epochs: 2, backend: flex}\n";
    let cluster = Cluster::start();
    let sweep = Sweep::new(&cluster, grid, &[]);
    let array = sweep.submit(&["--time", "10", "--array-size", "2"], "");
    until("the end", || sweep.tasks(array, "pending") + sweep.tasks(array, "running") == 0);
    assert_eq!(sweep.tasks(array, "ended"), 2, "{}", cluster.logs());
    sweep.assert_as_local();
}

#[test]
#[ignore = "needs Slurm: make test-system"]
fn system_slurm_a_task_stops_before_its_time_is_over() {
    let cluster = Cluster::start();
    let sweep = Sweep::new(&cluster, GRID, &["--engine", "mock"]);
    // Slurm counts minutes; notice is given a minute before the end, so at once.
    let array = sweep.submit(&["--time", "1", "--array-size", "1"], "*:slow=2000");
    until("its end", || sweep.tasks(array, "stopped") == 1);
    let done = sweep.done();
    assert!((1..12).contains(&done), "{done} jobs were finished");
    let unknown = sweep
        .place
        .tailgrid(&["submit", "it's a 100% grid/far.yaml", "--partition", "nope"])
        .env("SLURM_CONF", cluster.configuration())
        .output()
        .unwrap();
    assert!(text(&unknown.stderr).contains("invalid partition specified: nope"));
}
