//! Invented words that can be spoken, and how often each is used.

use crate::chance::Chance;
use std::collections::HashSet;

const ONSETS: [&str; 24] = [
    "b", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br",
    "dr", "kl", "pr", "sh", "st", "tr",
];
const VOWELS: [&str; 7] = ["a", "e", "i", "o", "u", "ai", "ou"];
const CODAS: [&str; 8] = ["n", "r", "l", "s", "m", "t", "k", "nd"];

/// Coins words, never the same twice.
pub(super) struct Coinage {
    chance: Chance,
    used: HashSet<String>,
}

impl Coinage {
    /// Coins from a stream of choices.
    pub fn new(chance: Chance) -> Self {
        Self { chance, used: HashSet::new() }
    }

    /// Another coinage that avoids every word coined here so far.
    pub fn fork(&self, chance: Chance) -> Self {
        Self { chance, used: self.used.clone() }
    }

    /// A new word of about so many syllables: one more each time that the word is taken.
    pub fn word(&mut self, syllables: usize) -> String {
        for length in syllables.. {
            let word: String = (0..length).map(|_| self.syllable()).collect();
            if self.used.insert(word.clone()) {
                return word;
            }
        }
        unreachable!("there is a longer word")
    }

    /// New words of two or three syllables.
    pub fn words(&mut self, n: usize) -> Vec<String> {
        (0..n).map(|index| self.word(2 + index % 2)).collect()
    }

    fn syllable(&mut self) -> String {
        let coda = if self.chance.happens(0.25) { *self.chance.pick(&CODAS) } else { "" };
        [*self.chance.pick(&ONSETS), *self.chance.pick(&VOWELS), coda].concat()
    }
}

/// Ranks drawn with a probability that falls as 1/(rank + offset) (Zipf's law as Mandelbrot mended
/// it), in whole numbers.
pub(super) struct Zipf {
    cumulative: Vec<u64>,
}

impl Zipf {
    /// The law over `n` ranks.
    pub fn new(n: usize, offset: u64) -> Self {
        let weight = |rank: u64| (1 << 40) / (rank + offset);
        let add = |sum: &mut u64, rank| {
            *sum += weight(rank);
            Some(*sum)
        };
        Self { cumulative: (0..n as u64).scan(0, add).collect() }
    }

    /// A rank, from 0.
    pub fn draw(&self, chance: &mut Chance) -> usize {
        let total = self.cumulative.last().copied().unwrap_or(0);
        let point = chance.below(total as usize) as u64;
        self.cumulative.partition_point(|&sum| sum <= point)
    }
}

/// Words with a Zipfian use.
pub(super) struct Vocabulary {
    words: Vec<String>,
    law: Zipf,
}

impl Vocabulary {
    /// The words in the order of their use. There must be one.
    pub fn new(words: Vec<String>, offset: u64) -> Self {
        let law = Zipf::new(words.len(), offset);
        Self { words, law }
    }

    /// A word in use.
    pub fn draw(&self, chance: &mut Chance) -> &str {
        &self.words[self.law.draw(chance)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_repeat_even_when_short_ones_run_out() {
        let mut coinage = Coinage::new(Chance::new("test", 1));
        let words: HashSet<String> = (0..5_000).map(|_| coinage.word(1)).collect();
        assert_eq!(words.len(), 5_000);
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
        let mut fork = coinage.fork(Chance::new("fork", 1));
        assert!((0..5_000).all(|_| !words.contains(&fork.word(1))));
    }

    #[test]
    fn use_falls_as_zipf_says() {
        let (law, mut chance) = (Zipf::new(100, 1), Chance::new("test", 1));
        let mut counts = [0f64; 100];
        for _ in 0..100_000 {
            counts[law.draw(&mut chance)] += 1.0;
        }
        // 1/(rank + 1), normalised by the 100th harmonic number.
        for rank in [0, 1, 3, 9, 49] {
            let expected = 100_000.0 / 5.187_377_5 / (rank + 1) as f64;
            let ratio = counts[rank] / expected;
            assert!((0.85..1.15).contains(&ratio), "rank {rank}: {ratio}");
        }
    }
}
