//! SiS: shuffle within segments (dai2020, section 3).

use super::parameters::{COPIES, RATIO, REGENERATE, Regenerate};
use super::{Draft, Original};
use domain::Tag;
use parts::part;

part! {
    /// the tokens of a mention, or between mentions, are brought into another order
    pub struct ShuffleWithinSegments("shuffle-within-segments") from "dai2020, section 3; wang2022, section 4.2" {
        ratio: f64 as RATIO,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
    }
}

/// Each mention and each run of `O`, if longer than one token, is shuffled with probability
/// `ratio`. Tags stay in place.
pub struct SegmentShuffler {
    pub ratio: f64,
}

impl super::Operator for SegmentShuffler {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let tags = &original.sentence.tags;
        let mut words = original.words.to_vec();
        let mut start = 0;
        for segment in segments(tags) {
            let words = &mut words[start..start + segment.len()];
            start += segment.len();
            if words.len() > 1 && draft.happens(self.ratio) {
                draft.shuffle(words);
            }
        }
        words.iter().for_each(|&word| draft.push(original.vocabulary.text(word)));
        draft.finish(tags.clone());
    }
}

/// The tags of each segment: a run of `O`, or a B with the I that follow it.
pub fn segments(tags: &[Tag]) -> impl Iterator<Item = &[Tag]> {
    tags.chunk_by(|before, tag| match tag {
        Tag::Outside => *before == Tag::Outside,
        Tag::Begin(_) => false,
        Tag::Inside(_) => true,
    })
}
