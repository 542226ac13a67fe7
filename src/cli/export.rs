//! `tailgrid export`: the frames of a grid for programs that do not read Parquet, or its records in
//! one file.

use super::grid::{self, GridArgs, Opened};
use super::output::print;
use super::{CliError, Common, Exit};
use domain::JobKey;
use serde_json::json;
use spec::{Grid, Selection};
use std::collections::HashSet;
use std::path::PathBuf;
use store::{self, Folder, Survey};
use sweep::JobState;

/// Write the frames of a grid as CSV, or its finished records to one file
#[derive(clap::Args, Clone, Debug)]
#[command(group(clap::ArgGroup::new("form").required(true).multiple(true).args(["csv", "journal"])))]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// runs.csv, metrics.csv and epochs.csv
    #[arg(long)]
    pub csv: bool,
    /// The finished records without predictions and models, compressed; `tailgrid merge FILE`
    /// restores them
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Where to write CSV files [default: the grid's folder of results]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid, common, .. } = &args.grid.open(common)?;
    let folder = grid::folder(grid, common)?;
    let selection = grid::selection(common)?;
    let standings = sweep::standings(grid, &folder)?;
    let of_points: Vec<_> = sweep::all_jobs(grid)
        .into_iter()
        .filter(|placed| {
            let state = JobState::from(standings.get(&placed.job));
            state != JobState::Todo && selection.matches(&placed.point, state.name())
        })
        .collect();
    let others = others(grid, &folder, &selection)?;
    if of_points.is_empty() && others.is_empty() {
        let message =
            format!("no selected job of `{}` has been run: there is nothing to write", grid.name);
        return Err(CliError::new(Exit::NothingSelected, message));
    }
    let mut written = Vec::new();
    if args.csv {
        let out = args.out.clone().unwrap_or_else(|| folder.path().to_owned());
        written = store::export_csv(&folder, &of_points, &others, &out)?;
    }
    if let Some(path) = &args.journal {
        let is_done = |key: &JobKey| JobState::from(standings.get(key)) == JobState::Done;
        let keys: Vec<JobKey> =
            of_points.iter().map(|placed| placed.job.clone()).filter(is_done).collect();
        store::write_journal(&folder, &keys, path)?;
        written.push(path.clone());
    }
    match common.json {
        true => {
            let jobs = of_points.len();
            let printed = json!({"jobs": jobs, "not_current": others.len(), "files": written});
            print(&printed.to_string())?;
        }
        false => written.iter().try_for_each(|path| print(&path.display().to_string()))?,
    }
    Ok(Exit::Done)
}

/// The selected jobs of the folder that the grid does not name: rows that are not current.
fn others(grid: &Grid, folder: &Folder, selection: &Selection) -> Result<Vec<JobKey>, CliError> {
    let known: HashSet<JobKey> =
        sweep::all_jobs(grid).into_iter().map(|placed| placed.job).collect();
    let survey = Survey::new(folder, [])?.with_others(folder)?;
    let mut others = Vec::new();
    for (key, standing) in survey.standings.iter().filter(|(key, _)| !known.contains(key)) {
        let state = JobState::from(Some(standing));
        let record = folder.read_record(key)?;
        if record.is_some_and(|record| selection.matches(&record.point, state.name())) {
            others.push(key.clone());
        }
    }
    Ok(others)
}
