//! The shapes of records, taken as they come:
//!
//! - Stockmark: `{"text", "entities": [{"name", "span": [start, end], "type"}]}`
//! - Doccano: `{"text", "label": [[start, end, label]]}`, also `labels`, also
//!   `"entities": [{"start_offset", "end_offset", "label"}]`, also `data` for `text`
//! - Label Studio: `{"data": {"text"}, "annotations": [{"result": [{"value": {"start", "end",
//!   "labels"}}]}]}`, also its short export `{"text", "label": [{"start", "end", "labels"}]}`
//! - Prodigy: `{"text", "spans": [{"start", "end", "label"}], "answer"}`
//! - spaCy: `["text", {"entities": [[start, end, label]]}]` and `{"text", "ents": [{…}]}`
//!
//! What a tool predicted, classes, tokens, relations and metadata are left out.

use super::spans::{AnnotationSet, RawSpan};
use crate::formats::standoff::{Annotation, AnnotationError, AnnotationPlace};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::fmt;

/// A record as it is meant.
#[derive(Debug)]
pub enum Shape {
    Annotated {
        text: String,
        annotations: Vec<Annotation>,
        /// How many more people annotated the text.
        further: usize,
    },
    /// Its annotator rejected or skipped it, or nobody has annotated it.
    NotAccepted,
}

impl Shape {
    /// Reads a record; an error comes with its place.
    pub fn read(
        json: &str,
        place: AnnotationPlace,
        text_key: &str,
    ) -> Result<Self, (AnnotationPlace, AnnotationError)> {
        let mut json = serde_json::Deserializer::from_str(json);
        let record = RecordSeed { text_key }
            .deserialize(&mut json)
            .and_then(|record| json.end().map(|()| record))
            .map_err(|error| not_a_record(&error, place))?;
        record.shape(place, text_key).map_err(|source| (place, source))
    }
}

fn not_a_record(
    error: &serde_json::Error,
    mut place: AnnotationPlace,
) -> (AnnotationPlace, AnnotationError) {
    const LONGEST: usize = 200;
    let problem = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let problem = problem.strip_suffix(&position).unwrap_or(&problem);
    place.line += error.line().saturating_sub(1);
    let problem = problem.chars().take(LONGEST).collect();
    (place, AnnotationError::Json { problem })
}

/// What a record has, whatever its shape.
#[derive(Default)]
struct Record {
    text: Option<String>,
    /// Spans that are in the record itself.
    spans: Option<Vec<RawSpan>>,
    /// Label Studio's sets of annotations, one a person.
    sets: Option<Vec<AnnotationSet>>,
    /// Prodigy's verdict.
    answer: Option<String>,
}

impl Record {
    fn shape(self, place: AnnotationPlace, text_key: &str) -> Result<Shape, AnnotationError> {
        if matches!(self.answer.as_deref(), Some("reject" | "ignore")) {
            return Ok(Shape::NotAccepted);
        }
        let no_text = || AnnotationError::NoText { key: text_key.to_owned() };
        let text = self.text.ok_or_else(no_text)?;
        if self.spans.is_none() && self.sets.is_none() && self.answer.is_none() {
            return Err(AnnotationError::NoSpans);
        }
        let mut annotations = vec![];
        for span in self.spans.iter().flatten() {
            span.complete(place, &mut annotations)?;
        }
        let has_sets = self.sets.is_some();
        let mut sets = self.sets.into_iter().flatten().filter(|set| !set.was_cancelled);
        match sets.next() {
            Some(set) => set.complete(place, &mut annotations)?,
            None if has_sets && self.spans.is_none() => return Ok(Shape::NotAccepted),
            None => {}
        }
        Ok(Shape::Annotated { text, annotations, further: sets.count() })
    }
}

/// Reads a [`Record`] from an object, or from spaCy's pair of text and object.
#[derive(Copy, Clone)]
struct RecordSeed<'k> {
    text_key: &'k str,
}

impl<'de> DeserializeSeed<'de> for RecordSeed<'_> {
    type Value = Record;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RecordSeed<'_> {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record: an object with a text and spans, or [text, {\"entities\": spans}]")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let mut record = Record::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                key if key == self.text_key => record.text = Some(map.next_value()?),
                "data" => {
                    let text = map.next_value_seed(TextSeed { key: self.text_key })?;
                    record.text = record.text.or(text);
                }
                "entities" | "spans" | "ents" | "label" | "labels" => {
                    if let Spans(Some(spans)) = map.next_value()? {
                        record.spans.get_or_insert_default().extend(spans);
                    }
                }
                "annotations" | "completions" => record.sets = Some(map.next_value()?),
                "answer" => record.answer = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(record)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Record, A::Error> {
        let text = list.next_element()?.ok_or_else(|| de::Error::invalid_length(0, &self))?;
        let record = list.next_element_seed(self)?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        let record = record.ok_or_else(|| de::Error::invalid_length(1, &self))?;
        Ok(Record { text: Some(text), ..record })
    }
}

/// Reads the text of a task: the value itself, or what an object has under a key.
struct TextSeed<'k> {
    key: &'k str,
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text, or an object with one under `{}`", self.key)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut text = None;
        while let Some(key) = map.next_key::<String>()? {
            match key == self.key {
                true => text = Some(map.next_value()?),
                false => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(text)
    }
}

/// A list of spans; a value that is no list is none (`"label": "positive"` classifies a text).
struct Spans(Option<Vec<RawSpan>>);

impl<'de> Deserialize<'de> for Spans {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Spans;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of spans")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Spans, A::Error> {
                let mut spans = vec![];
                while let Some(span) = list.next_element()? {
                    spans.push(span);
                }
                Ok(Spans(Some(spans)))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Spans, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Spans(None))
            }

            fn visit_unit<E>(self) -> Result<Spans, E> {
                Ok(Spans(None))
            }

            fn visit_str<E>(self, _: &str) -> Result<Spans, E> {
                Ok(Spans(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Spans, E> {
                Ok(Spans(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Spans, E> {
                Ok(Spans(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Spans, E> {
                Ok(Spans(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Spans, E> {
                Ok(Spans(None))
            }
        }
        deserializer.deserialize_any(List)
    }
}
