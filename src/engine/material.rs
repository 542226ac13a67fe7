//! What a model reads beside the corpus: a vocabulary, word vectors, a checkpoint.

use crate::corpus::digest_file;
use crate::domain::{Corpus, Failure, JobRequest, Part, Sentence};
use crate::model::vectors::{Found, Policy, Source, Unknown, VectorsError};
use crate::model::{Material, Reader, Vocabulary, embeddings};
use crate::places;
use burn::tensor::TensorData;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The vectors of unknown words are the same for every seed of a job: they are no part of what a seed
/// varies.
const UNKNOWN_VECTORS: u64 = 1;

/// The model's material, and what was seen of it: the share of words without a vector, and the like.
pub fn gather(
    request: &JobRequest,
    corpus: &Corpus,
) -> Result<(Material, BTreeMap<String, f64>), Failure> {
    let model = &request.settings.model;
    let mut observed = BTreeMap::new();
    let mut material = match &model.embeddings {
        Some(part) if part.kind == embeddings::PRETRAINED => {
            pretrained(request, part, corpus, &mut observed)?
        }
        _ => Material {
            reader: Reader::Words(Vocabulary::of_training(&corpus.train)),
            vectors: None,
        },
    };
    if model.encoder.parameters.integer("characters") > 0 {
        let Reader::Words(vocabulary) = &mut material.reader;
        vocabulary.read_characters(&corpus.train);
    }
    Ok((material, observed))
}

/// Every word of the corpus that the file has a vector for.
fn pretrained(
    request: &JobRequest,
    part: &Part,
    corpus: &Corpus,
    observed: &mut BTreeMap<String, f64>,
) -> Result<Material, Failure> {
    let source = source(request)?;
    let (words, counts) = distinct([&corpus.train, &corpus.dev, &corpus.test]);
    let numbers = part.parameters.flag("digits");
    let unknown = match part.parameters.text("unknown") {
        "random" => Unknown::Random { seed: UNKNOWN_VECTORS },
        _ => Unknown::Zero,
    };
    let failed = |error: VectorsError| Failure::Input { message: without_folder(&source, &error) };
    let found = source.look_up(&words, Policy { numbers, unknown }).map_err(failed)?;
    observed.insert("oov_share".into(), found.unknown_rate(&counts));
    let shape = [1 + found.rows.len() / found.dimension, found.dimension];
    let padding = std::iter::repeat_n(0.0, found.dimension);
    let vectors: Vec<f32> = padding.chain(found.rows.iter().copied()).collect();
    Ok(Material {
        reader: Reader::Words(vocabulary(&words, &found, shape[0], numbers)),
        vectors: Some(TensorData::new(vectors, shape)),
    })
}

/// The words that were found, with their rows behind that of padding.
fn vocabulary(words: &[&str], found: &Found, rows: usize, numbers: bool) -> Vocabulary {
    let row = |row: u32| i64::from(row) + 1;
    let known = words.iter().zip(&found.row_of).filter(|(_, row)| **row > Found::NUMBER);
    let known = known.map(|(word, found)| ((*word).to_owned(), row(*found)));
    Vocabulary::with_rows(known, rows, numbers.then_some(row(Found::NUMBER)))
}

/// The file of vectors that the request names. One that changed since the plan is refused before
/// anything is kept of it under its old name.
fn source(request: &JobRequest) -> Result<Source, Failure> {
    let input = |message: String| Failure::Input { message };
    let role = embeddings::ROLE;
    let named = request.model_files.get(role).zip(request.settings.model.digests.get(role));
    let (file, digest) =
        named.ok_or_else(|| input("the request names no file of word vectors".into()))?;
    let cache = places::cache().unwrap_or_else(std::env::temp_dir).join("vectors");
    let source = Source { file: file.clone(), digest: digest.clone(), cache };
    if !source.is_made() {
        let now = digest_file(file).map_err(|error| input(error.to_string()))?;
        if now != *digest {
            let name = file_name(file);
            return Err(input(format!(
                "{name} has changed since the grid was planned: run it again"
            )));
        }
        eprintln!("reading {}, once for all jobs", file_name(file));
    }
    Ok(source)
}

/// The distinct words of some sentences in order of first appearance, and how often each occurs.
fn distinct<'a>(splits: [&'a Vec<Sentence>; 3]) -> (Vec<&'a str>, Vec<usize>) {
    let (mut words, mut counts) = (Vec::new(), Vec::new());
    let mut places: HashMap<&str, usize> = HashMap::new();
    for token in splits.into_iter().flatten().flat_map(|sentence| sentence.tokens.iter()) {
        let place = *places.entry(token).or_insert_with(|| {
            words.push(token);
            counts.push(0);
            words.len() - 1
        });
        counts[place] += 1;
    }
    (words, counts)
}

/// An error's text with the file's name in place of its path: records go from machine to machine.
fn without_folder(source: &Source, error: &VectorsError) -> String {
    let name = file_name(&source.file);
    error.to_string().replace(&source.file.display().to_string(), &name)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}
