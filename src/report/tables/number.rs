//! Numbers as tables print them.

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

/// A p-value: three decimals, or a bound.
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".to_owned(),
        p => format!("{p:.3}"),
    }
}

/// The nominal level of a look, which can be far below a p-value that matters.
pub fn level(level: f64) -> String {
    match level {
        level if level < 0.0001 => minus(format!("{level:.1e}")),
        level => format!("{level:.4}"),
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
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (n, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => {
            format!("{} {stem}ies", grouped(n as u64))
        }
        (n, _) => format!("{} {noun}s", grouped(n as u64)),
    }
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
    fn small_p_values_are_bounds() {
        assert_eq!(p_value(0.00099), "< 0.001");
        assert_eq!(p_value(0.0499), "0.050");
        assert_eq!(p_value(1.0), "1.000");
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
