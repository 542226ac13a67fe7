//! `synonyms: vectors`: the nearest words of the training data in the model's own pretrained
//! vectors.
//!
//! Candidates are words of the training data alone: words of dev and test must not come into
//! training.

use super::material;
use crate::model::vectors::{Found, Policy, Unknown};
use domain::{Failure, JobRequest, Sentence};
use method::augment::Synonyms;
use parts::{Capability, embeddings};
use std::collections::HashMap;

/// Neighbours below this cosine are none.
const LEAST_COSINE: f32 = 0.6;
/// Neighbours a word, at most.
const MOST: usize = 5;
/// Words whose neighbours are looked for at a time.
const BLOCK: usize = 64;

/// The neighbours of each word, nearest first.
pub struct Neighbours(HashMap<String, Vec<String>>);

impl Synonyms for Neighbours {
    fn of(&self, word: &str) -> Vec<String> {
        self.0.get(word).cloned().unwrap_or_default()
    }
}

impl Neighbours {
    /// Those of a job's model, which must have pretrained vectors of words.
    pub fn of_model(
        request: &JobRequest,
        train: &Vec<Sentence>,
    ) -> Result<Box<dyn Synonyms>, Failure> {
        let part = request.settings.model.embeddings.as_ref();
        if !part.is_some_and(|part| embeddings::can(&part.kind, Capability::Pretrained)) {
            let message = "`synonyms: vectors` needs a model with pretrained word vectors";
            return Err(Failure::input(message));
        }
        let source = material::source(request)?;
        let (words, _) = material::distinct([train]);
        let policy = Policy { numbers: false, unknown: Unknown::Zero };
        let found = source
            .look_up(&words, policy)
            .map_err(|error| Failure::input(material::without_folders(&error, [&source.file])))?;
        Ok(Box::new(Self::new(&words, &found)))
    }

    fn new(words: &[&str], found: &Found) -> Self {
        let known = words.iter().zip(&found.row_of).filter(|(_, row)| **row > Found::NUMBER);
        let mut names = Vec::new();
        let mut vectors = Vec::new();
        for (word, row) in known {
            let vector = &found.rows[*row as usize * found.dimension..][..found.dimension];
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            if length > 0.0 {
                names.push(*word);
                vectors.extend(vector.iter().map(|x| x / length));
            }
        }
        Self(nearest(&names, &vectors, found.dimension))
    }
}

/// The nearest words of each, given vectors of length 1.
fn nearest(words: &[&str], vectors: &[f32], dimension: usize) -> HashMap<String, Vec<String>> {
    let rows: Vec<&[f32]> = vectors.chunks_exact(dimension.max(1)).collect();
    let mut neighbours = HashMap::new();
    for start in (0..words.len()).step_by(BLOCK) {
        let block = start..words.len().min(start + BLOCK);
        let mut close: Vec<Vec<(f32, usize)>> = vec![Vec::new(); block.len()];
        // Each other vector is read once for a whole block.
        for (other, vector) in rows.iter().enumerate() {
            for (word, close) in block.clone().zip(&mut close) {
                let cosine = dot(rows[word], vector);
                if cosine >= LEAST_COSINE && other != word && alike(words[word], words[other]) {
                    close.push((cosine, other));
                }
            }
        }
        for (word, mut close) in block.zip(close) {
            close.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
            let names = close.iter().take(MOST).map(|(_, other)| words[*other].to_owned());
            neighbours.insert(words[word].to_owned(), names.collect());
        }
    }
    neighbours
}

/// In eight sums, which the compiler keeps in one register.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// Whether two words are written in the same way: small, capitalised, in capitals, or mixed.
fn alike(one: &str, other: &str) -> bool {
    casing(one) == casing(other)
}

fn casing(word: &str) -> u8 {
    let upper = word.chars().filter(|c| c.is_uppercase()).count();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    match upper {
        0 => 0,
        1 if word.starts_with(char::is_uppercase) => 1,
        upper if upper == letters => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_near_written_alike_and_nearest_first() {
        let words = ["good", "great", "fine", "Great", "bad"];
        let unit = |angle: f32| [angle.cos(), angle.sin()];
        let vectors: Vec<f32> = [0.0, 0.2, 0.1, 0.05, 2.0].into_iter().flat_map(unit).collect();
        let found = Neighbours(nearest(&words, &vectors, 2));
        assert_eq!(found.of("good"), ["fine", "great"]);
        assert_eq!(found.of("Great"), [""; 0]);
        assert_eq!((found.of("bad"), found.of("unknown")), (vec![], vec![]));
    }

    #[test]
    fn a_product_is_the_sum_of_all_places() {
        let numbers: Vec<f32> = (0..11).map(|i| i as f32).collect();
        assert_eq!(dot(&numbers, &numbers), 385.0);
    }
}
