//! Numbers of things in words.

/// `1 job`, `2 jobs`, `3 corpora`: what every message counts with.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {}", plural(n, noun))
}

/// The form of a noun that goes with a number: `job` with 1, `jobs` with any other.
pub fn plural(n: usize, noun: &str) -> String {
    match noun {
        _ if n == 1 => noun.to_owned(),
        "corpus" => "corpora".to_owned(),
        _ => match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{noun}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_every_other_number_is_plural() {
        for (n, noun, words) in [
            (0, "job", "0 jobs"),
            (1, "finished job", "1 finished job"),
            (2, "sentence", "2 sentences"),
            (1, "corpus", "1 corpus"),
            (3, "corpus", "3 corpora"),
            (2, "entity", "2 entities"),
            (2, "key", "2 keys"),
        ] {
            assert_eq!(counted(n, noun), words);
        }
    }
}
