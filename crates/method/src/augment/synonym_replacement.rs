//! SR: synonym replacement (dai2020, section 3).

use super::parameters::{COPIES, RATIO, REGENERATE, Regenerate, SYNONYMS};
use super::synonyms::Wanted;
use super::{Draft, Ground, Original, Synonyms};
use domain::Tag;
use parts::part;
use std::cell::OnceCell;

part! {
    /// tokens are replaced by synonyms, which may have several words
    pub struct SynonymReplacement("synonym-replacement") from "dai2020, section 3; wang2022, section 4.2" {
        ratio: f64 as RATIO,
        copies: usize as COPIES,
        regenerate: Regenerate as REGENERATE,
        synonyms: Wanted as SYNONYMS,
    }
}

/// Each token that is no stop word and has synonyms is replaced with probability `ratio` by one of
/// them. The first word of a synonym keeps the tag, further ones of an entity are inside it.
/// Without synonyms sentences stay as they are.
pub struct SynonymReplacer<'a> {
    ratio: f64,
    synonyms: Option<&'a dyn Synonyms>,
    /// By word, asked for when it is first replaced: most words of a vocabulary never are.
    found: Vec<OnceCell<Vec<String>>>,
}

impl<'a> SynonymReplacer<'a> {
    /// Asks nothing yet.
    pub fn new(ratio: f64, ground: Ground<'_, 'a>) -> Self {
        let found = vec![OnceCell::new(); ground.vocabulary.len()];
        Self { ratio, synonyms: ground.synonyms, found }
    }

    /// The synonym that a token is replaced by, if it is.
    fn drawn(&self, original: Original<'_>, word: u32, draft: &mut Draft<'_>) -> Option<&str> {
        let vocabulary = original.vocabulary;
        if !draft.happens(self.ratio) || vocabulary.is_stop_word(word) {
            return None;
        }
        let synonyms = self.found[word as usize].get_or_init(|| {
            let mut synonyms = self.synonyms.map_or_else(Vec::new, |s| s.of(vocabulary.text(word)));
            synonyms.retain(|synonym| words(synonym).next().is_some());
            synonyms
        });
        if synonyms.is_empty() { None } else { Some(&synonyms[draft.below(synonyms.len())]) }
    }
}

impl super::Operator for SynonymReplacer<'_> {
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>) {
        let mut tags = Vec::with_capacity(original.words.len());
        for (&word, &tag) in original.words.iter().zip(&original.sentence.tags) {
            match self.drawn(original, word, draft) {
                None => {
                    draft.push(original.vocabulary.text(word));
                    tags.push(tag);
                }
                Some(synonym) => {
                    words(synonym).for_each(|piece| draft.push(piece));
                    let further = words(synonym).skip(1).map(|_| continued(tag));
                    tags.extend(std::iter::once(tag).chain(further));
                }
            }
        }
        draft.finish(tags);
    }
}

fn words(synonym: &str) -> impl Iterator<Item = &str> {
    synonym.split_whitespace()
}

/// The tag of a further word of what a tag is on.
fn continued(tag: Tag) -> Tag {
    match tag {
        Tag::Begin(id) => Tag::Inside(id),
        tag => tag,
    }
}
