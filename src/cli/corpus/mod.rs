//! `tailgrid corpus`: statistics, validation and conversion of corpora.

mod check;
mod convert;
pub mod source;
mod stats;

pub use stats::numbers_of_grid;

use super::{CliError, Common, Exit};
use clap::Subcommand;

/// Look at corpora, check them, convert them
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Clone, Debug)]
enum Command {
    /// Count sentences, tokens, entities and types, and how imbalanced they are
    Stats(stats::Args),
    /// Read corpora to their last line and tell all that is wrong or odd with them
    Check(check::Args),
    /// Write a corpus in another tag scheme or format
    Convert(convert::Args),
}

/// Does what the subcommand says.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    match &args.command {
        Command::Stats(args) => stats::run(args, common),
        Command::Check(args) => check::run(args, common),
        Command::Convert(args) => convert::run(args, common),
    }
}
