//! `tailgrid gc`: kept models, and jobs that the grid no longer asks for; removed only if told so.

use super::grid::{self, GridArgs};
use super::output::{print, shown};
use super::{CliError, Common, Exit};
use domain::{JobKey, Point};
use report::tables::{Align, Table};
use serde_json::{Value, json};
use spec::Grid;
use std::collections::{HashMap, HashSet};
use store::{Disposable, Folder, Lock, Survey};
use sweep::{JobState, tuning};
use ui::{self, Style};

/// List jobs that the grid no longer asks for, and what they take; `--yes` removes them
///
/// The models of jobs that the grid has stay: `--models` lists and removes those.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// The models that jobs of the grid kept, in place of other jobs (those of `--only` and
    /// `--not`)
    #[arg(long, conflicts_with = "orphans")]
    pub models: bool,
    /// The jobs that the grid no longer asks for, as without any option
    #[arg(long)]
    pub orphans: bool,
    /// Remove what is listed
    #[arg(long, alias = "force")]
    pub yes: bool,
}

/// A job with its names, as far as they are known.
type Named = (Disposable, Option<Point>);

/// What could go.
struct Removable {
    /// With the names of the job, if the grid has it.
    models: Vec<Named>,
    /// With the names that it ran under, if its record can be read.
    orphans: Vec<Named>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    // Whoever only looks disturbs nobody.
    let lock = (args.yes && folder.path().is_dir()).then(|| Lock::take(&folder)).transpose()?;
    let found = find(&grid, &folder, args, common)?;
    if lock.is_some() {
        folder.sweep()?;
        folder.sweep_jobs()?;
        found.orphans.iter().try_for_each(|(orphan, _)| folder.remove_job(&orphan.job))?;
        found.models.iter().try_for_each(|(model, _)| folder.remove_model(&model.job))?;
        if !found.orphans.is_empty() {
            refresh_frames(&grid, &folder, args, common)?;
        }
    }
    match common.json {
        true => print(&found.json(&grid.name, lock.is_some()).to_string())?,
        false => print(&found.text(&grid.name, lock.is_some()))?,
    }
    Ok(Exit::Done)
}

/// Frames hold every record of the folder.
fn refresh_frames(
    grid: &Grid,
    folder: &Folder,
    args: &Args,
    common: &Common,
) -> Result<(), CliError> {
    let mut show = ui::progress(Style::choose(false, common.quiet || common.json));
    let current = sweep::current_or_none(grid, &args.grid.source(common), folder, &mut show);
    let survey = Survey::new(folder, current.iter().map(|placed| &placed.job))?.whole()?;
    sweep::refresh_frames(folder, &current, &survey.with_others(folder)?, &mut show)?;
    Ok(sweep::refresh_comparisons(&args.grid.source(common), folder)?)
}

fn find(grid: &Grid, folder: &Folder, args: &Args, common: &Common) -> Result<Removable, CliError> {
    let trials: Vec<JobKey> = tuning::trial_keys(grid).collect();
    let points: HashMap<&JobKey, &Point> =
        grid.jobs.iter().map(|job| (&job.key, &job.point)).collect();
    let wanted: HashSet<&JobKey> = points.keys().copied().chain(&trials).collect();
    let orphans = if args.models { vec![] } else { folder.orphans(&wanted)? };
    let gone: HashSet<&JobKey> = orphans.iter().map(|orphan| &orphan.job).collect();
    let selection = grid::selection(common)?;
    let standings = sweep::standings(grid, folder)?;
    let selected = |job: &JobKey| {
        let state = JobState::from(standings.get(job));
        points.get(job).is_none_or(|point| selection.matches(point, state.name()))
    };
    let kept = if args.models { folder.kept_models()? } else { vec![] };
    let models = kept
        .into_iter()
        .filter(|model| !gone.contains(&model.job) && selected(&model.job))
        .map(|model| {
            let point = points.get(&model.job).map(|point| (*point).clone());
            (model, point)
        })
        .collect();
    let orphans = orphans.into_iter().map(|orphan| {
        // What cannot be read has no names, and may go all the same.
        let record = folder.read_record(&orphan.job).ok().flatten();
        (orphan, record.map(|record| record.point))
    });
    Ok(Removable { models, orphans: orphans.collect() })
}

impl Removable {
    fn bytes(&self) -> [u64; 2] {
        let models = self.models.iter().map(|(model, _)| model.bytes);
        [models.sum(), self.orphans.iter().map(|(orphan, _)| orphan.bytes).sum()]
    }

    fn json(&self, grid: &str, removed: bool) -> Value {
        let named =
            |(one, point): &Named| json!({"job": one.job, "bytes": one.bytes, "point": point});
        json!({
            "grid": grid,
            "models": self.models.iter().map(named).collect::<Vec<_>>(),
            "orphans": self.orphans.iter().map(named).collect::<Vec<_>>(),
            "bytes": self.bytes().iter().sum::<u64>(),
            "removed": removed,
        })
    }

    fn text(&self, grid: &str, removed: bool) -> String {
        if self.models.is_empty() && self.orphans.is_empty() {
            return format!(
                "{grid}: nothing to remove; `--models` lists the models that jobs of the grid kept"
            );
        }
        let [models, orphans] = self.bytes();
        let kept = self.models.iter().map(|(model, point)| {
            let name = point.as_ref().map_or_else(|| "trial".to_owned(), ToString::to_string);
            row(model, name)
        });
        let orphaned = self.orphans.iter().map(|(orphan, point)| {
            let name = point.as_ref().map_or_else(|| "no record".to_owned(), ToString::to_string);
            row(orphan, name)
        });
        let mut text = format!("{grid}\n");
        if !self.models.is_empty() {
            let (n, size) = (self.models.len(), in_words(models));
            text.push_str(&format!("kept models: {n}, {size}\n{}", table(kept)));
        }
        if !self.orphans.is_empty() {
            let (n, size) = (self.orphans.len(), in_words(orphans));
            text.push_str(&format!(
                "jobs that the grid as it is now does not have: {n}, {size}\n{}",
                table(orphaned)
            ));
        }
        text.push_str(match removed {
            true => "removed\n",
            false => "nothing was removed: `--yes` removes all that is listed\n",
        });
        text
    }
}

fn row(one: &Disposable, name: String) -> [String; 3] {
    [one.job.to_string(), in_words(one.bytes), name]
}

fn table(rows: impl Iterator<Item = [String; 3]>) -> String {
    let heads = [("", Align::Left), ("", Align::Right), ("", Align::Left)];
    shown(&Table::of_texts(heads, rows))
}

fn in_words(bytes: u64) -> String {
    bytesize::ByteSize(bytes).display().iec().to_string()
}
