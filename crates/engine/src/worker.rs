//! The worker process: a request on standard input, events on standard output, the log on
//! standard error.

use super::predict::{predict, write};
use super::prepare::{Prepared, prepare};
use super::processor::processor;
use super::settings;
use super::train::train;
use crate::model::{BackendError, Tagger, backend_version, device, fingerprint, save, set_threads};
use burn::tensor::{Device, Tensor};
use domain::{
    Backend, EngineInfo, Failure, JobRequest, JobSettings, Outcome, Precision, PrecisionProblem,
    Scores, Stage, WorkerEvent, computes_bf16,
};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal, raise};
use parts::Capability;
use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Runs the one job that standard input brings, and says on standard output how it went.
pub fn run_job() -> io::Result<()> {
    // The runner blocks signals for itself, and a process starts with what its parent blocks.
    SigSet::empty().thread_set_mask()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let event = match serde_json::from_str::<JobRequest>(&line) {
        Ok(request) => {
            leave_when_the_runner_dies();
            run_and_catch(&request)
        }
        Err(error) => WorkerEvent::Failed {
            failure: Failure::Protocol { message: format!("the request is not valid: {error}") },
        },
    };
    tell(&event)
}

/// Whether a backend works here: runs one operation on it.
pub fn check(backend: Backend) -> Result<String, BackendError> {
    let device = device(backend, "cpu")?;
    let two = (Tensor::<1>::ones([1], &device) + 1.0).sum().into_scalar::<f32>();
    match two {
        2.0 => Ok(backend_version(backend)),
        wrong => Err(BackendError::WrongSum(wrong)),
    }
}

/// The runner keeps standard input open for as long as it lives. SIGKILL rather than an exit:
/// other threads are inside LibTorch, whose destructors must not run under them.
fn leave_when_the_runner_dies() {
    std::thread::spawn(|| {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        let _ = raise(Signal::SIGKILL);
    });
}

fn run_and_catch(request: &JobRequest) -> WorkerEvent {
    match catch_unwind(AssertUnwindSafe(|| run(request))) {
        Ok(Ok(outcome)) => WorkerEvent::Finished { outcome: Box::new(outcome) },
        Ok(Err(failure)) => {
            eprintln!("failed: {failure}");
            WorkerEvent::Failed { failure }
        }
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string()));
            let message = text.unwrap_or_else(|| "no message".into());
            WorkerEvent::Failed { failure: Failure::Panic { message } }
        }
    }
}

