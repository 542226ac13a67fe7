//! `tailgrid mock-engine`: speaks like the engine, trains nothing.
//!
//! Its scores are made up from the job's key, of a trial from the parameters that people search,
//! and are those of the predictions that it writes: every entity is one token long, so spans and
//! tokens count alike. The same job gives the same scores, so a whole sweep can be tried out, or
//! tested, within seconds. `TAILGRID_MOCK` makes chosen jobs misbehave: rules `WHERE:ACTION`
//! between `;`, where WHERE is `*` or `method=sc` (any field of the point), and ACTION one of those
//! in [`Action::parse`].

mod played;
mod rules;

use super::{CliError, Exit};
use domain::{
    ATTEMPT_VARIABLE, Effort, EngineInfo, Epoch, Failure, JobRequest, JobSettings, Outcome, Point,
    Processor, Scores, Stage, Tag, TrainingVerdict, WorkerEvent,
};
use nix::sys::signal::{self, SaFlags, SigAction, SigHandler, SigSet, Signal};
use played::{Dice, LENGTH, Played, SENTENCES, TYPES, play, write_predictions};
use rules::Action;
use runner::EngineKind;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read, Write};
use std::panic::catch_unwind;
use std::time::Duration;

/// Optimiser steps of an epoch that never was.
const UPDATES: u64 = 2;

/// Speaks as a hidden subcommand has to.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs the one job that standard input asks for.
pub fn run(_args: &Args) -> Result<Exit, CliError> {
    let internal = |error: io::Error| CliError::new(Exit::Internal, error);
    // The runner blocks signals for itself, and a process starts with what its parent blocks.
    SigSet::empty().thread_set_mask().map_err(|error| internal(error.into()))?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(internal)?;
    let request: JobRequest =
        serde_json::from_str(&line).map_err(|error| CliError::new(Exit::Invalid, error))?;
    let trial = if request.settings.stage.is_main() { "" } else { " (trial)" };
    eprintln!("job {} {}{trial}", request.job, request.point);
    let rules = std::env::var("TAILGRID_MOCK").unwrap_or_default();
    let action = Action::for_point(&rules, &request.point)?;
    let training = Training::of(&rules, &request.point)?;
    if !matches!(action, Some(Action::Stubborn(_))) {
        leave_with_the_runner();
    }
    // As the engine does: a panic is told, not left for the runner to guess.
    let told = match catch_unwind(|| misbehave(action)) {
        Ok(Ok(delay)) => work(&request, delay, &training),
        Ok(Err(failure)) => tell(&WorkerEvent::Failed { failure }),
        Err(_) => {
            let failure = Failure::Panic { message: "asked to panic".to_owned() };
            tell(&WorkerEvent::Failed { failure })
        }
    };
    told.map_err(internal).map(|()| Exit::Done)
}

