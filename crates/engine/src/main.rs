//! `tailgrid-engine`: runs one job in this process (prepare, train, decode, score), or forks a
//! process for each job, or checks a backend. The only program that loads LibTorch.
//!
//! The random numbers of both backends are global to a process, so a process runs one job. The same
//! request gives the same bits, whatever runs beside it, and whether the process was started or
//! forked.

mod batches;
mod bench;
mod fork_server;
mod full_batch;
mod lbfgs;
mod material;
mod model;
mod neighbours;
mod predict;
mod prepare;
mod processor;
mod random;
mod settings;
mod shared;
mod tag;
#[cfg(test)]
mod testing;
mod train;
mod treatment;
mod worker;

use domain::{Backend, ENGINE_VERSION, ENGINE_VERSION_MARK};
use std::process::ExitCode;

const USAGE: &str = "\
tailgrid-engine runs one job for `tailgrid run`: a request on standard input, events on standard output.

Usage: tailgrid-engine                    one job
       tailgrid-engine --serve            one job a fork, asked for over a socket on standard input
       tailgrid-engine --check BACKEND    whether libtorch or flex works here
       tailgrid-engine --tag MODEL BACKEND THREADS
                                          lists of tokens on standard input, of tags on standard output
       tailgrid-engine --version
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => run_job(),
        ["--serve"] => match fork_server::serve() {
            Ok(fork_server::Role::Worker) => run_job(),
            Ok(fork_server::Role::Server) => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string()),
        },
        ["--check", "libtorch"] => check(Backend::Libtorch),
        ["--check", "flex"] => check(Backend::Flex),
        ["--tag", model, backend @ ("libtorch" | "flex"), threads] => {
            let backend = if *backend == "flex" { Backend::Flex } else { Backend::Libtorch };
            let threads = threads.parse().unwrap_or(1);
            match tag::tag(model.as_ref(), backend, threads) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => fail(&error.to_string()),
            }
        }
        // For `make bench` alone, so not in the usage.
        ["--bench", what @ ..] => match bench::run(what) {
            Ok(measured) => {
                print!("{measured}");
                ExitCode::SUCCESS
            }
            Err(error) => fail(&error.to_string()),
        },
        ["--version"] => {
            println!("tailgrid-engine {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        ["--help" | "-h"] => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run_job() -> ExitCode {
    match worker::run_job() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn check(backend: Backend) -> ExitCode {
    match worker::check(backend) {
        Ok(version) => {
            println!("{version}\n{ENGINE_VERSION_MARK}{ENGINE_VERSION}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
