//! `tailgrid verify`: runs finished jobs again, elsewhere, and compares bit for bit.

mod text;

use super::grid::{self, GridArgs};
use super::output::print;
use super::{CliError, Common, Exit};
use std::num::NonZeroUsize;
use sweep::{SweepError, VerifyOptions};
use ui::Style;

/// Runs a sample of finished jobs again and compares predictions, scores, losses and weights bit for bit
///
/// The results are read, never written to: jobs run in a temporary folder, with the settings that they
/// have now. Where the record is from another kind of processor, or from an unknown one, bits may differ and
/// scores must agree within 0.02. Ends with 0 if everything is as it must be and with 9 if anything differs.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// How many finished jobs to run again, drawn by chance; 0 for all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub sample: usize,
    /// Another number draws other jobs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let options = VerifyOptions {
        selection: grid::selection(common)?,
        sample: args.sample,
        seed: args.seed,
        slots: args.jobs,
        listens: true,
    };
    // Events as JSON would be between the results.
    let mut show = ui::progress(Style::choose(false, common.quiet || common.json));
    let source = args.grid.source(common);
    let verified = sweep::verify(&source, &grid, &options, &mut *show).map_err(error)?;
    match common.json {
        true => print(&serde_json::to_string(&verified).map_err(internal)?)?,
        false => print(&text::text(&verified))?,
    }
    Ok(verified.conclusion().into())
}

fn internal(error: serde_json::Error) -> CliError {
    CliError::new(Exit::Internal, error)
}

/// With the jobs that are finished, but with other settings.
fn error(error: SweepError) -> CliError {
    let listed = match &error {
        SweepError::NothingFinished { outdated, .. } => text::list(outdated),
        _ => String::new(),
    };
    let error = CliError::from(error);
    match listed.is_empty() {
        true => error,
        false => CliError { message: format!("{}\n{listed}", error.message), ..error },
    }
}
