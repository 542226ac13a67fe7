//! Whether numbers can be those of a job: what a worker says, and what a record holds, is never
//! trusted.
//!
//! The bounds are far beyond any real job: they keep sums and figures finite, and judge nothing.

use super::{Counts, Epoch, LevelScores, Outcome, Scores};

/// Nothing takes longer, in seconds: three hundred years.
const LONGEST: f64 = 1e10;
/// No loss, share or size is larger.
const LARGEST: f64 = 1e30;

/// Whether a time can have been measured, in seconds.
pub fn is_plausible_time(seconds: f64) -> bool {
    (0.0..=LONGEST).contains(&seconds)
}

impl Epoch {
    /// Whether its numbers can be.
    pub fn is_plausible(&self) -> bool {
        let scores = [self.dev_micro_f1, self.dev_macro_f1];
        self.epoch > 0
            && scores.iter().all(is_fraction)
            && is_bounded(&self.loss)
            && self.added.values().all(is_bounded)
            && is_plausible_time(self.seconds)
    }
}

impl Outcome {
    /// What in it cannot be, in words.
    pub fn implausible(&self) -> Option<String> {
        if !are_in_order(&self.epochs) || !self.epochs.iter().any(|e| e.epoch == self.best_epoch) {
            let message = "the epochs are not in order, or the best is not one of them";
            return Some(message.to_owned());
        }
        if let Some(epoch) = self.epochs.iter().find(|epoch| !epoch.is_plausible()) {
            return Some(format!("the numbers of epoch {} are out of range", epoch.epoch));
        }
        let wrong = self.quantities().into_iter().find(|(_, is_plausible)| !is_plausible);
        if let Some((name, _)) = wrong {
            return Some(format!("`{name}` is out of range"));
        }
        let test = self.test.iter().map(|scores| ("test", scores));
        let mut splits = [("dev", &self.dev)].into_iter().chain(test);
        splits.find_map(|(split, scores)| {
            let level = scores.contradictory()?;
            Some(format!("the {level} scores of {split} contradict themselves"))
        })
    }

    /// Every number that is neither a score nor of an epoch, with whether it can be.
    fn quantities(&self) -> [(&'static str, bool); 8] {
        let is_size = |value: &f64| *value >= 0.0 && is_bounded(value);
        [
            ("train_seconds", is_plausible_time(self.train_seconds)),
            ("peak_rss_mb", is_size(&self.peak_rss_mb)),
            ("sentence_factor", is_size(&self.sentence_factor)),
            ("token_factor", is_size(&self.token_factor)),
            ("achieved", self.achieved.values().all(is_bounded)),
            ("type_shares", self.type_shares.values().all(is_fraction)),
            ("observed", self.observed.values().all(is_bounded)),
            ("passes", self.effort.is_none_or(|effort| is_size(&effort.passes))),
        ]
    }
}

/// Whether epochs are numbered from 1 and in order.
pub fn are_in_order(epochs: &[Epoch]) -> bool {
    epochs.iter().is_sorted_by(|one, next| one.epoch < next.epoch)
        && epochs.first().is_none_or(|first| first.epoch > 0)
}

impl Scores {
    /// The level whose scores contradict themselves.
    fn contradictory(&self) -> Option<&'static str> {
        let outside = self.outside.is_none_or(|counts| is_plausible(&counts));
        let levels = [
            ("span", self.span.is_plausible()),
            ("token", self.token.is_plausible()),
            ("outside", outside),
        ];
        levels.into_iter().find(|(_, is_plausible)| !is_plausible).map(|(level, _)| level)
    }
}

impl LevelScores {
    fn is_plausible(&self) -> bool {
        let averages = [&self.micro, &self.macro_, &self.macro_fixed, &self.weighted];
        averages.into_iter().chain(self.types.values()).all(is_plausible)
    }
}

fn is_plausible(counts: &Counts) -> bool {
    [counts.precision, counts.recall, counts.f1].iter().all(is_fraction)
        && counts.correct <= counts.support.min(counts.predicted)
}

fn is_fraction(value: &f64) -> bool {
    (0.0..=1.0).contains(value)
}

fn is_bounded(value: &f64) -> bool {
    value.abs() <= LARGEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EngineInfo, TrainingVerdict};

    fn outcome() -> Outcome {
        let epoch = |epoch| Epoch {
            epoch,
            updates: epoch as u64,
            loss: 1.0,
            dev_micro_f1: 0.5,
            dev_macro_f1: 0.25,
            added: Default::default(),
            seconds: 0.1,
        };
        Outcome {
            best_epoch: 2,
            epochs: vec![epoch(1), epoch(2)],
            train_sentences: 100,
            train_tokens: 1000,
            sentence_factor: 1.5,
            token_factor: 1.25,
            achieved: Default::default(),
            type_shares: Default::default(),
            observed: Default::default(),
            effort: Some(Default::default()),
            verdict: Some(TrainingVerdict::Converged),
            parameters: 77,
            dev: Scores::default(),
            test: Some(Scores::default()),
            weights: None,
            train_seconds: 0.2,
            peak_rss_mb: 12.5,
            engine: EngineInfo::default(),
        }
    }

    #[test]
    fn outcomes_that_cannot_be_are_named() {
        assert_eq!(outcome().implausible(), None);
        type Change = fn(&mut Outcome);
        let changes: [(Change, &str); 12] = [
            (|o| o.best_epoch = 3, "not one of them"),
            (|o| o.best_epoch = 0, "not one of them"),
            (|o| o.epochs.clear(), "not one of them"),
            (|o| o.epochs[1].epoch = 1, "not in order"),
            (|o| o.test.iter_mut().for_each(|t| t.span.micro.f1 = 1.5), "span scores of test"),
            (|o| o.dev.token.macro_.correct = 11, "token scores of dev"),
            (
                |o| o.dev.outside = Some(Counts { recall: 2.0, ..Counts::default() }),
                "outside scores of dev",
            ),
            (|o| o.train_seconds = 1e308, "`train_seconds`"),
            (|o| o.peak_rss_mb = -1.0, "`peak_rss_mb`"),
            (|o| o.token_factor = f64::NAN, "`token_factor`"),
            (|o| o.epochs[1].dev_macro_f1 = 1.01, "epoch 2"),
            (|o| o.type_shares = [("place".to_owned(), 2.0)].into(), "`type_shares`"),
        ];
        for (change, words) in changes {
            let mut outcome = outcome();
            change(&mut outcome);
            let told = outcome.implausible().unwrap_or_default();
            assert!(told.contains(words), "{words}: {told}");
        }
    }
}
