//! From the text of tags to tags.

use corpus::schemes::{Label, NotInScheme, Position, Scheme, tag_after};
use domain::{Tag, TypeSet};
use score::Mode;
use std::collections::HashMap;

/// More types than any corpus has: the wrong column was read.
pub const MOST_TYPES: usize = 10_000;

/// The type of tags that have none, as seqeval calls it.
const NO_TYPE: &str = "_";

/// Reads tags of one scheme. The types of all files that it reads are one set.
#[derive(Clone, Debug)]
pub struct TagReader {
    scheme: Scheme,
    mode: Mode,
    types: TypeSet,
    /// Labels of the tags met so far: files have few different ones.
    known: HashMap<String, Label>,
}

/// Why a text is no tag.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TagError {
    NotInScheme,
    TooManyTypes,
}

/// Why a mode cannot be asked for in a scheme, if so: nobody has defined what it would mean.
pub fn refusal(scheme: Scheme, mode: Mode) -> Option<&'static str> {
    let undefined = scheme == Scheme::Iob1 && mode != Mode::Conlleval;
    undefined.then_some("IOB1 is read by --mode conlleval alone")
}

impl TagReader {
    /// A reader that has met no type.
    pub fn new(scheme: Scheme, mode: Mode) -> Self {
        Self { scheme, mode, types: TypeSet::default(), known: HashMap::new() }
    }

    /// How tags mark entities.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The types met so far.
    pub fn types(&self) -> &TypeSet {
        &self.types
    }

    /// The label of a tag.
    pub fn label(&mut self, text: &str) -> Result<Label, TagError> {
        if text == "O" {
            return Ok(None);
        }
        if let Some(&label) = self.known.get(text) {
            return Ok(label);
        }
        if self.types.len() >= MOST_TYPES {
            return Err(TagError::TooManyTypes);
        }
        let mark = match self.scheme.parse(text) {
            // B and I without a type among others, as seqeval reads them.
            Err(NotInScheme) if self.scheme == Scheme::Iob2 => Scheme::Bare.parse(text),
            mark => mark,
        };
        let (position, name) = mark.ok().flatten().ok_or(TagError::NotInScheme)?;
        let name = if name.is_empty() { NO_TYPE } else { name };
        let label = Some((position, self.types.intern(name)));
        self.known.insert(text.to_owned(), label);
        Ok(label)
    }

    /// The tags of a sentence's labels. IOB2 stays as it is, for the scorer to read by its mode.
    pub fn convert(&self, labels: &[Label], tags: &mut Vec<Tag>) {
        match (self.scheme, self.mode) {
            (Scheme::Iob2 | Scheme::Bare, _) => refill(tags, labels.iter().map(as_written)),
            (Scheme::Iobes, Mode::Strict | Mode::Discard) => {
                *tags = self.scheme.to_iob2_discarding(labels).tags;
            }
            _ => {
                let previous = std::iter::once(&None).chain(labels);
                refill(
                    tags,
                    previous.zip(labels).map(|(&before, &label)| tag_after(before, label)),
                );
            }
        }
    }
}

fn refill(tags: &mut Vec<Tag>, new: impl Iterator<Item = Tag>) {
    tags.clear();
    tags.extend(new);
}

/// A label of IOB2 as a tag, valid where it stands or not.
fn as_written(label: &Label) -> Tag {
    match *label {
        None => Tag::Outside,
        Some((Position::Begin, id)) => Tag::Begin(id),
        Some((_, id)) => Tag::Inside(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(scheme: Scheme, mode: Mode, text: &str) -> Result<String, TagError> {
        let mut reader = TagReader::new(scheme, mode);
        let labels: Result<Vec<Label>, TagError> =
            text.split(' ').map(|tag| reader.label(tag)).collect();
        let mut tags = vec![Tag::Outside];
        reader.convert(&labels?, &mut tags);
        let shown = tags.iter().map(|&tag| reader.types().show(tag).to_string());
        Ok(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn every_scheme_becomes_iob2_as_its_mode_says() {
        use Mode::{Conlleval, Discard, Strict};
        for (scheme, mode, written, meant) in [
            (Scheme::Iob2, Strict, "I-x O B-x I-y", "I-x O B-x I-y"),
            (Scheme::Iob2, Conlleval, "I B O", "I-_ B-_ O"),
            (Scheme::Bare, Strict, "I B O", "I-_ B-_ O"),
            (Scheme::Iob1, Conlleval, "I-x B-x I-y", "B-x B-x B-y"),
            (Scheme::Io, Strict, "I-x I-x I-y", "B-x I-x B-y"),
            (Scheme::Iobes, Conlleval, "B-x O S-x E-x", "B-x O B-x B-x"),
            (Scheme::Iobes, Strict, "B-x O S-x E-x", "O O B-x O"),
            (Scheme::Iobes, Discard, "B-x B-x E-x I-x", "O B-x I-x O"),
        ] {
            assert_eq!(read(scheme, mode, written).unwrap(), meant, "{scheme:?} {written}");
        }
    }

    #[test]
    fn what_is_not_in_the_scheme_is_refused() {
        for (scheme, written) in [
            (Scheme::Iob2, "S-x"),
            (Scheme::Iob2, "B-"),
            (Scheme::Bare, "B-x"),
            (Scheme::Io, "B-x"),
        ] {
            let found = read(scheme, Mode::Conlleval, written);
            assert_eq!(found, Err(TagError::NotInScheme), "{written}");
        }
    }

    #[test]
    fn only_what_somebody_defined_can_be_asked_for() {
        let refused = |scheme, mode| refusal(scheme, mode).is_some();
        for scheme in Scheme::ALL {
            assert!(!refused(scheme, Mode::Conlleval));
        }
        assert!(refused(Scheme::Iob1, Mode::Strict) && refused(Scheme::Iob1, Mode::Discard));
        assert!(!refused(Scheme::Iobes, Mode::Strict) && !refused(Scheme::Bare, Mode::Discard));
    }
}
