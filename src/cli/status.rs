//! `tailgrid status`: counts by state, failures with their reasons and log paths. A damaged record
//! is counted and named, and all others all the same.

mod slurm;

use super::grid::{self, GridArgs, Opened};
use super::{CliError, Common, Exit, models, output};
use domain::{Failure, JobKey, Point, Stage, TrainingVerdict, VerdictCounts, counted};
use runner::EngineKind;
use serde::Serialize;
use spec::Job;
use std::collections::HashMap;
use std::fmt::Write;
use store::{Folder, SearchRecord, Standing, StoppingRecord, Survey, UnderWay};
use sweep::{JobState, Totals, stopping, tuning};

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
    decided: usize,
    /// Jobs whose records cannot be read; `run` runs them again.
    damaged: Vec<DamagedJob>,
    /// Whether the counts are of the mock engine's jobs.
    invented: bool,
    /// Finished jobs whose models the grid asks for and which have none.
    models_missing: usize,
    /// What else may be looked for.
    #[serde(skip)]
    hint: Option<String>,
    /// Who runs the grid at this moment; null if nobody does.
    running: Option<Running>,
    failures: Vec<FailedJob>,
    /// How the trainings of finished jobs ended, trials apart.
    training: VerdictCounts,
    /// The jobs whose models never learned.
    never_learned: Vec<UnlearnedJob>,
    searches: Vec<SearchRecord>,
    /// What planned looks found; null where the grid plans none.
    stopping: Option<StoppingRecord>,
    slurm: Vec<slurm::ArrayJob>,
}

/// A run that is under way, or several that share the folder.
#[derive(Debug, Serialize)]
struct Running {
    /// Null of runs that share the folder, as `started`.
    pid: Option<u32>,
    started: Option<String>,
    shared: bool,
    /// The selected jobs that have started and not ended yet.
    jobs: Vec<RunningJob>,
    #[serde(skip)]
    holder: String,
}

#[derive(Debug, Serialize)]
struct RunningJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    stage: Stage,
}

#[derive(Debug, Serialize)]
struct FailedJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    stage: Stage,
    failure: Failure,
    reason: String,
    log: String,
}

#[derive(Debug, Serialize)]
struct UnlearnedJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    /// On dev, of the model that was kept.
    dev_micro_f1: Option<f64>,
    /// Optimiser steps; null of full-batch training.
    updates: Option<u64>,
}

#[derive(Debug, Serialize)]
struct DamagedJob {
    job: JobKey,
    #[serde(flatten)]
    point: Point,
    stage: Stage,
    reason: String,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid, args: grid_args, common } = args.grid.open_past_damage(common)?;
    let common = &common;
    let folder = grid::folder(&grid, common)?;
    let Survey { standings, damaged, .. } = sweep::survey(&grid, &folder)?;
    let selected = grid::selected(&grid, &standings, common)?;
    let verdict = |job: &Job| standings.get(&job.key).and_then(|standing| standing.verdict);
    let training = selected.iter().filter_map(|(job, _)| verdict(job)).collect();
    let lost = Some(TrainingVerdict::NeverLearned);
    let never_learned = selected.iter().filter(|(job, _)| verdict(job) == lost);
    let never_learned = never_learned.map(|(job, _)| unlearned_job(job, &standings)).collect();
    let trials = tuning::trials(&grid, &grid::selection(common)?);
    let mains = selected.iter().map(|(job, _)| (Some(&job.key), &job.point, Stage::Main));
    let tried = trials.iter().map(|t| (t.key.as_ref(), t.search.point(), Stage::Trial));
    let all = mains.chain(tried);
    let states = selected.iter().map(|(_, state)| *state);
    let states = states.chain(trials.iter().map(|trial| trial.state));
    let failed = states.clone().zip(all.clone()).filter(|(state, _)| *state == JobState::Failed);
    let failures = failures(&folder, &standings, failed.map(|(_, job)| job))?;
    let running = running(&folder, all.clone())?;
    let damaged: Vec<DamagedJob> = all
        .filter_map(|(key, point, stage)| {
            let (job, error) = damaged.get_key_value(key?)?;
            let (job, point) = (job.clone(), point.clone());
            Some(DamagedJob { job, point, stage, reason: error.to_string() })
        })
        .collect();
    let totals: Totals = states.collect();
    let status = Status {
        jobs: totals.jobs(),
        done: totals.done,
        failed: totals.failed,
        to_do: totals.to_do.saturating_sub(damaged.len()),
        damaged,
        models_missing: sweep::asked_and_missing(selected.iter().copied(), &folder)?.len(),
        invented: grid_args.keyed.engine == EngineKind::Mock && totals.done > 0,
        hint: match totals.done + totals.failed {
            0 => grid_args.mock_hint(common),
            _ => None,
        },
        not_applicable: totals.not_applicable,
        decided: totals.decided,
        running,
        failures,
        training,
        never_learned,
        searches: tuning::records(&grid),
        stopping: stopping::record(&grid, &stopping::of_standings(&grid, &standings)),
        slurm: slurm::array_jobs(&folder, &standings, totals.to_do)?,
        grid: grid.name,
    };
    print(&status, common.json)
}

