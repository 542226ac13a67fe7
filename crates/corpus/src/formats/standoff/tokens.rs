//! What the tokens of a sentence are.

use super::is_space;
use super::marks::is_mark;
use super::rules::Tokens;
use std::ops::Range;

/// The tokens of a part of a text, as ranges of the text. No token has white space in it, but
/// `character` makes a token of each space that is not a tab or a line's end.
pub fn split(text: &str, part: Range<usize>, rule: Tokens) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = vec![];
    let mut before = CharacterKind::Space;
    for (at, character) in text[part.clone()].char_indices() {
        let start = part.start + at;
        let end = start + character.len_utf8();
        let kind = CharacterKind::of(character, rule);
        match (kind, before, tokens.last_mut()) {
            (CharacterKind::Space, ..) => {}
            (CharacterKind::Word, CharacterKind::Word, Some(token)) => token.end = end,
            // What is joined by a mark is what it was: `é` goes on, a sign does not.
            (CharacterKind::Mark, CharacterKind::Word | CharacterKind::Sign, Some(token)) => {
                token.end = end;
                continue;
            }
            _ => tokens.push(start..end),
        }
        before = if kind == CharacterKind::Mark { CharacterKind::Word } else { kind };
    }
    tokens
}

/// What a character is for its neighbours.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum CharacterKind {
    /// No token.
    Space,
    /// Goes on in the next one of its kind.
    Word,
    /// Belongs to the character before it.
    Mark,
    /// A token by itself.
    Sign,
}

impl CharacterKind {
    fn of(character: char, rule: Tokens) -> Self {
        match (rule, character) {
            (Tokens::Character, c) if !is_space(c) || !c.is_control() => CharacterKind::Sign,
            (_, c) if is_space(c) => CharacterKind::Space,
            (Tokens::Whitespace, _) => CharacterKind::Word,
            (_, c) if c.is_alphanumeric() => CharacterKind::Word,
            (_, '\u{ad}' | '\u{200c}' | '\u{200d}') => CharacterKind::Mark,
            (_, c) if is_mark(c) => CharacterKind::Mark,
            _ => CharacterKind::Sign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str, rule: Tokens) -> Vec<&str> {
        split(text, 0..text.len(), rule).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn words_are_letters_digits_and_marks() {
        assert_eq!(
            tokens("Alzheimer's β-catenin, 3.5µg (p53)", Tokens::Word),
            ["Alzheimer", "'", "s", "β", "-", "catenin", ",", "3", ".", "5µg", "(", "p53", ")"]
        );
        assert_eq!(
            tokens("e\u{301}te\u{301} हिन्दी\tنامه\u{200c}ها", Tokens::Word),
            ["e\u{301}te\u{301}", "हिन्दी", "نامه\u{200c}ها"]
        );
        assert_eq!(
            tokens("a_b--c\u{a0}\u{3000}👍👍", Tokens::Word),
            ["a", "_", "b", "-", "-", "c", "👍", "👍"]
        );
    }

    #[test]
    fn a_mark_belongs_to_what_is_before_it() {
        let heart = "❤\u{fe0f}b \u{301}c";
        assert_eq!(tokens(heart, Tokens::Word), ["❤\u{fe0f}", "b", "\u{301}c"]);
    }

    #[test]
    fn characters_are_tokens_and_spaces_too_but_no_tabs_and_line_ends() {
        assert_eq!(
            tokens("東 京\tは\r\n\u{3000}。", Tokens::Character),
            ["東", " ", "京", "は", "\u{3000}", "。"]
        );
    }

    #[test]
    fn white_space_alone_may_separate() {
        assert_eq!(
            tokens("don't  (p53)\u{a0}x\0y", Tokens::Whitespace),
            ["don't", "(p53)", "x", "y"]
        );
    }

    #[test]
    fn a_part_has_the_tokens_between_its_ends() {
        assert_eq!(split("ab cd ef", 1..5, Tokens::Word), [1..2, 3..5]);
        assert!(split("ab", 1..1, Tokens::Word).is_empty());
    }
}
