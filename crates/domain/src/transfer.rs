//! What is told while something is fetched.

/// A step of a transfer. `item` is the name in the catalogue, `file` the path in its folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransferEvent {
    /// A file begins to come, or goes on where `done` bytes are there from earlier.
    FileStarted { item: String, file: String, size: u64, done: u64 },
    /// So many bytes of the file that was started last are there.
    Advanced { done: u64 },
    /// The file that was started last is whole and in its place.
    FileFinished { item: String, file: String, size: u64 },
    /// Something broke; it is tried again after a pause.
    Retried { item: String, file: String, reason: String, pause_ms: u64 },
    /// A package's client works, and tells nothing until it is done.
    ClientStarted { item: String, command: String },
    /// The client has done its work.
    ClientFinished,
}
