//! Predictions of a trained model, and their file.

use super::batches::{self, Size};
use crate::model::{Batch, Row, Tagger};
use burn::tensor::Device;
use domain::{Sentence, Tag, TypeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Outputs do not depend on it; it only has to be fast.
const BATCH: Size = Size { sentences: 64, places: 8192 };

/// The predicted tags of every sentence, in the order of the sentences. `model` is a validation
/// snapshot, on a device without autodiff.
pub fn predict(
    model: &Tagger,
    sentences: &[Vec<Row>],
    characters: &[Vec<i64>],
    device: &Device,
) -> Vec<Vec<Tag>> {
    words(sentences, characters, device, |batch| {
        model.predict(batch).into_iter().map(Tag::from_index).collect()
    })
}

/// What `of` says of each word of a batch, for every sentence, in the order of the sentences.
pub fn words<T: Clone>(
    sentences: &[Vec<Row>],
    characters: &[Vec<i64>],
    device: &Device,
    of: impl Fn(&Batch) -> Vec<T>,
) -> Vec<Vec<T>> {
    let mut said = vec![Vec::new(); sentences.len()];
    let sentences: Vec<&[Row]> = sentences.iter().map(Vec::as_slice).collect();
    in_batches(&sentences, characters, device, |places, batch| {
        let mut of_words = of(&batch).into_iter();
        for (&i, words) in places.iter().zip(&batch.sentences) {
            said[i] = of_words.by_ref().take(*words).collect();
        }
    });
    said
}

/// Hands out sentences in batches; `each` hears which of them a batch has.
pub fn in_batches(
    sentences: &[&[Row]],
    characters: &[Vec<i64>],
    device: &Device,
    mut each: impl FnMut(&[usize], Batch),
) {
    let lengths: Vec<usize> = sentences.iter().map(|rows| length(rows)).collect();
    for places in batches::by_length(&lengths, BATCH) {
        let rows: Vec<&[Row]> = places.iter().map(|&i| sentences[i]).collect();
        each(&places, Batch::new(&rows, characters, device));
    }
}

/// The places of a sentence's rows.
pub fn length(rows: &[Row]) -> usize {
    rows.iter().map(|row| row.ids.len()).sum()
}

/// Writes token, gold and predicted tag, tab-separated, a blank line after each sentence.
pub fn write(
    path: &Path,
    types: &TypeSet,
    sentences: &[Sentence],
    predicted: &[Vec<Tag>],
) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for (sentence, predicted) in sentences.iter().zip(predicted) {
        for ((token, &gold), &predicted) in
            sentence.tokens.iter().zip(&sentence.tags).zip(predicted)
        {
            writeln!(file, "{token}\t{}\t{}", types.show(gold), types.show(predicted))?;
        }
        writeln!(file)?;
    }
    file.into_inner()?.sync_all()
}
