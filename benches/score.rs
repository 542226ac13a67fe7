//! How fast scoring is, beside seqeval on the same tags.

use domain::{Tag, TypeSet};
use score::{Mode, score};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testbed::{Workspace, python, repository, tailgrid};

/// The size of CoNLL-2003's training data five times over, and its types.
const SENTENCES: usize = 70_000;
const LENGTH: usize = 14;
const TYPES: [&str; 4] = ["LOC", "MISC", "ORG", "PER"];

/// What a scorer must be faster than seqeval.
const FACTOR: f64 = 100.0;

/// One pseudo-random number after another (Marsaglia 2003, xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// About one token in six is in an entity, as in CoNLL-2003.
fn gold(chance: &mut Chance, types: &TypeSet) -> Vec<Tag> {
    let mut tags = Vec::with_capacity(LENGTH);
    while tags.len() < LENGTH {
        if chance.below(9) > 0 {
            tags.push(Tag::Outside);
            continue;
        }
        let id = types.ids().nth(chance.below(types.len())).unwrap();
        tags.push(Tag::Begin(id));
        tags.extend(std::iter::repeat_n(Tag::Inside(id), [0, 0, 1, 1, 2][chance.below(5)]));
    }
    tags.truncate(LENGTH);
    tags
}

/// The same with one tag in fifty exchanged, wherever it stands.
fn predicted(chance: &mut Chance, gold: &[Tag], types: &TypeSet) -> Vec<Tag> {
    let other = |chance: &mut Chance| Tag::from_index(chance.below(types.tag_count()));
    gold.iter().map(|&tag| if chance.below(50) == 0 { other(chance) } else { tag }).collect()
}

fn column_file(types: &TypeSet, gold: &[Vec<Tag>], predicted: &[Vec<Tag>]) -> String {
    let mut text = String::new();
    for (gold, predicted) in gold.iter().zip(predicted) {
        for (number, (gold, predicted)) in gold.iter().zip(predicted).enumerate() {
            text += &format!("token{number}\t{}\t{}\n", types.show(*gold), types.show(*predicted));
        }
        text.push('\n');
    }
    text
}

/// The best of some runs: what else the machine does only slows them.
pub fn best(runs: usize, mut work: impl FnMut()) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..runs).map(timed).min().unwrap()
}

/// Seconds that seqeval takes for the tags of a file once they are read, and the F1 that it finds.
fn seqeval(file: &Path) -> (f64, f64) {
    let script = repository().join("benches/peers/seqeval_score.py");
    let done = Command::new(python("peers")).arg(script).arg(file).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8(done.stdout).unwrap();
    let numbers: Vec<f64> = said.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (numbers[0], numbers[1])
}

pub fn bench() {
    let types = TypeSet::new(TYPES.map(String::from));
    let mut chance = Chance(20030531);
    let gold: Vec<_> = (0..SENTENCES).map(|_| gold(&mut chance, &types)).collect();
    let predicted: Vec<_> = gold.iter().map(|tags| predicted(&mut chance, tags, &types)).collect();
    let workspace = Workspace::new();
    workspace.write("both.tsv", &column_file(&types, &gold, &predicted));
    let file = workspace.path("both.tsv");

    let mut f1 = 0.0;
    let scoring = best(20, || {
        f1 = score(&types, &gold, &predicted, Mode::Conlleval).unwrap().span.micro.f1;
    });
    let program = best(5, || {
        let done = Command::new(tailgrid()).args(["score", "--json"]).arg(&file).output().unwrap();
        assert!(done.status.success());
    });
    let (seconds, seqeval_f1) = seqeval(&file);
    assert!((f1 - seqeval_f1).abs() < 1e-12, "{f1} is not seqeval's {seqeval_f1}");

    let tokens = (SENTENCES * LENGTH) as f64;
    let ratio = seconds / scoring.as_secs_f64();
    let rate = |seconds: f64| tokens / seconds / 1e6;
    println!("{tokens} tokens, million tokens a second:");
    println!("  seqeval, tags in memory      {:8.2}", rate(seconds));
    println!(
        "  tailgrid, tags in memory     {:8.2}  {ratio:.0} times seqeval",
        rate(scoring.as_secs_f64())
    );
    println!(
        "  tailgrid score, from a file  {:8.2}  {:.0} times seqeval's scoring alone",
        rate(program.as_secs_f64()),
        seconds / program.as_secs_f64()
    );
    assert!(ratio >= FACTOR, "only {ratio:.0} times as fast as seqeval");
}
