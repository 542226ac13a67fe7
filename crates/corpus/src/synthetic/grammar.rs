//! Sentences: noun phrases joined by verbs, prepositions and conjunctions, with names among them.
//!
//! A name has a cue of its type before it, after it or on both sides; an ambiguous one always. The
//! same words as ordinary nouns follow a determiner. Cues are also ordinary nouns now and then, so
//! neither the word nor the cue alone settles a tag.

use super::names::{Mention, Name};
use super::plan::Plan;
use super::settings::Synthetic;
use super::words::{Coinage, Vocabulary};
use crate::chance::Chance;
use domain::{Sentence, Tag, TokensBuilder, TypeId, TypeSet};

/// The words of the language.
pub(super) struct Grammar {
    determiners: Vocabulary,
    prepositions: Vocabulary,
    conjunctions: Vocabulary,
    nouns: Vocabulary,
    verbs: Vocabulary,
    adjectives: Vocabulary,
    adverbs: Vocabulary,
    /// By type, the commonest first.
    cues: Vec<Cues>,
    type_names: Vec<&'static str>,
}

/// Words that announce a type.
struct Cues {
    before: Vec<String>,
    after: Vec<String>,
}

const CUES_A_SIDE: usize = 4;
/// How often an ordinary noun is one of the cue words.
const CUE_AS_A_NOUN: f64 = 0.06;
/// Ordinary uses of an ambiguous name for each of its mentions: more than mentions, so that a model
/// which sees the word alone does best to call it ordinary.
const ORDINARY_USES: f64 = 1.4;

/// Words with their tags, to stand in one piece.
type Phrase = Vec<(String, Tag)>;

impl Grammar {
    /// Coins the words of the language.
    pub fn new(settings: &Synthetic, coinage: &mut Coinage) -> Self {
        let mut function =
            |n, offset| Vocabulary::new((0..n).map(|_| coinage.word(1)).collect(), offset);
        let (determiners, prepositions, conjunctions) =
            (function(5, 1), function(10, 1), function(4, 1));
        let mut content = |percent: usize| {
            Vocabulary::new(coinage.words((settings.vocabulary * percent / 100).max(1)), 3)
        };
        let (nouns, verbs, adjectives, adverbs) =
            (content(55), content(22), content(15), content(8));
        let mut cues =
            || Cues { before: coinage.words(CUES_A_SIDE), after: coinage.words(CUES_A_SIDE) };
        Self {
            determiners,
            prepositions,
            conjunctions,
            nouns,
            verbs,
            adjectives,
            adverbs,
            cues: (0..settings.types).map(|_| cues()).collect(),
            type_names: settings.type_names().collect(),
        }
    }

    /// The sentences of a split with all its mentions in them.
    pub fn sentences(
        &self,
        plan: &Plan,
        mut mentions: Vec<Mention>,
        types: &TypeSet,
        chance: &mut Chance,
    ) -> Vec<Sentence> {
        let mut phrases: Vec<Vec<Phrase>> = vec![vec![]; plan.sentences];
        self.place_ordinary_uses(&mentions, &mut phrases, chance);
        chance.shuffle(&mut mentions);
        let chosen = chance.choose(plan.sentences, plan.with_mentions);
        let chosen: Vec<usize> = (0..plan.sentences).filter(|&index| chosen[index]).collect();
        for (n, mention) in mentions.iter().enumerate() {
            // One for each chosen sentence first, the others anywhere among them.
            let index = chosen.get(n).copied().unwrap_or_else(|| *chance.pick(&chosen));
            phrases[index].push(self.mention(mention, plan.cues, types, chance));
        }
        let sentence = |phrases| self.sentence(phrases, plan.mean_length, chance);
        phrases.into_iter().map(sentence).collect()
    }

    /// Uses every ambiguous name as an ordinary noun too, in any sentence.
    fn place_ordinary_uses(
        &self,
        mentions: &[Mention],
        phrases: &mut [Vec<Phrase>],
        chance: &mut Chance,
    ) {
        for mention in mentions.iter().filter(|mention| mention.is_ambiguous) {
            let uses = 1 + usize::from(chance.happens(ORDINARY_USES - 1.0));
            for _ in 0..uses {
                let index = chance.below(phrases.len());
                let phrase = self.ordinary_use(&mention.name, chance);
                phrases[index].push(phrase);
            }
        }
    }

    fn ordinary_use(&self, name: &Name, chance: &mut Chance) -> Phrase {
        let mut words = vec![self.determiners.draw(chance).to_owned()];
        words.extend(name.iter().cloned());
        outside(words)
    }

