//! A search from batch to batch.

use super::tpe::propose;
use domain::{Ended, ParameterValue, Progress, SearchPlan, Trial};

/// Takes a search as far as it can go: asks `ended` about every open trial, and proposes the next
/// batch where all of one have ended.
pub fn extend<E>(
    plan: &SearchPlan,
    progress: &mut Progress,
    mut ended: impl FnMut(usize, &[ParameterValue]) -> Result<Option<Ended>, E>,
) -> Result<(), E> {
    loop {
        for (at, trial) in progress.trials.iter_mut().enumerate() {
            if trial.ended.is_none() {
                trial.ended = ended(at + 1, &trial.values)?;
            }
        }
        let proposed = progress.trials.len();
        if progress.ended() < proposed || proposed >= plan.trials {
            return Ok(());
        }
        let next = plan.batch.clamp(1, plan.trials - proposed);
        let batch: Vec<Trial> = (proposed + 1..=proposed + next)
            .map(|number| Trial { values: propose(plan, number, &progress.trials), ended: None })
            .collect();
        progress.trials.extend(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Dimension, Maximised, Range, Scale};
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn plan(trials: usize, batch: usize, seed: u64) -> SearchPlan {
        let dimension =
            |path: &str, range| Dimension { path: path.into(), name: path.into(), range };
        SearchPlan {
            dimensions: vec![
                dimension("a", Range::Real { low: 0.0, high: 1.0, scale: Scale::Linear }),
                dimension("b", Range::Integer { low: 1, high: 6, scale: Scale::Linear }),
            ],
            trials,
            batch,
            startup: 4,
            seed,
            maximise: Maximised::MicroF1,
        }
    }

    fn score(values: &[ParameterValue]) -> Ended {
        match values {
            [ParameterValue::Real(x), ParameterValue::Integer(6)] if *x > 0.5 => Ended::Failed,
            [ParameterValue::Real(x), ParameterValue::Integer(n)] => {
                Ended::Score(1.0 - (x - 0.4).abs() - 0.01 * *n as f64)
            }
            _ => Ended::Failed,
        }
    }

    fn unbroken(plan: &SearchPlan) -> Progress {
        let mut progress = Progress::default();
        let Ok(()) = extend(plan, &mut progress, |_, v| Ok::<_, Infallible>(Some(score(v))));
        progress
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        /// Whatever order trials end in and however often the search begins anew.
        #[test]
        fn the_order_of_ending_changes_nothing(
            order in prop::collection::vec(any::<u32>(), 60), trials in 1usize..20, batch in 1usize..6,
        ) {
            let plan = plan(trials, batch, 7);
            let mut over: Vec<Vec<ParameterValue>> = Vec::new();
            let mut progress = Progress::default();
            let mut steps = order.iter().cycle();
            while !progress.is_over(&plan) {
                if steps.next().is_some_and(|n| n % 3 == 0) {
                    progress = Progress::default();
                }
                let ended = |_: usize, values: &[ParameterValue]| {
                    let known = over.iter().any(|one| one == values);
                    Ok::<_, Infallible>(known.then(|| score(values)))
                };
                let Ok(()) = extend(&plan, &mut progress, ended);
                let open: Vec<_> = progress.trials.iter().filter(|t| t.ended.is_none()).collect();
                if let Some(next) = steps.next() && !open.is_empty() {
                    over.push(open[*next as usize % open.len()].values.clone());
                }
            }
            prop_assert_eq!(progress, unbroken(&plan));
        }
    }

    #[test]
    fn more_trials_go_on_where_fewer_ended() {
        let (few, many) = (unbroken(&plan(8, 4, 1)), unbroken(&plan(14, 4, 1)));
        assert_eq!(few.trials[..], many.trials[..8]);
        assert_eq!(many.trials.len(), 14);
        assert_ne!(unbroken(&plan(8, 4, 2)), few);
    }

    #[test]
    fn a_batch_knows_nothing_of_itself() {
        let plan = plan(12, 4, 1);
        let mut progress = Progress::default();
        // All but the last trial of the second batch have ended: nothing new is proposed.
        let ended = |number: usize, values: &[ParameterValue]| {
            Ok::<_, Infallible>((number != 8).then(|| score(values)))
        };
        let Ok(()) = extend(&plan, &mut progress, ended);
        assert_eq!((progress.trials.len(), progress.ended()), (8, 7));
        assert!(!progress.is_over(&plan));
    }
}
