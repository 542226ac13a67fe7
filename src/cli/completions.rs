//! `tailgrid completions SHELL`: a completion script for the shell, on standard output.

use super::output::print_data;
use super::{CliError, Common, Exit};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The shell: bash, elvish, fish, powershell or zsh
    pub shell: Shell,
}

/// Prints the script for `command`, the whole command line as its parser describes it.
pub fn run(args: &Args, _common: &Common, command: &mut clap::Command) -> Result<Exit, CliError> {
    print_data(&script(args.shell, command)).map(|()| Exit::Done)
}

fn script(shell: Shell, command: &mut clap::Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, command, "tailgrid", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::{CommandFactory, ValueEnum};

    #[test]
    fn every_shell_gets_a_script_that_names_commands_and_options() {
        for shell in Shell::value_variants() {
            let script = script(*shell, &mut Cli::command());
            for name in ["run", "compare", "only", "retry-failed"] {
                assert!(script.contains(name), "{shell}: {name}");
            }
        }
        assert!(script(Shell::Bash, &mut Cli::command()).contains("--only"));
    }
}
