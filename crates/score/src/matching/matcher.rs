//! Matching sentence by sentence, for all types together and for each alone.

use super::assignment::assign;
use super::{Categories, Criterion, MatchScores};
use crate::tally::ByType;
use crate::{Entities, Mode, ZeroDivision};
use domain::{EntitySpan, Tag, TypeId, TypeSet};
use serde::Serialize;
use std::collections::BTreeMap;

const CRITERIA: usize = Criterion::ALL.len();

/// Categories by criterion, filled sentence by sentence.
#[derive(Clone, Debug)]
pub struct Matcher {
    mode: Mode,
    all: [Categories; CRITERIA],
    types: ByType<[Categories; CRITERIA]>,
    sentence: Room,
}

/// What a sentence needs, kept so that the next one allocates nothing.
#[derive(Clone, Debug, Default)]
struct Room {
    gold: Vec<EntitySpan>,
    predicted: Vec<EntitySpan>,
    gold_of_type: Vec<EntitySpan>,
    predicted_of_type: Vec<EntitySpan>,
    present: Vec<TypeId>,
    taken: Vec<bool>,
}

/// The scores of all types or of one, by criterion.
#[derive(Copy, Clone, PartialEq, Debug, Default, Serialize)]
pub struct TypeMatches {
    pub strict: MatchScores,
    pub exact: MatchScores,
    pub partial: MatchScores,
    pub ent_type: MatchScores,
}

/// The scores under every criterion.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Matched {
    pub all: TypeMatches,
    /// By type name; a type nobody used is left out.
    pub types: BTreeMap<String, TypeMatches>,
}

impl Matcher {
    /// A matcher that has seen nothing.
    pub fn new(mode: Mode) -> Self {
        let all = Default::default();
        Self { mode, all, types: ByType::default(), sentence: Room::default() }
    }

    /// Counts one sentence.
    pub fn add(&mut self, gold: &[Tag], predicted: &[Tag]) {
        let room = &mut self.sentence;
        refill(&mut room.gold, Entities::new(gold, self.mode));
        refill(&mut room.predicted, Entities::new(predicted, self.mode));
        count(&mut self.all, &room.gold, &room.predicted, &mut room.taken);
        let both = room.gold.iter().chain(&room.predicted);
        refill(&mut room.present, both.map(|entity| entity.entity_type));
        room.present.sort_unstable();
        room.present.dedup();
        for &id in &room.present {
            let of_type = |entity: &&EntitySpan| entity.entity_type == id;
            refill(&mut room.gold_of_type, room.gold.iter().filter(of_type).copied());
            refill(&mut room.predicted_of_type, room.predicted.iter().filter(of_type).copied());
            let found = self.types.of(id);
            count(found, &room.gold_of_type, &room.predicted_of_type, &mut room.taken);
        }
    }

    /// The scores of all that was counted. The tags' types are of `types`.
    pub fn matched(&self, types: &TypeSet, zero: ZeroDivision) -> Matched {
        let used = |found: &[Categories; CRITERIA]| found[0].possible() + found[0].actual() > 0;
        let by_name = self.types.named(types).filter(|(_, found)| used(found));
        Matched {
            all: TypeMatches::new(&self.all, zero),
            types: by_name
                .map(|(name, found)| (name.to_owned(), TypeMatches::new(&found, zero)))
                .collect(),
        }
    }
}

impl TypeMatches {
    /// In the order of [`Criterion::ALL`].
    fn new(found: &[Categories; CRITERIA], zero: ZeroDivision) -> Self {
        let [strict, exact, partial, ent_type] = found.map(|categories| categories.scores(zero));
        Self { strict, exact, partial, ent_type }
    }

    /// The scores under one criterion.
    pub fn of(&self, criterion: Criterion) -> &MatchScores {
        match criterion {
            Criterion::Strict => &self.strict,
            Criterion::Exact => &self.exact,
            Criterion::Partial => &self.partial,
            Criterion::EntType => &self.ent_type,
        }
    }
}

fn refill<T>(room: &mut Vec<T>, items: impl Iterator<Item = T>) {
    room.clear();
    room.extend(items);
}

/// Adds the categories of a sentence under every criterion.
fn count(
    found: &mut [Categories; CRITERIA],
    gold: &[EntitySpan],
    predicted: &[EntitySpan],
    taken: &mut Vec<bool>,
) {
    for (criterion, found) in Criterion::ALL.into_iter().zip(found) {
        found.add(&assign(criterion, gold, predicted, taken));
    }
}
