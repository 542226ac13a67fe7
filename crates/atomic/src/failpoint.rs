//! Where a test makes a write fail, or ends the process: `TAILGRID_FAILPOINT=OPERATION:N=ACTION`.
//!
//! OPERATION is one of [`Operation`], N says which time that this process comes to it, from 1, and
//! ACTION is `kill` (the process ends there as if the power had gone), `torn` (the same with half
//! of the bytes written) or an error of the system: `ENOSPC`, `EIO`, `EROFS`. Standard
//! error gets a line about it. Without the variable this code is never reached.

use nix::errno::Errno;
use nix::sys::signal::{Signal, raise};
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable.
pub const VARIABLE: &str = "TAILGRID_FAILPOINT";

/// What changes a folder.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The content of a new file.
    Write,
    /// The content of a file, or of a folder, to the disk.
    Sync,
    Rename,
    /// A line more in a file.
    Append,
    /// A new folder.
    Folder,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 5] = [
        Operation::Write,
        Operation::Sync,
        Operation::Rename,
        Operation::Append,
        Operation::Folder,
    ];

    /// As the variable has it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Write => "write",
            Operation::Sync => "sync",
            Operation::Rename => "rename",
            Operation::Append => "append",
            Operation::Folder => "folder",
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Action {
    Kill,
    Torn,
    Fail(Errno),
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Point {
    operation: Operation,
    time: u64,
    action: Action,
}

impl Point {
    fn parse(text: &str) -> Option<Self> {
        let (place, action) = text.split_once('=')?;
        let (name, time) = place.split_once(':')?;
        let action = match action {
            "kill" => Action::Kill,
            "torn" => Action::Torn,
            "ENOSPC" => Action::Fail(Errno::ENOSPC),
            "EIO" => Action::Fail(Errno::EIO),
            "EROFS" => Action::Fail(Errno::EROFS),
            _ => return None,
        };
        let operation = Operation::ALL.into_iter().find(|operation| operation.name() == name)?;
        Some(Self { operation, time: time.parse().ok()?, action })
    }
}

/// The failpoint of this process, read once.
fn point() -> Result<Option<&'static Point>, io::Error> {
    static POINT: OnceLock<Result<Option<Point>, String>> = OnceLock::new();
    let read = || match std::env::var(VARIABLE) {
        Err(_) => Ok(None),
        Ok(text) => Point::parse(&text).map(Some).ok_or(text),
    };
    match POINT.get_or_init(read) {
        Ok(point) => Ok(point.as_ref()),
        Err(text) => {
            let message = format!("{VARIABLE} is `{text}`, which is no failpoint: unset it");
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

/// Comes to an operation: an error if it is to fail. `tear` leaves what half of it leaves.
pub fn pass(operation: Operation, tear: impl FnOnce()) -> io::Result<()> {
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let Some(point) = point()?.filter(|point| point.operation == operation) else {
        return Ok(());
    };
    if PASSED.fetch_add(1, Ordering::Relaxed) + 1 != point.time {
        return Ok(());
    }
    eprintln!("failpoint {}:{} ({:?})", operation.name(), point.time, point.action);
    match point.action {
        Action::Fail(errno) => return Err(errno.into()),
        Action::Torn => tear(),
        Action::Kill => {}
    }
    let _ = raise(Signal::SIGKILL);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failpoints_are_read_and_nothing_else_is() {
        let point = |operation, time, action| Some(Point { operation, time, action });
        assert_eq!(Point::parse("write:3=ENOSPC").unwrap().action, Action::Fail(Errno::ENOSPC));
        assert_eq!(Point::parse("rename:2=kill"), point(Operation::Rename, 2, Action::Kill));
        assert_eq!(Point::parse("write:1=torn"), point(Operation::Write, 1, Action::Torn));
        for text in ["", "write", "write:1", "write:x=kill", "read:1=kill", "write:1=dance", "1"] {
            assert_eq!(Point::parse(text), None, "{text}");
        }
    }

    #[test]
    fn without_the_variable_everything_passes() {
        for operation in Operation::ALL {
            pass(operation, || panic!("nothing is torn")).unwrap();
        }
    }
}
