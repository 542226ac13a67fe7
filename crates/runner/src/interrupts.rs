//! Signals from the user, turned into messages.
//!
//! The handlers only wake a thread that waits for signals, whichever thread a signal interrupts:
//! this program has pools of threads that it did not start. A program that is started has no
//! handlers. Workers lead their own groups, so a terminal's Ctrl-C does not reach them, but whoever
//! sends one a signal does.

use super::{Interrupter, RunnerError};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
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
    fn from_signal(signal: i32) -> Self {
        match signal {
            SIGINT => Interrupt::Gentle,
            _ => Interrupt::Now,
        }
    }
}

/// From here on SIGINT, SIGTERM and SIGHUP go to the dispatcher; once it is gone they end this
/// program as usual.
pub fn listen(interrupter: Interrupter) -> Result<(), RunnerError> {
    let mut signals = vec![SIGINT, SIGTERM];
    if !is_ignored(Signal::SIGHUP)? {
        signals.push(SIGHUP);
    }
    let mut signals = Signals::new(signals).map_err(RunnerError::Signals)?;
    let forward = move || {
        for signal in &mut signals {
            if !interrupter.interrupt(Interrupt::from_signal(signal)) {
                // Nobody is left to tell. A signal that could not do what it does to any program is
                // lost.
                let _ = emulate_default_handler(signal);
            }
        }
    };
    thread::Builder::new().spawn(forward).map(drop).map_err(RunnerError::Thread)
}

/// Whether whoever started this program (`nohup`) wants the signal ignored.
fn is_ignored(signal: Signal) -> Result<bool, RunnerError> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler is installed, only the default or what was there before.
    let old =
        unsafe { sigaction(signal, &default).and_then(|old| sigaction(signal, &old).map(|_| old)) };
    let old = old.map_err(|error| RunnerError::Signals(error.into()))?;
    Ok(matches!(old.handler(), SigHandler::SigIgn))
}
