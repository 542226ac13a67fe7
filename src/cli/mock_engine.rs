//! `tailgrid mock-engine`: speaks like the engine, trains nothing.
//!
//! Its scores are made up from the job's key, and are those of the predictions that it writes:
//! every entity is one token long, so spans and tokens count alike. The same job gives the same
//! scores, so a whole sweep can be tried out, or tested, within seconds. `TAILGRID_MOCK` makes
//! chosen jobs misbehave: rules `WHERE:ACTION` between `;`, where WHERE is `*` or `method=sc` (any
//! field of the point), and ACTION one of those in [`Action::parse`].

use super::{CliError, Exit};
use crate::domain::{
    Counts, EngineInfo, Epoch, Failure, JobRequest, LevelScores, Outcome, Point, Scores,
    WorkerEvent,
};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read, Write};
use std::panic::catch_unwind;
use std::time::Duration;

const TYPES: [&str; 4] = ["location", "person", "product", "work"];
const SENTENCES: u64 = 60;
const LENGTH: u64 = 10;

/// Speaks as a hidden subcommand has to.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {}

/// Runs the one job that standard input asks for.
pub fn run(_args: &Args) -> Result<Exit, CliError> {
    let internal = |error: io::Error| CliError::new(Exit::Internal, error);
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(internal)?;
    let request: JobRequest =
        serde_json::from_str(&line).map_err(|error| CliError::new(Exit::Invalid, error))?;
    eprintln!("job {} ({})", request.job, request.point);
    let rules = std::env::var("TAILGRID_MOCK").unwrap_or_default();
    let action = Action::for_point(&rules, &request.point)?;
    if !matches!(action, Some(Action::Stubborn(_))) {
        leave_with_the_runner();
    }
    // As the engine does: a panic is told, not left for the runner to guess.
    let told = match catch_unwind(|| misbehave(action)) {
        Ok(delay) => work(&request, delay),
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

/// What a job does instead of its work.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Action {
    Abort,
    Exit,
    /// Leaves without a word on the first attempt only.
    Flaky,
    Garbage,
    Hang,
    /// Takes memory until it is stopped, 2 GiB at most.
    Hog,
    HugeLine,
    Kill,
    Panic,
    /// Works, with so many milliseconds for each epoch.
    Slow(u64),
    /// Works as slowly, and does not leave when its runner is gone.
    Stubborn(u64),
}

impl Action {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "abort" => Action::Abort,
            "exit" => Action::Exit,
            "flaky" => Action::Flaky,
            "garbage" => Action::Garbage,
            "hang" => Action::Hang,
            "hog" => Action::Hog,
            "huge-line" => Action::HugeLine,
            "kill" => Action::Kill,
            "panic" => Action::Panic,
            _ => match text.split_once('=')? {
                ("slow", milliseconds) => Action::Slow(milliseconds.parse().ok()?),
                ("stubborn", milliseconds) => Action::Stubborn(milliseconds.parse().ok()?),
                _ => return None,
            },
        })
    }

    /// The action of the first rule that fits.
    fn for_point(rules: &str, point: &Point) -> Result<Option<Self>, CliError> {
        for rule in rules.split(';').filter(|rule| !rule.trim().is_empty()) {
            let wrong = || {
                CliError::new(
                    Exit::Usage,
                    format!("TAILGRID_MOCK has a rule `{rule}` that is none"),
                )
            };
            let (place, action) = rule.trim().split_once(':').ok_or_else(wrong)?;
            let action = Action::parse(action).ok_or_else(wrong)?;
            if place == "*" || is_at(point, place).ok_or_else(wrong)? {
                return Ok(Some(action));
            }
        }
        Ok(None)
    }
}

fn is_at(point: &Point, place: &str) -> Option<bool> {
    let (field, value) = place.split_once('=')?;
    Some(match field {
        "corpus" => point.corpus == value,
        "scenario" => point.scenario == value,
        "model" => point.model == value,
        "method" => point.method == value,
        "seed" => point.seed.to_string() == value,
        _ => return None,
    })
}