/// The end of standard input means that the runner is gone, or needs nothing more.
fn leave_with_the_runner() {
    std::thread::spawn(|| {
        let _ = io::stdin().lock().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
}

/// How a job is trained.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Training {
    /// How much more skill all rules that fit give.
    shift: f64,
    /// How many times the usual optimiser steps.
    budget: f64,
    verdict: TrainingVerdict,
}

impl Training {
    /// By all rules that fit.
    fn of(rules: &str, point: &Point) -> Result<Self, CliError> {
        // Made-up scores say nothing about training.
        let mut training = Self { shift: 0.0, budget: 1.0, verdict: TrainingVerdict::Converged };
        let mut shift = 0;
        for action in Action::fitting(rules, point)? {
            match action {
                Action::Shift(hundredths) => shift += hundredths,
                Action::Budget(hundredths) => training.budget = f64::from(hundredths) / 100.0,
                Action::NeverLearn => training.verdict = TrainingVerdict::NeverLearned,
                Action::StillImprove => training.verdict = TrainingVerdict::StillImproving,
                _ => {}
            }
        }
        Ok(Self { shift: f64::from(shift) / 100.0, ..training })
    }

    /// Optimiser steps of so many epochs.
    fn updates(&self, epochs: usize) -> u64 {
        (self.budget * (UPDATES * epochs as u64) as f64).round() as u64
    }

    /// Predictions of some skill, or of none.
    fn play(&self, dice: &mut Dice, skill: f64) -> Played {
        let mut played = play(dice, skill);
        if self.verdict == TrainingVerdict::NeverLearned {
            played.predicted.iter_mut().flatten().for_each(|tag| *tag = Tag::Outside);
        }
        played
    }
}

/// Does what the action says; where it leaves the job to be done, how long an epoch takes, and
/// where it tells of a failure, which.
fn misbehave(action: Option<Action>) -> Result<Duration, Failure> {
    match action {
        None | Some(Action::Succeed) => {}
        Some(Action::Shift(_) | Action::Budget(_) | Action::NeverLearn | Action::StillImprove) => {}
        Some(Action::Slow(milliseconds) | Action::Stubborn(milliseconds)) => {
            return Ok(Duration::from_millis(milliseconds));
        }
        Some(Action::Abort) => std::process::abort(),
        Some(Action::Diverge) => {
            return Err(Failure::Diverged { epoch: 1, loss: "NaN".to_owned() });
        }
        Some(Action::Exit) => std::process::exit(3),
        Some(Action::Silent) => std::process::exit(0),
        Some(Action::Flaky) if is_first_attempt() => std::process::exit(3),
        Some(Action::Io) if is_first_attempt() => {
            return Err(Failure::Io { message: "asked to fail to read a file".to_owned() });
        }
        Some(Action::Flaky | Action::Io) => {}
        Some(Action::Flood) => flood(),
        Some(Action::Garbage) => say("this is not an event"),
        Some(Action::Hang) => loop {
            std::thread::park();
        },
        Some(Action::Hog) => hog(),
        Some(Action::HugeLine) => say(&"x".repeat(16 << 20)),
        Some(Action::Kill) => raise(Signal::SIGKILL),
        Some(Action::Segfault) => raise(Signal::SIGSEGV),
        Some(Action::Panic) => panic!("asked to panic"),
    }
    Ok(Duration::ZERO)
}

fn is_first_attempt() -> bool {
    std::env::var(ATTEMPT_VARIABLE).unwrap_or_default() == "1"
}

/// As if by the kernel: whatever this program does about the signal is undone before.
fn raise(signal: Signal) {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler is installed, only the default. That of SIGKILL cannot be changed anyway.
    let _ = unsafe { signal::sigaction(signal, &default) };
    let _ = signal::raise(signal);
}

/// Writes more to the log than anybody reads.
fn flood() {
    let line = "water ".repeat(1000);
    for _ in 0..4000 {
        eprintln!("{line}");
    }
}

fn hog() {
    let mut taken = Vec::new();
    while taken.len() < 128 {
        taken.push(vec![1u8; 16 << 20]);
        std::thread::sleep(Duration::from_millis(20));
    }
    std::hint::black_box(&taken);
}

fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // A runner that no longer listens has ended this process, or is about to.
    let _ = writeln!(stdout, "{line}");
    let _ = stdout.flush();
}

fn tell(event: &WorkerEvent) -> io::Result<()> {
    say(&serde_json::to_string(event)?);
    Ok(())
}

/// Made-up scores do not depend on the processor, so every one is of one kind.
fn made_up_processor() -> Processor {
    let (name, instructions) = ("mock".to_owned(), BTreeMap::new());
    Processor { name, vendor: None, family: None, model: None, stepping: None, instructions }
}

