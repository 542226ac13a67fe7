//! From a task to its record: one attempt at a job, run in the thread that calls it.
//!
//! Predictions are in place before the record is: a job that is recorded as done has everything.

use super::program::EngineProgram;
use super::schedule::Retries;
use super::worker::{self, Ending, Inbox};
use domain::{Epoch, Failure, JobRequest, Outcome, Processor, WorkerEvent};
use spec::{Job, Limits};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime};
use store::{
    FileSums, Folder, JobFolder, JobRecord, KeptFile, LogFile, Partial, Provenance, RECORD_VERSION,
    Status, StoreError, Timings, clock,
};

/// What every attempt of a run shares; nothing in it changes.
#[derive(Debug)]
pub(super) struct Context {
    pub folder: Folder,
    pub program: EngineProgram,
    pub limits: Limits,
    pub retries: Retries,
    pub provenance: Provenance,
}

/// One attempt to make.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub job: Arc<Job>,
    /// From 1.
    pub attempt: u32,
}

/// How it came out, and what was recorded.
#[derive(Debug)]
pub(super) enum Settled {
    /// Recorded as done.
    Done { seconds: f64, outcome: Box<Outcome> },
    /// Recorded as failed.
    Failed { seconds: f64, failure: Failure },
    /// Not recorded, because it may be tried again.
    MayRetry { failure: Failure },
    /// Not recorded, because it was told to stop.
    Stopped,
}

/// What a worker told so far.
#[derive(Default)]
struct Heard {
    processor: Option<Processor>,
    /// What is left of a job whose time is over.
    epochs: Vec<Epoch>,
}

impl Heard {
    fn take(&mut self, event: &WorkerEvent) {
        match event {
            WorkerEvent::Processor { processor } => self.processor = Some(processor.clone()),
            WorkerEvent::Epoch { epoch, .. } => self.epochs.push(epoch.clone()),
            _ => {}
        }
    }
}

/// Makes the attempt and records what is final.
pub(super) fn execute(
    context: &Context,
    task: &Task,
    inbox: Inbox,
    mut on_epoch: impl FnMut(WorkerEvent),
) -> Result<Settled, StoreError> {
    let place = context.folder.job(&task.job.key)?;
    place.create()?;
    let request = request(&task.job, &place);
    let mut log = LogFile::open(&place, task.attempt)?;
    let Context { program, limits, .. } = context;
    let started = worker::start(program, &request, task.attempt, &mut log, &inbox, &mut on_epoch);
    // From here on, because a wait for the fork server is no part of the job.
    let (started_at, start) = (SystemTime::now(), Instant::now());
    let mut heard = Heard::default();
    let hear = |event| {
        heard.take(&event);
        on_epoch(event);
    };
    let ending = match started {
        Ok(worker) => worker::attend(worker, limits, log, inbox, hear),
        Err(ending) => ending,
    };
    let seconds = start.elapsed().as_secs_f64();
    let timings = Timings { started_at: clock::milliseconds(started_at), seconds };
    let result = settle(context, task, &place, &request, (ending, heard), timings);
    // Adopted where the job is done; otherwise of no use to anyone, and swept by the next run.
    let _ = request.predictions.as_ref().map(fs::remove_file);
    let _ = request.kept_model.as_ref().map(fs::remove_file);
    result
}

fn request(job: &Job, place: &JobFolder) -> JobRequest {
    JobRequest {
        job: job.key.clone(),
        point: job.point.clone(),
        settings: job.settings.clone(),
        files: (*job.files).clone(),
        model_files: (*job.model_files).clone(),
        method_files: (*job.method_files).clone(),
        predictions: job.settings.stage.is_main().then(|| place.attempt(KeptFile::Predictions)),
        kept_model: job.settings.training.keep_model.then(|| place.attempt(KeptFile::Model)),
    }
}

fn settle(
    context: &Context,
    task: &Task,
    place: &JobFolder,
    request: &JobRequest,
    (ending, heard): (Ending, Heard),
    timings: Timings,
) -> Result<Settled, StoreError> {
    let seconds = timings.seconds;
    let failure = match ending {
        Ending::Stopped => return Ok(Settled::Stopped),
        Ending::Finished(outcome)
            if outcome.test.is_some() != task.job.settings.stage.is_main() =>
        {
            let stage = task.job.settings.stage.name();
            let message = format!("its scores on test are not those of a {stage} job");
            Failure::Protocol { message }
        }
        Ending::Finished(outcome) if request.predictions.as_deref().is_none_or(is_regular) => {
            let mut record = record(context, task, timings, heard.processor, Ok(&outcome));
            record.files = adopt(place, request)?;
            context.folder.write_record(&record)?;
            return Ok(Settled::Done { seconds, outcome });
        }
        Ending::Finished(_) => {
            Failure::Protocol { message: "it finished without writing its predictions".to_owned() }
        }
        Ending::Failed(failure) => failure,
    };
    if context.retries.allow(&failure, task.attempt) {
        return Ok(Settled::MayRetry { failure });
    }
    let mut record = record(context, task, timings, heard.processor, Err(&failure));
    if matches!(failure, Failure::TimeLimit { .. }) && !heard.epochs.is_empty() {
        record.partial = Some(Partial { epochs: heard.epochs });
    }
    context.folder.write_record(&record)?;
    Ok(Settled::Failed { seconds, failure })
}

/// Whether a worker left a file there, and not a link to one of somebody else's.
fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Makes what the worker left the job's, and gives what the record is to know of it.
fn adopt(place: &JobFolder, request: &JobRequest) -> Result<FileSums, StoreError> {
    let mut files = FileSums::default();
    for kept in KeptFile::ALL {
        let attempt = match kept {
            KeptFile::Predictions => request.predictions.as_ref(),
            KeptFile::Model => request.kept_model.as_ref().filter(|model| is_regular(model)),
        };
        if let Some(attempt) = attempt {
            files.insert(kept.name().to_owned(), place.adopt(kept, attempt)?);
        }
    }
    Ok(files)
}

fn record(
    context: &Context,
    task: &Task,
    timings: Timings,
    processor: Option<Processor>,
    result: Result<&Outcome, &Failure>,
) -> JobRecord {
    JobRecord {
        version: RECORD_VERSION,
        job: task.job.key.clone(),
        point: task.job.point.clone(),
        settings: task.job.settings.clone(),
        status: if result.is_ok() { Status::Done } else { Status::Failed },
        failure: result.err().cloned(),
        outcome: result.ok().cloned(),
        partial: None,
        files: FileSums::default(),
        provenance: Provenance { processor, ..context.provenance.clone() },
        attempts: task.attempt,
        timings,
    }
}
