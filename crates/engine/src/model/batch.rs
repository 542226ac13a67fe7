//! A batch of sentences, their places one after the other without padding.

use super::row::Row;
use super::vocabulary::Vocabulary;
use burn::tensor::{Device, Int, Tensor, TensorData};
use std::collections::HashMap;

/// Rows of words or pieces, each directly after the one before.
pub struct Batch {
    /// The words or pieces of all rows.
    pub ids: Tensor<1, Int>,
    /// Places of each row.
    pub lengths: Vec<usize>,
    /// The places of words, sentence by sentence; behind questions, question by question, and after
    /// all of them those of the words' last pieces.
    pub real: Tensor<1, Int>,
    /// Words of each sentence.
    pub sentences: Vec<usize>,
    /// For rows behind questions: 0 for a question, 1 for the sentence.
    pub segments: Option<Tensor<1, Int>>,
    /// The spellings of the batch's words, for models that read them.
    pub spellings: Option<Spellings>,
    /// Whether the words are all places, in their order.
    words_alone: bool,
}

/// The distinct spellings of a batch.
pub struct Spellings {
    /// The characters of all spellings, one after the other.
    pub characters: Tensor<1, Int>,
    /// Characters of each spelling, at least one.
    pub lengths: Vec<usize>,
    /// The spelling at each place of the batch.
    pub of_places: Tensor<1, Int>,
}

impl Batch {
    /// A batch from each sentence's rows; `characters` are those of every spelling.
    pub fn new(sentences: &[&[Row]], characters: &[Vec<i64>], device: &Device) -> Self {
        let rows: Vec<&Row> = sentences.iter().flat_map(|rows| rows.iter()).collect();
        let places = |of: fn(&Row) -> &[usize]| {
            let starts = rows.iter().scan(0, |next, row| {
                let start = *next;
                *next += row.ids.len();
                Some(start)
            });
            starts.zip(&rows).flat_map(move |(start, row)| {
                of(row).iter().map(move |place| (start + place) as i64)
            })
        };
        let lasts = places(|row| row.asked.as_ref().map_or(&[], |asked| &asked.lasts));
        let words: Vec<i64> = places(|row| &row.words).chain(lasts).collect();
        let ids: Vec<i64> = rows.iter().flat_map(|row| &row.ids).copied().collect();
        // Each question reads the same words again.
        let first = |row: &&Row| row.asked.as_ref().is_none_or(|asked| asked.question == 0);
        Self {
            lengths: rows.iter().map(|row| row.ids.len()).collect(),
            words_alone: words.iter().copied().eq(0..ids.len() as i64),
            ids: integers(ids, device),
            real: integers(words, device),
            sentences: sentences
                .iter()
                .map(|rows| rows.iter().filter(first).map(|row| row.words.len()).sum())
                .collect(),
            segments: segments(&rows, device),
            spellings: (!characters.is_empty()).then(|| Spellings::new(&rows, characters, device)),
        }
    }

    /// The same batch on the device without autodiff.
    pub fn without_autodiff(&self) -> Self {
        Self {
            ids: self.ids.clone().inner(),
            lengths: self.lengths.clone(),
            real: self.real.clone().inner(),
            sentences: self.sentences.clone(),
            segments: self.segments.clone().map(Tensor::inner),
            spellings: self.spellings.as_ref().map(|spellings| Spellings {
                characters: spellings.characters.clone().inner(),
                lengths: spellings.lengths.clone(),
                of_places: spellings.of_places.clone().inner(),
            }),
            words_alone: self.words_alone,
        }
    }

    /// The vectors of the words among those of all places.
    pub fn words(&self, vectors: Tensor<2>) -> Tensor<2> {
        match self.words_alone {
            true => vectors,
            false => vectors.select(0, self.real.clone()),
        }
    }
}

