//! What a scenario can change in a corpus; the code is in `corpus::scenarios`.

use crate::{ParameterKind, ParameterValue, Parameters, Setting, settings, with_defaults};

settings! {
    /// What a scenario changes in a corpus.
    pub struct Scenario {
        /// entities of these types only, in every split; the others become O (Table 3 of
        /// nguyen2023)
        keep_types: Vec<String>,
        /// all entity types as one, in every split (nguyen2023)
        merge_types: bool = false,
        /// annotations of train may be missing: its O may hide entities
        incomplete: bool = false,
        /// train on this part of the corpus (`parts:`) too; its O may hide entities
        extra_train: String = "",
        /// train on sentences of which this share of tokens is in entities; needs train_sentences
        /// or token_budget; 0 leaves it as it is
        entity_tokens: f64 = 0.0 in 0.0..=1.0,
        /// train on about so many tokens instead of a number of sentences; needs entity_tokens
        token_budget: usize = 0 in 0..,
        /// how far from entity_tokens the share may stay; 0.001 is a tenth of a percentage point
        share_tolerance: f64 = 0.001 in 0.0..=1.0,
        /// exchanges of sentences that are looked at, at most, to come to entity_tokens
        share_proposals: usize = 20_000 in 0..=10_000_000,
        /// train on so many sentences, drawn uniformly by the job's seed; 0 takes all
        train_sentences: usize = 0 in 0..,
        /// whether a small partition is part of every larger one of the same seed
        nested: bool = false,
        /// choose the best epoch on so many sentences of dev, or on all (also 0); auto is as many
        /// as of train, at least 50, where train_sentences or token_budget is set, and else all
        dev_sentences: DevSentences => DevSentences::KIND,
        /// take the annotation off each entity of train with this probability (li2022)
        mask_entities: f64 = 0.0 in 0.0..=1.0,
        /// mask exactly that share of the entities, not each by chance (Jie et al. 2019)
        exact: bool = false,
        /// the share of sentences that keep all their annotations, known to be complete
        expert_fraction: f64 = 0.0 in 0.0..=1.0,
        /// draw by this seed for every job, not by the job's own; 0 takes the job's
        seed: u64 = 0 in 0..,
    }
}

/// The sentences of dev that choose the epoch.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DevSentences {
    All,
    /// As many as of train, as far as there are.
    Auto,
    Exactly(usize),
}

impl DevSentences {
    /// The words of [`DevSentences::Auto`] and [`DevSentences::All`].
    pub const AUTO: &str = "auto";
    const ALL: &str = "all";

    const KIND: ParameterKind =
        ParameterKind::Count { default: Self::AUTO, words: &[Self::AUTO, Self::ALL], min: 0 };
}

impl Setting for DevSentences {
    fn of(value: &ParameterValue) -> Option<Self> {
        match value {
            ParameterValue::Text(word) if word == Self::AUTO => Some(Self::Auto),
            ParameterValue::Text(word) if word == Self::ALL => Some(Self::All),
            ParameterValue::Integer(0) => Some(Self::All),
            value => usize::of(value).map(Self::Exactly),
        }
    }
}

impl Scenario {
    /// From checked parameters. One that a job lacks changes nothing.
    pub fn new(given: &Parameters) -> Self {
        let mut all = with_defaults(Self::PARAMETERS, given);
        // The one default that does. So it was in jobs of a time when there was no `auto`, which
        // have to mean what they meant.
        if given.get("dev_sentences").is_none() {
            let all_of_dev = ParameterValue::Text(DevSentences::ALL.to_owned());
            all.0.insert("dev_sentences".to_owned(), all_of_dev);
        }
        Self::read(&all)
    }

    /// The sentences of dev that choose the epoch: `auto` is all of them unless train is bounded.
    pub fn dev(&self) -> DevSentences {
        let is_bounded = self.train_sentences > 0 || self.token_budget > 0;
        match self.dev_sentences {
            DevSentences::Auto if !is_bounded => DevSentences::All,
            dev => dev,
        }
    }

    /// Whether entities of train are masked.
    pub fn masks(&self) -> bool {
        self.mask_entities > 0.0
    }

    /// Whether annotations of train may be missing, and nobody knows which.
    pub fn hides_annotations(&self) -> bool {
        self.incomplete || !self.extra_train.is_empty()
    }
}
