//! The command line: one file a subcommand, each turning arguments into a call and the result into
//! text or JSON. Results go to standard output, messages and progress to standard error.

mod exit;
pub mod jobs;
pub mod logs;
pub mod mock_engine;
pub mod run;
pub mod status;

pub use exit::{CliError, Exit};

use clap::Parser;
use std::path::PathBuf;

/// Options that every command understands.
#[derive(Parser, Clone, Debug)]
pub struct Common {
    /// Where results are kept
    #[arg(long, global = true, value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Where reports are written
    #[arg(long, global = true, value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    /// Where the catalogue's corpora are, one folder a name
    #[arg(long, global = true, value_name = "DIR", default_value = "corpora")]
    pub corpora: PathBuf,
    /// Change a setting of the grid, checked like the file (repeatable): training.epochs=5
    #[arg(long = "set", global = true, value_name = "PATH=VALUE")]
    pub sets: Vec<String>,
    /// Only these jobs: "model=shallow* method=sc,scr seed=1" (globs, comma = or, space = and)
    #[arg(long, global = true, value_name = "EXPR")]
    pub only: Option<String>,
    /// Not these jobs
    #[arg(long, global = true, value_name = "EXPR")]
    pub not: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress, no messages but errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}
