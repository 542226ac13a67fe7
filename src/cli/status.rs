//! `tailgrid status`: counts by state, failures with their reasons and log paths.

use super::jobs::{self, State, Totals};
use super::{CliError, Common, Exit};
use crate::domain::{Failure, JobKey, Point};
use crate::runner::EngineKind;
use crate::store::Folder;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;

/// Counts the jobs of a grid by state and shows why some failed
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The grid file
    pub grid: PathBuf,
    /// Whose results
    #[arg(long, value_enum, default_value = "real")]
    pub engine: EngineKind,
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
    let grid = jobs::load_grid(&args.grid, common, &common.sets, args.engine)?;
    let folder = jobs::folder(&grid, common)?;
    let selection = jobs::selection(common)?;
    let (mut states, mut failures) = (Vec::new(), Vec::new());
    for job in &grid.jobs {
        let state = State::of(job, folder.read_record(&job.key)?.as_ref());
        if !selection.matches(&job.point, state.name()) {
            continue;
        }
        if let State::Failed(failure) = &state {
            failures.push(failed_job(&folder, &job.key, &job.point, failure)?);
        }
        states.push(state);
    }
    if states.is_empty() {
        return Err(jobs::nothing_selected());
    }
    let Totals { done, failed, to_do, not_applicable } = states.iter().collect();
    let jobs = done + failed + to_do;
    print(
        &Status { grid: grid.name, jobs, done, failed, to_do, not_applicable, failures },
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
    jobs::print(&text);
    Ok(Exit::Done)
}

fn text(status: &Status) -> String {
    let Status { grid, jobs, done, failed, to_do, not_applicable, failures } = status;
    let mut text = format!("{grid}: {jobs} jobs\n");
    let counts = [("done", done), ("failed", failed), ("to do", to_do), ("n/a", not_applicable)];
    for (name, count) in counts {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<8}{count:>6}");
    }
    for FailedJob { job, point, reason, log, .. } in failures {
        let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = write!(text, "\n{point}  {job}\n  {reason}\n  log: {log}\n");
    }
    if *failed > 0 {
        text.push_str("\n`tailgrid run --retry-failed` runs failed jobs again\n");
    }
    text
}
