//! Exit codes: the one place that says what each of them means.

use runner::RunnerError;
use spec::Diagnostics;
use std::fmt;
use std::process::{ExitCode, Termination};
use store::StoreError;
use sweep::{Conclusion, ErrorKind, SweepError};

/// How a command ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    Usage = 2,
    /// The grid or another input is not valid.
    Invalid = 3,
    NothingSelected = 4,
    /// The run came to its end, some jobs failed.
    SomeFailed = 5,
    /// Stopped by the user; the same command goes on.
    Interrupted = 6,
    /// A file of the results folder is damaged.
    Damaged = 7,
    /// Another run holds the results folder.
    InUse = 8,
    /// A rerun, or the same job in another folder, gave other bits.
    Differs = 9,
    Internal = 70,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Invalid => Exit::Invalid,
            ErrorKind::NothingSelected => Exit::NothingSelected,
            ErrorKind::Damaged => Exit::Damaged,
            ErrorKind::InUse => Exit::InUse,
            ErrorKind::Internal => Exit::Internal,
        }
    }
}

impl From<Conclusion> for Exit {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Done => Exit::Done,
            Conclusion::SomeFailed => Exit::SomeFailed,
            Conclusion::Interrupted => Exit::Interrupted,
            Conclusion::Differs => Exit::Differs,
        }
    }
}

/// What a command could not do, in words for its user, with the exit code it means.
#[derive(Debug)]
pub struct CliError {
    pub exit: Exit,
    pub message: String,
    /// Whether the message is a list that says of each of its parts that it is an error.
    pub listed: bool,
}

impl CliError {
    /// An error that ends the program with `exit`.
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string(), listed: false }
    }

    /// Everything that is wrong with a grid.
    pub fn listed(found: &Diagnostics) -> Self {
        Self { listed: true, ..Self::new(Exit::Invalid, found) }
    }
}

impl From<SweepError> for CliError {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Grid(found) => Self::listed(&found),
            error => Self::new(error.kind().into(), error),
        }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        SweepError::from(error).into()
    }
}

impl From<RunnerError> for CliError {
    fn from(error: RunnerError) -> Self {
        SweepError::from(error).into()
    }
}

/// As the program prints it.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = if self.listed { "" } else { "error: " };
        write!(f, "{prefix}{}", self.message.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spec::Diagnostic;

    #[test]
    fn only_a_list_of_errors_has_no_prefix() {
        let file = CliError::new(Exit::Invalid, "errors/a.tsv: no such file\n");
        assert_eq!(file.to_string(), "error: errors/a.tsv: no such file");
        let list = CliError::listed(&Diagnostic::error("odd").into());
        assert!(list.to_string().starts_with("error: odd\n"), "{list}");
        assert_eq!(list.exit, Exit::Invalid);
    }
}
