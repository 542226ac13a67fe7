//! Exit codes: the one place that says what each of them means.

use std::fmt;
use std::process::{ExitCode, Termination};

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
    /// A rerun gave other bits.
    Differs = 9,
    Internal = 70,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// What a command could not do, in words for its user, with the exit code it means.
#[derive(Debug)]
pub struct CliError {
    pub exit: Exit,
    pub message: String,
}

impl CliError {
    /// An error that ends the program with `exit`.
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string() }
    }
}
