//! Records and logs name no place on this machine: absolute paths in messages are cut to their end.

use std::borrow::Cow;

/// The text with every absolute path cut to its last two parts, `…/src/lib.rs:10`. Backtraces and
/// messages of the operating system carry such paths; what they say about the cause is kept.
pub fn without_absolute_paths(text: &str) -> Cow<'_, str> {
    let mut cut = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(start) = next_path(text, from) {
        let end = start + path_length(&text[start..]);
        cut.push_str(&text[copied..start]);
        cut.push_str(&shortened(&text[start..end]));
        (copied, from) = (end, end);
    }
    match copied {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(cut + &text[copied..]),
    }
}

/// Where the next absolute path of at least two parts begins.
fn next_path(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices('/').map(|(at, _)| from + at).find(|&at| {
        let before = text[..at].chars().next_back();
        let joins = |c: char| c.is_alphanumeric() || "._-~/…*?)]}".contains(c);
        let path = &text[at..at + path_length(&text[at..])];
        !before.is_some_and(joins) && !path.starts_with("//") && path[1..].contains('/')
    })
}

fn path_length(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>|;,()[]{}".contains(c);
    text.find(ends).unwrap_or(text.len())
}

fn shortened(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let kept = if parts.len() > 2 { 2 } else { 1 };
    format!("…/{}", parts[parts.len().saturating_sub(kept)..].join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_lose_their_beginning() {
        for (text, expected) in [
            (
                "panicked at /home/me/.cargo/x-1.0/src/lib.rs:10:5:",
                "panicked at …/src/lib.rs:10:5:",
            ),
            ("cannot read '/data/mine/train.txt'", "cannot read '…/mine/train.txt'"),
            ("in=/tmp/x, out=/srv/a/b/", "in=…/x, out=…/a/b"),
            ("/a/b", "…/b"),
        ] {
            assert_eq!(without_absolute_paths(text), expected);
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "synthetic/full/shallow/sc/1",
            "precision / recall, and/or 3/4",
            "see https://example.org/a/b",
            "src/store/paths.rs:3",
            "…/mine/train.txt",
            "/",
            "",
        ] {
            assert_eq!(without_absolute_paths(text), text);
        }
    }

    proptest::proptest! {
        #[test]
        fn cutting_twice_changes_nothing_more(text in "[a-z/ …:'.]{0,30}") {
            let once = without_absolute_paths(&text).into_owned();
            proptest::prop_assert_eq!(without_absolute_paths(&once), once.as_str());
        }
    }
}
