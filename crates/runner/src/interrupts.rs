//! Signals from the user, turned into messages.
//!
//! The signals are blocked in every thread and taken by one that waits for them, so nothing runs
//! inside a signal handler. Worker processes inherit what is blocked, so unblocking it is the first
//! thing they do: whoever sends one a signal reaches it. They lead their own groups, so a terminal's
//! Ctrl-C does not.

use super::{Interrupter, RunnerError};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};
use std::thread;

/// How urgently a run is to end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Interrupt {
    /// Finish what is running; the second of these is like `Now`.
    Gentle,
    /// End what is running.
    Now,
}

impl Interrupt {
    fn from_signal(signal: Signal) -> Self {
        match signal {
            Signal::SIGINT => Interrupt::Gentle,
            _ => Interrupt::Now,
        }
    }
}

/// From here on SIGINT, SIGTERM and SIGHUP go to the dispatcher; once it is gone they end this
/// program as usual. To be called before other threads start, which inherit what is blocked.
pub fn listen(interrupter: Interrupter) -> Result<(), RunnerError> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGINT);
    signals.add(Signal::SIGTERM);
    if !is_ignored(Signal::SIGHUP)? {
        signals.add(Signal::SIGHUP);
    }
    signals.thread_block().map_err(RunnerError::Signals)?;
    let forward = move || {
        while let Ok(signal) = signals.wait() {
            if !interrupter.interrupt(Interrupt::from_signal(signal)) {
                // Nobody is left to tell: let it do what it does to any program.
                let _ = signals.thread_unblock();
                let _ = raise(signal);
            }
        }
    };
    thread::Builder::new().spawn(forward).map(drop).map_err(RunnerError::Thread)
}

/// Whether whoever started this program (`nohup`) wants the signal ignored.
fn is_ignored(signal: Signal) -> Result<bool, RunnerError> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler is installed, only the default or what was there before.
    unsafe {
        let old = sigaction(signal, &default).map_err(RunnerError::Signals)?;
        sigaction(signal, &old).map_err(RunnerError::Signals)?;
        Ok(matches!(old.handler(), SigHandler::SigIgn))
    }
}
