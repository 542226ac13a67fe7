//! The names of entities: which there are, and which of them a split mentions.

use super::plan::{Plan, TypePlan};
use super::settings::NAME_LENGTHS;
use super::words::{Coinage, Zipf};
use crate::chance::Chance;
use std::collections::HashSet;

/// The words of a name.
pub(super) type Name = Vec<String>;

/// A name to be put into a sentence.
#[derive(Clone)]
pub(super) struct Mention {
    pub name: Name,
    /// Rank of its type.
    pub entity_type: usize,
    /// Whether the name is an ordinary word elsewhere.
    pub is_ambiguous: bool,
}

/// The names of every type that train can mention.
pub(super) struct Names {
    types: Vec<TypeNames>,
}

struct TypeNames {
    plan: TypePlan,
    plain: Vec<Name>,
    ambiguous: Vec<Name>,
}

/// Mentions of a plain name, on average: few, so that many names are met once, as in real corpora.
const MENTIONS_A_PLAIN_NAME: f64 = 1.5;
/// Mentions of an ambiguous name, on average: enough to learn from that it is sometimes a name.
const MENTIONS_AN_AMBIGUOUS_NAME: f64 = 4.0;
/// Probability that a name's first word, or another one, is new to its type.
const NEW_FIRST_WORD: f64 = 0.8;
const NEW_LATER_WORD: f64 = 0.4;

impl Names {
    /// Coins the names that the train plan needs.
    pub fn new(plan: &Plan, coinage: &mut Coinage, chance: &mut Chance) -> Self {
        let mut pool = |mentions: usize, a_name: f64| {
            let n = (mentions as f64 / a_name).ceil() as usize;
            let mut names = vec![];
            for rank in 0..n {
                let name = coin(NAME_LENGTHS[rank % NAME_LENGTHS.len()], &names, coinage, chance);
                names.push(name);
            }
            names
        };
        let names = |&plan: &TypePlan| TypeNames {
            plan,
            plain: pool(plan.plain, MENTIONS_A_PLAIN_NAME),
            ambiguous: pool(plan.ambiguous, MENTIONS_AN_AMBIGUOUS_NAME),
        };
        Self { types: plan.types.iter().map(names).collect() }
    }

    /// The mentions of train: common names often, most names once or twice.
    pub fn train_mentions(&self, chance: &mut Chance) -> Vec<Mention> {
        let mut mentions = vec![];
        for (entity_type, names) in self.types.iter().enumerate() {
            let pools = [
                (&names.plain, names.plan.plain, false),
                (&names.ambiguous, names.plan.ambiguous, true),
            ];
            for (pool, n, is_ambiguous) in pools {
                let law = Zipf::new(pool.len(), 2);
                mentions.extend((0..n).map(|_| {
                    let name = pool[law.draw(chance)].clone();
                    Mention { name, entity_type, is_ambiguous }
                }));
            }
        }
        mentions
    }

    /// The mentions of dev or test: known names as often as train has them, and names of its own.
    pub fn later_mentions(
        &self,
        plan: &Plan,
        train: &[Mention],
        coinage: &mut Coinage,
        chance: &mut Chance,
    ) -> Vec<Mention> {
        let mut mentions = vec![];
        for (entity_type, plan) in plan.types.iter().enumerate() {
            let of_type: Vec<&Mention> =
                train.iter().filter(|mention| mention.entity_type == entity_type).collect();
            for (n, is_ambiguous) in [(plan.plain, false), (plan.ambiguous, true)] {
                let mut known = of_type.clone();
                known.retain(|mention| mention.is_ambiguous == is_ambiguous);
                // A type with few mentions may lack one sort of name: the other sort serves.
                let known = if known.is_empty() { &of_type } else { &known };
                mentions.extend((0..n).map(|_| (*chance.pick(known)).clone()));
            }
            let new = self.new_names(entity_type, plan.unseen, coinage, chance);
            mentions.extend(new.map(|name| Mention { name, entity_type, is_ambiguous: false }));
        }
        mentions
    }

    /// Names that train does not have, some of whose words it does.
    fn new_names(
        &self,
        entity_type: usize,
        n: usize,
        coinage: &mut Coinage,
        chance: &mut Chance,
    ) -> impl Iterator<Item = Name> + use<> {
        let known = &self.types[entity_type].plain;
        let mut taken: HashSet<Name> = known.iter().cloned().collect();
        let mut names = vec![];
        for index in 0..n {
            let length = NAME_LENGTHS[index % NAME_LENGTHS.len()];
            let name = match coin(length, known, coinage, chance) {
                name if taken.insert(name.clone()) => name,
                _ => coinage.words(length),
            };
            names.push(name);
        }
        names.into_iter()
    }
}

/// A name of some new words and some words of names that there are, in the same places.
fn coin(length: usize, known: &[Name], coinage: &mut Coinage, chance: &mut Chance) -> Name {
    let word = |place: usize| {
        let is_new = chance.happens(if place == 0 { NEW_FIRST_WORD } else { NEW_LATER_WORD });
        if !is_new
            && !known.is_empty()
            && length > 1
            && let Some(word) = chance.pick(known).get(place)
        {
            return word.clone();
        }
        coinage.word(2 + place % 2)
    };
    (0..length).map(word).collect()
}
