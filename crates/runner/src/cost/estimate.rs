//! The estimates, and what they are made of.

use super::line::{Line, median};
use super::profile::{Kind, Profile, work};
use crate::schedule::GridPlace;
use domain::Backend;
use domain::Measured;
use std::collections::HashMap;

/// Of `peak_rss_mb`.
const MEGABYTE: f64 = 1e6;

/// What is known of costs. Learning a job and asking for one take constant time; lines are drawn
/// again when a quarter more is known, or when asked for.
#[derive(Clone, Debug, Default)]
pub struct CostModel {
    points: HashMap<GridPlace, History>,
    /// Tokens of corpus and scenario before any method, and of corpus, scenario and method.
    raw_tokens: HashMap<[u32; 2], f64>,
    tokens: HashMap<[u32; 3], f64>,
    /// Tokens after a method over tokens before it, wherever it ran last.
    factors: HashMap<u32, f64>,
    /// Of a model on a corpus, and of a model wherever it ran last.
    parameters: HashMap<[u32; 2], f64>,
    any_parameters: HashMap<u32, f64>,
    /// Bytes of a model on corpus and scenario at their height.
    peaks: HashMap<[u32; 3], f64>,
    kinds: HashMap<KindKey, Kinds>,
}

/// Times of a point's seeds, sorted, and the most memory that one took.
#[derive(Clone, Debug, Default)]
struct History {
    seconds: Vec<f64>,
    peak: f64,
}

