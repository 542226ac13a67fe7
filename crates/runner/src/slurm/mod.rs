//! Slurm as a place to run: an array job whose tasks are runs that share the results folder.
//!
//! Which task runs which job is decided by claims when it starts one, never here: a task that is
//! lost takes nothing with it, and submitting again adds hands. Slurm is spoken to through its own
//! commands, its answers are checked like any input, and without it everything else works.

mod command;
mod error;
mod script;
mod tasks;

pub use error::SlurmError;
pub use script::{Array, Script};
pub use tasks::{TaskState, Tasks};

use command::{Answer, ask};
use std::path::Path;
use std::time::Duration;
use store::{SubmissionRecord, TaskId};

/// A controller that is asked by thousands may take its time to answer.
const SUBMIT_PATIENCE: Duration = Duration::from_secs(120);
/// `status` must not hang on a controller that is down.
const STATUS_PATIENCE: Duration = Duration::from_secs(15);

/// What Slurm made of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Submitted {
    pub array: u64,
    pub cluster: Option<String>,
}

/// Hands a script to Slurm.
pub fn submit(script: &Path) -> Result<Submitted, SlurmError> {
    let path = script.display().to_string();
    match ask("sbatch", &["--parsable".as_ref(), script.as_os_str()], SUBMIT_PATIENCE) {
        Answer::NotThere => Err(SlurmError::NoSbatch),
        Answer::Silent => Err(SlurmError::Silent { seconds: SUBMIT_PATIENCE.as_secs() }),
        Answer::Refused(said) => Err(SlurmError::Refused { script: path, said }),
        Answer::Said(said) => parse_submitted(&said).ok_or(SlurmError::Unclear { said }),
    }
}

/// Whether this machine can submit.
pub fn check_sbatch() -> Result<(), SlurmError> {
    match ask("sbatch", &["--version".as_ref()], STATUS_PATIENCE) {
        Answer::NotThere => Err(SlurmError::NoSbatch),
        _ => Ok(()),
    }
}

/// `12`, or `12;cluster`; other programs may print lines of their own before it.
fn parse_submitted(said: &str) -> Option<Submitted> {
    let line = said.lines().rev().find(|line| !line.trim().is_empty())?.trim();
    let (array, cluster) = line.split_once(';').map_or((line, None), |(a, c)| (a, Some(c)));
    Some(Submitted { array: array.parse().ok()?, cluster: cluster.map(str::to_owned) })
}

/// What Slurm knows of the tasks of array jobs; `None` where there is no Slurm, or it does not
/// answer.
pub fn tasks_of(submissions: &[SubmissionRecord]) -> Option<Tasks> {
    let mut tasks = Tasks::default();
    let mut clusters: Vec<_> = submissions.iter().map(|it| it.cluster.clone()).collect();
    clusters.sort();
    clusters.dedup();
    for cluster in clusters {
        let of_cluster = submissions.iter().filter(|it| it.cluster == cluster);
        let arrays: Vec<String> = of_cluster.map(|it| it.array.to_string()).collect();
        let jobs = format!("--jobs={}", arrays.join(","));
        let mut options = vec![jobs];
        options.extend(cluster.map(|cluster| format!("--clusters={cluster}")));
        let queue = ["--array", "--noheader", "--states=all", "--format=%F_%K %T"];
        match ask_with("squeue", &queue, &options) {
            Answer::Said(said) => tasks.read(&said, ' '),
            // The only ones asked for are so old that Slurm has forgotten them.
            Answer::Refused(said) if said.contains("Invalid job id") => {}
            _ => return None,
        }
        // Kept for longer, where the cluster keeps accounts.
        let accounts = ["--noheader", "--parsable2", "--allocations", "--format=JobID,State"];
        if let Answer::Said(said) = ask_with("sacct", &accounts, &options) {
            tasks.read(&said, '|');
        }
    }
    Some(tasks)
}

fn ask_with(program: &str, fixed: &[&str], options: &[String]) -> Answer {
    let options = options.iter().map(String::as_str);
    let arguments: Vec<_> = fixed.iter().copied().chain(options).map(str::as_ref).collect();
    ask(program, &arguments, STATUS_PATIENCE)
}

/// The task that this process is, if Slurm started it as one.
pub fn own_task() -> Option<TaskId> {
    let number = |variable: &str| std::env::var(variable).ok()?.parse().ok();
    Some(TaskId { array: number("SLURM_ARRAY_JOB_ID")?, task: number("SLURM_ARRAY_TASK_ID")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_array_job_is_found_in_what_sbatch_prints() {
        let submitted = |array, cluster: Option<&str>| {
            Some(Submitted { array, cluster: cluster.map(str::to_owned) })
        };
        assert_eq!(parse_submitted("12\n"), submitted(12, None));
        assert_eq!(parse_submitted("12;east\n"), submitted(12, Some("east")));
        assert_eq!(parse_submitted("your quota is low\n7\n\n"), submitted(7, None));
        for said in ["", "\n", "Submitted batch job 12", "-3", "x;1"] {
            assert_eq!(parse_submitted(said), None, "{said:?}");
        }
    }
}
