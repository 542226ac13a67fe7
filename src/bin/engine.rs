//! `tailgrid-engine`: runs one job, or checks a backend. The only program that loads LibTorch.

#[path = "../engine/mod.rs"]
mod engine;
#[allow(dead_code, reason = "registries are for `tailgrid` to read")]
#[path = "../method/mod.rs"]
mod method;
#[allow(dead_code, reason = "registries are for `tailgrid` to read")]
#[path = "../model/mod.rs"]
mod model;

// What the modules above share with `tailgrid`, under the names they know it by.
use tailgrid::{atomic, corpus, domain, places, score};

use domain::Backend;
use std::process::ExitCode;

const USAGE: &str = "\
tailgrid-engine runs one job for `tailgrid run`: a request on standard input, events on standard output.

Usage: tailgrid-engine                    one job
       tailgrid-engine --check BACKEND    whether libtorch or flex works here
       tailgrid-engine --version
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] => match engine::serve() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string()),
        },
        ["--check", "libtorch"] => check(Backend::Libtorch),
        ["--check", "flex"] => check(Backend::Flex),
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

fn check(backend: Backend) -> ExitCode {
    match engine::check(backend) {
        Ok(version) => {
            println!("{version}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
