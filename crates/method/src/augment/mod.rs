//! Augmentation (dai2020): new training sentences made from those that there are.
//!
//! An operator makes one sentence of another; a mixture draws operators. What they count of the training
//! data is counted once, in [`Augmenter::new`], and serves every epoch. Generated sentences are valid
//! IOB2 and never empty, and the same stream of random numbers gives the same ones. No file is read
//! here: the caller finds [`Synonyms`], where there are any, and hands them in.

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

pub use synonyms::Synonyms;

/// The parameter that says where synonyms come from.
pub const SYNONYMS: &str = parameters::SYNONYMS.name;

use domain::{Entry, Parameters, Part, Sentence, TypeSet};
use draft::Draft;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use vocabulary::{Original, Vocabulary};

/// Makes sentences of one sentence.
trait Operator {
    /// Adds what it makes of the original to the draft.
    fn generate(&self, original: Original<'_>, draft: &mut Draft<'_>);
}

/// What an operator is built from.
#[derive(Copy, Clone)]
struct Ground<'b, 'a> {
    parameters: &'b Parameters,
    types: &'b TypeSet,
    train: &'a [Sentence],
    vocabulary: &'b Vocabulary<'a>,
    synonyms: Option<&'a dyn Synonyms>,
}

type Built<'a> = Box<dyn Operator + 'a>;

macro_rules! operators {
    (single: $($single:ident),*; mixtures: $($mixture:ident),*) => {
        /// Every operator, and the mixtures of them.
        pub const ENTRIES: &[Entry] = &[$($single::ENTRY,)* $($mixture::ENTRY),*];

        const SINGLE: &[Entry] = &[$($single::ENTRY),*];

        fn build<'a>(kind: &str, ground: Ground<'_, 'a>) -> Option<Built<'a>> {
            match kind {
                $(kind if kind == $single::ENTRY.name => Some(Box::new($single::Operator::new(ground))),)*
                $(kind if kind == $mixture::ENTRY.name => Some(Box::new($mixture::Operator::new(ground))),)*
                _ => None,
            }
        }
    };
}

operators!(
    single: label_wise_token_replacement, synonym_replacement, mention_replacement, shuffle_within_segments;
    mixtures: one_per_sentence, all
);

/// The operators that a mixture has: all, but without synonyms none that needs them.
fn available<'a>(ground: Ground<'_, 'a>) -> Vec<Built<'a>> {
    let usable = SINGLE.iter().filter(|e| ground.synonyms.is_some() || !uses_synonyms(e.name));
    usable.filter_map(|entry| build(entry.name, ground)).collect()
}

/// Whether an entry replaces words by synonyms, so that the caller has to find some.
pub fn uses_synonyms(kind: &str) -> bool {
    let entry = ENTRIES.iter().find(|entry| entry.name == kind);
    entry.is_some_and(|e| e.parameters.iter().any(|p| p.name == parameters::SYNONYMS.name))
}

/// Whether an entry does nothing else: without synonyms it would only repeat sentences.
pub fn needs_synonyms(kind: &str) -> bool {
    kind == synonym_replacement::ENTRY.name
}

/// Whether sentences are to be made anew in every epoch.
pub fn regenerates(part: &Part) -> bool {
    part.parameters.text(parameters::REGENERATE.name) == parameters::EVERY_EPOCH
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
    /// The augmentation that a method names; `None` if there is none of that name.
    ///
    /// Without synonyms, `synonym-replacement` leaves sentences as they are, and mixtures go without it.
    pub fn new(
        part: &Part,
        types: &TypeSet,
        train: &'a [Sentence],
        synonyms: Option<&'a dyn Synonyms>,
    ) -> Option<Self> {
        let vocabulary = Vocabulary::new(train);
        let parameters = &part.parameters;
        let ground = Ground { parameters, types, train, vocabulary: &vocabulary, synonyms };
        let operator = build(&part.kind, ground)?;
        let copies = parameters.integer(parameters::COPIES.name).max(1) as usize;
        Some(Self { train, vocabulary, operator, copies })
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
) -> Option<Vec<Sentence>> {
    Augmenter::new(part, types, train, synonyms).map(|augmenter| augmenter.generate(rng))
}
