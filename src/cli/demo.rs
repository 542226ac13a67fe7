//! `tailgrid demo`: the whole way on the built-in corpus, from grid to page.

use super::grid::{self, GridArgs, KeyArgs};
use super::output::print;
use super::{CliError, Common, Exit, report, run};
use std::num::NonZeroUsize;

/// The grid that the demo runs.
const QUICKSTART: &str = include_str!("../../experiments/quickstart.yaml");

/// Runs the quickstart grid on the built-in corpus, then renders its report
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub keyed: KeyArgs,
}

/// Runs and reports; prints where the page is.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    // A grid is a file everywhere else, so the demo's is one for as long as it runs.
    let failed = |error| CliError::new(Exit::Internal, format!("no temporary file: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("quickstart.yaml");
    std::fs::write(&path, QUICKSTART).map_err(failed)?;
    let grid = GridArgs { grid: path, keyed: args.keyed.clone() };
    let run = run::Args {
        grid,
        jobs: args.jobs,
        retry_failed: false,
        keep_models: false,
        wait: false,
        shard: None,
        plan: None,
        shared: false,
        until: None,
        notify: None,
        serve: None,
    };
    let exit = run::run(&run, common)?;
    if exit == Exit::Interrupted {
        return Ok(exit);
    }
    let grid = run.grid.load(common)?;
    let (view, results) = grid::view(&grid, common)?;
    let page = report::write(&view, &results, common)?;
    print(&format!("The report is {}", page.display()))?;
    Ok(exit)
}
