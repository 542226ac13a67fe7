//! JSON lines with spans: a sentence a line, entities by the places of their characters.

use domain::{Sentence, TypeSet};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes a JSON object a sentence, in the form of Prodigy: `text`, `tokens` and `spans`, all with
/// the places of their first character and of the one after their last, counted in code points.
/// Tokens have `between` between them: a space, or nothing for languages that write none.
pub fn write_spans<'s>(
    sentences: impl IntoIterator<Item = &'s Sentence>,
    types: &TypeSet,
    between: &str,
    mut writer: impl Write,
) -> io::Result<()> {
    for sentence in sentences {
        writeln!(writer, "{}", object(sentence, types, between))?;
    }
    writer.flush()
}

fn object(sentence: &Sentence, types: &TypeSet, between: &str) -> Value {
    let mut text = String::new();
    let mut end = 0;
    let mut places = Vec::with_capacity(sentence.len());
    for token in sentence.tokens.iter() {
        if !places.is_empty() {
            text.push_str(between);
            end += between.chars().count();
        }
        let start = end;
        text.push_str(token);
        end += token.chars().count();
        places.push((start, end));
    }
    let token = |(id, (token, (start, end))): (usize, (&str, &(usize, usize)))| json!({"text": token, "start": start, "end": end, "id": id});
    let spans = sentence.entities().map(|span| {
        let (start, end) = (places[span.start].0, places[span.end - 1].1);
        json!({"start": start, "end": end, "label": types.name(span.entity_type)})
    });
    json!({
        "spans": spans.collect::<Vec<_>>(),
        "text": text,
        "tokens": sentence.tokens.iter().zip(&places).enumerate().map(token).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Tag, TypeId};

    fn written(tokens: &[&str], tags: &[Tag], between: &str) -> Value {
        let types = TypeSet::new(["city".to_owned(), "person".to_owned()]);
        let sentence = Sentence { tokens: tokens.iter().collect(), tags: tags.to_vec() };
        let mut bytes = vec![];
        write_spans([&sentence, &sentence], &types, between, &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && lines[0] == lines[1], "{text}");
        serde_json::from_str(lines[0]).unwrap()
    }

    #[test]
    fn places_are_in_code_points() {
        let tags = [Tag::Begin(TypeId(1)), Tag::Inside(TypeId(1)), Tag::Outside];
        let found = written(&["Zoë", "X.", "💐"], &tags, " ");
        assert_eq!(found["text"], "Zoë X. 💐");
        assert_eq!(found["spans"], json!([{"start": 0, "end": 6, "label": "person"}]));
        assert_eq!(found["tokens"][2], json!({"text": "💐", "start": 7, "end": 8, "id": 2}));
    }

    #[test]
    fn characters_need_no_spaces() {
        let tags = [Tag::Begin(TypeId(0)), Tag::Inside(TypeId(0)), Tag::Begin(TypeId(0))];
        let found = written(&["東", "京", " "], &tags, "");
        assert_eq!(found["text"], "東京 ");
        let city = |start, end| json!({"start": start, "end": end, "label": "city"});
        assert_eq!(found["spans"], json!([city(0, 2), city(2, 3)]));
    }
}