    /// A name with its cues.
    fn mention(
        &self,
        mention: &Mention,
        cues: f64,
        types: &TypeSet,
        chance: &mut Chance,
    ) -> Phrase {
        let entity_type = types.id(self.type_names[mention.entity_type]).unwrap_or(TypeId(0));
        let words = &self.cues[mention.entity_type];
        let has_cue = mention.is_ambiguous || chance.happens(cues);
        let side = chance.below(10);
        let mut phrase = vec![];
        if has_cue && side < 7 {
            phrase.push((chance.pick(&words.before).clone(), Tag::Outside));
        }
        let tag =
            |place| if place == 0 { Tag::Begin(entity_type) } else { Tag::Inside(entity_type) };
        phrase.extend(
            mention.name.iter().cloned().enumerate().map(|(place, word)| (word, tag(place))),
        );
        if has_cue && side >= 4 {
            phrase.push((chance.pick(&words.after).clone(), Tag::Outside));
        }
        phrase
    }

    /// Joins the phrases, in random order, with others up to the length of the sentence.
    fn sentence(
        &self,
        mut phrases: Vec<Phrase>,
        mean_length: usize,
        chance: &mut Chance,
    ) -> Sentence {
        let length = mean_length / 2
            + chance.below(mean_length / 2 + 1)
            + chance.below(mean_length.div_ceil(2) + 1);
        // A connector goes with each phrase, and the full stop takes the place of the last one.
        let tokens =
            |phrases: &[Phrase]| phrases.iter().map(|phrase| phrase.len() + 1).sum::<usize>();
        while phrases.len() < 2 || tokens(&phrases) + 1 < length {
            phrases.push(self.noun_phrase(chance));
        }
        chance.shuffle(&mut phrases);
        self.join(phrases, chance)
    }

    fn join(&self, phrases: Vec<Phrase>, chance: &mut Chance) -> Sentence {
        let (mut tokens, mut tags) = (TokensBuilder::default(), vec![]);
        let mut push = |(word, tag): (String, Tag)| {
            tokens.push(&word);
            tags.push(tag);
        };
        let mut has_verb = false;
        for (index, phrase) in phrases.into_iter().enumerate() {
            if index > 0 {
                self.connect(&mut has_verb, chance).into_iter().for_each(&mut push);
            }
            phrase.into_iter().for_each(&mut push);
        }
        push((".".to_owned(), Tag::Outside));
        Sentence { tokens: tokens.take(), tags }
    }

    /// What stands between two noun phrases: a verb if the clause has none, else a preposition, or
    /// a conjunction that opens the next clause.
    fn connect(&self, has_verb: &mut bool, chance: &mut Chance) -> Phrase {
        let mut words = vec![];
        if !*has_verb {
            if chance.happens(0.15) {
                words.push(self.adverbs.draw(chance).to_owned());
            }
            words.push(self.verbs.draw(chance).to_owned());
            *has_verb = true;
        } else if chance.happens(0.6) {
            words.push(self.prepositions.draw(chance).to_owned());
        } else {
            words.push(self.conjunctions.draw(chance).to_owned());
            *has_verb = false;
        }
        outside(words)
    }

    fn noun_phrase(&self, chance: &mut Chance) -> Phrase {
        let mut words = vec![];
        if chance.happens(0.6) {
            words.push(self.determiners.draw(chance).to_owned());
        }
        if chance.happens(0.25) {
            words.push(self.adjectives.draw(chance).to_owned());
        }
        words.push(if chance.happens(CUE_AS_A_NOUN) {
            let cues = chance.pick(&self.cues);
            let side = if chance.happens(0.5) { &cues.before } else { &cues.after };
            chance.pick(side).clone()
        } else {
            self.nouns.draw(chance).to_owned()
        });
        outside(words)
    }
}

fn outside(words: Vec<String>) -> Phrase {
    words.into_iter().map(|word| (word, Tag::Outside)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mention_lengths(is_ambiguous: bool, cues: f64) -> Vec<usize> {
        let settings = Synthetic::read(&Synthetic::ENTRY.defaults());
        let mut chance = Chance::new("test", 1);
        let grammar = Grammar::new(&settings, &mut Coinage::new(Chance::new("words", 1)));
        let types = TypeSet::new(settings.type_names().map(str::to_owned));
        let mention = Mention { name: vec!["name".into()], entity_type: 2, is_ambiguous };
        (0..50).map(|_| grammar.mention(&mention, cues, &types, &mut chance).len()).collect()
    }

    #[test]
    fn an_ambiguous_name_always_has_a_cue() {
        assert!(mention_lengths(true, 0.0).iter().all(|&length| length == 2 || length == 3));
        assert!(mention_lengths(false, 1.0).iter().all(|&length| length == 2 || length == 3));
        assert!(mention_lengths(false, 0.0).iter().all(|&length| length == 1));
    }
}
