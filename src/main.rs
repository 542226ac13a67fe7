//! LOCAL STUB, to be dropped: enough of the program for the runner's own tests.

use clap::{Parser, Subcommand};
use tailgrid::cli::{Common, Exit, logs, mock_engine, run, status};

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Status(status::Args),
    Logs(logs::Args),
    #[command(hide = true)]
    MockEngine(mock_engine::Args),
}

fn main() -> Exit {
    let Program { common, command } = Program::parse();
    let result = match &command {
        Command::Run(args) => run::run(args, &common),
        Command::Status(args) => status::run(args, &common),
        Command::Logs(args) => logs::run(args, &common),
        Command::MockEngine(args) => mock_engine::run(args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {}", error.message);
        error.exit
    })
}
