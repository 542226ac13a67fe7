//! A training set with a chosen share of entity tokens (Figure 4 of nguyen2023).
//!
//! The paper does not say how its sets were made. Here sentences are exchanged, never changed: from
//! a random set, a random exchange with a sentence outside of it is made whenever it brings the
//! share closer, until the share is close enough or enough exchanges were looked at.

use super::{Applied, Condition, Draw, needs};
use crate::CorpusError;
use crate::chance::Chance;
use domain::{Parameters, Sentence, Tag};
use parts::Scenario;

pub(super) const CONDITION: Condition = Condition { check, apply };

fn check(scenario: &Scenario) -> Result<(), CorpusError> {
    let usual = Scenario::new(&Parameters::default());
    let is_aimed = scenario.entity_tokens > 0.0;
    for refined in [
        ("token_budget", scenario.token_budget > 0),
        ("share_tolerance", scenario.share_tolerance != usual.share_tolerance),
        ("share_proposals", scenario.share_proposals != usual.share_proposals),
    ] {
        needs(refined, ("entity_tokens", is_aimed))?;
    }
    if is_aimed && (scenario.train_sentences > 0) == (scenario.token_budget > 0) {
        let problem =
            "it needs `train_sentences` or `token_budget`, one of them: how much to train on";
        return Err(CorpusError::setting("entity_tokens", problem));
    }
    Ok(())
}

fn apply(applied: &mut Applied, draw: &Draw<'_>) -> Result<(), CorpusError> {
    let &Scenario { entity_tokens, share_tolerance, share_proposals, .. } = draw.scenario;
    if entity_tokens == 0.0 {
        return Ok(());
    }
    let sizes: Vec<TokenCounts> = applied.corpus.train.iter().map(TokenCounts::of).collect();
    let mut search = ShareSearch {
        chance: draw.chance("entity_tokens"),
        inside: vec![],
        outside: (0..sizes.len()).collect(),
        total: TokenCounts::default(),
        target: entity_tokens,
        budget: Some(draw.scenario.token_budget).filter(|&budget| budget > 0),
        tolerance: share_tolerance,
        proposals: share_proposals,
        sizes,
    };
    search.start(Some(draw.scenario.train_sentences).filter(|&n| n > 0))?;
    search.exchange();
    let mut keep = vec![false; search.sizes.len()];
    search.inside.iter().for_each(|&index| keep[index] = true);
    applied.corpus.keep_train(&keep);
    applied.achieved.insert("entity_tokens".to_owned(), search.total.share());
    Ok(())
}

/// The tokens of some sentences.
#[derive(Copy, Clone, Default)]
struct TokenCounts {
    tokens: usize,
    entity_tokens: usize,
}

impl TokenCounts {
    fn of(sentence: &Sentence) -> Self {
        let in_entity = |tag: &&Tag| **tag != Tag::Outside;
        let entity_tokens = sentence.tags.iter().filter(in_entity).count();
        Self { tokens: sentence.len(), entity_tokens }
    }

    fn share(self) -> f64 {
        self.entity_tokens as f64 / self.tokens.max(1) as f64
    }

    /// With one sentence less and another more.
    fn exchanged(self, out: TokenCounts, in_: TokenCounts) -> Self {
        Self {
            tokens: self.tokens - out.tokens + in_.tokens,
            entity_tokens: self.entity_tokens - out.entity_tokens + in_.entity_tokens,
        }
    }
}

struct ShareSearch {
    chance: Chance,
    sizes: Vec<TokenCounts>,
    inside: Vec<usize>,
    outside: Vec<usize>,
    total: TokenCounts,
    target: f64,
    budget: Option<usize>,
    /// How far from the target is close enough.
    tolerance: f64,
    /// Exchanges that are looked at, at most.
    proposals: usize,
}

impl ShareSearch {
    /// A random set of so many sentences, or of as many as the budget of tokens allows.
    fn start(&mut self, sentences: Option<usize>) -> Result<(), CorpusError> {
        let there = self.outside.len();
        let enough = |search: &Self| match (sentences, search.budget) {
            (Some(n), _) => search.inside.len() >= n,
            (None, budget) => search.total.tokens >= budget.unwrap_or(0),
        };
        self.chance.shuffle(&mut self.outside);
        while !enough(self) {
            let Some(index) = self.outside.pop() else {
                let problem = format!("the corpus has only {there} sentences to choose from");
                return Err(CorpusError::setting("entity_tokens", problem));
            };
            self.total = self.total.exchanged(TokenCounts::default(), self.sizes[index]);
            self.inside.push(index);
        }
        Ok(())
    }