fn tell(event: &WorkerEvent) -> io::Result<()> {
    let mut line = serde_json::to_string(event)?;
    line.push('\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(line.as_bytes())?;
    stdout.flush()
}

/// A job that was planned on another machine may ask for what this one does not have.
fn check_precision(settings: &JobSettings) -> Result<(), Failure> {
    let training = &settings.training;
    let is_transformer = parts::encoders::can(&settings.model.encoder.kind, Capability::Pieces);
    let encoder = (training.precision == Precision::Bf16 && !is_transformer)
        .then_some(PrecisionProblem::Encoder);
    match PrecisionProblem::of(training, computes_bf16()).or(encoder) {
        Some(problem) => Err(Failure::Backend { message: problem.to_string() }),
        None => Ok(()),
    }
}

fn run(request: &JobRequest) -> Result<Outcome, Failure> {
    let settings = &request.settings;
    settings::check(settings).map_err(Failure::input)?;
    let training = &settings.training;
    set_threads(training.threads);
    let device = device(training.backend, &training.device)
        .map_err(|error| Failure::Backend { message: error.to_string() })?;
    check_precision(settings)?;
    let trial = if request.settings.stage.is_main() { "" } else { " (trial)" };
    eprintln!("job {} {}{trial}", request.job, request.point);
    if let Some(processor) = processor() {
        // As with epochs.
        let _ = tell(&WorkerEvent::Processor { processor });
    }
    let mut data = prepare(request)?;
    eprintln!("training on {} sentences, {} tokens", data.size.sentences, data.size.tokens);
    let start = Instant::now();
    let epochs = training.epochs.min(training.updates.unwrap_or(usize::MAX));
    let trained = train(settings, &mut data, &device, |epoch| {
        eprintln!("epoch {} loss {:.5} dev F1 {:.4}", epoch.epoch, epoch.loss, epoch.dev_micro_f1);
        // Where nobody listens any more the leash ends this process.
        let _ = tell(&WorkerEvent::Epoch { epoch: epoch.clone(), epochs });
    })?;
    let train_seconds = start.elapsed().as_secs_f64();
    let test = match settings.stage {
        Stage::Main => Some(test(request, &data, &trained.model, &device)?),
        Stage::Trial => None,
    };
    if let Some(path) = &request.kept_model {
        save(path, &settings.model, &data.types, &data.material, &trained.model)
            .map_err(|error| Failure::Io { message: error.to_string() })?;
    }
    Ok(Outcome {
        best_epoch: trained.best_epoch,
        epochs: trained.epochs,
        train_sentences: data.size.sentences,
        train_tokens: data.size.tokens,
        sentence_factor: data.size.sentence_factor,
        token_factor: data.size.token_factor,
        achieved: data.achieved,
        type_shares: data.type_shares,
        observed: data.observed.into_iter().chain(trained.observed).collect(),
        effort: trained.effort,
        verdict: trained.verdict,
        parameters: trained.parameters as u64,
        dev: trained.dev,
        test,
        weights: Some(fingerprint(&trained.model)),
        train_seconds,
        peak_rss_mb: peak_rss_mb(),
        engine: EngineInfo {
            version: env!("CARGO_PKG_VERSION").into(),
            backend: backend_version(training.backend),
        },
    })
}

/// Tags the test set, keeps what came out and scores it.
fn test(
    request: &JobRequest,
    data: &Prepared,
    model: &Tagger,
    device: &Device,
) -> Result<Scores, Failure> {
    let characters = data.material.reader.characters();
    let predicted = predict(model, &data.test, characters, device);
    if let Some(path) = &request.predictions {
        write(path, &data.types, &data.corpus_test, &predicted).map_err(|error| Failure::Io {
            message: format!("cannot write the predictions: {error}"),
        })?;
    }
    data.score(&data.corpus_test, &predicted)
}

/// The most memory this process held, in MB (10^6 bytes).
fn peak_rss_mb() -> f64 {
    let kib = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss());
    kib as f64 * 1024.0 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use burn::module::{Module, ModuleMapper, Param};

    /// Changes the lowest bit of one number of the first parameter.
    struct Nudge(bool);

    impl ModuleMapper for Nudge {
        fn map_float<const D: usize>(&mut self, parameter: Param<Tensor<D>>) -> Param<Tensor<D>> {
            if std::mem::replace(&mut self.0, true) {
                return parameter;
            }
            let mut data = parameter.val().into_data();
            if let Some(last) = data.as_mut_slice::<f32>().unwrap().last_mut() {
                *last = f32::from_bits(last.to_bits() ^ 1);
            }
            Param::from_tensor(Tensor::from_data(data, &Device::flex()))
        }
    }

    #[test]
    fn one_bit_makes_another_fingerprint_and_the_same_bits_the_same() {
        let request = request();
        let data = prepare(&request).unwrap();
        let (settings, tags) = (&request.settings.model, data.types.tag_count());
        let model = Tagger::new(settings, &data.material, tags, &Device::flex()).unwrap();
        let (same, other) = (model.clone(), model.clone().map(&mut Nudge(false)));
        assert_eq!(fingerprint(&model), fingerprint(&same));
        assert_ne!(fingerprint(&model), fingerprint(&other));
        assert_eq!(fingerprint(&model).len(), 64);
    }
}
