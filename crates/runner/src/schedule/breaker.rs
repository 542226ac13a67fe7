//! The circuit breaker: a model or a method whose jobs end with the same error again and again is
//! paused, on whatever these jobs have in common.
//!
//! For each model, each method, and each pair of them the failures in a row are counted: a success
//! between them, or another error, begins anew. From the third on, what all of the row have in
//! common is paused; if the same error then goes on elsewhere, that is more and more of the grid.

use super::place::{GridPlace, METHOD, MODEL, Pattern};
use domain::Failure;
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many failures in a row pause a level.
const ROW: usize = 3;

/// What kind of error ended a job; of the same kind are messages that differ in numbers alone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cause(String);

impl Cause {
    /// The cause that a failure has; none of a diverged loss, which is a result of its method and
    /// shows that everything else works.
    pub fn of(failure: &Failure) -> Option<Self> {
        let text = failure.to_string();
        match failure {
            Failure::Diverged { .. } => None,
            // Here the numbers are the message.
            Failure::Killed { .. } | Failure::Vanished { .. } => Some(Self(text)),
            _ => Some(Self(text.split(|c: char| c.is_ascii_digit()).collect())),
        }
    }

    /// A cause to test with.
    #[cfg(test)]
    pub(super) fn named(name: &str) -> Self {
        Self(name.to_owned())
    }
}

/// What was paused: the jobs that a pattern covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paused {
    pub pattern: Pattern,
    /// Failures in a row.
    pub failures: usize,
    /// Jobs that were waiting and now are not.
    pub jobs: usize,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Scope {
    Model(u32),
    Method(u32),
    Pair(u32, u32),
}

fn scopes(place: GridPlace) -> [Scope; 3] {
    let (model, method) = (place.0[MODEL], place.0[METHOD]);
    [Scope::Model(model), Scope::Method(method), Scope::Pair(model, method)]
}

#[derive(Debug)]
struct Row {
    cause: Cause,
    failures: usize,
    common: Pattern,
}

/// Watches the ends of jobs.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    rows: HashMap<Scope, Row>,
    paused: Vec<Pattern>,
}

impl Breaker {
    /// Whether a job is not to start.
    pub fn holds(&self, place: GridPlace) -> bool {
        self.paused.iter().any(|pattern| pattern.covers(place))
    }

    pub fn succeeded(&mut self, place: GridPlace) {
        for scope in scopes(place) {
            self.rows.remove(&scope);
        }
    }

    /// What is to be paused now and was not before, with the length of the row.
    pub fn failed(&mut self, place: GridPlace, cause: &Cause) -> Vec<(Pattern, usize)> {
        let mut found: Vec<(Pattern, usize)> = Vec::new();
        for scope in scopes(place) {
            let row = self.lengthen(scope, place, cause);
            if row.failures >= ROW {
                found.push((row.common, row.failures));
            }
        }
        // The widest first: what it includes need not be said as well.
        found.sort_by_key(|(pattern, _)| Reverse(pattern.width()));
        found.retain(|(pattern, _)| {
            let new = !self.paused.iter().any(|paused| paused.includes(pattern));
            if new {
                self.paused.push(*pattern);
            }
            new
        });
        found
    }

    fn lengthen(&mut self, scope: Scope, place: GridPlace, cause: &Cause) -> &Row {
        let begin = || Row { cause: cause.clone(), failures: 0, common: place.into() };
        let row = self.rows.entry(scope).or_insert_with(begin);
        if row.cause != *cause {
            *row = begin();
        }
        row.failures += 1;
        row.common = row.common.common_with(place);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(breaker: &mut Breaker, [corpus, model, method]: [u32; 3]) -> Vec<(Pattern, usize)> {
        breaker.failed(GridPlace([corpus, 0, model, method]), &Cause::named("it broke"))
    }

    #[test]
    fn three_in_a_row_pause_what_they_have_in_common() {
        let mut breaker = Breaker::default();
        for model in [1, 2] {
            assert_eq!(fails(&mut breaker, [0, model, 7]), []);
        }
        assert_eq!(fails(&mut breaker, [1, 3, 7]).len(), 1);
        assert!(breaker.holds(GridPlace([5, 0, 9, 7])), "the method, with any model on any corpus");
        assert!(!breaker.holds(GridPlace([0, 0, 1, 8])));
    }

    #[test]
    fn a_success_or_another_error_begins_anew() {
        let mut breaker = Breaker::default();
        let place = GridPlace([0, 0, 1, 7]);
        for _ in 0..5 {
            assert_eq!(fails(&mut breaker, [0, 1, 7]), []);
            assert_eq!(fails(&mut breaker, [0, 1, 7]), []);
            assert_eq!(breaker.failed(place, &Cause::named("another")), []);
            breaker.succeeded(place);
        }
        assert!(!breaker.holds(place));
    }

    #[test]
    fn a_pair_is_paused_though_its_model_and_its_method_work_elsewhere() {
        let mut breaker = Breaker::default();
        for n in 1..=3 {
            breaker.succeeded(GridPlace([0, 0, 1, 8]));
            breaker.succeeded(GridPlace([0, 0, 2, 7]));
            assert_eq!(fails(&mut breaker, [0, 1, 7]).len(), usize::from(n == 3));
        }
        assert!(breaker.holds(GridPlace([0, 0, 1, 7])) && !breaker.holds(GridPlace([0, 0, 1, 8])));
    }

    #[test]
    fn an_error_that_goes_on_elsewhere_pauses_more() {
        let mut breaker = Breaker::default();
        let paused: Vec<usize> = (0..3).map(|_| fails(&mut breaker, [0, 1, 7]).len()).collect();
        assert_eq!(paused, [0, 0, 1]);
        assert!(!breaker.holds(GridPlace([1, 0, 1, 7])), "nothing failed on another corpus yet");
        assert_eq!(fails(&mut breaker, [1, 1, 7]).len(), 1);
        assert!(breaker.holds(GridPlace([2, 0, 1, 7])));
    }

    #[test]
    fn causes_differ_by_words_and_a_diverged_loss_is_none() {
        let panic = |message: &str| Cause::of(&Failure::Panic { message: message.into() });
        assert_eq!(panic("index 7 of 5"), panic("index 12 of 9"));
        assert_ne!(panic("index 7"), panic("no vector 7"));
        let left = |code| Cause::of(&Failure::Vanished { code });
        assert_ne!(left(3), left(4));
        assert_eq!(Cause::of(&Failure::Diverged { epoch: 2, loss: "NaN".into() }), None);
    }
}
