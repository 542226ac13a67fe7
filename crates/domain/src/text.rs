//! Text for people: numbers of things in words, messages without folders of this machine, and
//! foreign text (names in grids, lines of logs, tokens, file names) in which nothing is left that a
//! terminal would obey or that would rearrange the words around it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

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

/// The text with a name in place of a path wherever all of the path is written, also at the
/// beginning of a longer one. A path may be as short as `ck`, which is a part of words: no letter,
/// digit or other character of a name may touch it, and one without a slash counts only where it
/// stands as a path does, before a colon, a slash or a closing quotation mark.
pub fn renamed(text: &str, path: &Path, name: &str) -> String {
    let path = path.display().to_string();
    let mut renamed = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, _) in text.match_indices(&path).filter(|(_, found)| !found.is_empty()) {
        let end = start + path.len();
        if may_start_after(&text[..start]) && may_end_before(&text[end..], path.contains('/')) {
            renamed.push_str(&text[copied..start]);
            renamed.push_str(name);
            copied = end;
        }
    }
    renamed + &text[copied..]
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

fn may_start_after(before: &str) -> bool {
    let last = before.chars().next_back();
    !last.is_some_and(|c| is_of_name(c) || matches!(c, '.' | '/' | '~' | '\\'))
}

fn may_end_before(after: &str, has_slash: bool) -> bool {
    let mut after = after.chars();
    match after.next() {
        None | Some('/' | ':' | '\'' | '"' | '`') => true,
        // The end of a sentence, or of a name: `glove.txt` is not `glove`.
        Some('.') => has_slash && !after.next().is_some_and(is_of_name),
        Some(other) => has_slash && !is_of_name(other),
    }
}

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

    #[test]
    fn a_path_is_replaced_where_all_of_it_is_written() {
        for (text, path, expected) in [
            ("cannot read ck/config.json: gone", "ck", "cannot read X/config.json: gone"),
            ("the checkpoints of ck: odd", "ck", "the checkpoints of X: odd"),
            ("of different checkpoints", "ck", "of different checkpoints"),
            ("ck-2/a, `ck`, my/ck/a", "ck", "ck-2/a, `X`, my/ck/a"),
            ("the/config.json: the width", "the", "X/config.json: the width"),
            ("/data/a.txt:3: odd", "/data/a.txt", "X:3: odd"),
            ("/data/a.txt.gz and /data/a.txt.", "/data/a.txt", "/data/a.txt.gz and X."),
            ("the vocabulary of m/ck has 5", "m/ck", "the vocabulary of X has 5"),
            ("/x/m/ck has, m/ckpt has", "m/ck", "/x/m/ck has, m/ckpt has"),
            ("a.txt: a.txt:2", "a.txt", "X: X:2"),
            ("anything", "", "anything"),
        ] {
            assert_eq!(renamed(text, Path::new(path), "X"), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_lost(text in "[ack/:. é]{0,20}", path in "[ack/]{0,3}") {
            let path = Path::new(&path);
            let same = renamed(&text, path, &path.display().to_string());
            proptest::prop_assert_eq!(same, text);
        }
    }

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
