//! Patterns for names: `*` is any text, `?` any one character, everything else itself.

/// A pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glob(Vec<char>);

impl Glob {
    /// Every text is a pattern.
    pub fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    /// Whether the whole of `text` fits. Linear in memory and at most quadratic in time: on a
    /// mismatch only the last `*` has to take one character more.
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text) = (&self.0, text.chars().collect::<Vec<_>>());
        let (mut p, mut t) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while t < text.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, t));
                    p += 1;
                }
                Some(c) if *c == '?' || *c == text[t] => (p, t) = (p + 1, t + 1),
                _ => match star {
                    Some((at, taken)) => {
                        star = Some((at, taken + 1));
                        (p, t) = (at + 1, taken + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|c| *c == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, slow and plain.
    fn fits(pattern: &[char], text: &[char]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some(('*', rest)) => (0..=text.len()).any(|n| fits(rest, &text[n..])),
            Some((c, rest)) => {
                text.first().is_some_and(|t| *c == '?' || c == t) && fits(rest, &text[1..])
            }
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(pattern in "[ab*?]{0,8}", text in "[ab]{0,8}") {
            let expected = fits(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>());
            prop_assert_eq!(Glob::new(&pattern).matches(&text), expected);
        }
    }

    #[test]
    fn many_stars_do_not_take_forever() {
        assert!(!Glob::new(&"a*".repeat(200)).matches(&format!("{}b", "a".repeat(150))));
    }
}
