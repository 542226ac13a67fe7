//! `tailgrid`: parse, dispatch, print the error, exit code. Not linked to LibTorch.

#![allow(rustdoc::invalid_html_tags, reason = "help texts have placeholders in angle brackets")]

mod cli;

use cli::{Cli, Exit, tell};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn main() -> Exit {
    let cli = Cli::of_process();
    std::panic::set_hook(Box::new(|panic| {
        // `tailgrid plan grid.yaml | head` closes our output early; that is no error of ours.
        if !panic.to_string().contains("Broken pipe") {
            tell(format_args!("internal error, please report it: {panic}"));
        }
    }));
    match catch_unwind(AssertUnwindSafe(|| cli.run())) {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            tell(&error);
            error.exit
        }
        Err(_) => Exit::Internal,
    }
}
