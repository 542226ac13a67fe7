//! Predictions of a trained model, and their file.

use super::batches;
use super::prepare::Encoded;
use crate::domain::{Sentence, Tag, TypeSet};
use crate::model::{Batch, Tagger};
use burn::tensor::Device;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Sentences a batch. Outputs do not depend on it; it only has to be fast.
const BATCH: usize = 64;

/// The predicted tags of every sentence, in the order of the sentences. `model` is a validation
/// snapshot, on a device without autodiff.
pub fn predict(model: &Tagger, sentences: &Encoded, device: &Device) -> Vec<Vec<Tag>> {
    let mut tags = vec![Vec::new(); sentences.rows.len()];
    for batch in batches::by_length(&sentences.lengths(), BATCH) {
        let rows: Vec<&[i64]> = batch.iter().map(|&i| sentences.rows[i].as_slice()).collect();
        let mut classes = model.predict(&Batch::new(&rows, device)).into_iter();
        for &i in &batch {
            let length = sentences.rows[i].len();
            tags[i] = classes.by_ref().take(length).map(Tag::from_index).collect();
        }
    }
    tags
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
