//! Where the sentences of a text end.
//!
//! Rules that need no language: the end of a line (LF, CR LF or CR: offsets count them all, so that
//! none can be refused or rewritten); `。｡！？` with what closes after them; and `. ! ?`
//! and the full stops of other scripts with what closes after them, if white space follows and then
//! no lower-case letter. A stop after a single upper-case letter (`E. coli`, `J. Smith`) is none.

use super::annotation::Span;
use super::rules::Sentences;
use super::{is_space, trimmed};
use std::ops::Range;

/// The sentences of a text without white space around them, none blank and none ending inside of a
/// span. Spans are in the order of the text and do not overlap.
pub fn split(text: &str, rule: Sentences, spans: &[Span<'_>]) -> Vec<Range<usize>> {
    let ends = match rule {
        Sentences::Document => vec![],
        Sentences::Lines => line_ends(text),
        Sentences::Punctuation => punctuation(text),
    };
    let mut spans = spans.iter().peekable();
    let mut is_outside = |end: usize| {
        while spans.next_if(|span| span.bytes.end <= end).is_some() {}
        spans.peek().is_none_or(|span| span.bytes.start >= end)
    };
    let mut start = 0;
    let mut sentences = vec![];
    for end in ends.into_iter().filter(|&end| is_outside(end)).chain([text.len()]) {
        sentences.push(trimmed(text, start..end));
        start = end;
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn line_ends(text: &str) -> Vec<usize> {
    let ends = text.match_indices(['\n', '\r']).filter(|&(at, _)| ends_line(text, at));
    ends.map(|(at, _)| at + 1).collect()
}

/// Whether a line ends at this byte: at the last one of CR LF.
fn ends_line(text: &str, at: usize) -> bool {
    let rest = &text[at..];
    rest.starts_with('\n') || (rest.starts_with('\r') && !rest.starts_with("\r\n"))
}

fn punctuation(text: &str) -> Vec<usize> {
    let mut ends = vec![];
    let mut from = 0;
    let is_end_or_stop = |c| matches!(c, '\n' | '\r') || is_stop(c) || is_wide_stop(c);
    while let Some(found) = text[from..].find(is_end_or_stop) {
        let at = from + found;
        let after =
            text[at..].trim_start_matches(|c| is_stop(c) || is_wide_stop(c) || is_closer(c));
        // A line's end is no stop, so nothing of it is trimmed.
        from = (text.len() - after.len()).max(at + 1);
        let stops = &text[at..from];
        if ends_line(text, at) || stops.contains(is_wide_stop) || is_end(&text[..at], stops, after)
        {
            ends.push(from);
        }
    }
    ends
}

/// Whether stops between two texts end a sentence.
fn is_end(before: &str, stops: &str, after: &str) -> bool {
    let next = after.trim_start_matches(is_space);
    let goes_on = next.starts_with(char::is_lowercase);
    next.len() < after.len() && !goes_on && !(stops == "." && is_initial(before))
}

/// Whether a text ends with a single upper-case letter.
fn is_initial(text: &str) -> bool {
    let mut back = text.chars().rev();
    back.next().is_some_and(char::is_uppercase) && !back.next().is_some_and(char::is_alphanumeric)
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | '؟' | '۔' | '।')
}

/// Stops after which East Asian text has no space.
fn is_wide_stop(character: char) -> bool {
    matches!(character, '。' | '｡' | '！' | '？')
}

fn is_closer(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '»'
            | '）'
            | '」'
            | '』'
            | '】'
            | '］'
            | '〉'
            | '》'
    )
}

#[cfg(test)]
mod tests {
    use super::super::AnnotationPlace;
    use super::*;

    fn sentences<'t>(text: &'t str, rule: Sentences, spans: &[(usize, usize)]) -> Vec<&'t str> {
        let span = |&(start, end): &(usize, usize)| Span {
            bytes: start..end,
            entity_type: "x",
            place: AnnotationPlace::line(1),
        };
        let spans: Vec<Span> = spans.iter().map(span).collect();
        split(text, rule, &spans).into_iter().map(|range| &text[range]).collect()
    }

    fn by_punctuation(text: &str) -> Vec<&str> {
        sentences(text, Sentences::Punctuation, &[])
    }

    #[test]
    fn lines_end_sentences_and_blank_ones_are_none() {
        let text = " One. Two\r\n\r\n \nThree\u{2028}four\n";
        assert_eq!(sentences(text, Sentences::Lines, &[]), ["One. Two", "Three\u{2028}four"]);
        assert_eq!(sentences(text, Sentences::Document, &[]), [text.trim()]);
        assert_eq!(sentences(" \n ", Sentences::Lines, &[]), [""; 0]);
        for rule in [Sentences::Lines, Sentences::Punctuation] {
            let text = "One two\rthree\r\nfour\r\r\nfive\r";
            assert_eq!(sentences(text, rule, &[]), ["One two", "three", "four", "five"]);
        }
    }

    #[test]
    fn stops_end_sentences_before_a_space_and_no_lower_case_letter() {
        assert_eq!(by_punctuation("It is. Is it? Yes!\nSo"), ["It is.", "Is it?", "Yes!", "So"]);
        assert_eq!(
            by_punctuation("He said \"Go.\" (Why?) 3 did."),
            ["He said \"Go.\"", "(Why?)", "3 did."]
        );
        assert_eq!(by_punctuation("p < 0.05, e.g. in www.a.org"), ["p < 0.05, e.g. in www.a.org"]);
        assert_eq!(
            by_punctuation("Well... then. Well... Then"),
            ["Well... then.", "Well...", "Then"]
        );
    }

    #[test]
    fn initials_end_none() {
        assert_eq!(
            by_punctuation("E. Coli and J. K. Lee. In HeLa"),
            ["E. Coli and J. K. Lee.", "In HeLa"]
        );
        assert_eq!(by_punctuation("With DNA. It"), ["With DNA.", "It"]);
    }

    #[test]
    fn wide_stops_need_no_space() {
        assert_eq!(
            by_punctuation("東京。「行く！」と言う？そう"),
            ["東京。", "「行く！」", "と言う？", "そう"]
        );
        assert_eq!(by_punctuation("वह गया। वह आया।"), ["वह गया।", "वह आया।"]);
    }

    #[test]
    fn no_sentence_ends_inside_of_a_span() {
        let text = "By St. Mary\nLee. So";
        assert_eq!(by_punctuation(text), ["By St.", "Mary", "Lee.", "So"]);
        let inside = |spans: &[(usize, usize)]| sentences(text, Sentences::Punctuation, spans);
        assert_eq!(inside(&[(3, 11)]), ["By St. Mary", "Lee.", "So"]);
        assert_eq!(inside(&[(3, 16)]), ["By St. Mary\nLee.", "So"]);
        assert_eq!(inside(&[(3, 6), (7, 11)]), by_punctuation(text));
    }
}
