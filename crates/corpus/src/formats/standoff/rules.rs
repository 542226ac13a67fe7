//! The settings of formats with spans.

use parts::{Parameter, choice, settings};

choice! {
    /// What a token is.
    pub enum Tokens {
        /// A run of letters, digits and marks; every other character is one by itself.
        Word = "word",
        /// Every character, spaces too.
        Character = "character",
        /// What stands between white space.
        Whitespace = "whitespace",
    }
}

choice! {
    /// Where a sentence ends.
    pub enum Sentences {
        /// At the end of a line.
        Lines = "lines",
        /// At the end of a line and at a full stop, an exclamation or a question mark.
        Punctuation = "punctuation",
        /// At the end of the document.
        Document = "document",
    }
}

choice! {
    /// What offsets count.
    pub enum Unit {
        /// Unicode code points, as Python does.
        Characters = "characters",
        /// UTF-16 units, as JavaScript and Java do.
        Utf16 = "utf16",
        /// Bytes of UTF-8.
        Bytes = "bytes",
    }
}

choice! {
    /// Which of several annotations that overlap is kept.
    #[derive(PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
    pub enum Overlap {
        /// The longest; of equally long ones the one that begins first.
        Longest = "longest",
        /// The one that the file has first.
        First = "first",
        /// The shortest; of equally short ones the one that begins first.
        Innermost = "innermost",
        /// None: the file is refused.
        Refuse = "refuse",
    }
}

choice! {
    /// What becomes of an annotation in several pieces.
    #[derive(PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
    pub enum Discontinuous {
        /// An entity from its first to its last character.
        Cover = "cover",
        /// Its first piece.
        First = "first",
        /// An entity a piece.
        Parts = "parts",
        /// Nothing.
        Drop = "drop",
        /// The file is refused.
        Refuse = "refuse",
    }
}

choice! {
    /// What becomes of an annotation whose own text is not what its offsets say.
    pub enum Mismatch {
        /// The file is refused.
        Refuse = "refuse",
        /// The offsets are right.
        Offsets = "offsets",
    }
}

choice! {
    /// What becomes of an annotation that begins or ends inside of a token.
    pub enum Partial {
        /// The token is cut in two.
        Cut = "cut",
        /// The annotation goes on to the token's edge.
        Widen = "widen",
    }
}

impl Unit {
    /// In words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Unit::Characters => "characters",
            Unit::Utf16 => "UTF-16 units",
            Unit::Bytes => "bytes",
        }
    }
}

settings! {
    /// How annotated spans become tags.
    #[derive(Copy, Eq)]
    pub struct SpanRules {
        /// word: runs of letters, digits and marks, every other character by itself; character:
        /// each one, spaces too (Japanese, Chinese); whitespace: what stands between white space
        tokens: Tokens = Word,
        /// where sentences end: at lines, also at punctuation (. ! ? and their kin), or with the
        /// document; never inside an annotation
        sentences: Sentences = Punctuation,
        /// where an annotation begins or ends inside of a token: cut the token, or widen the
        /// annotation to the whole token
        partial_tokens: Partial = Cut,
        /// what the files' offsets count: characters (code points, as Python), utf16 (JavaScript,
        /// Java) or bytes of UTF-8
        offsets: Unit = Characters,
        /// which of several annotations that overlap is kept: the longest, the first in the file or
        /// the innermost; or refuse the file
        overlap: Overlap = Longest,
        /// an annotation in several pieces: cover it from its first to its last character, keep its
        /// first piece, make parts of its pieces, drop it; or refuse the file
        discontinuous: Discontinuous = Cover,
        /// an annotation whose own text is not the document's at its offsets: refuse the file, or
        /// believe the offsets
        mismatch: Mismatch = Refuse,
    }
}

/// The parameters of a format whose annotations are all of one piece. Formats differ in what a
/// document is, so in where its sentences end by default.
pub(in crate::formats) const fn of_one_piece(sentences: Sentences) -> [Parameter; 6] {
    let [tokens, ends, partial, offsets, overlap, _, mismatch] = SpanRules::PARAMETERS else {
        panic!("these are the parameters");
    };
    let ends = Parameter { kind: sentences.kind(), ..*ends };
    [*tokens, ends, *partial, *offsets, *overlap, *mismatch]
}
