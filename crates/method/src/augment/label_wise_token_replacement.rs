//! LwTR: label-wise token replacement (dai2020, section 3).

use super::parameters::{COPIES, POWER, RATIO, REGENERATE, Regenerate};
use super::{Draft, Ground, Original};
use domain::Tag;
use parts::part;

part! {
    /// tokens are replaced by others that have the same tag somewhere in the training data
    pub struct LabelWiseTokenReplacement("label-wise-token-replacement") from "dai2020, section 3; wang2022, section 4.2" {
        ratio: f64 as RATIO,
        power: f64 as POWER,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
    }
}

/// Each token that is no stop word is replaced with probability `ratio` by one of its tag's,
/// perhaps itself. Tags stay.
pub struct TokenReplacer {
    ratio: f64,
    /// By [`Tag::index`].
    urns: Vec<Urn>,
}

impl TokenReplacer {
    /// Counts the tokens of each tag.
    pub fn new(ratio: f64, power: f64, ground: Ground<'_, '_>) -> Self {
        let mut seen: Vec<(usize, u32)> = Vec::new();
        for original in ground.vocabulary.originals(ground.train) {
            let tagged = original
                .sentence
                .tags
                .iter()
                .map(|tag| tag.index())
                .zip(original.words.iter().copied());
            seen.extend(tagged.filter(|(_, word)| !ground.vocabulary.is_stop_word(*word)));
        }
        seen.sort_unstable();
        let mut urns = vec![Urn::default(); ground.types.tag_count()];
        for alike in seen.chunk_by(|a, b| a == b) {
            let (tag, word) = alike[0];
            urns[tag].add(word, alike.len(), power);
        }
        Self { ratio, urns }
    }

    fn word(&self, original: Original<'_>, word: u32, tag: Tag, draft: &mut Draft<'_>) -> u32 {
        let replaced = draft.happens(self.ratio) && !original.vocabulary.is_stop_word(word);
        if replaced { self.urns[tag.index()].draw(draft).unwrap_or(word) } else { word }
    }
}

impl super::Operator for TokenReplacer {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let tags = &original.sentence.tags;
        for (&word, &tag) in original.words.iter().zip(tags) {
            let word = self.word(original, word, tag, draft);
            draft.push(original.vocabulary.text(word));
        }
        draft.finish(tags.clone());
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
    /// Weight = frequency to a power. 0 needs no weights; 1 gives whole numbers, the same
    /// everywhere.
    fn add(&mut self, word: u32, count: usize, power: f64) {
        self.words.push(word);
        if power > 0.0 {
            let before = self.cumulated.last().copied().unwrap_or_default();
            self.cumulated.push(before + (count as f64).powf(power));
        }
    }

    fn draw(&self, draft: &mut Draft<'_>) -> Option<u32> {
        let last = self.words.len().checked_sub(1)?;
        let place = match self.cumulated.last() {
            None => draft.below(self.words.len()),
            Some(total) => {
                let drawn = draft.share() * total;
                self.cumulated.partition_point(|upto| *upto <= drawn).min(last)
            }
        };
        Some(self.words[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::augment::stream;

    #[test]
    fn frequent_words_are_drawn_more_often_by_their_power() {
        let share = |power: f64| {
            let mut urn = Urn::default();
            urn.add(7, 1, power);
            urn.add(8, 3, power);
            let mut rng = stream(1);
            let mut draft = Draft::new(&mut rng, 0);
            (0..10_000).filter(|_| urn.draw(&mut draft) == Some(8)).count()
        };
        assert!((4_800..5_200).contains(&share(0.0)), "{}", share(0.0));
        assert!((7_300..7_700).contains(&share(1.0)), "{}", share(1.0));
        assert!((8_800..9_200).contains(&share(2.0)), "{}", share(2.0));
        assert_eq!(Urn::default().draw(&mut Draft::new(&mut stream(1), 0)), None);
    }
}