fn work(request: &JobRequest, delay: Duration, training: &Training) -> io::Result<()> {
    tell(&WorkerEvent::Processor { processor: made_up_processor() })?;
    let mut dice = Dice::new(&request.job.0);
    let skill = match request.settings.stage {
        Stage::Main => 0.35 + 0.4 * dice.fraction() + training.shift,
        Stage::Trial => {
            if let Some(role) = request.files.keys().find(|role| *role == "test") {
                let message = format!("a trial was given the {role} file");
                return tell(&WorkerEvent::Failed { failure: Failure::Input { message } });
            }
            // The same chance for every trial: their scores differ by what is searched alone.
            dice = Dice::new("trial");
            0.2 + 0.7 * fitness(&request.settings)
        }
    };
    let count = request.settings.training.epochs.clamp(1, 3);
    let mut epochs = Vec::new();
    for epoch in 1..=count {
        std::thread::sleep(delay);
        let gain = epoch as f64 / count as f64;
        let scores = training.play(&mut dice, skill * gain).scores()?;
        let (dev_micro_f1, dev_macro_f1) = (scores.span.micro.f1, scores.span.macro_.f1);
        let (loss, seconds) = (1.0 / epoch as f64, delay.as_secs_f64());
        let (updates, added) = (training.updates(epoch), BTreeMap::new());
        let epoch = Epoch { epoch, updates, loss, dev_micro_f1, dev_macro_f1, added, seconds };
        tell(&WorkerEvent::Epoch { epoch: epoch.clone(), epochs: count })?;
        epochs.push((epoch, scores));
    }
    let test = match &request.predictions {
        None => None,
        Some(path) => {
            let test = training.play(&mut dice, skill);
            if let Err(error) = write_predictions(path, &test) {
                let message = format!("cannot write the predictions: {error}");
                return tell(&WorkerEvent::Failed { failure: Failure::Io { message } });
            }
            Some(test.scores()?)
        }
    };
    if let Some(path) = &request.kept_model
        && let Err(error) = std::fs::write(path, format!("model of {}\n", request.job))
    {
        let message = format!("cannot write the model: {error}");
        return tell(&WorkerEvent::Failed { failure: Failure::Io { message } });
    }
    let weights = Some(made_up_weights(&request.job.0));
    let outcome = Outcome { weights, ..outcome(epochs, test, delay, training) };
    tell(&WorkerEvent::Finished { outcome: Box::new(outcome) })
}

/// How well parameters that people search suit the mock: a smooth bump over each of them, 1 at its
/// top.
fn fitness(settings: &JobSettings) -> f64 {
    let bump = |x: f64, top: f64, width: f64| (-((x - top) / width).powi(2)).exp();
    let loss = &settings.method.loss.parameters;
    let tops = [("lambda", 0.3, 0.4), ("gamma", 1.5, 2.0)];
    let bumps = tops.into_iter().filter_map(|(name, top, width)| {
        let value = loss.value(name)?;
        Some(bump(value, top, width))
    });
    let rate = settings.training.learning_rate.log10();
    bumps.product::<f64>() * bump(rate, -3.0, 1.5)
}

fn outcome(
    epochs: Vec<(Epoch, Scores)>,
    test: Option<Scores>,
    delay: Duration,
    training: &Training,
) -> Outcome {
    // The last of the best, as the engine keeps it.
    let best =
        epochs.iter().max_by(|(a, _), (b, _)| a.dev_micro_f1.total_cmp(&b.dev_micro_f1)).cloned();
    let (best_epoch, dev) = best.map(|(best, dev)| (best.epoch, dev)).unwrap_or_default();
    let epochs: Vec<Epoch> = epochs.into_iter().map(|(epoch, _)| epoch).collect();
    let updates = training.updates(epochs.len());
    let passes = epochs.len() as f64;
    let tokens_seen = SENTENCES * LENGTH as u64 * epochs.len() as u64;
    Outcome {
        observed: Default::default(),
        best_epoch,
        train_seconds: delay.as_secs_f64() * epochs.len() as f64,
        effort: Some(Effort { budget: updates, updates, tokens_seen, passes }),
        verdict: Some(training.verdict),
        epochs,
        train_sentences: SENTENCES,
        train_tokens: SENTENCES * LENGTH as u64,
        sentence_factor: 1.0,
        token_factor: 1.0,
        type_shares: Default::default(),
        achieved: Default::default(),
        parameters: TYPES.len() as u64,
        dev,
        test,
        weights: None,
        peak_rss_mb: 0.0,
        engine: EngineInfo {
            version: EngineKind::Mock.version().to_owned(),
            backend: "mock".to_owned(),
        },
    }
}

/// The digest of a key, where the engine has that of its parameters.
fn made_up_weights(key: &str) -> String {
    hex::encode(Sha256::digest(format!("weights of {key}")))
}

