//! Ctrl-C while something is fetched: the program ends at once with the code that says so.
//!
//! Nothing has to be put in order first: what came so far is in its `.part` file, and a package's
//! client gets the terminal's signal itself.

use super::Exit;
use nix::libc;
use nix::sys::signal::{SigHandler, Signal, signal};
use std::os::fd::BorrowedFd;

/// From here on SIGINT and SIGTERM end the program with the exit code of an interruption.
pub fn end_on_signals() {
    for number in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler calls nothing but `write` and `_exit`, which are safe in one. Where
        // it cannot be set, the signal ends the program in its own way, which is fine too.
        let _ = unsafe { signal(number, SigHandler::Handler(end)) };
    }
}

extern "C" fn end(_: libc::c_int) {
    let words = b"\nstopped; the same command goes on from here\n";
    // SAFETY: 2 is standard error for as long as the program runs; if it is closed, the write
    // fails.
    let _ = nix::unistd::write(unsafe { BorrowedFd::borrow_raw(2) }, words);
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(Exit::Interrupted as libc::c_int) }
}