/// Does what the action says; where it leaves the job to be done, how long an epoch takes.
fn misbehave(action: Option<Action>) -> Duration {
    match action {
        None => {}
        Some(Action::Slow(milliseconds) | Action::Stubborn(milliseconds)) => {
            return Duration::from_millis(milliseconds);
        }
        Some(Action::Abort) => std::process::abort(),
        Some(Action::Exit) => std::process::exit(3),
        Some(Action::Flaky) => {
            let attempt = std::env::var(crate::runner::ATTEMPT_VARIABLE).unwrap_or_default();
            if attempt == "1" {
                std::process::exit(3);
            }
        }
        Some(Action::Garbage) => say("this is not an event"),
        Some(Action::Hang) => loop {
            std::thread::park();
        },
        Some(Action::Hog) => hog(),
        Some(Action::HugeLine) => say(&"x".repeat(16 << 20)),
        Some(Action::Kill) => {
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
        }
        Some(Action::Panic) => panic!("asked to panic"),
    }
    Duration::ZERO
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

fn work(request: &JobRequest, delay: Duration) -> io::Result<()> {
    let mut dice = Dice::new(&request.job.0);
    let skill = 0.35 + 0.4 * dice.fraction();
    let count = request.settings.training.epochs.clamp(1, 3);
    let mut epochs = Vec::new();
    for epoch in 1..=count {
        std::thread::sleep(delay);
        let gain = epoch as f64 / count as f64;
        let scores = score(&play(&mut dice, skill * gain));
        let (dev_micro_f1, dev_macro_f1) = (scores.span.micro.f1, scores.span.macro_.f1);
        let (loss, seconds) = (1.0 / epoch as f64, delay.as_secs_f64());
        tell(&WorkerEvent::Epoch { epoch, epochs: count, loss, dev_micro_f1, dev_macro_f1 })?;
        epochs.push((Epoch { epoch, loss, dev_micro_f1, dev_macro_f1, seconds }, scores));
    }
    let test = play(&mut dice, skill);
    if let Err(error) = write_predictions(request, &test) {
        let message = format!("cannot write the predictions: {error}");
        return tell(&WorkerEvent::Failed { failure: Failure::Io { message } });
    }
    let outcome = outcome(epochs, score(&test), delay);
    tell(&WorkerEvent::Finished { outcome: Box::new(outcome) })
}

fn outcome(epochs: Vec<(Epoch, Scores)>, test: Scores, delay: Duration) -> Outcome {
    // The first of the best, as early stopping keeps it.
    let mut best = 0;
    for (index, (epoch, _)) in epochs.iter().enumerate() {
        if epoch.dev_micro_f1 > epochs[best].0.dev_micro_f1 {
            best = index;
        }
    }
    let dev = epochs.get(best).map(|(_, scores)| scores.clone()).unwrap_or_default();
    Outcome {
        best_epoch: best + 1,
        train_seconds: delay.as_secs_f64() * epochs.len() as f64,
        epochs: epochs.into_iter().map(|(epoch, _)| epoch).collect(),
        train_sentences: SENTENCES,
        train_tokens: SENTENCES * LENGTH,
        sentence_factor: 1.0,
        token_factor: 1.0,
        parameters: TYPES.len() as u64,
        dev,
        test,
        peak_rss_mb: 0.0,
        engine: EngineInfo { version: "mock-1".to_owned(), backend: "mock".to_owned() },
    }
}

/// Gold and predicted type of a token, `None` outside of an entity.
type Token = (Option<&'static str>, Option<&'static str>);

/// A split of sentences with predictions of some skill.
fn play(dice: &mut Dice, skill: f64) -> Vec<Token> {
    let token = |_| {
        let gold = (dice.fraction() < 0.2).then(|| dice.entity_type());
        let hit = dice.fraction() < skill;
        let predicted = match gold {
            Some(_) if hit => gold,
            Some(_) => (dice.fraction() < 0.3).then(|| dice.entity_type()),
            None => (dice.fraction() < 0.05).then(|| dice.entity_type()),
        };
        (gold, predicted)
    };
    (0..SENTENCES * LENGTH).map(token).collect()
}

fn write_predictions(request: &JobRequest, tokens: &[Token]) -> io::Result<()> {
    let tag = |entity_type: Option<&str>| entity_type.map_or("O".to_owned(), |t| format!("B-{t}"));
    let mut text = String::new();
    for sentence in tokens.chunks(LENGTH as usize) {
        for (n, (gold, predicted)) in sentence.iter().enumerate() {
            text.push_str(&format!("word{n}\t{}\t{}\n", tag(*gold), tag(*predicted)));
        }
        text.push('\n');
    }
    let mut temporary = request.predictions.clone().into_os_string();
    temporary.push(".part");
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, &request.predictions)
}

