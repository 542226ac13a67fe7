//! What Slurm does for a grid: its view of the tasks, beside what they wrote.

use super::CliError;
use runner::slurm::{self, TaskState};
use serde::Serialize;
use std::fmt::Write;
use store::{Folder, SubmissionRecord, TaskId};
use sweep::Standings;

/// An array job and its tasks.
#[derive(Debug, Serialize)]
pub(super) struct ArrayJob {
    array: u64,
    tasks: u64,
    /// Of what was to do when it was submitted, what still is.
    to_do: usize,
    pending: usize,
    running: usize,
    /// Came to their end.
    ended: usize,
    /// Were stopped, by their time limit or by somebody, and have left work.
    stopped: usize,
    lost: Vec<LostTask>,
}

/// A task that is gone without an end of its own, while there is work of its array job left.
#[derive(Debug, Serialize)]
struct LostTask {
    task: String,
    /// Slurm's word for it.
    state: Option<String>,
    log: String,
}

/// The array jobs that were submitted for a grid; none where Slurm does not answer.
pub(super) fn array_jobs(
    folder: &Folder,
    standings: &Standings,
    to_do: usize,
) -> Result<Vec<ArrayJob>, CliError> {
    let submissions = folder.submissions()?;
    let mut open = Vec::new();
    for submission in &submissions {
        if !is_over(folder, submission)? {
            open.push(submission.clone());
        }
    }
    let Some(tasks) = slurm::tasks_of(&open) else { return Ok(Vec::new()) };
    submissions.iter().map(|it| array_job(folder, it, &tasks, standings, to_do)).collect()
}

/// Whether every task came to its end, so that Slurm has nothing to add.
fn is_over(folder: &Folder, submission: &SubmissionRecord) -> Result<bool, CliError> {
    for task in tasks(submission) {
        let end = folder.task_end(task)?;
        if end.is_none_or(|end| end.interrupted) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn tasks(submission: &SubmissionRecord) -> impl Iterator<Item = TaskId> + use<> {
    let array = submission.array;
    (0..submission.tasks).map(move |task| TaskId { array, task })
}

fn array_job(
    folder: &Folder,
    submission: &SubmissionRecord,
    known: &slurm::Tasks,
    standings: &Standings,
    to_do: usize,
) -> Result<ArrayJob, CliError> {
    let SubmissionRecord { array, tasks: count, jobs, undecided, .. } = submission;
    let decided = jobs.iter().filter(|key| !standings.contains_key(key)).count();
    // What a search decided since then is among all that is to do.
    let left = (decided + undecided).min(to_do);
    let mut job = ArrayJob {
        array: *array,
        tasks: *count,
        to_do: left,
        pending: 0,
        running: 0,
        ended: 0,
        stopped: 0,
        lost: Vec::new(),
    };
    for task in tasks(submission) {
        match known.state(task, folder.task_end(task)?.as_ref()) {
            TaskState::Pending => job.pending += 1,
            TaskState::Running => job.running += 1,
            TaskState::Stopped => job.stopped += 1,
            TaskState::Lost(state) if left > 0 => {
                let log = folder.task_log(task).display().to_string();
                job.lost.push(LostTask { task: task.to_string(), state, log });
            }
            TaskState::Ended | TaskState::Lost(_) => job.ended += 1,
        }
    }
    Ok(job)
}

/// In words, those that are of interest still; empty if none is.
pub(super) fn text(jobs: &[ArrayJob]) -> String {
    let mut text = String::new();
    let left = |job: &ArrayJob| job.to_do > 0 && job.stopped + job.lost.len() > 0;
    let live = |job: &&ArrayJob| job.pending + job.running > 0 || left(job);
    for job in jobs.iter().filter(live) {
        let lost = job.lost.len();
        let counts = [
            (job.pending, "pending"),
            (job.running, "running"),
            (job.ended, "ended"),
            (job.stopped, "stopped"),
            (lost, "lost"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  array job {}: {}", job.array, counts.join(", "));
        for LostTask { task, state, log } in &job.lost {
            let state = state.as_ref().map_or(String::new(), |state| format!(" ({state})"));
            let _ = writeln!(text, "    {task} is lost{state}, log: {log}");
        }
    }
    if !text.is_empty() {
        text.insert_str(0, "\nslurm\n");
    }
    if jobs.iter().any(left) {
        text.push_str("  `tailgrid submit` again runs what stopped and lost tasks left\n");
    }
    text
}
