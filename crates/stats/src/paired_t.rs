//! Student's t-test of paired differences, with its confidence interval.

use super::{NOISE, all_equal, mean, sd};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The two-sided test of "the mean difference is 0".
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PairedT {
    /// Number of pairs.
    pub n: usize,
    /// Mean of the differences.
    pub mean: f64,
    /// Standard deviation of the differences (divisor n - 1).
    pub sd: f64,
    /// Degrees of freedom, n - 1.
    pub df: usize,
    /// `None` where all differences are equal.
    pub t: Option<f64>,
    /// Two-sided; 1 where all differences are 0, `None` where they are all equal to another number.
    pub p: Option<f64>,
    /// Lower end of the 95 % t interval of the mean.
    pub ci_low: f64,
    /// Upper end of the 95 % t interval of the mean.
    pub ci_high: f64,
    /// All differences are equal: t is undefined and the interval is a point.
    pub zero_variance: bool,
}

/// Tests paired differences; `None` of fewer than two, or if one is not finite.
pub fn paired_t(differences: &[f64]) -> Option<PairedT> {
    let n = differences.len();
    let (mean, sd) = (mean(differences)?, sd(differences)?);
    if all_equal(differences) {
        return Some(without_variance(n, mean));
    }
    let error = sd / (n as f64).sqrt();
    let t = mean / error;
    let student = StudentsT::new(0.0, 1.0, (n - 1) as f64).ok()?;
    let half_width = error * student.inverse_cdf(0.975);
    (t.is_finite() && half_width.is_finite()).then(|| PairedT {
        n,
        mean,
        sd,
        df: n - 1,
        t: Some(t),
        p: Some((2.0 * student.sf(t.abs())).clamp(0.0, 1.0)),
        ci_low: mean - half_width,
        ci_high: mean + half_width,
        zero_variance: false,
    })
}

/// The result where all differences are the same number.
fn without_variance(n: usize, mean: f64) -> PairedT {
    PairedT {
        n,
        mean,
        sd: 0.0,
        df: n - 1,
        t: None,
        p: (mean.abs() <= NOISE).then_some(1.0),
        ci_low: mean,
        ci_high: mean,
        zero_variance: true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{assert_close, differences, section};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_scipy() {
        for case in section("paired") {
            let found = paired_t(&differences(&case)).unwrap();
            let expected = &case["ttest_rel"];
            assert_close(found.t.unwrap(), &expected["statistic"]);
            assert_close(found.p.unwrap(), &expected["pvalue"]);
            assert_close(found.df as f64, &expected["df"]);
            assert_close(found.ci_low, &expected["ci95"][0]);
            assert_close(found.ci_high, &expected["ci95"][1]);
        }
    }

    #[test]
    fn student_tail_and_quantile_agree_with_scipy() {
        for case in section("student_t") {
            let df = case["df"].as_f64().unwrap();
            let student = StudentsT::new(0.0, 1.0, df).unwrap();
            let t = case["t"].as_f64().unwrap();
            assert_close(2.0 * student.sf(t.abs()), &case["two_sided_p"]);
            assert_close(student.inverse_cdf(0.975), &case["crit975"]);
        }
    }

    #[test]
    fn one_pair_is_no_test() {
        assert_eq!(paired_t(&[]), None);
        assert_eq!(paired_t(&[0.1]), None);
        assert_eq!(paired_t(&[0.1, f64::INFINITY]), None);
    }

    #[test]
    fn no_difference_at_all_is_p_1() {
        let found = paired_t(&[0.0, 0.0, 0.0]).unwrap();
        assert_eq!((found.t, found.p, found.zero_variance), (None, Some(1.0), true));
        assert_eq!((found.ci_low, found.ci_high), (0.0, 0.0));
    }

    #[test]
    fn a_constant_gain_is_flagged_though_its_last_bits_differ() {
        let differences = [0.3 - 0.2, 0.7 - 0.6, 0.4 - 0.3];
        assert_ne!(differences[0], differences[2]);
        let found = paired_t(&differences).unwrap();
        assert_eq!((found.t, found.p, found.zero_variance, found.sd), (None, None, true, 0.0));
    }

    proptest! {
        #[test]
        fn never_nan(differences in prop::collection::vec(prop::num::f64::ANY, 0..8)) {
            if let Some(found) = paired_t(&differences) {
                let PairedT { mean, sd, t, p, ci_low, ci_high, .. } = found;
                prop_assert!([mean, sd, ci_low, ci_high].iter().all(|x| x.is_finite()));
                prop_assert!(t.is_none_or(f64::is_finite));
                prop_assert!(p.is_none_or(|p| (0.0..=1.0).contains(&p)));
            }
        }

        #[test]
        fn the_other_way_round_is_the_same_test(
            differences in prop::collection::vec(-1.0..1.0f64, 2..30),
        ) {
            let negated: Vec<f64> = differences.iter().map(|x| -x).collect();
            let (one, other) = (paired_t(&differences).unwrap(), paired_t(&negated).unwrap());
            prop_assert_eq!(one.t, other.t.map(|t| -t));
            prop_assert_eq!(one.p, other.p);
            prop_assert_eq!((one.ci_low, one.ci_high), (-other.ci_high, -other.ci_low));
        }

        #[test]
        fn order_does_not_matter(
            (differences, shuffled) in prop::collection::vec(-1.0..1.0f64, 2..30)
                .prop_flat_map(|x| (Just(x.clone()), Just(x).prop_shuffle())),
        ) {
            let (one, other) = (paired_t(&differences).unwrap(), paired_t(&shuffled).unwrap());
            prop_assert!((one.p.unwrap() - other.p.unwrap()).abs() < 1e-9);
        }

        #[test]
        fn the_interval_leaves_out_zero_exactly_when_p_is_below_5_percent(
            differences in prop::collection::vec(-0.2..1.0f64, 2..30),
        ) {
            let found = paired_t(&differences).unwrap();
            let p = found.p.unwrap();
            prop_assume!((p - 0.05).abs() > 1e-9);
            prop_assert_eq!(found.ci_low > 0.0 || found.ci_high < 0.0, p < 0.05);
        }
    }
}
