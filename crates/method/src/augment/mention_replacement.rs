//! MR: mention replacement (dai2020, section 3).

use super::parameters::{COPIES, RATIO, REGENERATE, Regenerate};
use super::{Draft, Ground, Original};
use domain::{EntitySpan, Tag};
use parts::part;
use std::collections::HashSet;
use std::ops::Range;

part! {
    /// mentions are replaced by others of the same type from the training data
    pub struct MentionReplacement("mention-replacement") from "dai2020, section 3; wang2022, section 4.2" {
        ratio: f64 as RATIO,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
    }
}

/// Each mention is replaced with probability `ratio` by one of its type's distinct mentions,
/// perhaps itself; longer and shorter ones move what follows. A sentence without a mention stays as
/// it is.
pub struct MentionReplacer {
    ratio: f64,
    /// By type, where each distinct mention stands first in the running text.
    mentions: Vec<Vec<Range<usize>>>,
}

impl MentionReplacer {
    /// Collects the mentions of each type.
    pub fn new(ratio: f64, ground: Ground<'_, '_>) -> Self {
        let mut mentions = vec![Vec::new(); ground.types.len()];
        let mut known: HashSet<(usize, &[u32])> = HashSet::new();
        for original in ground.vocabulary.originals(ground.train) {
            for EntitySpan { start, end, entity_type } in original.sentence.entities() {
                let places = original.start + start..original.start + end;
                let entity_type = entity_type.0 as usize;
                if known.insert((entity_type, ground.vocabulary.words(places.clone()))) {
                    mentions[entity_type].push(places);
                }
            }
        }
        Self { ratio, mentions }
    }

    /// Where in the running text the words of a mention's place come from.
    fn drawn(
        &self,
        original: Original<'_>,
        span: EntitySpan,
        draft: &mut Draft<'_>,
    ) -> Range<usize> {
        let of_type = &self.mentions[span.entity_type.0 as usize];
        if draft.happens(self.ratio) && !of_type.is_empty() {
            of_type[draft.below(of_type.len())].clone()
        } else {
            original.start + span.start..original.start + span.end
        }
    }
}

impl super::Operator for MentionReplacer {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let (vocabulary, sentence) = (original.vocabulary, original.sentence);
        let mut tags = Vec::with_capacity(sentence.len());
        let mut copied = 0;
        for span in sentence.entities() {
            copy(original, copied..span.start, draft, &mut tags);
            copied = span.end;
            let mention = self.drawn(original, span, draft);
            tags.push(Tag::Begin(span.entity_type));
            tags.resize(tags.len() + mention.len() - 1, Tag::Inside(span.entity_type));
            vocabulary.words(mention).iter().for_each(|&word| draft.push(vocabulary.text(word)));
        }
        copy(original, copied..sentence.len(), draft, &mut tags);
        draft.finish(tags);
    }
}

/// Copies what stands between mentions.
fn copy(original: Original<'_>, places: Range<usize>, draft: &mut Draft<'_>, tags: &mut Vec<Tag>) {
    let words = &original.words[places.clone()];
    words.iter().for_each(|&word| draft.push(original.vocabulary.text(word)));
    tags.extend_from_slice(&original.sentence.tags[places]);
}
