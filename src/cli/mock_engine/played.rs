//! Made-up predictions.

use domain::{Scores, Tag, TypeId, TypeSet};
use score::{Mode, score};
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;

/// Sorted, as in every [`TypeSet`].
pub const TYPES: [&str; 4] = ["location", "person", "product", "work"];
pub const SENTENCES: u64 = 60;
pub const LENGTH: usize = 10;

/// Sentences with the tags of gold, and predictions.
#[derive(PartialEq, Debug)]
pub struct Played {
    pub gold: Vec<Vec<Tag>>,
    pub predicted: Vec<Vec<Tag>>,
}

impl Played {
    pub fn scores(&self) -> io::Result<Scores> {
        score(&types(), &self.gold, &self.predicted, Mode::Conlleval).map_err(io::Error::other)
    }
}

pub fn types() -> TypeSet {
    TypeSet::new(TYPES.map(str::to_owned))
}

/// A split of sentences with predictions of some skill.
pub fn play(dice: &mut Dice, skill: f64) -> Played {
    let mut sentence = |_| (0..LENGTH).map(|_| play_token(dice, skill)).unzip();
    let (gold, predicted) = (0..SENTENCES).map(&mut sentence).unzip();
    Played { gold, predicted }
}

/// A token's tag in gold, and the predicted one.
fn play_token(dice: &mut Dice, skill: f64) -> (Tag, Tag) {
    let gold = dice.entity(0.2);
    let hit = dice.fraction() < skill;
    let predicted = match gold {
        Tag::Outside => dice.entity(0.05),
        _ if hit => gold,
        _ => dice.entity(0.3),
    };
    (gold, predicted)
}

pub fn write_predictions(path: &Path, played: &Played) -> io::Result<()> {
    let types = types();
    let mut text = String::new();
    for (gold, predicted) in played.gold.iter().zip(&played.predicted) {
        for (n, (gold, predicted)) in gold.iter().zip(predicted).enumerate() {
            let (gold, predicted) = (types.show(*gold), types.show(*predicted));
            text.push_str(&format!("word{n}\t{gold}\t{predicted}\n"));
        }
        text.push('\n');
    }
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".part");
    std::fs::write(&temporary, text)?;
    std::fs::rename(&temporary, path)
}

/// Numbers made of a key, the same on every machine.
pub struct Dice {
    state: u64,
}

impl Dice {
    pub fn new(key: &str) -> Self {
        let digest = Sha256::digest(key.as_bytes());
        Self { state: digest.iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte)) }
    }

    /// From 0 to below 1, by SplitMix64.
    pub fn fraction(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An entity of one token with this chance. Each type is half as likely as the one before: a
    /// long tail.
    pub fn entity(&mut self, chance: f64) -> Tag {
        if self.fraction() >= chance {
            return Tag::Outside;
        }
        let index = (-self.fraction().max(1e-9).log2()) as usize;
        Tag::Begin(TypeId(index.min(TYPES.len() - 1) as u16))
    }
}
