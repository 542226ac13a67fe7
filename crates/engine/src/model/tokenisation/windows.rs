//! Long sentences as overlapping windows.

use super::Carrier;
use crate::model::row::Row;
use std::ops::Range;

/// A stretch of a sentence's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The words that are read.
    pub read: Range<usize>,
    /// Those of them that this window tags; the others are context.
    pub tagged: Range<usize>,
}

/// The windows of a sentence, given its words' pieces and how many pieces per window holds; no word
/// has more than that. Every word is tagged by exactly one window, in order. Where a window has a
/// neighbour, about a quarter of it is context on that side.
pub fn windows(words: &[Vec<i64>], room: usize) -> Vec<Window> {
    let mut ends = vec![0];
    ends.extend(words.iter().scan(0, |sum, pieces| {
        *sum += pieces.len();
        Some(*sum)
    }));
    let context = room / 4;
    let mut found: Vec<Window> = Vec::new();
    let mut next = 0;
    while next < words.len() {
        let window = window(&ends, next, room, context);
        next = window.tagged.end;
        found.push(window);
    }
    found
}

/// The window that tags from word `next` on. `ends[i]` is the number of pieces before word `i`.
fn window(ends: &[usize], next: usize, room: usize, context: usize) -> Window {
    let count = ends.len() - 1;
    let own = ends[next + 1] - ends[next];
    let rest = ends[count] - ends[next];
    // The last window has no neighbour to its right, so all its room is for the left.
    let before = if rest + context <= room { room - rest } else { context.min(room - own) };
    let start = ends.partition_point(|&end| end + before < ends[next]);
    let stop = ends.partition_point(|&end| end <= ends[start] + room) - 1;
    let last = if stop == count {
        count
    } else {
        let tagged = ends.partition_point(|&end| end + context <= ends[stop]);
        tagged.saturating_sub(1).clamp(next + 1, stop)
    };
    Window { read: start..stop, tagged: next..last }
}

/// A row of whole words as rows of at most `longest`, with context around each.
pub fn split(row: Row, longest: usize) -> Vec<Row> {
    if row.ids.len() <= longest {
        return vec![row];
    }
    let words: Vec<Vec<i64>> = row.ids.iter().map(|id| vec![*id]).collect();
    let part = |window: &Window| {
        let (read, tagged) = (window.read.clone(), window.tagged.clone());
        let words = tagged.map(|word| word - read.start).collect();
        let spellings = row.spellings.get(read.clone()).unwrap_or_default().to_vec();
        Row { ids: row.ids[read].to_vec(), words, spellings, asked: None }
    };
    windows(&words, longest.max(1)).iter().map(part).collect()
}

impl Window {
    /// The window's row behind some pieces, closed by another.
    pub fn row(&self, words: &[Vec<i64>], opening: &[i64], closing: i64, carrier: Carrier) -> Row {
        let mut row = Row { ids: opening.to_vec(), ..Row::default() };
        for word in self.read.clone() {
            let first = row.ids.len();
            row.ids.extend(&words[word]);
            if self.tagged.contains(&word) {
                row.words.push(match carrier {
                    Carrier::First => first,
                    Carrier::Last => row.ids.len() - 1,
                });
            }
        }
        row.ids.push(closing);
        row
    }
}
