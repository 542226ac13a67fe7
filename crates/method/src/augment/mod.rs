//! Augmentation (dai2020): new training sentences made from those that there are.
//!
//! An operator makes one sentence of another; a mixture draws operators. What they count of the
//! training data is counted once, in [`Augmenter::new`], and serves every epoch. Generated
//! sentences are valid IOB2 and never empty, and the same stream of random numbers gives the same
//! ones. No file is read here: the caller finds [`Synonyms`], where there are any, and hands them
//! in.

mod all;
mod draft;
mod label_wise_token_replacement;
mod mention_replacement;
mod one_per_sentence;
mod parameters;
#[cfg(test)]
mod properties;
mod shuffle_within_segments;
mod stop_words;
mod synonym_replacement;
pub mod synonyms;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use parameters::SYNONYMS;
pub use synonyms::Synonyms;

use all::All;
use domain::{Part, Sentence, TypeSet};
use draft::Draft;
use label_wise_token_replacement::LabelWiseTokenReplacement;
use mention_replacement::MentionReplacement;
use one_per_sentence::OnePerSentence;
use parameters::Regenerate;
use parts::registry;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use shuffle_within_segments::ShuffleWithinSegments;
use synonym_replacement::SynonymReplacement;
use synonyms::Wanted;
use vocabulary::{Original, Vocabulary};

/// Makes sentences of one sentence.
trait Operator {
    /// Adds what it makes of the original to the draft.
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>);
}

/// What an operator is built from.
#[derive(Copy, Clone)]
struct Ground<'b, 'a> {
    types: &'b TypeSet,
    train: &'a [Sentence],
    vocabulary: &'b Vocabulary<'a>,
    synonyms: Option<&'a dyn Synonyms>,
}

type Built<'a> = Box<dyn Operator + 'a>;

registry! {
    /// The settings of any operator, or of a mixture of them.
    pub enum Augmentation {
        label_wise_token_replacement::LabelWiseTokenReplacement, synonym_replacement::SynonymReplacement,
        mention_replacement::MentionReplacement, shuffle_within_segments::ShuffleWithinSegments,
        one_per_sentence::OnePerSentence, all::All,
    }
}

impl Augmentation {
    /// Where it takes synonyms from, if it replaces words by any: the caller has to find them.
    pub fn synonyms(&self) -> Option<&Wanted> {
        match self {
            Self::SynonymReplacement(SynonymReplacement { synonyms, .. })
            | Self::OnePerSentence(OnePerSentence { synonyms, .. })
            | Self::All(All { synonyms, .. }) => Some(synonyms),
            Self::LabelWiseTokenReplacement(_)
            | Self::MentionReplacement(_)
            | Self::ShuffleWithinSegments(_) => None,
        }
    }

    /// Whether it does nothing but replace words by synonyms: without any it would only repeat
    /// sentences.
    pub fn needs_synonyms(&self) -> bool {
        matches!(self, Self::SynonymReplacement(_))
    }

    /// Whether sentences are to be made anew in every epoch.
    pub fn regenerates(&self) -> bool {
        self.made().1 == Regenerate::EveryEpoch
    }

    /// How many sentences are made of each, and when.
    fn made(&self) -> (usize, Regenerate) {
        match *self {
            Self::LabelWiseTokenReplacement(LabelWiseTokenReplacement {
                copies,
                regenerate,
                ..
            })
            | Self::SynonymReplacement(SynonymReplacement { copies, regenerate, .. })
            | Self::MentionReplacement(MentionReplacement { copies, regenerate, .. })
            | Self::ShuffleWithinSegments(ShuffleWithinSegments { copies, regenerate, .. })
            | Self::OnePerSentence(OnePerSentence { copies, regenerate, .. })
            | Self::All(All { copies, regenerate, .. }) => (copies, regenerate),
        }
    }