/// A main job or a trial, with its key if that is known.
type StagedJob<'a> = (Option<&'a JobKey>, &'a Point, Stage);

/// The run that is under way, with those of these jobs that it is at.
fn running<'a>(
    folder: &Folder,
    jobs: impl Iterator<Item = StagedJob<'a>>,
) -> Result<Option<Running>, CliError> {
    let Some(run) = UnderWay::of(folder) else { return Ok(None) };
    let mut started = Vec::new();
    for (key, point, stage) in jobs {
        let Some(key) = key else { continue };
        let is_known = started.iter().any(|known: &RunningJob| known.job == *key);
        if !is_known && run.has_started(key)? {
            started.push(RunningJob { job: key.clone(), point: point.clone(), stage });
        }
    }
    Ok(Some(Running {
        pid: run.holder.pid(),
        started: run.holder.started().map(str::to_owned),
        shared: run.holder.is_shared(),
        jobs: started,
        holder: run.holder.to_string(),
    }))
}

fn unlearned_job(job: &Job, standings: &HashMap<JobKey, Standing>) -> UnlearnedJob {
    let standing = standings.get(&job.key);
    UnlearnedJob {
        job: job.key.clone(),
        point: job.point.clone(),
        dev_micro_f1: standing.and_then(|standing| Some(standing.dev?[0])),
        updates: standing.and_then(|standing| standing.updates),
    }
}

fn failures<'a>(
    folder: &Folder,
    standings: &HashMap<JobKey, Standing>,
    failed: impl Iterator<Item = StagedJob<'a>>,
) -> Result<Vec<FailedJob>, CliError> {
    let mut failures = Vec::new();
    for (key, point, stage) in failed {
        let Some((job, standing)) = key.and_then(|key| standings.get_key_value(key)) else {
            continue;
        };
        let Some(failure) = &standing.failure else { continue };
        failures.push(FailedJob {
            job: job.clone(),
            point: point.clone(),
            stage,
            failure: failure.clone(),
            reason: failure.to_string(),
            log: folder.job(job)?.log().display().to_string(),
        });
    }
    Ok(failures)
}

fn print(status: &Status, json: bool) -> Result<Exit, CliError> {
    let text = match json {
        true => serde_json::to_string(status).map_err(|e| CliError::new(Exit::Internal, e))? + "\n",
        false => text(status),
    };
    output::print(&text)?;
    Ok(if status.damaged.is_empty() { Exit::Done } else { Exit::Damaged })
}

/// More running jobs are counted.
const MOST_RUNNING: usize = 8;
/// More jobs that never learned are counted; JSON lists all of them.
const MOST_UNLEARNED: usize = 20;

