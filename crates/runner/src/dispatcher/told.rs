//! What happened to a job as an event.

use crate::events::Event;
use domain::{Epoch, Failure, JobKey, Outcome, Point, Stage, WorkerEvent};
use std::time::Duration;

/// A job has its result.
pub(super) fn finished(
    job: JobKey,
    point: Point,
    stage: Stage,
    seconds: f64,
    outcome: &Outcome,
) -> Event {
    let test = outcome.test.as_ref().map(|test| &test.span);
    Event::JobFinished {
        job,
        point,
        stage,
        seconds,
        dev_micro_f1: outcome.dev.span.micro.f1,
        dev_macro_f1: outcome.dev.span.macro_.f1,
        test_micro_f1: test.map(|test| test.micro.f1),
        test_macro_f1: test.map(|test| test.macro_.f1),
        updates: outcome.effort.map(|effort| effort.updates),
        verdict: outcome.verdict,
    }
}

/// An attempt failed and may be followed by another; whether it is in this run, a pause says.
pub(super) fn again(
    job: JobKey,
    point: Point,
    attempt: u32,
    failure: &Failure,
    pause: Option<Duration>,
) -> Event {
    match pause {
        Some(pause) => Event::JobRetried {
            job,
            point,
            attempt,
            reason: failure.to_string(),
            pause_seconds: pause.as_secs_f64(),
        },
        None => Event::JobStopped { job, point },
    }
}

/// What a worker said, as far as others are told of it.
pub(super) fn show_said(job: JobKey, event: WorkerEvent, show: &mut dyn FnMut(&Event)) {
    match event {
        WorkerEvent::Epoch { epoch, epochs } => {
            let Epoch { epoch, updates, loss, dev_micro_f1, dev_macro_f1, .. } = epoch;
            show(&Event::Epoch { job, epoch, epochs, updates, loss, dev_micro_f1, dev_macro_f1 });
        }
        WorkerEvent::Warning { message } => show(&Event::Warning { message }),
        WorkerEvent::Processor { .. }
        | WorkerEvent::Finished { .. }
        | WorkerEvent::Failed { .. } => {}
    }
}
