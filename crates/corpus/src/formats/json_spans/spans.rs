//! A span as some tool writes it.

use crate::formats::standoff::{Annotation, AnnotationError, AnnotationPlace};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A span, of which anything may be missing.
#[derive(Default)]
pub struct RawSpan {
    start: Option<usize>,
    end: Option<usize>,
    /// Several are as many entities in one place.
    labels: Vec<String>,
    text: Option<String>,
}

impl RawSpan {
    /// Adds an annotation a label.
    pub fn complete(
        &self,
        place: AnnotationPlace,
        annotations: &mut Vec<Annotation>,
    ) -> Result<(), AnnotationError> {
        const OFFSET: &str = "a whole number is needed";
        let missing = |missing, expected| AnnotationError::Incomplete { missing, expected };
        let start = self.start.ok_or_else(|| missing("start", OFFSET))?;
        let end = self.end.ok_or_else(|| missing("end", OFFSET))?;
        if self.labels.is_empty() {
            return Err(missing("label", "the name of an entity type is needed"));
        }
        annotations.extend(self.labels.iter().map(|label| Annotation {
            place,
            entity_type: label.trim().to_owned(),
            pieces: vec![(start, end)],
            text: self.text.clone(),
        }));
        Ok(())
    }
}

impl<'de> Deserialize<'de> for RawSpan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Span;
        impl<'de> Visitor<'de> for Span {
            type Value = RawSpan;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a span: [start, end, label], or an object with these")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RawSpan, A::Error> {
                let mut span = RawSpan {
                    start: list.next_element()?.and_then(Lenient::get),
                    end: list.next_element()?.and_then(Lenient::get),
                    ..RawSpan::default()
                };
                span.labels.extend(list.next_element()?.and_then(Lenient::get));
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(span)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawSpan, A::Error> {
                Keys::deserialize(MapAccessDeserializer::new(map)).map(Keys::span)
            }
        }
        deserializer.deserialize_any(Span)
    }
}

/// The keys that tools give to a span.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Keys {
    #[serde(alias = "start_offset")]
    start: Option<Lenient<usize>>,
    #[serde(alias = "end_offset")]
    end: Option<Lenient<usize>>,
    span: Option<Lenient<(usize, usize)>>,
    label: Option<Lenient<String>>,
    #[serde(rename = "type")]
    kind: Option<Lenient<String>>,
    labels: Option<Lenient<Vec<String>>>,
    text: Option<Lenient<String>>,
    name: Option<Lenient<String>>,
}

impl Keys {
    fn span(self) -> RawSpan {
        let (start, end) = self.span.and_then(Lenient::get).unzip();
        let one = self.label.and_then(Lenient::get).or(self.kind.and_then(Lenient::get));
        let several = self.labels.and_then(Lenient::get);
        RawSpan {
            start: self.start.and_then(Lenient::get).or(start),
            end: self.end.and_then(Lenient::get).or(end),
            labels: several.unwrap_or_else(|| one.into_iter().collect()),
            text: self.text.and_then(Lenient::get).or(self.name.and_then(Lenient::get)),
        }
    }
}

/// Label Studio's annotations of one person.
#[derive(Deserialize)]
pub struct AnnotationSet {
    result: Vec<Region>,
    /// Whether the person gave up.
    #[serde(default)]
    pub was_cancelled: bool,
}

/// One of Label Studio's annotations: a span, or a choice, a relation, a rating.
#[derive(Deserialize)]
struct Region {
    #[serde(rename = "type")]
    kind: Option<String>,
    value: Option<Lenient<RawSpan>>,
}

impl AnnotationSet {
    /// Adds an annotation a label.
    pub fn complete(
        self,
        place: AnnotationPlace,
        annotations: &mut Vec<Annotation>,
    ) -> Result<(), AnnotationError> {
        for Region { kind, value } in self.result {
            let span = value.and_then(Lenient::get).unwrap_or_default();
            match kind {
                None if span.labels.is_empty() => {}
                Some(kind) if kind != "labels" && kind.ends_with("labels") => {
                    return Err(AnnotationError::Foreign { kind });
                }
                Some(kind) if kind != "labels" => {}
                _ => span.complete(place, annotations)?,
            }
        }
        Ok(())
    }
}

/// A value that may be of another type, which is as if it were missing.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lenient<T> {
    Is(T),
    IsNot(IgnoredAny),
}

impl<T> Lenient<T> {
    fn get(self) -> Option<T> {
        match self {
            Lenient::Is(value) => Some(value),
            Lenient::IsNot(IgnoredAny) => None,
        }
    }
}
