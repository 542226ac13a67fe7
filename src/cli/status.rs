//! `tailgrid status`: counts by state, failures with their reasons and log paths.

use super::grid::{self, GridArgs, State, Totals};
use super::output;
use super::{CliError, Common, Exit};
use crate::domain::{Failure, JobKey, Point};
use crate::store::{Folder, Lock};
use serde::Serialize;
use std::fmt::Write;

/// Counts the jobs of a grid by state and shows why some failed
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
}

/// What `status --json` prints.
#[derive(Debug, Serialize)]
struct Status {
    grid: String,
    jobs: usize,
    done: usize,
    failed: usize,
    to_do: usize,
    not_applicable: usize,
    /// Who runs the grid at this moment, `pid 7, started …`; null if nobody does.
    running: Option<String>,
    failures: Vec<FailedJob>,
}

#[derive(Debug, Serialize)]
struct FailedJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    failure: Failure,
    reason: String,
    log: String,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    let standings = grid::standings(&grid, &folder)?;
    let selected = grid::selected(&grid, &standings, common)?;
    let mut failures = Vec::new();
    for (job, _) in selected.iter().filter(|(_, state)| *state == State::Failed) {
        let failure = standings.get(&job.key).and_then(|standing| standing.failure.as_ref());
        if let Some(failure) = failure {
            failures.push(failed_job(&folder, &job.key, &job.point, failure)?);
        }
    }
    let Totals { done, failed, to_do, not_applicable } =
        selected.iter().map(|(_, state)| *state).collect();
    let jobs = done + failed + to_do;
    let running = Lock::holder(&folder);
    print(
        &Status { grid: grid.name, jobs, done, failed, to_do, not_applicable, running, failures },
        common.json,
    )
}

fn failed_job(
    folder: &Folder,
    key: &JobKey,
    point: &Point,
    failure: &Failure,
) -> Result<FailedJob, CliError> {
    Ok(FailedJob {
        job: key.clone(),
        point: point.clone(),
        failure: failure.clone(),
        reason: failure.to_string(),
        log: folder.job(key)?.log().display().to_string(),
    })
}

fn print(status: &Status, json: bool) -> Result<Exit, CliError> {
    let text = match json {
        true => serde_json::to_string(status).map_err(|e| CliError::new(Exit::Internal, e))? + "\n",
        false => text(status),
    };
    output::print(&text).map(|()| Exit::Done)
}

fn text(status: &Status) -> String {
    let Status { grid, jobs, done, failed, to_do, not_applicable, running, failures } = status;
    let mut text = format!("{grid}: {jobs} jobs\n");
    if let Some(holder) = running {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  being run ({})", output::printable(holder));
    }
    let counts = [("done", done), ("failed", failed), ("to do", to_do), ("n/a", not_applicable)];
    for (name, count) in counts {
        let _ = writeln!(text, "  {name:<8}{count:>6}");
    }
    for FailedJob { job, point, reason, log, .. } in failures {
        let reason = output::printable(reason);
        let _ = write!(text, "\n{point}  {job}\n  {reason}\n  log: {log}\n");
    }
    if *failed > 0 {
        text.push_str("\n`tailgrid run --retry-failed` runs failed jobs again\n");
    }
    text
}
