//! The parameters of formats with spans, as written and as meant.

use crate::CorpusError;
use domain::Parameters;
use parts::{Parameter, ParameterKind};

/// An enum whose values have names in grids; the first is the default.
macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every name, the default first.
            pub const NAMES: &[&str] = &[$($text),+];

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($text => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

choices! {
    /// What a token is.
    Tokens {
        /// A run of letters, digits and marks; every other character is one by itself.
        Word = "word",
        /// Every character, spaces too.
        Character = "character",
        /// What stands between white space.
        Whitespace = "whitespace",
    }
}

choices! {
    /// Where a sentence ends.
    Sentences {
        /// At the end of a line.
        Lines = "lines",
        /// At the end of a line and at a full stop, an exclamation or a question mark.
        Punctuation = "punctuation",
        /// At the end of the document.
        Document = "document",
    }
}

choices! {
    /// What offsets count.
    Unit {
        /// Unicode code points, as Python does.
        Characters = "characters",
        /// UTF-16 units, as JavaScript and Java do.
        Utf16 = "utf16",
        /// Bytes of UTF-8.
        Bytes = "bytes",
    }
}

choices! {
    /// Which of several annotations that overlap is kept.
    Overlap {
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

choices! {
    /// What becomes of an annotation in several pieces.
    Discontinuous {
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

choices! {
    /// What becomes of an annotation whose own text is not what its offsets say.
    Mismatch {
        /// The file is refused.
        Refuse = "refuse",
        /// The offsets are right.
        Offsets = "offsets",
    }
}

choices! {
    /// What becomes of an annotation that begins or ends inside of a token.
    Partial {
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

/// A parameter with names to choose from, the first one by default.
const fn choice(name: &'static str, help: &'static str, of: &'static [&'static str]) -> Parameter {
    Parameter { name, help, kind: ParameterKind::Choice { default: of[0], of } }
}

pub(in crate::formats) const TOKENS: Parameter = choice(
    "tokens",
    "word: runs of letters, digits and marks, every other character by itself; character: each one, \
     spaces too (Japanese, Chinese); whitespace: what stands between white space",
    Tokens::NAMES,
);
pub(in crate::formats) const OFFSETS: Parameter = choice(
    "offsets",
    "what the files' offsets count: characters (code points, as Python), utf16 (JavaScript, Java) \
     or bytes of UTF-8",
    Unit::NAMES,
);
pub(in crate::formats) const OVERLAP: Parameter = choice(
    "overlap",
    "which of several annotations that overlap is kept: the longest, the first in the file or the \
     innermost; or refuse the file",
    Overlap::NAMES,
);
pub(in crate::formats) const DISCONTINUOUS: Parameter = choice(
    "discontinuous",
    "an annotation in several pieces: cover it from its first to its last character, keep its first \
     piece, make parts of its pieces, drop it; or refuse the file",
    Discontinuous::NAMES,
);
pub(in crate::formats) const MISMATCH: Parameter = choice(
    "mismatch",
    "an annotation whose own text is not the document's at its offsets: refuse the file, or believe \
     the offsets",
    Mismatch::NAMES,
);

pub(in crate::formats) const PARTIAL_TOKENS: Parameter = choice(
    "partial_tokens",
    "where an annotation begins or ends inside of a token: cut the token, or widen the annotation to \
     the whole token",
    Partial::NAMES,
);

/// The parameter `sentences`; formats differ in what a document is, so in the default.
pub(in crate::formats) const fn sentences_by(default: &'static str) -> Parameter {
    Parameter {
        name: "sentences",
        help: "where sentences end: at lines, also at punctuation (. ! ? and their kin), or with the \
               document; never inside an annotation",
        kind: ParameterKind::Choice { default, of: Sentences::NAMES },
    }
}

/// The parameters as meant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub tokens: Tokens,
    pub sentences: Sentences,
    pub offsets: Unit,
    pub overlap: Overlap,
    pub discontinuous: Discontinuous,
    pub mismatch: Mismatch,
    pub partial: Partial,
}

impl Settings {
    /// The parameters as meant; those that a format does not have are at their defaults.
    pub fn new(parameters: &Parameters) -> Result<Self, CorpusError> {
        let one = |parameter| Chosen { parameters, parameter };
        Ok(Self {
            tokens: one("tokens").of(Tokens::NAMES, Tokens::from_name)?,
            sentences: one("sentences").of(Sentences::NAMES, Sentences::from_name)?,
            offsets: one("offsets").of(Unit::NAMES, Unit::from_name)?,
            overlap: one("overlap").of(Overlap::NAMES, Overlap::from_name)?,
            discontinuous: one("discontinuous")
                .of(Discontinuous::NAMES, Discontinuous::from_name)?,
            partial: one("partial_tokens").of(Partial::NAMES, Partial::from_name)?,
            mismatch: one("mismatch").of(Mismatch::NAMES, Mismatch::from_name)?,
        })
    }
}

/// A parameter among others.
struct Chosen<'a> {
    parameters: &'a Parameters,
    parameter: &'static str,
}

impl Chosen<'_> {
    fn of<T>(&self, names: &[&str], from_name: fn(&str) -> Option<T>) -> Result<T, CorpusError> {
        let name = match self.parameters.get(self.parameter) {
            Some(_) => self.parameters.text(self.parameter),
            None => names[0],
        };
        from_name(name).ok_or_else(|| {
            let problem = format!("`{name}` is none of {}", names.join(", "));
            CorpusError::setting(self.parameter, problem)
        })
    }
}
