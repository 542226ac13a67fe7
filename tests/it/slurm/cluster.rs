//! A Slurm of one node in a folder of its own: munged, slurmctld and slurmd on free ports, gone
//! with this.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The daemons, the last one started first to be stopped.
pub struct Cluster {
    place: tempfile::TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts the daemons and waits until the node is ready.
    pub fn start() -> Self {
        let user = fs::metadata("/proc/self").unwrap().uid();
        assert_eq!(user, 0, "slurmd starts tasks as their users: run this as root");
        let place = tempfile::tempdir().unwrap();
        let mut cluster = Self { place, daemons: Vec::new() };
        cluster.make_folders();
        cluster.start_munge();
        fs::write(cluster.configuration(), cluster.settings()).unwrap();
        for daemon in ["slurmctld", "slurmd"] {
            let command = cluster.command(daemon, &["-D"]);
            cluster.spawn(daemon, command);
        }
        let start = Instant::now();
        while !cluster.said("sinfo", &["--noheader", "--format=%t"]).contains("idle") {
            let waited = start.elapsed();
            assert!(waited < Duration::from_secs(60), "no node is ready:\n{}", cluster.logs());
            std::thread::sleep(Duration::from_millis(100));
        }
        cluster
    }

    /// What `SLURM_CONF` names.
    pub fn configuration(&self) -> PathBuf {
        self.path("slurm.conf")
    }

    /// What the daemons wrote, for messages.
    pub fn logs(&self) -> String {
        let names = ["munged.out", "slurmctld.out", "slurmd.out"];
        names.map(|name| fs::read_to_string(self.path(name)).unwrap_or_default()).concat()
    }

    /// Ends a task as `scancel` does.
    pub fn cancel(&self, task: &str) {
        self.said("scancel", &[task]);
    }

    /// Ends every process of a task without a warning, as a machine that goes down would.
    pub fn kill_task(&self, array: u64, task: u64) {
        let marks = [
            format!("SLURM_ARRAY_JOB_ID={array}\0"),
            format!("SLURM_ARRAY_TASK_ID={task}\0"),
            // Of this cluster: another one counts from 1 too.
            format!("SLURM_CONF={}\0", self.configuration().display()),
        ];
        let of_task = |entry: &fs::DirEntry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            let has = |mark: &String| {
                environment.windows(mark.len()).any(|window| window == mark.as_bytes())
            };
            marks.iter().all(has)
        };
        let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<i32>().ok();
        let pids: Vec<i32> =
            fs::read_dir("/proc").unwrap().flatten().filter(of_task).filter_map(pid).collect();
        assert!(!pids.is_empty(), "no process of task {array}_{task}");
        for pid in pids {
            // A worker may have gone with its runner.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn make_folders(&self) {
        for name in ["munge", "state", "spool"] {
            fs::create_dir(self.path(name)).unwrap();
        }
        // Munge is a user of its own and must get to its folder.
        run("chmod", &[Path::new("755"), self.place.path()]);
        let mut bytes = [0; 128];
        fs::File::open("/dev/urandom").unwrap().read_exact(&mut bytes).unwrap();
        fs::write(self.path("munge/key"), bytes).unwrap();
        run("chown", &[Path::new("-R"), Path::new("munge:munge"), &self.path("munge")]);
        run("chmod", &[Path::new("400"), &self.path("munge/key")]);
    }

    fn start_munge(&mut self) {
        let option = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        let options = [
            option("key-file", "munge/key"),
            option("socket", "munge/socket"),
            option("pid-file", "munge/pid"),
            option("log-file", "munge/log"),
            option("seed-file", "munge/seed"),
        ];
        let mut command = Command::new("setpriv");
        command.args(["--reuid=munge", "--regid=munge", "--clear-groups", "--pdeathsig=TERM"]);
        command.args(["munged", "--foreground"]).args(options);
        self.spawn("munged", command);
        let start = Instant::now();
        while !self.path("munge/socket").exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "no munge:\n{}", self.logs());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn settings(&self) -> String {
        let host = nix::unistd::gethostname().unwrap().into_string().unwrap();
        let host = host.split('.').next().unwrap();
        let (place, cores) = (self.place.path().display(), cores());
        let [controller, node] = free_ports();
        format!(
            "ClusterName=tailgrid\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\n\
             AuthType=auth/munge\nAuthInfo=socket={place}/munge/socket\n\
             StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool\n\
             SlurmctldPidFile={place}/slurmctld.pid\nSlurmdPidFile={place}/slurmd.pid\n\
             SlurmctldPort={controller}\nSlurmdPort={node}\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nKillWait=5\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN\n\
             PartitionName=main Nodes=ALL Default=YES State=UP\n"
        )
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env("SLURM_CONF", self.configuration());
        command
    }

    fn said(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program, arguments).output();
        let output = output
            .unwrap_or_else(|error| panic!("{program}: {error}: make test-system installs it"));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn spawn(&mut self, name: &str, mut command: Command) {
        let log = fs::File::create(self.path(&format!("{name}.out"))).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        // SAFETY: one system call, which is safe after a fork: a daemon must not outlive its test,
        // however that ends.
        unsafe {
            command.pre_exec(|| {
                nix::sys::prctl::set_pdeathsig(Signal::SIGTERM)?;
                Ok(())
            });
        }
        let daemon = command.spawn();
        let daemon =
            daemon.unwrap_or_else(|error| panic!("{name}: {error}: make test-system installs it"));
        self.daemons.push(daemon);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.said("scancel", &["--full", "--user=root"]);
        for mut daemon in self.daemons.drain(..).rev() {
            let _ = kill(Pid::from_raw(daemon.id() as i32), Signal::SIGTERM);
            let start = Instant::now();
            while matches!(daemon.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(10)
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// As many as there are, two at least: a test has two tasks at work.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

fn run(program: &str, arguments: &[&Path]) {
    let status = Command::new(program).args(arguments).status().unwrap();
    assert!(status.success(), "{program} {arguments:?}");
}
