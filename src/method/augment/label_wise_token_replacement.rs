//! LwTR: label-wise token replacement (dai2020, section 3).

use super::parameters::{COPIES, POWER, RATIO, REGENERATE};
use super::{Ground, Original, below, happens};
use crate::domain::{Entry, Sentence, Tag, TokensBuilder};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

pub const ENTRY: Entry = Entry {
    name: "label-wise-token-replacement",
    help: "tokens are replaced by others that have the same tag somewhere in the training data",
    parameters: &[RATIO, POWER, COPIES, REGENERATE],
    needs: "",
    source: "dai2020, section 3; wang2022, section 4.2",
};

/// Each token that is no stop word is replaced with probability `ratio` by one of its tag's, perhaps
/// itself. Tags stay.
pub struct Operator {
    ratio: f64,
    /// By [`Tag::index`].
    urns: Vec<Urn>,
}

impl Operator {
    /// Counts the tokens of each tag.
    pub fn new(ground: Ground<'_, '_>) -> Self {
        let power = ground.parameters.real(POWER.name);
        let mut counts: Vec<HashMap<u32, u64>> = vec![HashMap::new(); ground.types.tag_count()];
        let mut urns = vec![Urn::default(); ground.types.tag_count()];
        for original in ground.vocabulary.originals(ground.train) {
            for (&word, tag) in original.words.iter().zip(&original.sentence.tags) {
                if !ground.vocabulary.is_stop_word(word) {
                    let count = counts[tag.index()].entry(word).or_default();
                    if *count == 0 {
                        urns[tag.index()].words.push(word);
                    }
                    *count += 1;
                }
            }
        }
        urns.iter_mut().zip(&counts).for_each(|(urn, counts)| urn.weigh(counts, power));
        Self { ratio: ground.parameters.real(RATIO.name), urns }
    }

    fn word(&self, original: Original<'_>, word: u32, tag: Tag, rng: &mut ChaCha8Rng) -> u32 {
        let replaced = happens(self.ratio, rng) && !original.vocabulary.is_stop_word(word);
        if replaced { self.urns[tag.index()].draw(rng).unwrap_or(word) } else { word }
    }
}

impl super::Operator for Operator {
    fn generate(&self, original: Original<'_>, rng: &mut ChaCha8Rng, made: &mut Vec<Sentence>) {
        let tags = &original.sentence.tags;
        let mut tokens = TokensBuilder::default();
        for (&word, &tag) in original.words.iter().zip(tags) {
            tokens.push(original.vocabulary.text(self.word(original, word, tag, rng)));
        }
        made.push(Sentence { tokens: tokens.take(), tags: tags.clone() });
    }
}

/// The distinct words of a tag, each with its weight.
#[derive(Clone, Default)]
struct Urn {
    words: Vec<u32>,
    /// The weights of the words up to and with each; empty where all are alike.
    cumulated: Vec<f64>,
}

impl Urn {
    /// Weight = frequency to a power. 0 needs no weights; 1 gives whole numbers, the same everywhere.
    fn weigh(&mut self, counts: &HashMap<u32, u64>, power: f64) {
        if power > 0.0 {
            let weight = |word| counts.get(word).map_or(0.0, |&count| (count as f64).powf(power));
            let sum = |sum: &mut f64, word| {
                *sum += weight(word);
                Some(*sum)
            };
            self.cumulated = self.words.iter().scan(0.0, sum).collect();
        }
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> Option<u32> {
        let last = self.words.len().checked_sub(1)?;
        let place = match self.cumulated.last() {
            None => below(self.words.len(), rng),
            Some(total) => {
                let drawn = rng.random::<f64>() * total;
                self.cumulated.partition_point(|upto| *upto <= drawn).min(last)
            }
        };
        Some(self.words[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::augment::stream;

    #[test]
    fn frequent_words_are_drawn_more_often_by_their_power() {
        let counts = HashMap::from([(7, 1), (8, 3)]);
        let share = |power: f64| {
            let mut urn = Urn { words: vec![7, 8], cumulated: vec![] };
            urn.weigh(&counts, power);
            let mut rng = stream(1);
            (0..10_000).filter(|_| urn.draw(&mut rng) == Some(8)).count()
        };
        assert!((4_800..5_200).contains(&share(0.0)), "{}", share(0.0));
        assert!((7_300..7_700).contains(&share(1.0)), "{}", share(1.0));
        assert!((8_800..9_200).contains(&share(2.0)), "{}", share(2.0));
        assert_eq!(Urn::default().draw(&mut stream(1)), None);
    }
}