fn score(tokens: &[Token]) -> Scores {
    let mut types: BTreeMap<String, Counts> = BTreeMap::new();
    for (gold, predicted) in tokens {
        for name in [gold, predicted].into_iter().flatten().collect::<BTreeSet<_>>() {
            let counts = types.entry((*name).to_owned()).or_default();
            let (is_gold, is_predicted) = (*gold == Some(*name), *predicted == Some(*name));
            counts.support += u64::from(is_gold);
            counts.predicted += u64::from(is_predicted);
            counts.correct += u64::from(is_gold && is_predicted);
        }
    }
    types.values_mut().for_each(fill_fractions);
    let level = level(types);
    Scores { span: level.clone(), token: level }
}

fn fill_fractions(counts: &mut Counts) {
    let share = |of: u64| if of == 0 { 0.0 } else { counts.correct as f64 / of as f64 };
    let (precision, recall) = (share(counts.predicted), share(counts.support));
    let sum = precision + recall;
    let f1 = if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum };
    *counts = Counts { precision, recall, f1, ..*counts };
}

fn level(types: BTreeMap<String, Counts>) -> LevelScores {
    let sum = |of: fn(&Counts) -> u64| types.values().map(of).sum::<u64>();
    let (support, predicted, correct) =
        (sum(|c| c.support), sum(|c| c.predicted), sum(|c| c.correct));
    let mut micro = Counts { support, predicted, correct, ..Counts::default() };
    fill_fractions(&mut micro);
    let mean = |weight: fn(&Counts) -> f64| {
        let total = types.values().map(weight).sum::<f64>().max(1.0);
        let mean = |of: fn(&Counts) -> f64| {
            types.values().map(|counts| weight(counts) * of(counts)).sum::<f64>() / total
        };
        let (precision, recall, f1) = (mean(|c| c.precision), mean(|c| c.recall), mean(|c| c.f1));
        // Sums of rounded shares may end a hair above one.
        Counts { precision: precision.min(1.0), recall: recall.min(1.0), f1: f1.min(1.0), ..micro }
    };
    let macro_ = mean(|_| 1.0);
    let macro_fixed = mean(|c| if c.support > 0 { 1.0 } else { 0.0 });
    let weighted = mean(|c| c.support as f64);
    LevelScores { micro, macro_, macro_fixed, weighted, types }
}

/// Numbers made of a key, the same on every machine.
struct Dice {
    state: u64,
}

impl Dice {
    fn new(key: &str) -> Self {
        let digest = Sha256::digest(key.as_bytes());
        Self { state: digest.iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte)) }
    }

    /// From 0 to below 1, by SplitMix64.
    fn fraction(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A type, each half as likely as the one before: a long tail.
    fn entity_type(&mut self) -> &'static str {
        let index = (-self.fraction().max(1e-9).log2()) as usize;
        TYPES[index.min(TYPES.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::point;

    #[test]
    fn rules_pick_their_jobs() {
        let rules = "method=sc:abort;seed=2:slow=40; *:flaky";
        let action = |method, seed| Action::for_point(rules, &point(method, seed)).unwrap();
        assert_eq!(action("sc", 2), Some(Action::Abort));
        assert_eq!(action("focal", 2), Some(Action::Slow(40)));
        assert_eq!(action("focal", 1), Some(Action::Flaky));
        assert_eq!(Action::for_point("", &point("sc", 1)).unwrap(), None);
        for wrong in ["abort", "method=sc:dance", "colour=red:abort", "*:slow=x"] {
            assert!(Action::for_point(wrong, &point("sc", 1)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_same_key_plays_the_same_and_another_one_differently() {
        let played = |key: &str| play(&mut Dice::new(key), 0.6);
        assert_eq!(played("ab"), played("ab"));
        assert_ne!(played("ab"), played("cd"));
    }

    #[test]
    fn scores_are_those_of_the_tokens() {
        let (a, b) = (Some("a"), Some("b"));
        // a: gold 2, predicted 2, correct 1; b: gold 1, predicted 1, correct 0; c: predicted only.
        let tokens = [(a, a), (a, b), (b, None), (None, a), (None, None), (None, Some("c"))];
        let span = score(&tokens).span;
        assert_eq!((span.micro.support, span.micro.predicted, span.micro.correct), (3, 4, 1));
        assert_eq!(span.types["a"].f1, 0.5);
        assert_eq!(span.macro_.f1, 0.5 / 3.0);
        assert_eq!(span.macro_fixed.f1, 0.25);
        assert_eq!(span.weighted.f1, 1.0 / 3.0);
    }
}
