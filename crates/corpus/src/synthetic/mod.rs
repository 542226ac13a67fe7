//! A built-in corpus, made from a seed: for demonstrations and tests, and for questions that need
//! the imbalance itself to be a setting.
//!
//! Sentences of invented words come from a small grammar over a Zipfian vocabulary. Entity types
//! follow a long tail. Names stand beside words that announce their type, some names are also
//! ordinary words and only those neighbours tell which, and a share of the names in dev and test
//! never occurs in train. So a model that sees one word at a time can be beaten by one that reads
//! the context, and rare types are learnable but seldom seen. The defaults are close to WNUT 2017:
//! 5 % of tokens in entities, 36 % of sentences with one, the rarest type a quarter of the
//! commonest.
//!
//! The same parameters give the same bytes on every machine: see `chance`. Train does not depend on
//! the sizes of dev and test.

mod grammar;
mod names;
mod plan;
mod settings;
mod words;

pub use settings::Synthetic;
pub(super) use settings::TEST_SIZE;

use super::chance::Chance;
use super::{CorpusError, Loaded};
use domain::{Corpus, Sentence, TypeSet};
use grammar::Grammar;
use names::Names;
use plan::{Plan, SplitKind};
use words::Coinage;

impl Synthetic {
    /// Makes the corpus; it has no files.
    pub(super) fn load(&self) -> Result<Loaded, CorpusError> {
        self.check()?;
        Ok(Loaded { corpus: generate(self), remarks: vec![] })
    }
}

fn generate(settings: &Synthetic) -> Corpus {
    let mut coinage = Coinage::new(Chance::new("synthetic words", settings.seed));
    let grammar = Grammar::new(settings, &mut coinage);
    let plan = Plan::new(settings, SplitKind::Train, settings.sentences);
    let mut chance = Chance::new("synthetic train", settings.seed);
    let names = Names::new(&plan, &mut coinage, &mut chance);
    let train = names.train_mentions(&mut chance);
    let types = TypeSet::new(settings.type_names().map(str::to_owned));

    let later = |purpose: &str, sentences: usize| -> Vec<Sentence> {
        let plan = Plan::new(settings, SplitKind::Later, sentences);
        let mut chance = Chance::new(purpose, settings.seed);
        // Each split coins from where train left off, so that neither size changes the other split.
        let mut coinage = coinage.fork(Chance::new(&format!("{purpose} words"), settings.seed));
        let mentions = names.later_mentions(&plan, &train, &mut coinage, &mut chance);
        grammar.sentences(&plan, mentions, &types, &mut chance)
    };
    let (dev, test) = (
        later("synthetic dev", settings.dev_sentences),
        later("synthetic test", settings.test_sentences),
    );
    let train = grammar.sentences(&plan, train, &types, &mut chance);
    Corpus { types, train, dev, test, ..Corpus::default() }
}

#[cfg(test)]
mod tests;