    fn exchange(&mut self) {
        for _ in 0..self.proposals {
            let distance = (self.total.share() - self.target).abs();
            if distance <= self.tolerance || self.outside.is_empty() || self.inside.is_empty() {
                return;
            }
            let out = self.chance.below(self.inside.len());
            let in_ = self.chance.below(self.outside.len());
            let (leaving, coming) = (self.inside[out], self.outside[in_]);
            let next = self.total.exchanged(self.sizes[leaving], self.sizes[coming]);
            if (next.share() - self.target).abs() < distance && self.affordable(next) {
                self.total = next;
                (self.inside[out], self.outside[in_]) = (coming, leaving);
            }
        }
    }

    /// Whether a set stays near its budget of tokens, if it has one.
    fn affordable(&self, next: TokenCounts) -> bool {
        let over = |size: TokenCounts, budget: usize| size.tokens.abs_diff(budget);
        self.budget
            .is_none_or(|budget| over(next, budget) <= over(self.total, budget).max(budget / 50))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corpus, numbered, scenario, scenarios};
    use super::super::{apply, check};

    /// 300 sentences of ten tokens, a tenth with five of them in an entity.
    fn imbalanced() -> domain::Corpus {
        let full = "B-a I-a I-a I-a I-a O O O O O";
        let empty = "O O O O O O O O O O";
        let tags: Vec<&str> = (0..300).map(|n| if n % 10 == 0 { full } else { empty }).collect();
        corpus(&tags.join(" | "))
    }

    fn share(train: &[domain::Sentence]) -> f64 {
        let tags: Vec<_> = train.iter().flat_map(|sentence| &sentence.tags).collect();
        let inside = tags.iter().filter(|tag| ***tag != domain::Tag::Outside).count();
        inside as f64 / tags.len() as f64
    }

    #[test]
    fn the_share_is_met_with_as_many_sentences_as_asked() {
        for target in [0.01, 0.02, 0.05, 0.1] {
            let aim =
                scenarios(&[("train_sentences", 50.into()), ("entity_tokens", target.into())]);
            let found = apply(imbalanced(), &aim, 3).unwrap();
            assert_eq!(found.corpus.train.len(), 50);
            assert!((share(&found.corpus.train) - target).abs() <= 0.001, "{target}");
            assert_eq!(found.achieved["entity_tokens"], share(&found.corpus.train));
            assert_eq!(apply(imbalanced(), &aim, 3).unwrap(), found, "a seed fixes it");
            assert_ne!(apply(imbalanced(), &aim, 4).unwrap(), found);
        }
    }

    #[test]
    fn how_close_and_how_long_can_be_said() {
        let away = |name: &'static str, value: f64| {
            let aim = scenarios(&[
                ("train_sentences", 50.into()),
                ("entity_tokens", 0.2.into()),
                match name {
                    "share_proposals" => (name, (value as i64).into()),
                    _ => (name, value.into()),
                },
            ]);
            (apply(imbalanced(), &aim, 3).unwrap().achieved["entity_tokens"] - 0.2).abs()
        };
        assert!(away("share_tolerance", 0.001) <= 0.001);
        let loose = away("share_tolerance", 0.05);
        assert!(loose <= 0.05 && loose > 0.04, "{loose}");
        let (few, none) = (away("share_proposals", 100.0), away("share_proposals", 0.0));
        assert!(0.001 < few && few < none, "{few} {none}");
    }

    #[test]
    fn a_share_out_of_reach_is_approached_and_told() {
        let aim = scenarios(&[("train_sentences", 50.into()), ("entity_tokens", 0.9.into())]);
        let found = apply(imbalanced(), &aim, 1).unwrap();
        assert!(
            (found.achieved["entity_tokens"] - 0.3).abs() < 1e-9,
            "30 of 50 sentences have half"
        );
    }

    #[test]
    fn a_budget_counts_tokens() {
        let aim = scenarios(&[("token_budget", 400.into()), ("entity_tokens", 0.1.into())]);
        let found = apply(imbalanced(), &aim, 1).unwrap();
        let tokens: usize = found.corpus.train.iter().map(|sentence| sentence.len()).sum();
        assert_eq!(tokens, 400);
        assert!((found.achieved["entity_tokens"] - 0.1).abs() <= 0.001);
    }

    #[test]
    fn the_size_is_said_in_one_way() {
        let both: &[(&str, super::super::testing::Given)] = &[
            ("train_sentences", 5.into()),
            ("token_budget", 5.into()),
            ("entity_tokens", 0.1.into()),
        ];
        assert!(check(&scenarios(both)).is_err());
        assert!(check(&scenario("entity_tokens", 0.1)).is_err());
        assert!(check(&scenario("token_budget", 5)).is_err());
        let too_many = scenarios(&[("train_sentences", 10.into()), ("entity_tokens", 0.1.into())]);
        assert!(apply(numbered(9), &too_many, 1).is_err());
    }
}
