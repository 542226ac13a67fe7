//! `tailgrid export`: the frames of a grid for programs that do not read Parquet.

use super::grid::{self, GridArgs};
use super::output::print;
use super::{CliError, Common, Exit};
use crate::store;
use serde_json::json;
use std::path::PathBuf;

/// Write the frames of a grid as CSV
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// runs.csv, metrics.csv and epochs.csv
    #[arg(long, required = true)]
    pub csv: bool,
    /// Where to [default: the grid's folder of results]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let folder = grid::folder(&grid, common)?;
    let selection = grid::selection(common)?;
    let standings = grid::standings(&grid, &folder)?;
    let of_points: Vec<_> = grid::all_jobs(&grid)
        .into_iter()
        .filter(|placed| {
            let state = grid::State::from(standings.get(&placed.job));
            state != grid::State::Todo && selection.matches(&placed.point, state.name())
        })
        .collect();
    if of_points.is_empty() {
        let message =
            format!("no selected job of `{}` has been run: there is nothing to write", grid.name);
        return Err(CliError::new(Exit::NothingSelected, message));
    }
    let out = args.out.clone().unwrap_or_else(|| folder.path().to_owned());
    let written = store::export_csv(&folder, &of_points, &out)?;
    match common.json {
        true => print(&json!({"jobs": of_points.len(), "files": written}).to_string())?,
        false => written.iter().try_for_each(|path| print(&path.display().to_string()))?,
    }
    Ok(Exit::Done)
}
