//! `tailgrid completions SHELL`: a completion script for the shell, on standard output.

use super::{CliError, Common, Exit};
use clap_complete::Shell;
use std::io::{self, Write};

/// Arguments of `completions`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The shell: bash, elvish, fish, powershell or zsh
    pub shell: Shell,
}

/// Prints the script for `command`, the whole command line as its parser describes it.
pub fn run(args: &Args, _common: &Common, command: &mut clap::Command) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "tailgrid", &mut script);
    match io::stdout().write_all(&script) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(Exit::Internal, error))
        }
        _ => Ok(Exit::Done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ValueEnum};

    #[test]
    fn every_shell_gets_a_script_that_names_the_options() {
        for shell in Shell::value_variants() {
            let mut command =
                clap::Command::new("tailgrid").arg(Arg::new("results").long("results"));
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command, "tailgrid", &mut script);
            assert!(String::from_utf8(script).unwrap().contains("results"), "{shell}");
        }
    }
}
