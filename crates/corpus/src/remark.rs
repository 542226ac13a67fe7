//! What a reader had to decide for the user: counted, and told with the way to decide otherwise.

use super::formats::{Discontinuous, Overlap};
use super::schemes::{Repair, Scheme};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// Something that a reader met and did not drop in silence. Displayed, it is a warning that
/// teaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The file of the first one.
    pub path: PathBuf,
    /// The line of the first one, if the file has lines.
    pub line: Option<usize>,
    /// The lines of the next few in the same file.
    pub further: Vec<usize>,
    /// How many there are in the file, or in the folder that it is of.
    pub count: usize,
    pub kind: RemarkKind,
}

/// What a remark is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum RemarkKind {
    /// Tags that may not follow the one before them.
    Forbidden { scheme: Scheme, repair: Repair },
    /// Tags that say that nobody looked, read as `O`.
    Unlabelled,
    /// Annotations in several pieces.
    Discontinuous { policy: Discontinuous },
    /// Annotations that had to make room for one that they overlap.
    Overlapping { policy: Overlap },
    /// Annotations with the place and the type of another.
    Repeated,
    /// Annotations of nothing but white space.
    Blank,
    /// Annotations whose own text is the document's but for white space.
    SpacesDiffer,
    /// Annotations whose own text is not the document's.
    TextDiffers,
    /// Tokens in which an annotation begins or ends.
    CutTokens,
    /// Annotations that began or ended inside of a token.
    Widened,
    /// Documents that came before, word for word.
    RepeatedDocuments,
    /// Records that say that they are not annotated, or not well.
    NotAccepted,
    /// Annotations of further annotators.
    FurtherAnnotators,
    /// Brackets without their partner.
    Unbalanced { repair: Repair },
    /// Entities in another or across one, which was kept in their place.
    Nested,
    /// Entities on which the annotators were not sure, read as `O`.
    Optional,
    /// Entities whose text is not where it should be, or not made of whole tokens, read as `O`.
    NotFound,
}

impl fmt::Display for RemarkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden { scheme, repair } => {
                let (scheme, done) = (scheme.word(), done_to_forbidden(*repair));
                write!(
                    f,
                    "tag(s) that {scheme} does not allow after the one before, {done}; \
                     if there are many, the file has another scheme"
                )
            }
            Self::Unlabelled => f.write_str("token(s) without a label, read as O"),
            Self::Discontinuous { policy } => {
                let done = done_to_pieces(*policy);
                write!(f, "annotation(s) in several pieces, {done}: see `discontinuous`")
            }
            Self::Overlapping { policy } => {
                let kept = kept_instead(*policy);
                write!(f, "annotation(s) that overlap {kept} and were left out: see `overlap`")
            }
            Self::Repeated => f.write_str("annotation(s) that occurred before, read once"),
            Self::Blank => f.write_str("annotation(s) of white space alone, left out"),
            Self::SpacesDiffer => {
                f.write_str("annotation(s) whose own text has other white space than the document")
            }
            Self::TextDiffers => {
                f.write_str("annotation(s) whose own text is not the document's, read by their offsets")
            }
            Self::CutTokens => f.write_str(
                "token(s) cut where an annotation begins or ends: see `partial_tokens`; if there are \
                 many, set `tokens` to fit the language",
            ),
            Self::Widened => f.write_str(
                "annotation(s) widened to whole tokens: see `partial_tokens`; if there are many, set \
                 `tokens` to fit the language",
            ),
            Self::RepeatedDocuments => f.write_str("document(s) that occurred before, read once"),
            Self::NotAccepted => f.write_str(
                "record(s) that were rejected, ignored, cancelled or never annotated, left out",
            ),
            Self::FurtherAnnotators => {
                f.write_str("set(s) of annotations left out because their record has one already")
            }
            Self::Unbalanced { repair: Repair::Discard } => {
                f.write_str("bracket(s) without a partner, whose entities were discarded")
            }
            Self::Unbalanced { .. } => f.write_str(
                "bracket(s) without a partner: an open entity was ended with its sentence, a \
                 bracket that closes nothing was left out",
            ),
            Self::Nested => f.write_str(
                "entity(ies) in another or across one, left out: tags have room for one",
            ),
            Self::Optional => f.write_str("OPTIONAL entity(ies), read as O"),
            Self::NotFound => f.write_str(
                "entity(ies) whose text is not made of whole tokens of its phrase, read as O",
            ),
        }
    }
}

fn done_to_forbidden(repair: Repair) -> &'static str {
    match repair {
        Repair::Discard => "whose entities were discarded",
        Repair::Conlleval | Repair::Refuse => "read as conlleval reads them",
    }
}

fn done_to_pieces(policy: Discontinuous) -> &'static str {
    match policy {
        Discontinuous::Cover => "read from their first to their last character",
        Discontinuous::First => "of which the first piece was read",
        Discontinuous::Parts => "each piece read as an entity",
        Discontinuous::Drop | Discontinuous::Refuse => "left out",
    }
}

fn kept_instead(policy: Overlap) -> &'static str {
    match policy {
        Overlap::Longest => "a longer one",
        Overlap::Innermost => "a shorter one",
        Overlap::First | Overlap::Refuse => "an earlier one",
    }
}

impl Remark {
    /// ` (also in lines 5, 8, …)` where there are more than the first.
    pub fn elsewhere(&self) -> String {
        let lines: Vec<String> = self.further.iter().map(ToString::to_string).collect();
        let more = if self.count > 1 + lines.len() { ", …" } else { "" };
        match lines.is_empty() {
            true => String::new(),
            false => format!(" (also in line(s) {}{more})", lines.join(", ")),
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Remark { path, line, count, kind, .. } = self;
        match line {
            Some(line) => write!(f, "{}:{line}: the first of {count} {kind}", path.display()),
            None => write!(f, "{}: {count} {kind}", path.display()),
        }
    }
}

/// The remarks of one file or folder, each kind counted once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Remarks(Vec<Remark>);

impl Remarks {
    /// As many lines are kept beside the first.
    const FURTHER: usize = 4;

    /// Counts `count` more of a kind; the first place of a kind is kept.
    pub fn add(
        &mut self,
        path: &std::path::Path,
        line: Option<usize>,
        kind: RemarkKind,
        count: usize,
    ) {
        match self.0.iter_mut().find(|remark| remark.kind == kind) {
            Some(remark) => {
                remark.count += count;
                if remark.path == path && remark.further.len() < Self::FURTHER {
                    remark.further.extend(line);
                }
            }
            None => {
                let (path, further) = (path.to_owned(), vec![]);
                self.0.push(Remark { path, line, further, count, kind });
            }
        }
    }

    /// Counts what further files of the same folder have of each kind as well.
    pub fn append(&mut self, further: Remarks) {
        for remark in further.0 {
            match self.0.iter_mut().find(|known| known.kind == remark.kind) {
                Some(known) => known.count += remark.count,
                None => self.0.push(remark),
            }
        }
    }

    /// The remarks in the order of their first places.
    pub fn into_vec(self) -> Vec<Remark> {
        self.0
    }
}