/// Encoder and backend, and the threads or any.
type KindKey = (u32, &'static str, Option<usize>);

fn keys(kind: Kind) -> [KindKey; 2] {
    let backend = Backend::word(kind.backend);
    [(kind.encoder, backend, Some(kind.threads)), (kind.encoder, backend, None)]
}

/// The jobs of a kind.
#[derive(Clone, Debug, Default)]
struct Kinds {
    /// Work and seconds.
    times: Vec<(f64, f64)>,
    /// Epochs that were trained over those that were allowed.
    shares: Vec<f64>,
    /// How many there were when the line was drawn.
    drawn: usize,
    line: Option<Line>,
    share: f64,
}

impl Kinds {
    fn draw(&mut self) {
        self.drawn = self.times.len();
        self.line = Line::through(&mut self.times);
        self.share = median(&mut self.shares).unwrap_or(1.0);
    }
}

impl CostModel {
    /// Takes in what a finished job cost; lines stay as they are.
    pub fn learn(&mut self, profile: &Profile, measured: &Measured) {
        let GridPlace([corpus, scenario, model, method]) = profile.place;
        let Measured { seconds, tokens, token_factor, parameters, epochs, peak_rss_mb } = *measured;
        let peak = peak_rss_mb * MEGABYTE;
        let history = self.points.entry(profile.place).or_default();
        let at = history.seconds.partition_point(|known| *known < seconds);
        history.seconds.insert(at, seconds);
        history.peak = history.peak.max(peak);
        let like = self.peaks.entry([corpus, scenario, model]).or_default();
        *like = like.max(peak);
        if token_factor > 0.0 {
            self.raw_tokens.insert([corpus, scenario], tokens / token_factor);
            self.factors.insert(method, token_factor);
        }
        self.tokens.insert([corpus, scenario, method], tokens);
        self.parameters.insert([corpus, model], parameters);
        self.any_parameters.insert(model, parameters);
        for key in keys(profile.kind) {
            let kind = self.kinds.entry(key).or_default();
            kind.times.push((work(measured), seconds));
            kind.shares.push(epochs / profile.epochs.max(1) as f64);
        }
    }

    /// The same, and draws the lines of its kind again where much more is known than was.
    pub fn observe(&mut self, profile: &Profile, measured: &Measured) {
        self.learn(profile, measured);
        for key in keys(profile.kind) {
            if let Some(kind) = self.kinds.get_mut(&key)
                && kind.times.len() > kind.drawn + kind.drawn / 4
            {
                kind.draw();
            }
        }
    }

    /// Draws all lines again.
    pub fn draw(&mut self) {
        self.kinds.values_mut().for_each(Kinds::draw);
    }

    /// The seconds that a job is expected to take.
    pub fn seconds(&self, profile: &Profile) -> Option<f64> {
        let history = self.points.get(&profile.place);
        history.and_then(|history| middle(&history.seconds)).or_else(|| self.by_size(profile))
    }

    fn by_size(&self, profile: &Profile) -> Option<f64> {
        let kinds = keys(profile.kind).into_iter().filter_map(|key| self.kinds.get(&key));
        let (line, share) = kinds.into_iter().find_map(|kind| Some((kind.line?, kind.share)))?;
        let epochs = profile.epochs as f64 * share;
        Some(line.at(self.tokens_of(profile.place)? * self.parameters_of(profile.place)? * epochs))
    }

    fn tokens_of(&self, GridPlace([corpus, scenario, _, method]): GridPlace) -> Option<f64> {
        let same = self.tokens.get(&[corpus, scenario, method]).copied();
        same.or_else(|| {
            let factor = self.factors.get(&method).copied().unwrap_or(1.0);
            self.raw_tokens.get(&[corpus, scenario]).map(|tokens| tokens * factor)
        })
    }

    fn parameters_of(&self, GridPlace([corpus, _, model, _]): GridPlace) -> Option<f64> {
        let same = self.parameters.get(&[corpus, model]);
        same.or_else(|| self.any_parameters.get(&model)).copied()
    }

    /// The bytes that a job is expected to hold at its height: the most that its point ever did, or
    /// another method of its model on the same data.
    pub fn memory(&self, profile: &Profile) -> Option<u64> {
        let GridPlace([corpus, scenario, model, _]) = profile.place;
        let same = self.points.get(&profile.place).map(|history| history.peak);
        let like = self.peaks.get(&[corpus, scenario, model]).copied();
        // Where a system does not tell, it is recorded as nothing.
        let known = same.filter(|peak| *peak > 0.0).or(like.filter(|peak| *peak > 0.0));
        known.map(|peak| peak as u64)
    }
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get((sorted.len() - 1) / 2)?;
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(corpus: u32, model: u32, method: u32, threads: usize) -> Profile {
        let kind = Kind { encoder: 1, backend: Backend::Flex, threads };
        Profile { place: GridPlace([corpus, 0, model, method]), kind, epochs: 10 }
    }

    /// A job that takes two seconds, and one more for each million of work.
    fn job(tokens: f64, parameters: f64) -> Measured {
        let seconds = 2.0 + 1e-6 * tokens * parameters * 10.0;
        let (token_factor, epochs, peak_rss_mb) = (1.0, 10.0, 100.0);
        Measured { seconds, tokens, token_factor, parameters, epochs, peak_rss_mb }
    }

    #[test]
    fn the_same_point_with_another_seed_comes_first_by_its_median() {
        let mut costs = CostModel::default();
        let point = profile(1, 1, 1, 1);
        for seconds in [4.0, 900.0, 5.0] {
            costs.observe(&point, &Measured { seconds, ..job(1000.0, 50.0) });
        }
        assert_eq!(costs.seconds(&point), Some(5.0));
    }

    #[test]
    fn a_point_that_never_ran_is_estimated_by_its_size() {
        let mut costs = CostModel::default();
        let sizes = [(1, 1, 1000.0, 50.0), (1, 2, 1000.0, 400.0), (2, 1, 9000.0, 50.0)];
        for (corpus, model, tokens, parameters) in sizes {
            costs.learn(&profile(corpus, model, 1, 1), &job(tokens, parameters));
        }
        costs.draw();
        let expected = job(9000.0, 400.0).seconds;
        let estimate = costs.seconds(&profile(2, 2, 1, 1)).unwrap();
        assert!((estimate - expected).abs() < 0.01 * expected, "{estimate} for {expected}");
        // A method that doubles the data elsewhere doubles it here.
        let doubled = Measured { token_factor: 2.0, ..job(2000.0, 50.0) };
        costs.observe(&profile(1, 1, 5, 1), &doubled);
        let estimate = costs.seconds(&profile(2, 2, 5, 1)).unwrap();
        let expected = job(18000.0, 400.0).seconds;
        assert!((estimate - expected).abs() < 0.05 * expected, "{estimate} for {expected}");
    }

    #[test]
    fn early_stopping_is_expected_where_it_was_seen() {
        let mut costs = CostModel::default();
        let half = Measured { epochs: 5.0, seconds: 3.0, ..job(1000.0, 50.0) };
        costs.observe(&profile(1, 1, 1, 1), &half);
        assert_eq!(costs.seconds(&profile(1, 1, 2, 1)), Some(3.0));
    }

    #[test]
    fn of_another_kind_of_work_nothing_is_said() {
        let mut costs = CostModel::default();
        assert_eq!(costs.seconds(&profile(1, 1, 1, 1)), None);
        costs.observe(&profile(1, 1, 1, 1), &job(1000.0, 50.0));
        assert!(costs.seconds(&profile(1, 1, 2, 2)).is_some(), "other threads will do");
        let mut other = profile(1, 1, 2, 1);
        other.kind.encoder = 9;
        assert_eq!(costs.seconds(&other), None);
        assert_eq!(costs.seconds(&profile(7, 1, 1, 1)), None, "a corpus of unknown size");
        assert_eq!(costs.seconds(&profile(1, 7, 1, 1)), None, "a model of unknown size");
    }

    #[test]
    fn memory_is_the_most_that_was_seen_of_the_like() {
        let mut costs = CostModel::default();
        costs.observe(&profile(1, 1, 1, 1), &Measured { peak_rss_mb: 100.0, ..job(10.0, 5.0) });
        costs.observe(&profile(1, 1, 1, 1), &Measured { peak_rss_mb: 200.0, ..job(10.0, 5.0) });
        assert_eq!(costs.memory(&profile(1, 1, 1, 1)), Some(200_000_000));
        assert_eq!(costs.memory(&profile(1, 1, 2, 1)), Some(200_000_000));
        assert_eq!(costs.memory(&profile(1, 2, 1, 1)), None);
        costs.observe(&profile(3, 3, 1, 1), &Measured { peak_rss_mb: 0.0, ..job(10.0, 5.0) });
        assert_eq!(costs.memory(&profile(3, 3, 1, 1)), None);
    }
}
