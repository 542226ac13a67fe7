//! Foreign text on its way to a terminal: names in grids, lines of logs, tokens, file names, messages
//! of engines. What a terminal would obey, or what would rearrange the words around it, is shown
//! instead of sent.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character steers what shows it: control characters, marks that turn the direction of
/// reading, separators of lines that are none of ours.
pub fn is_steering(character: char) -> bool {
    match character {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' => true,
        other => other.is_control(),
    }
}

/// The text with every steering character as `\u001b`; line feeds and tabs stay. Inside the strings
/// of JSON this is that character's own escape, so that JSON means the same as before.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_steering(c) && c != '\n' && c != '\t';
    let Some(first) = text.find(is_escaped) else { return Cow::Borrowed(text) };
    let mut shown = text[..first].to_owned();
    for character in text[first..].chars() {
        match is_escaped(character) {
            // Each of them has four digits.
            true => write!(shown, "\\u{:04x}", character as u32).expect("a String takes all"),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// The text on one line, a character for each of its own: white space that would end the line or
/// jump in it is a space, every other steering character a replacement character.
pub fn printable(text: &str) -> String {
    let shown = |c: char| match is_steering(c) {
        true if c.is_whitespace() => ' ',
        true => char::REPLACEMENT_CHARACTER,
        false => c,
    };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steering_characters_are_shown() {
        let hostile = "a\u{1b}[31m\u{7}\tb\n\u{202e}c\u{9b}d\u{2028}\r";
        assert_eq!(escaped(hostile), "a\\u001b[31m\\u0007\tb\n\\u202ec\\u009bd\\u2028\\u000d");
        assert!(matches!(escaped("naïve 東京\t\n👩\u{200d}🔬"), Cow::Borrowed(_)));
        assert_eq!(printable("a\u{1b}[2Jb\nc\u{2028}d\t\u{202e}"), "a\u{fffd}[2Jb c d \u{fffd}");
    }

    #[test]
    fn json_means_the_same_when_it_is_escaped() {
        let text: String = ('\0'..='\u{ffff}').collect();
        let json = serde_json::json!({"name": text});
        let shown = format!("{json:#}");
        let shown = escaped(&shown);
        assert!(!shown.chars().any(|c| is_steering(c) && c != '\n'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), json);
    }
}