impl Spellings {
    /// Each spelling once, however often its word is in the batch.
    fn new(rows: &[&Row], characters: &[Vec<i64>], device: &Device) -> Self {
        let (mut known, mut distinct) = (HashMap::new(), Vec::<&[i64]>::new());
        let of_places = rows.iter().flat_map(|row| &row.spellings).map(|spelling| {
            *known.entry(*spelling).or_insert_with(|| {
                distinct.push(match characters[*spelling as usize].as_slice() {
                    [] => &[Vocabulary::PADDING],
                    characters => characters,
                });
                distinct.len() as i64 - 1
            })
        });
        let of_places = of_places.collect();
        Self {
            lengths: distinct.iter().map(|spelling| spelling.len()).collect(),
            characters: integers(distinct.concat(), device),
            of_places: integers(of_places, device),
        }
    }
}

/// Where the sentences of rows behind questions are.
fn segments(rows: &[&Row], device: &Device) -> Option<Tensor<1, Int>> {
    rows.iter().any(|row| row.asked.is_some()).then(|| {
        let segment =
            |row: &Row, place: usize| row.asked.as_ref().is_some_and(|asked| place >= asked.text);
        let of_row = |row: &&Row| -> Vec<i64> {
            (0..row.ids.len()).map(|place| i64::from(segment(row, place))).collect()
        };
        integers(rows.iter().flat_map(of_row).collect(), device)
    })
}

/// Whole numbers, for the device.
pub fn integers(numbers: Vec<i64>, device: &Device) -> Tensor<1, Int> {
    let count = numbers.len();
    Tensor::from_data(TensorData::new(numbers, [count]), device)
}

/// Numbers of rows, for the device.
pub fn indices(of: impl IntoIterator<Item = usize>, device: &Device) -> Tensor<1, Int> {
    integers(of.into_iter().map(|index| index as i64).collect(), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(numbers: &Tensor<1, Int>) -> Vec<i64> {
        numbers.to_data().iter::<i64>().collect()
    }

    #[test]
    fn rows_follow_each_other_without_padding() {
        let device = Device::flex();
        let rows = [Row::of_words(vec![2, 3, 4]), Row::of_words(vec![5])];
        let batch = Batch::new(&[&rows[..1], &rows[1..]], &[], &device);
        assert_eq!(read(&batch.ids), [2, 3, 4, 5]);
        assert_eq!((read(&batch.real), batch.words_alone), (vec![0, 1, 2, 3], true));
        assert_eq!((batch.lengths, batch.sentences), (vec![3, 1], vec![3, 1]));
        assert!(batch.segments.is_none() && batch.spellings.is_none());
    }

    #[test]
    fn words_of_pieces_and_behind_questions_are_found() {
        let device = Device::flex();
        let pieces = Row { ids: vec![1, 7, 8, 9, 2], words: vec![1, 3], ..Row::default() };
        let one = [Row::of_words(vec![5])];
        let batch = Batch::new(&[&one, &[pieces]], &[], &device);
        assert_eq!((read(&batch.real), batch.words_alone), (vec![0, 2, 4], false));
        let asked = |question| Row::of_words(vec![4, 5]).after(question, &[9]);
        let batch = Batch::new(&[&[asked(0), asked(1)]], &[], &device);
        assert_eq!(read(&batch.real), [1, 2, 4, 5, 1, 2, 4, 5]);
        assert_eq!(read(batch.segments.as_ref().unwrap()), [0, 1, 1, 0, 1, 1]);
        assert_eq!(batch.sentences, [2]);
    }

    #[test]
    fn a_spelling_is_read_once_and_has_at_least_one_character() {
        let row = Row { spellings: vec![2, 0, 2, 1], ..Row::of_words(vec![5, 6, 5, 7]) };
        let characters = [vec![3], vec![], vec![4, 5]];
        let batch = Batch::new(&[&[row]], &characters, &Device::flex());
        let spellings = batch.spellings.unwrap();
        assert_eq!(read(&spellings.characters), [4, 5, 3, Vocabulary::PADDING]);
        assert_eq!(spellings.lengths, [2, 1, 1]);
        assert_eq!(read(&spellings.of_places), [0, 1, 0, 2]);
    }
}
