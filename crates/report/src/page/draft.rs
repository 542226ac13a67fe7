//! A page in the making that stays below a size, however large its grid is.
//!
//! Parts that can be done without have a rank and something short that stands in their place. Where
//! the page would become too large, parts of a high rank go first, within a rank the last.

/// Bytes of a page, so that it opens and scrolls easily.
pub const MOST_BYTES: usize = 2_900_000;

/// How much a reader would miss a part: the first is kept longest.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    Headline,
    Figure,
    Tests,
    OtherMetric,
    Overall,
    ByType,
}

enum Piece {
    Fixed(String),
    Optional { rank: Priority, whole: String, instead: String },
}

/// The pieces of a page in their order.
#[derive(Default)]
pub struct PageDraft {
    pieces: Vec<Piece>,
}

impl PageDraft {
    /// Adds what is never left out.
    pub fn push(&mut self, text: impl Into<String>) {
        self.pieces.push(Piece::Fixed(text.into()));
    }

    /// Adds what can be replaced by something shorter.
    pub fn offer(&mut self, rank: Priority, whole: String, instead: String) {
        self.pieces.push(Piece::Optional { rank, whole, instead });
    }

    /// Everything that fits.
    pub fn finish(self, most: usize) -> String {
        let least = |piece: &Piece| match piece {
            Piece::Fixed(text) => text.len(),
            Piece::Optional { instead, .. } => instead.len(),
        };
        let mut left = most.saturating_sub(self.pieces.iter().map(least).sum());
        let mut offered: Vec<(Priority, usize, usize)> = Vec::new();
        for (index, piece) in self.pieces.iter().enumerate() {
            if let Piece::Optional { rank, whole, instead } = piece {
                offered.push((*rank, index, whole.len().saturating_sub(instead.len())));
            }
        }
        offered.sort();
        let mut taken = vec![false; self.pieces.len()];
        for (_, index, more) in offered {
            if more <= left {
                (left, taken[index]) = (left - more, true);
            }
        }
        let piece = |(piece, taken): (Piece, bool)| match piece {
            Piece::Fixed(text) => text,
            Piece::Optional { whole, .. } if taken => whole,
            Piece::Optional { instead, .. } => instead,
        };
        self.pieces.into_iter().zip(taken).map(piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> PageDraft {
        let mut draft = PageDraft::default();
        draft.push("<");
        draft.offer(Priority::ByType, "types".into(), "t".into());
        draft.offer(Priority::Figure, "figure".into(), "f".into());
        draft.offer(Priority::Headline, "scores".into(), "s".into());
        draft.offer(Priority::Headline, "more".into(), "m".into());
        draft.push(">");
        draft
    }

    #[test]
    fn what_is_missed_least_goes_first() {
        assert_eq!(draft().finish(100), "<typesfigurescoresmore>");
        assert_eq!(draft().finish(22), "<tfigurescoresmore>");
        assert_eq!(draft().finish(17), "<tfscoresmore>");
        assert_eq!(draft().finish(13), "<tfscoresm>");
        assert_eq!(draft().finish(0), "<tfsm>", "never less than this");
    }

    #[test]
    fn a_page_is_never_larger_than_asked() {
        for most in 6..30 {
            assert!(draft().finish(most).len() <= most);
        }
    }
}
