//! Numbers as tables print them.

use crate::comparison::{ALPHA, STRONG};
use domain::plural;

/// A fraction as a percentage with two decimals, a true minus sign.
pub fn percent(fraction: f64) -> String {
    minus(format!("{:.2}", tidy_zero(fraction * 100.0)))
}

/// The same with its sign always there: a difference.
pub fn signed_percent(fraction: f64) -> String {
    minus(format!("{:+.2}", tidy_zero(fraction * 100.0)))
}

/// A whole number in groups of three digits.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The smallest probability that four decimals can show.
const LEAST_SHOWN: f64 = 0.0001;

/// A p-value: four decimals, or a bound. One below a level that verdicts go by is never rounded up
/// to it: 0.04996 is 0.0499.
pub fn p_value(p: f64) -> String {
    let rounded = (p * 1e4).round() / 1e4;
    match [STRONG, ALPHA].iter().any(|&level| p < level && rounded >= level) {
        _ if p < LEAST_SHOWN => format!("< {LEAST_SHOWN}"),
        true => format!("{:.4}", (p * 1e4).floor() / 1e4),
        false => format!("{p:.4}"),
    }
}

/// The p-value of a look and the nominal level that it must be below, which can be far below what
/// four decimals show: with as many digits as tell on which side of the level p lies.
pub fn p_and_level(p: f64, level: f64) -> [String; 2] {
    let shown = |further: usize| [p, level].map(|x| probability_digits(x, further));
    let tells = |[p_shown, level_shown]: &[String; 2]| {
        let value = |text: &str| text.replace('−', "-").parse().unwrap_or(f64::NAN);
        (value(p_shown) < value(level_shown)) == (p < level)
    };
    (0..13).map(shown).find(tells).unwrap_or_else(|| shown(13))
}

/// The nominal level of a look alone.
pub fn level(level: f64) -> String {
    probability_digits(level, 0)
}

/// Four decimals and so many more; of a small number two digits and so many more.
fn probability_digits(x: f64, further: usize) -> String {
    match x {
        x if x > 0.0 && x < LEAST_SHOWN => minus(format!("{x:.*e}", 1 + further)),
        x => format!("{x:.*}", 4 + further),
    }
}

/// An effect size or a statistic.
pub fn signed(value: f64) -> String {
    minus(format!("{:+.2}", tidy_zero(value)))
}

/// A duration in the two largest units that matter.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{:.1} s", seconds.max(0.0)),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A probability in whole percent; bounds where it is nearly sure or nearly out of the question.
pub fn probability(p: f64) -> String {
    match p {
        p if p > 0.995 => "> 99 %".to_owned(),
        p if p < 0.005 => "< 1 %".to_owned(),
        p => format!("{:.0} %", p * 100.0),
    }
}

/// `1 seed`, `5 seeds`, `1,079 entities`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{} {}", grouped(n as u64), plural(n, noun))
}

/// A value that prints as zero is not negative.
fn tidy_zero(value: f64) -> f64 {
    if value.abs() < 0.005 { 0.0 } else { value }
}

fn minus(text: String) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_two_decimals_and_no_negative_zero() {
        assert_eq!(percent(0.54321), "54.32");
        assert_eq!(signed_percent(-0.0123), "−1.23");
        assert_eq!(signed_percent(-0.00001), "+0.00");
        assert_eq!(signed_percent(0.05), "+5.00");
    }

    #[test]
    fn thousands_are_set_apart() {
        let shown = [0, 7, 999, 1_000, 62_730, 2_200_865].map(grouped);
        assert_eq!(shown, ["0", "7", "999", "1,000", "62,730", "2,200,865"]);
    }

    #[test]
    fn what_is_counted_has_its_plural() {
        assert_eq!([0, 1, 5].map(|n| counted(n, "seed")), ["0 seeds", "1 seed", "5 seeds"]);
        assert_eq!(counted(1_079, "entity"), "1,079 entities");
        assert_eq!(counted(2, "key"), "2 keys");
    }

    #[test]
    fn p_values_have_four_decimals_or_are_bounds() {
        let shown = [0.0, 0.00009999, 0.0001, 0.0625, 2.0 / 32.0 - 1e-9, 0.99999, 1.0].map(p_value);
        assert_eq!(
            shown,
            ["< 0.0001", "< 0.0001", "0.0001", "0.0625", "0.0625", "1.0000", "1.0000"]
        );
    }

    #[test]
    fn no_p_value_is_rounded_across_a_level_of_verdicts() {
        for (p, shown) in [
            (0.05, "0.0500"),
            (0.049999, "0.0499"),
            (0.04996, "0.0499"),
            (0.04994, "0.0499"),
            (0.050001, "0.0500"),
            (0.01, "0.0100"),
            (0.0099999, "0.0099"),
        ] {
            assert_eq!(p_value(p), shown, "{p}");
        }
        for step in 0..2000 {
            let p = f64::from(step) * 0.000_049_7;
            let value: f64 = p_value(p).trim_start_matches("< ").parse().unwrap();
            for level in [0.01, 0.05] {
                assert_eq!(value < level, p < level, "{p}");
            }
        }
    }

    #[test]
    fn the_p_value_of_a_look_is_on_its_side_of_the_level() {
        for (p, level, shown) in [
            (0.0123, 0.03101, ["0.0123", "0.0310"]),
            (0.03102, 0.03104, ["0.03102", "0.03104"]),
            (0.03104, 0.03102, ["0.0310", "0.0310"]),
            (0.030949, 0.030951, ["0.0309", "0.0310"]),
            (0.0309, 5.4e-7, ["0.0309", "5.4e−7"]),
            (5.41e-7, 5.44e-7, ["5.41e−7", "5.44e−7"]),
            (0.0, 5.4e-7, ["0.0000", "5.4e−7"]),
        ] {
            assert_eq!(p_and_level(p, level), shown, "{p} {level}");
        }
    }

    #[test]
    fn small_levels_keep_their_size() {
        assert_eq!(level(0.03101), "0.0310");
        assert_eq!(level(5.4e-7), "5.4e−7");
    }

    #[test]
    fn nearly_sure_is_not_sure() {
        assert_eq!(["> 99 %", "80 %", "< 1 %"], [0.999, 0.8, 0.001].map(probability));
    }

    #[test]
    fn durations_are_readable() {
        assert_eq!(duration(2.54), "2.5 s");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(duration(7260.0), "2 h 1 min");
    }
}
