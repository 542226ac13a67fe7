//! Which of the common options a command uses. The others are not in its help, and those that
//! select jobs or change a grid are refused: a command that ignored them would do something else
//! than was asked.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// The common options that not every command uses, by their fields.
const ALL: [&str; 7] = ["results", "reports", "corpora", "catalogue", "sets", "only", "not"];
/// What the commands on a grid use that write no report.
const GRID: [&str; 6] = ["results", "corpora", "catalogue", "sets", "only", "not"];
/// Those that are refused where they mean nothing.
const REFUSED: [(&str, &str); 3] = [("sets", "--set"), ("only", "--only"), ("not", "--not")];

/// What a command uses of them.
fn used(command: &str) -> &'static [&'static str] {
    match command {
        "demo" | "report" | "mock-engine" => &ALL,
        "init" | "check" | "methods" | "models" | "score" | "completions" => &[],
        "merge" | "logs" | "predict" => &["results"],
        "doctor" => &["results", "corpora"],
        "corpora" | "fetch" => &["corpora", "catalogue"],
        "corpus" | "resample" => &["corpora", "catalogue", "sets"],
        "explain" => &["results", "corpora", "catalogue", "sets"],
        _ => &GRID,
    }
}

/// The commands that only read results, which a results folder is enough for.
const READING: [&str; 6] = ["status", "compare", "power", "report", "export", "serve"];

/// The command line, each command with the options in its help that it uses.
pub(super) fn with_fitting_help(command: Command) -> Command {
    let is_common = |arg: &&Arg| ALL.contains(&arg.get_id().as_str());
    let common: Vec<Arg> = command.get_arguments().filter(is_common).cloned().collect();
    command.mut_subcommands(|command| {
        let used = used(command.get_name());
        let unused = common.iter().filter(|arg| !used.contains(&arg.get_id().as_str()));
        let hidden: Vec<Arg> = unused.map(|arg| arg.clone().hide(true)).collect();
        let command = command.args(hidden);
        match READING.contains(&command.get_name()) {
            true => command
                .mut_arg("grid", |grid| grid.help("The grid file, or the folder of its results")),
            false => command,
        }
    })
}

/// An error if an option was given that the command has no use for.
pub(super) fn refusal(matches: &ArgMatches) -> Option<String> {
    let (command, of_command) = matches.subcommand()?;
    let used = used(command);
    let is_given = |id| of_command.value_source(id) == Some(ValueSource::CommandLine);
    let (_, option) = REFUSED.iter().find(|(id, _)| !used.contains(id) && is_given(id))?;
    Some(format!("`tailgrid {command}` does not take `{option}`"))
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::CommandFactory;

    fn help(command: &str) -> String {
        let line =
            with_fitting_help(Cli::command()).try_get_matches_from(["tailgrid", command, "-h"]);
        line.expect_err("help").to_string()
    }

    fn refused(line: &[&str]) -> Option<String> {
        let line = [&["tailgrid"], line].concat();
        let matches = with_fitting_help(Cli::command()).try_get_matches_from(line);
        refusal(&matches.expect("a command line"))
    }

    #[test]
    fn the_command_line_is_consistent() {
        with_fitting_help(Cli::command()).debug_assert();
    }

    #[test]
    fn help_lists_the_options_that_a_command_uses() {
        let options =
            ["--results", "--reports", "--corpora", "--catalogue", "--set", "--only", "--not"];
        for (command, listed) in [
            ("score", &[][..]),
            ("init", &[]),
            ("predict", &["--results"]),
            ("doctor", &["--results", "--corpora"]),
            ("fetch", &["--corpora", "--catalogue"]),
            ("run", &["--results", "--corpora", "--catalogue", "--set", "--only", "--not"]),
            ("report", &options),
        ] {
            let help = help(command);
            let listed_in = |option: &&str| help.contains(&format!(" {option} <"));
            let found: Vec<&str> = options.iter().filter(|o| listed_in(o)).copied().collect();
            assert_eq!(found, listed, "{command}: {help}");
        }
        for (command, takes_folder) in [("compare", true), ("run", false)] {
            let help = help(command);
            assert_eq!(help.contains("or the folder of its results"), takes_folder, "{help}");
        }
        let line = ["tailgrid", "corpus", "stats", "-h"];
        let help = with_fitting_help(Cli::command()).try_get_matches_from(line).expect_err("help");
        assert!(!help.to_string().contains("--only"), "{help}");
    }

    #[test]
    fn options_without_a_meaning_are_refused_before_and_after_the_command() {
        for line in [
            &["score", "a", "b", "--only", "seed=1"][..],
            &["doctor", "--set", "seeds=1"],
            &["--not", "seed=1", "init", "folder"],
            &["predict", "key", "--set", "seeds=1"],
            &["corpus", "stats", "wnut17", "--only", "seed=1"],
        ] {
            let said = refused(line).unwrap_or_else(|| panic!("{line:?}"));
            assert!(said.contains("does not take `--"), "{said}");
        }
        for line in [
            &["run", "grid.yaml", "--only", "seed=1", "--set", "seeds=1"][..],
            &["corpus", "stats", "grid.yaml", "--set", "seeds=1"],
            &["--results", "elsewhere", "doctor"],
            &["methods"],
        ] {
            assert_eq!(refused(line), None, "{line:?}");
        }
    }
}
