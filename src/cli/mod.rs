//! The command line: one file a subcommand, each turning arguments into a call and the result into
//! text or JSON. Results go to standard output, messages and progress to standard error.

mod budgets;
mod check;
mod compare;
mod completions;
mod corpora;
mod corpus;
mod demo;
mod doctor;
mod engine;
mod exit;
mod explain;
mod export;
mod fetch;
mod gc;
mod grid;
mod init;
mod logs;
mod merge;
mod mock_engine;
mod models;
mod offers;
mod options;
mod output;
mod plan;
mod power;
mod predict;
mod registry;
mod report;
mod resample;
mod run;
mod score;
mod serve;
mod status;
mod submit;
mod verify;
mod written;

pub use exit::{CliError, Exit};
pub use output::tell;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::path::PathBuf;

/// An experiment-grid benchmarking harness for named-entity recognition under class imbalance.
///
/// A grid file names corpora, scenarios, models, methods and seeds; every combination is a job.
/// `tailgrid demo` shows the whole way on a built-in corpus.
#[derive(Parser, Debug)]
#[command(name = "tailgrid", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of a first day's work.
#[derive(Subcommand, Debug)]
enum Command {
    /// Run the quickstart grid on the built-in corpus, then render its report
    Demo(demo::Args),
    /// Write a commented grid file and folder for a corpus of your own
    Init(init::Args),
    /// Show the jobs of a grid, done and to do; runs nothing
    Plan(plan::Args),
    /// Run what is not done yet; the same command resumes and extends
    Run(run::Args),
    /// Count jobs by state; failures with their reasons and logs
    Status(status::Args),
    /// Run what is not done yet as an array job of Slurm
    Submit(submit::Args),
    /// Join result folders: those of shards, or copied from other machines
    Merge(merge::Args),
    /// Show a job's settings, and why it is to run again
    Explain(explain::Args),
    /// Print a job's log
    Logs(logs::Args),
    /// Read everything in a results folder once and say what is damaged
    Check(check::Args),
    /// List jobs that the grid no longer asks for, or kept models; --yes removes them
    Gc(gc::Args),
    /// Render tables, figures and the page from the results
    Report(report::Args),
    /// Serve the page on this machine, kept up to date while jobs finish
    Serve(serve::Args),
    /// Test every method against the baseline, paired by seed
    Compare(compare::Args),
    /// Run finished jobs again and compare them bit for bit
    Verify(verify::Args),
    /// Say how many seeds a verdict needs, and what they cost in hours
    Power(power::Args),
    /// Write the frames of a grid as CSV
    Export(export::Args),
    /// List the methods with their parameters
    Methods,
    /// List the parts of models with their parameters
    Models,
    /// List the corpora of the catalogue and the formats that can be read
    Corpora(corpora::Args),
    /// Fetch corpora, embeddings and checkpoints of the catalogue; without a name, list them
    Fetch(fetch::Args),
    /// Look at corpora, check them, convert them
    Corpus(corpus::Args),
    /// Write resampled training data, for any other trainer
    Resample(resample::Args),
    /// Score predictions, of tailgrid's own jobs or of any other tool
    Score(score::Args),
    /// Tag text with a model that a job kept
    Predict(predict::Args),
    /// Say what is installed, which backends work, and how to get what is missing
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    #[command(hide = true)]
    MockEngine(mock_engine::Args),
}

impl Cli {
    /// This process's arguments; ends it with a message where they are wrong.
    pub fn of_process() -> Self {
        let mut command = options::with_fitting_help(Self::command());
        let matches = command.get_matches_mut();
        if let Some(message) = options::refusal(&matches) {
            command.error(ErrorKind::UnknownArgument, message).exit();
        }
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
    }

    /// Does what the arguments say.
    pub fn run(&self) -> Result<Exit, CliError> {
        output::fit_terminal();
        let common = &self.common;
        match &self.command {
            Command::Demo(args) => demo::run(args, common),
            Command::Init(args) => init::run(args, common),
            Command::Plan(args) => plan::run(args, common),
            Command::Run(args) => run::run(args, common),
            Command::Status(args) => status::run(args, common),
            Command::Submit(args) => submit::run(args, common),
            Command::Merge(args) => merge::run(args, common),
            Command::Explain(args) => explain::run(args, common),
            Command::Logs(args) => logs::run(args, common),
            Command::Check(args) => check::run(args, common),
            Command::Gc(args) => gc::run(args, common),
            Command::Report(args) => report::run(args, common),
            Command::Serve(args) => serve::run(args, common),
            Command::Compare(args) => compare::run(args, common),
            Command::Verify(args) => verify::run(args, common),
            Command::Power(args) => power::run(args, common),
            Command::Export(args) => export::run(args, common),
            Command::Methods => registry::methods(common),
            Command::Models => registry::models(common),
            Command::Corpora(args) => corpora::run(args, common),
            Command::Fetch(args) => fetch::run(args, common),
            Command::Corpus(args) => corpus::run(args, common),
            Command::Resample(args) => resample::run(args, common),
            Command::Score(args) => score::run(args, common),
            Command::Predict(args) => predict::run(args, common),
            Command::Doctor(args) => doctor::run(args, common),
            Command::Completions(args) => {
                let mut command = options::with_fitting_help(Self::command());
                completions::run(args, common, &mut command)
            }
            Command::MockEngine(args) => mock_engine::run(args),
        }
    }
}

/// Options that every command accepts; [`options`] lists which of them each one uses.
#[derive(Parser, Clone, Debug)]
pub struct Common {
    /// Where results are kept
    #[arg(long, global = true, value_name = "DIR", default_value = "results")]
    pub results: PathBuf,
    /// Where reports are written
    #[arg(long, global = true, value_name = "DIR", default_value = "reports")]
    pub reports: PathBuf,
    /// Where the catalogue's corpora are, one folder a name [default: TAILGRID_CORPORA, or data]
    #[arg(long, global = true, value_name = "DIR")]
    #[arg(default_value_os_t = atomic::places::corpora(), hide_default_value = true)]
    pub corpora: PathBuf,
    /// A catalogue of your own, over the shipped one
    #[arg(long, global = true, value_name = "FILE")]
    pub catalogue: Option<PathBuf>,
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
