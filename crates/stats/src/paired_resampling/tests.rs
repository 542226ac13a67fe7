//! The two tests against distributions that can be written out, and what they must never do.

use super::super::unit_table::UnitCounts;
use super::super::unit_table::tests::table;
use super::*;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use proptest::prelude::*;
use std::time::Duration;

const MEASURES: [F1Measure; 3] = [F1Measure::Micro, F1Measure::Macro, F1Measure::MacroFixed];

type Test = fn(&UnitTable, &UnitTable, F1Measure, usize, u64) -> Option<PairedResampling>;
const TESTS: [Test; 2] = [paired_bootstrap, approximate_randomisation];

/// Six units of two types, small enough to list every swap and every sample.
fn small() -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let support = [2, 1, 3, 0, 1, 1, 2, 2, 0, 1, 4, 1];
    let a = [
        [2, 2],
        [0, 1],
        [2, 3],
        [0, 0],
        [1, 1],
        [1, 2],
        [1, 2],
        [2, 2],
        [0, 0],
        [1, 1],
        [3, 3],
        [0, 2],
    ];
    let b = [
        [1, 2],
        [1, 1],
        [1, 3],
        [0, 1],
        [0, 1],
        [1, 1],
        [1, 1],
        [0, 2],
        [0, 0],
        [1, 1],
        [4, 4],
        [1, 1],
    ];
    let rows = |system: [[u32; 2]; 12]| -> Vec<[u32; 3]> {
        system.iter().zip(support).map(|(&[c, p], s)| [c, p, s]).collect()
    };
    (rows(a), rows(b))
}

/// F1 by the definition, on its own.
fn f1(measure: F1Measure, units: &[[[u32; 3]; 2]]) -> f64 {
    let types: Vec<[u32; 3]> =
        (0..2).map(|t| [0, 1, 2].map(|k| units.iter().map(|unit| unit[t][k]).sum())).collect();
    let ratio = |[c, p, s]: [u32; 3]| match p + s {
        0 => 0.0,
        below => f64::from(2 * c) / f64::from(below),
    };
    match measure {
        F1Measure::Micro => ratio([0, 1, 2].map(|k| types[0][k] + types[1][k])),
        // Both types are in the gold of the small table, and one may be missing from a sample.
        F1Measure::MacroFixed => (ratio(types[0]) + ratio(types[1])) / 2.0,
        F1Measure::Macro => {
            let found: Vec<_> = types.into_iter().filter(|[_, p, s]| p + s > 0).collect();
            found.iter().map(|c| ratio(*c)).sum::<f64>() / (found.len().max(1)) as f64
        }
    }
}

fn units(rows: &[[u32; 3]]) -> Vec<[[u32; 3]; 2]> {
    rows.chunks(2).map(|unit| [unit[0], unit[1]]).collect()
}

#[test]
fn randomisation_agrees_with_all_64_swaps() {
    let (a, b) = small();
    let (units_a, units_b) = (units(&a), units(&b));
    for measure in MEASURES {
        let observed = f1(measure, &units_a) - f1(measure, &units_b);
        let outside = (0..64u32).filter(|swap| {
            let pick = |first: &[[[u32; 3]; 2]], second: &[[[u32; 3]; 2]]| -> Vec<_> {
                (0..6).map(|k| if swap >> k & 1 == 1 { second[k] } else { first[k] }).collect()
            };
            let difference =
                f1(measure, &pick(&units_a, &units_b)) - f1(measure, &pick(&units_b, &units_a));
            difference.abs() >= observed.abs() - NOISE
        });
        let exact = outside.count() as f64 / 64.0;
        let found = approximate_randomisation(&table(2, &a), &table(2, &b), measure, 40_000, 1);
        let found = found.unwrap();
        assert!((found.difference - observed).abs() < 1e-12);
        // Four standard errors of 40,000 draws are 0.01 at most.
        assert!((found.p - exact).abs() < 0.01, "{measure:?}: {} {exact}", found.p);
    }
}

#[test]
fn the_bootstrap_agrees_with_all_46656_samples() {
    let (a, b) = small();
    let (units_a, units_b) = (units(&a), units(&b));
    for measure in MEASURES {
        let observed = f1(measure, &units_a) - f1(measure, &units_b);
        let mut differences: Vec<f64> = (0..6usize.pow(6))
            .map(|code| {
                let pick = |units: &[[[u32; 3]; 2]]| -> Vec<_> {
                    (0..6).map(|k| units[code / 6usize.pow(k) % 6]).collect()
                };
                f1(measure, &pick(&units_a)) - f1(measure, &pick(&units_b))
            })
            .collect();
        let outside = differences.iter().filter(|&&d| is_as_far(d - observed, observed)).count();
        let exact = outside as f64 / differences.len() as f64;
        differences.sort_unstable_by(f64::total_cmp);
        let [low, high] = middle_95(&differences).unwrap();
        let found = paired_bootstrap(&table(2, &a), &table(2, &b), measure, 40_000, 1).unwrap();
        assert!((found.p - exact).abs() < 0.01, "{measure:?}: {} {exact}", found.p);
        let spread = found.spread.unwrap();
        assert!((spread.difference[0] - low).abs() < 0.01, "{measure:?}: {spread:?} {low}");
        assert!((spread.difference[1] - high).abs() < 0.01, "{measure:?}: {spread:?} {high}");
        assert!(spread.a[0] <= found.a && found.a <= spread.a[1]);
        assert!(spread.b[0] <= found.b && found.b <= spread.b[1]);
    }
}

