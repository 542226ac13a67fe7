//! What the training data knows of entities and types.

use super::words::Words;
use crate::tally::ByType;
use crate::{Entities, Mode};
use domain::{EntitySpan, Tag, TypeId, TypeSet};
use std::collections::{BTreeMap, HashMap};

/// The entities of the training data by their words in lower case, and how rare each type is.
#[derive(Clone, Debug)]
pub struct Training {
    mode: Mode,
    entities: HashMap<String, Surface>,
    /// Tokens of each type, B and I together.
    type_tokens: ByType<u64>,
    tokens: u64,
    /// Room for the words of an entity in lower case.
    key: String,
}

/// The entities that share their words.
#[derive(Clone, Debug, Default)]
struct Surface {
    count: usize,
    types: Vec<TypeId>,
}

/// What training knows of one entity.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub(super) struct Known {
    /// How many entities there have the same words.
    pub frequency: usize,
    /// Whether one of them has the same type.
    pub as_type: bool,
    /// Of its type; `None` if training has no token of it.
    pub rareness: Option<f64>,
}

impl Training {
    /// Training data without a sentence.
    pub fn new(mode: Mode) -> Self {
        Self {
            mode,
            entities: HashMap::new(),
            type_tokens: ByType::default(),
            tokens: 0,
            key: String::new(),
        }
    }

    /// Adds one sentence.
    pub fn add(&mut self, tags: &[Tag], words: Words) {
        self.tokens += tags.len() as u64;
        for id in tags.iter().filter_map(|tag| tag.entity_type()) {
            *self.type_tokens.of(id) += 1;
        }
        for entity in Entities::new(tags, self.mode) {
            lower(&mut self.key, words.joined(entity.start, entity.end));
            if !self.entities.contains_key(&self.key) {
                self.entities.insert(self.key.clone(), Surface::default());
            }
            if let Some(surface) = self.entities.get_mut(&self.key) {
                surface.add(entity.entity_type);
            }
        }
    }

    /// How rare each type of the training data is, by name.
    pub fn rareness(&self, types: &TypeSet) -> BTreeMap<String, f64> {
        let by_name = self.type_tokens.named(types);
        let known = by_name.filter_map(|(name, tokens)| Some((name, self.rareness_of(tokens)?)));
        known.map(|(name, rareness)| (name.to_owned(), rareness)).collect()
    }

    /// What is known of an entity with these words. `key` is room to work in.
    pub(super) fn known(&self, words: Words, entity: EntitySpan, key: &mut String) -> Known {
        lower(key, words.joined(entity.start, entity.end));
        let surface = self.entities.get(key.as_str());
        Known {
            frequency: surface.map_or(0, |surface| surface.count),
            as_type: surface.is_some_and(|surface| surface.types.contains(&entity.entity_type)),
            rareness: self.type_tokens.get(entity.entity_type).and_then(|n| self.rareness_of(n)),
        }
    }

    /// r_t of a type with so many tokens (wang2022, section 3.2).
    fn rareness_of(&self, tokens: u64) -> Option<f64> {
        (tokens > 0).then(|| (self.tokens as f64 / tokens as f64).log2())
    }
}

impl Surface {
    fn add(&mut self, entity_type: TypeId) {
        self.count += 1;
        if !self.types.contains(&entity_type) {
            self.types.push(entity_type);
        }
    }
}

fn lower(room: &mut String, text: &str) {
    room.clear();
    room.extend(text.chars().flat_map(char::to_lowercase));
}
