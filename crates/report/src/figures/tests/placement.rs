//! Labels lie inside their frame and on nothing else, whatever the data.

use super::super::labels::{self, Labels};
use super::super::scene::{Area, Spot, at};
use super::{drafts, grids, readable};
use analysis::synthetic;
use proptest::prelude::*;

fn spots() -> impl Strategy<Value = Vec<Spot>> {
    let spot = (0.0..400.0f64, 0.0..300.0f64).prop_map(|(x, y)| at(x, y));
    prop::collection::vec(spot, 0..60)
}

proptest! {
    /// Placed labels lie in the frame, and touch neither each other nor a mark.
    #[test]
    fn labels_are_placed_in_the_frame(spots in spots(), names in prop::collection::vec("[a-zA-Z日本é-]{1,14}", 60)) {
        let frame = Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 };
        let mut places = Labels::new(frame);
        spots.iter().for_each(|spot| places.keep_free(Area::around(*spot, 4.0)));
        let mut taken: Vec<Area> = spots.iter().map(|spot| Area::around(*spot, 4.0)).collect();
        for (spot, name) in spots.iter().zip(&names) {
            if let Some(area) = places.take(labels::around(name, *spot, 11.0, false, 0.3), 0) {
                prop_assert!(frame.holds(&area));
                prop_assert!(!taken.iter().any(|other| other.meets(&area)));
                taken.push(area);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Whatever the scores, times and names, every text of every figure can be read.
    #[test]
    fn figures_of_any_scores_are_readable(
        scores in prop::collection::vec((0.0..=1.0f64, 0.0..=1.0f64), 8),
        times in prop::collection::vec(1e-3..1e5f64, 4),
        names in prop::collection::btree_set("[a-zA-Z0-9日本é_ -]{1,40}", 1..5),
        seeds in 1u64..=5,
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let (mut view, mut results) = grids::everything_named(&names, &names[..names.len().min(2)]);
        view.jobs.retain(|job| job.point.seed <= seeds);
        for (k, row) in results.metrics.iter_mut().enumerate() {
            let (precision, recall) = scores[k % scores.len()];
            (row.precision, row.recall, row.f1) = (precision, recall, (precision + recall) / 2.0);
        }
        for (k, run) in results.runs.iter_mut().enumerate() {
            run.train_seconds = Some(times[k % times.len()]);
            let shares = run.type_shares.values_mut().enumerate();
            shares.for_each(|(t, share)| *share = scores[t % scores.len()].0);
        }
        for (k, row) in results.epochs.iter_mut().enumerate() {
            (row.loss, row.dev_macro_f1) = (times[k % times.len()], scores[k % scores.len()].1);
        }
        for (kind, draft) in drafts(&view, &results) {
            if let Err(problem) = readable(&draft.scene) {
                prop_assert!(false, "{kind}: {problem}");
            }
        }
    }
}

#[test]
fn extreme_numbers_of_methods_and_models_are_readable() {
    for count in [1, 2, 13, 40] {
        for models in [1, 7] {
            let names =
                |count: usize| (0..count).map(|k| format!("method-{k}")).collect::<Vec<_>>();
            let (view, results) = synthetic::named(&names(count), &names(models));
            for (kind, draft) in drafts(&view, &results) {
                if let Err(problem) = readable(&draft.scene) {
                    panic!("{kind} of {count} methods and {models} models: {problem}");
                }
            }
        }
    }
}