/// How trainings ended, and which models never learned.
fn training(status: &Status) -> String {
    let Status { training, never_learned, .. } = status;
    let mut text = String::new();
    if training.all() > 0 {
        let _ = writeln!(text, "  training: {training}");
    }
    if never_learned.is_empty() {
        return text;
    }
    text.push_str("\nnever learned; `tailgrid compare` cautions on them and says what to do\n");
    for UnlearnedJob { job, point, dev_micro_f1, updates } in
        never_learned.iter().take(MOST_UNLEARNED)
    {
        let score = dev_micro_f1.map_or_else(String::new, |f1| format!("dev micro-F1 {f1:.2}"));
        let after = updates.map_or_else(String::new, |n| format!(" after {n} updates"));
        let _ = writeln!(text, "  {point}  {job}  {score}{after}");
    }
    if let Some(more @ 1..) = never_learned.len().checked_sub(MOST_UNLEARNED) {
        let _ = writeln!(text, "  and {more} more; `--json` lists all of them");
    }
    text
}

/// What a search has come to, in a line.
fn found(search: &SearchRecord) -> String {
    let (ended, all) = (search.ended(), search.trials);
    match search.best() {
        Some(best) => {
            let (values, trial) = (search.shown(best), best.trial);
            let score = best.score.unwrap_or_default();
            let title = search.maximise.title();
            format!("{values} (trial {trial} of {all}, {title} {score:.3})")
        }
        None if ended >= all => format!("every one of {all} trials failed"),
        None => format!("{ended} of {all} trials have ended"),
    }
}

fn text(status: &Status) -> String {
    let Status { grid, jobs, done, failed, to_do, not_applicable, decided, .. } = status;
    let Status { running, failures, searches, stopping, damaged, .. } = status;
    let of_mock =
        if status.invented { " of the mock engine, which invents its numbers" } else { "" };
    let mut text = format!("{grid}: {}{of_mock}\n", counted(*jobs, "job"));
    if let Some(Running { holder, jobs, .. }) = running {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  being run{}", output::printable(holder));
        for RunningJob { job, point, stage } in jobs.iter().take(MOST_RUNNING) {
            let trial = if stage.is_main() { "" } else { " (trial)" };
            let _ = writeln!(text, "    {point}{trial}  {job}");
        }
        if let Some(more @ 1..) = jobs.len().checked_sub(MOST_RUNNING) {
            let _ = writeln!(text, "    and {more} more; `--json` lists all of them");
        }
    }
    let counts = [("done", done), ("failed", failed), ("to do", to_do), ("n/a", not_applicable)];
    let decided = (*decided > 0).then_some(("decided", decided));
    let unreadable = damaged.len();
    let unreadable = (unreadable > 0).then_some(("damaged", &unreadable));
    for (name, count) in counts.into_iter().chain(decided).chain(unreadable) {
        let _ = writeln!(text, "  {name:<8}{count:>6}");
    }
    text.push_str(&training(status));
    for hint in status.hint.iter().chain(&models::hint(status.models_missing)) {
        let _ = writeln!(text, "\n{hint}");
    }
    if !searches.is_empty() {
        text.push_str("\nsearches\n");
    }
    for search in searches {
        let _ = writeln!(text, "  {}: {}", search.title(), found(search));
    }
    if let Some(found) = stopping {
        let found = stopping::text(found, usize::MAX);
        text += &if found.is_empty() { found } else { format!("\n{found}") };
    }
    text.push_str(&slurm::text(&status.slurm));
    let of = |stage: &Stage| if stage.is_main() { "" } else { " (trial)" };
    for DamagedJob { job, point, stage, reason } in damaged {
        let (reason, trial) = (output::printable(reason), of(stage));
        let _ = write!(text, "\n{point}{trial}  {job}\n  {reason}\n");
    }
    for FailedJob { job, point, stage, reason, log, .. } in failures {
        let (reason, trial) = (output::printable(reason), of(stage));
        let _ = write!(text, "\n{point}{trial}  {job}\n  {reason}\n  log: {log}\n");
    }
    if *failed > 0 {
        text.push_str("\n`tailgrid run --retry-failed` runs failed jobs again\n");
    }
    text
}
