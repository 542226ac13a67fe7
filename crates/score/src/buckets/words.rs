//! The words of a sentence, stored as one text so that an entity's words are a slice of it.

/// The tokens of a sentence, with a line feed between them (no token holds one).
#[derive(Copy, Clone, Debug, Default)]
pub struct Words<'a> {
    text: &'a str,
    ends: &'a [usize],
}

impl<'a> Words<'a> {
    /// The tokens in `text`, each with a line feed behind it; `ends` are the places of those.
    pub fn new(text: &'a str, ends: &'a [usize]) -> Self {
        Self { text, ends }
    }

    /// Tokens `start..end` with a line feed between them, empty where there are none.
    pub(super) fn joined(self, start: usize, end: usize) -> &'a str {
        let from = match start {
            0 => Some(0),
            n => self.ends.get(n - 1).map(|end| end + 1),
        };
        let to = end.checked_sub(1).and_then(|last| self.ends.get(last));
        from.zip(to).and_then(|(from, &to)| self.text.get(from..to)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_entity_are_a_slice() {
        let words = Words::new("New\nYork\nis\n", &[3, 8, 11]);
        assert_eq!(words.joined(0, 2), "New\nYork");
        assert_eq!(words.joined(1, 3), "York\nis");
        assert_eq!(words.joined(2, 4), "");
        assert_eq!(words.joined(0, 0), "");
        assert_eq!(Words::default().joined(0, 1), "");
    }
}
