//! Messages that go into records name no folder of this machine: the place of a file is replaced.

use std::path::Path;

/// The text with a name in place of a path wherever all of the path is written, also at the beginning
/// of a longer one. A path may be as short as `ck`, which is a part of words: no letter, digit or other
/// character of a name may touch it, and one without a slash counts only where it stands as a path does,
/// before a colon, a slash or a closing quotation mark.
pub fn renamed(text: &str, path: &Path, name: &str) -> String {
    let path = path.display().to_string();
    let mut renamed = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, _) in text.match_indices(&path).filter(|(_, found)| !found.is_empty()) {
        let end = start + path.len();
        if starts(&text[..start]) && ends(&text[end..], path.contains('/')) {
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

fn starts(before: &str) -> bool {
    let last = before.chars().next_back();
    !last.is_some_and(|c| is_of_name(c) || matches!(c, '.' | '/' | '~' | '\\'))
}

fn ends(after: &str, has_slash: bool) -> bool {
    let mut after = after.chars();
    match after.next() {
        None | Some('/' | ':' | '\'' | '"' | '`') => true,
        // The end of a sentence, or of a name: `glove.txt` is not `glove`.
        Some('.') => has_slash && !after.next().is_some_and(is_of_name),
        Some(other) => has_slash && !is_of_name(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
