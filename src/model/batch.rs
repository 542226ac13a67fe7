//! A batch of sentences, padded to the longest.

use super::row::Row;
use super::vocabulary::Vocabulary;
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::collections::HashMap;

/// Rows of words or pieces, padded at the end.
pub struct Batch {
    /// Rows × longest.
    pub ids: Tensor<2, Int>,
    /// Places of each row that are no padding.
    pub lengths: Vec<usize>,
    /// The places of words in the flattened batch, sentence by sentence; behind questions, question by
    /// question, and after all of them those of the words' last pieces.
    pub real: Tensor<1, Int>,
    /// Words of each sentence.
    pub sentences: Vec<usize>,
    /// Rows × longest, for rows behind questions: 0 for a question, 1 for the sentence.
    pub segments: Option<Tensor<2, Int>>,
    /// How the rows are turned around.
    pub reversal: Vec<i64>,
    /// The spellings of the batch's words, for models that read them.
    pub spellings: Option<Spellings>,
}

/// The distinct spellings of a batch, padded to the longest.
pub struct Spellings {
    /// Spellings × longest.
    pub characters: Tensor<2, Int>,
    pub lengths: Vec<usize>,
    pub reversal: Vec<i64>,
    /// For each place of the flattened batch the spelling that stands there; 0 for padding.
    pub of_places: Tensor<1, Int>,
}

impl Batch {
    /// A batch from each sentence's rows; `characters` are those of every spelling.
    pub fn new(sentences: &[&[Row]], characters: &[Vec<i64>], device: &Device) -> Self {
        let longest = sentences.iter().flat_map(|rows| *rows).map(|row| row.ids.len()).max();
        Self::padded_to(longest.unwrap_or(0), sentences, characters, device)
    }

    /// The same batch on the device without autodiff.
    pub fn without_autodiff(&self) -> Self {
        Self {
            ids: self.ids.clone().inner(),
            lengths: self.lengths.clone(),
            real: self.real.clone().inner(),
            sentences: self.sentences.clone(),
            segments: self.segments.clone().map(Tensor::inner),
            reversal: self.reversal.clone(),
            spellings: self.spellings.as_ref().map(|spellings| Spellings {
                characters: spellings.characters.clone().inner(),
                lengths: spellings.lengths.clone(),
                reversal: spellings.reversal.clone(),
                of_places: spellings.of_places.clone().inner(),
            }),
        }
    }

    /// A batch padded to at least `width`.
    fn padded_to(
        width: usize,
        sentences: &[&[Row]],
        characters: &[Vec<i64>],
        device: &Device,
    ) -> Self {
        let rows: Vec<&Row> = sentences.iter().flat_map(|rows| rows.iter()).collect();
        let ids: Vec<&[i64]> = rows.iter().map(|row| row.ids.as_slice()).collect();
        let flat = |of: fn(&Row) -> &[usize]| {
            let places = rows.iter().enumerate();
            places.flat_map(move |(row, content)| {
                of(content).iter().map(move |place| (row * width + place) as i64)
            })
        };
        let lasts = flat(|row| row.asked.as_ref().map_or(&[], |asked| &asked.lasts));
        let words: Vec<i64> = flat(|row| &row.words).chain(lasts).collect();
        let real_count = words.len();
        // Each question reads the same words again.
        let first = |row: &&Row| row.asked.as_ref().is_none_or(|asked| asked.question == 0);
        Self {
            ids: padded(&ids, width, device),
            real: Tensor::from_data(TensorData::new(words, [real_count]), device),
            sentences: sentences
                .iter()
                .map(|rows| rows.iter().filter(first).map(|row| row.words.len()).sum())
                .collect(),
            segments: segments(&rows, width, device),
            lengths: ids.iter().map(|ids| ids.len()).collect(),
            reversal: reversal(ids.iter().map(|ids| ids.len()), width),
            spellings: (!characters.is_empty())
                .then(|| Spellings::new(&rows, width, characters, device)),
        }
    }

    /// The same sentences with `more` columns of padding, to test that it changes nothing.
    #[cfg(test)]
    pub fn with_more_padding(
        more: usize,
        sentences: &[&[Row]],
        characters: &[Vec<i64>],
        device: &Device,
    ) -> Self {
        let longest = sentences.iter().flat_map(|rows| *rows).map(|row| row.ids.len()).max();
        Self::padded_to(longest.unwrap_or(0) + more, sentences, characters, device)
    }
}

impl Spellings {
    /// Each spelling once, however often its word stands in the batch.
    fn new(rows: &[&Row], width: usize, characters: &[Vec<i64>], device: &Device) -> Self {
        let mut places = vec![0; rows.len() * width];
        let (mut known, mut distinct) = (HashMap::new(), Vec::<&[i64]>::new());
        for (row, content) in rows.iter().enumerate() {
            for (place, spelling) in content.spellings.iter().enumerate() {
                let index = *known.entry(*spelling).or_insert_with(|| {
                    distinct.push(&characters[*spelling as usize]);
                    distinct.len() as i64 - 1
                });
                places[row * width + place] = index;
            }
        }
        let longest = distinct.iter().map(|spelling| spelling.len()).max().unwrap_or(0);
        let count = places.len();
        Self {
            characters: padded(&distinct, longest, device),
            reversal: reversal(distinct.iter().map(|spelling| spelling.len()), longest),
            lengths: distinct.iter().map(|spelling| spelling.len()).collect(),
            of_places: Tensor::from_data(TensorData::new(places, [count]), device),
        }
    }
}

/// Where the sentences of rows behind questions are.
fn segments(rows: &[&Row], width: usize, device: &Device) -> Option<Tensor<2, Int>> {
    rows.iter().any(|row| row.asked.is_some()).then(|| {
        let segment = |row: &Row, place: usize| {
            row.asked.as_ref().is_some_and(|asked| (asked.text..row.ids.len()).contains(&place))
        };
        let segments = rows.iter().flat_map(|row| (0..width).map(|place| segment(row, place)));
        let segments: Vec<i64> = segments.map(i64::from).collect();
        Tensor::from_data(TensorData::new(segments, [rows.len(), width]), device)
    })
}

/// Rows filled up with padding.
fn padded(rows: &[&[i64]], width: usize, device: &Device) -> Tensor<2, Int> {
    let mut ids = vec![Vocabulary::PADDING; rows.len() * width];
    for (row, content) in ids.chunks_exact_mut(width.max(1)).zip(rows) {
        row[..content.len()].copy_from_slice(content);
    }
    Tensor::from_data(TensorData::new(ids, [rows.len(), width]), device)
}

/// For each place of the flattened rows, the one that takes its place when every row is turned around
/// within its own length; padding stays. It is its own inverse.
fn reversal(lengths: impl Iterator<Item = usize>, width: usize) -> Vec<i64> {
    let turned = lengths.enumerate().flat_map(|(row, length)| {
        let start = row * width;
        (start..start + length).rev().chain(start + length..start + width)
    });
    turned.map(|place| place as i64).collect()
}