#[cfg(test)]
mod tests {
    use super::played::types;
    use super::*;
    use store::testing::point;

    #[test]
    fn rules_pick_their_jobs() {
        let rules = "method=sc:abort;seed=2:slow=40; *:flaky";
        let action = |method, seed| Action::for_point(rules, &point(method, seed)).unwrap();
        assert_eq!(action("sc", 2), Some(Action::Abort));
        assert_eq!(action("focal", 2), Some(Action::Slow(40)));
        assert_eq!(action("focal", 1), Some(Action::Flaky));
        assert_eq!(Action::for_point("", &point("sc", 1)).unwrap(), None);
        let rules = "method=sc:shift=0.2;*:slow=5;seed=2:shift=-0.45";
        assert_eq!(Action::for_point(rules, &point("sc", 1)).unwrap(), Some(Action::Slow(5)));
        let shift = |method, seed| Training::of(rules, &point(method, seed)).unwrap().shift;
        assert_eq!([shift("sc", 1), shift("sc", 2), shift("focal", 1)], [0.2, -0.25, 0.0]);
        for wrong in [
            "abort",
            "method=sc:dance",
            "colour=red:abort",
            "*:slow=x",
            "*:shift=2",
            "*:budget=0",
            "*:budget=many",
        ] {
            assert!(Action::for_point(wrong, &point("sc", 1)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn chosen_jobs_never_learn_or_have_another_budget() {
        let rules = "method=sc:never-learn;method=focal:still-improve;*:slow=5;seed=2:budget=2.6";
        let of = |method, seed| Training::of(rules, &point(method, seed)).unwrap();
        assert_eq!(of("sc", 1).verdict, TrainingVerdict::NeverLearned);
        assert_eq!(of("focal", 1).verdict, TrainingVerdict::StillImproving);
        assert_eq!(of("scr", 1).verdict, TrainingVerdict::Converged);
        assert_eq!([of("scr", 1).updates(3), of("scr", 2).updates(3)], [6, 16]);
        assert_eq!(
            Action::for_point(rules, &point("sc", 1)).unwrap(),
            Some(Action::Slow(5)),
            "beside what another rule asks for"
        );
        let f1 = |method| {
            let played = of(method, 1).play(&mut Dice::new("ab"), 0.6);
            played.scores().unwrap().span.micro.f1
        };
        assert_eq!(f1("sc"), 0.0);
        assert!(f1("focal") > 0.3);
    }

    #[test]
    fn the_same_key_plays_the_same_and_another_one_differently() {
        let played = |key: &str| play(&mut Dice::new(key), 0.6);
        assert_eq!(played("ab"), played("ab"));
        assert_ne!(played("ab"), played("cd"));
    }

    #[test]
    fn the_types_have_the_ids_that_are_played() {
        assert_eq!(types().names(), TYPES);
    }

    #[test]
    fn spans_and_tokens_count_alike() {
        let scores = play(&mut Dice::new("ab"), 0.6).scores().unwrap();
        assert_eq!(scores.span, scores.token);
        assert!((0.3..0.9).contains(&scores.span.micro.f1), "{:?}", scores.span.micro);
    }

    #[test]
    fn of_the_best_epochs_the_last_is_taken() {
        let epoch = |(epoch, dev_micro_f1)| {
            let scores = Scores::default();
            let added = BTreeMap::new();
            let (loss, dev_macro_f1, seconds) = (1.0, 0.0, 0.0);
            let updates = UPDATES * epoch as u64;
            (Epoch { epoch, updates, loss, dev_micro_f1, dev_macro_f1, added, seconds }, scores)
        };
        let best = |f1: [f64; 3]| {
            let epochs = (1..).zip(f1).map(epoch).collect();
            let training = Training::of("", &point("sc", 1)).unwrap();
            outcome(epochs, None, Duration::ZERO, &training).best_epoch
        };
        assert_eq!(best([0.5, 0.5, 0.25]), 2);
        assert_eq!(best([0.0, 0.0, 0.0]), 3);
        assert_eq!(best([0.75, 0.5, 0.25]), 1);
    }
}