    fn operator<'a>(&self, ground: Ground<'_, 'a>) -> Built<'a> {
        match *self {
            Self::LabelWiseTokenReplacement(LabelWiseTokenReplacement { ratio, power, .. }) => {
                Box::new(label_wise_token_replacement::TokenReplacer::new(ratio, power, ground))
            }
            Self::SynonymReplacement(SynonymReplacement { ratio, .. }) => {
                Box::new(synonym_replacement::SynonymReplacer::new(ratio, ground))
            }
            Self::MentionReplacement(MentionReplacement { ratio, .. }) => {
                Box::new(mention_replacement::MentionReplacer::new(ratio, ground))
            }
            Self::ShuffleWithinSegments(ShuffleWithinSegments { ratio, .. }) => {
                Box::new(shuffle_within_segments::SegmentShuffler { ratio })
            }
            Self::OnePerSentence(OnePerSentence { ratio, power, .. }) => {
                Box::new(one_per_sentence::OneOperator { operators: four(ratio, power, ground) })
            }
            Self::All(All { ratio, power, .. }) => {
                Box::new(all::AllOperators { operators: four(ratio, power, ground) })
            }
        }
    }
}

/// The operators that a mixture has: all four, but without synonyms not the one that needs them.
fn four<'a>(ratio: f64, power: f64, ground: Ground<'_, 'a>) -> Vec<Built<'a>> {
    let mut operators: Vec<Built<'a>> =
        vec![Box::new(label_wise_token_replacement::TokenReplacer::new(ratio, power, ground))];
    if ground.synonyms.is_some() {
        operators.push(Box::new(synonym_replacement::SynonymReplacer::new(ratio, ground)));
    }
    operators.push(Box::new(mention_replacement::MentionReplacer::new(ratio, ground)));
    operators.push(Box::new(shuffle_within_segments::SegmentShuffler { ratio }));
    operators
}

/// The random numbers of a seed for augmentation: a stream of their own, so that what is drawn here
/// shifts nothing else that is drawn by the same seed.
pub fn stream(seed: u64) -> ChaCha8Rng {
    const AUGMENTATION: u64 = 0x6175_676d;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(AUGMENTATION);
    rng
}

/// Training data with everything counted that an augmentation needs.
pub struct Augmenter<'a> {
    train: &'a [Sentence],
    vocabulary: Vocabulary<'a>,
    operator: Built<'a>,
    copies: usize,
}

impl<'a> Augmenter<'a> {
    /// The augmentation that a method names.
    ///
    /// Without synonyms, `synonym-replacement` leaves sentences as they are, and mixtures go
    /// without it.
    pub fn new(
        part: &Part,
        types: &TypeSet,
        train: &'a [Sentence],
        synonyms: Option<&'a dyn Synonyms>,
    ) -> Self {
        let vocabulary = Vocabulary::new(train);
        let augmentation = Augmentation::read(part);
        let ground = Ground { types, train, vocabulary: &vocabulary, synonyms };
        let operator = augmentation.operator(ground);
        let (copies, _) = augmentation.made();
        Self { train, vocabulary, operator, copies }
    }

    /// New training data: every original sentence, each followed by those that are made of it.
    pub fn generate(&self, rng: &mut ChaCha8Rng) -> Vec<Sentence> {
        let mut draft = Draft::new(rng, self.train.len() * (1 + self.copies));
        for original in self.vocabulary.originals(self.train) {
            draft.keep(original.sentence);
            for _ in 0..self.copies {
                self.operator.generate(original, &mut draft);
            }
        }
        draft.into_sentences()
    }
}

/// New training data, once: see [`Augmenter`].
pub fn augment(
    part: &Part,
    types: &TypeSet,
    train: &[Sentence],
    synonyms: Option<&dyn Synonyms>,
    rng: &mut ChaCha8Rng,
) -> Vec<Sentence> {
    Augmenter::new(part, types, train, synonyms).generate(rng)
}