#[test]
fn a_system_does_not_differ_from_itself() {
    let (a, _) = small();
    for test in TESTS {
        let found = test(&table(2, &a), &table(2, &a), F1Measure::Macro, 999, 5).unwrap();
        assert_eq!((found.difference, found.p), (0.0, 1.0));
    }
}

#[test]
fn a_clear_difference_has_the_smallest_p_and_never_zero() {
    let right: Vec<[u32; 3]> = vec![[2, 2, 2]; 200];
    let wrong: Vec<[u32; 3]> = (0..200).map(|k| [k % 3 / 2, 2, 2]).collect();
    for test in TESTS {
        let found = test(&table(1, &right), &table(1, &wrong), F1Measure::Micro, 999, 5).unwrap();
        assert_eq!(found.p, 1.0 / 1000.0);
        assert_eq!((found.units, found.resamples, found.a), (200, 999, 1.0));
    }
}

#[test]
fn nothing_to_compare_is_no_test() {
    let (empty, one) = (table(1, &[]), table(1, &[[0, 0, 0]]));
    for test in TESTS {
        assert_eq!(test(&empty, &empty, F1Measure::Micro, 100, 1), None);
        assert_eq!(test(&one, &one, F1Measure::Micro, 0, 1), None);
        let found = test(&one, &one, F1Measure::Macro, 100, 1).unwrap();
        assert_eq!((found.a, found.b, found.p), (0.0, 0.0, 1.0));
    }
}

/// 3,453 sentences and 4 types, as the test data of CoNLL 2003, with about as many errors.
fn like_conll() -> (UnitTable, UnitTable) {
    let mut draws = Draws::new(9);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for place in 0..3453 * 4 {
        let support = [0, 0, 0, 1, 1, 2][draws.below(6)];
        let mut system = |errors: u32| {
            let predicted = support + u32::from(draws.below(100) < errors as usize);
            let missed = u32::from(draws.below(100) < errors as usize);
            let correct = support.saturating_sub(missed);
            (place / 4, place % 4, UnitCounts { correct, predicted, support })
        };
        a.push(system(8));
        b.push(system(9));
    }
    (UnitTable::new(4, 3453, a).unwrap(), UnitTable::new(4, 3453, b).unwrap())
}

/// How long this thread has been at work.
fn thread_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_THREAD).unwrap();
    let seconds = |time: TimeVal| Duration::from_micros(time.num_microseconds() as u64);
    seconds(usage.user_time()) + seconds(usage.system_time())
}

#[test]
fn ten_thousand_resamples_of_conll_take_less_than_a_second() {
    let (a, b) = like_conll();
    for test in TESTS {
        // The thread's own time: what else a busy machine does is not resampling.
        let before = thread_time();
        test(&a, &b, F1Measure::Micro, 10_000, 1).unwrap();
        let taken = thread_time() - before;
        println!("10,000 resamples of 3,453 sentences: {taken:?}");
        assert!(taken < Duration::from_secs(1), "{taken:?}");
    }
}

fn counts() -> impl Strategy<Value = Vec<[u32; 4]>> {
    let unit = (0..4u32, 0..4u32, 0..4u32).prop_map(|(support, a, b)| {
        [support, support.saturating_sub(a), support.saturating_sub(b), a + b]
    });
    prop::collection::vec(unit, 1..20)
}

proptest! {
    #[test]
    fn the_other_way_round_is_the_same_test(counts in counts(), seed: u64) {
        let system = |which: usize| {
            let rows: Vec<_> = counts.iter().map(|c| [c[which], c[which] + c[3] % 2, c[0]]).collect();
            table(1, &rows)
        };
        let (a, b) = (system(1), system(2));
        for test in TESTS {
            for measure in MEASURES {
                let one = test(&a, &b, measure, 200, seed).unwrap();
                let other = test(&b, &a, measure, 200, seed).unwrap();
                prop_assert_eq!((one.a, one.b, one.p), (other.b, other.a, other.p));
                prop_assert!(one.p > 0.0 && one.p <= 1.0);
                prop_assert_eq!(one, test(&a, &b, measure, 200, seed).unwrap());
            }
        }
    }
}
