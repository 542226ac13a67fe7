//! What a model reads beside the corpus: a vocabulary, word vectors, a checkpoint.

use super::shared::digest_file;
use crate::model::encoders::PieceEncoder;
use crate::model::tokenisation::{Coverage, Tokeniser};
use crate::model::transformer::TransformerSettings;
use crate::model::vectors::{Found, Policy, Source, Unknown, VectorsError};
use crate::model::{Checkpoint, Material, Pieces, Reader, Units, Vocabulary, questions};
use atomic::places;
use burn::tensor::TensorData;
use domain::{Corpus, Failure, JobRequest, Sentence, Tokens, renamed};
use parts::embeddings::Embeddings;
use parts::embeddings::pretrained::{self, Pretrained};
use parts::encoders::{Encoder, bart::Bart, bert::Bert, bilstm::Bilstm};
use parts::{Capability, heads};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A checkpoint that knows fewer of a corpus's words than this leaves out is of another language.
const MOST_UNKNOWN: f64 = 0.1;

/// The vectors of unknown words are the same for every seed of a job: they are no part of what a
/// seed varies.
const UNKNOWN_VECTORS: u64 = 1;

/// The model's material, and what was seen of it: the share of words without a vector, and the
/// like. `further` are words that the method brings into the training data.
pub fn gather(
    request: &JobRequest,
    corpus: &Corpus,
    further: &[String],
) -> Result<(Material, BTreeMap<String, f64>), Failure> {
    let model = &request.settings.model;
    let mut observed = BTreeMap::new();
    let encoder = Encoder::read(&model.encoder);
    let embeddings = model.embeddings.as_ref().map(Embeddings::read);
    let mut material = match (&encoder, embeddings) {
        (Encoder::Bert(Bert { max_pieces, .. }) | Encoder::Bart(Bart { max_pieces, .. }), _) => {
            pieces(request, &encoder, *max_pieces, corpus)?
        }
        (Encoder::Shallow(_) | Encoder::Bilstm(_), Some(Embeddings::Pretrained(vectors))) => {
            pretrained(request, &vectors, corpus, further, &mut observed)?
        }
        (Encoder::Shallow(_) | Encoder::Bilstm(_), Some(Embeddings::Random(_)) | None) => {
            of_words(Units::Words(Vocabulary::of_training(&corpus.train)))
        }
    };
    if material.vectors.is_none()
        && let Some(vocabulary) = material.reader.vocabulary_mut()
    {
        vocabulary.know(further.iter().map(String::as_str));
    }
    material.reader = material.reader.for_head(model, &corpus.types);
    if let Encoder::Bilstm(Bilstm { characters: 1.., .. }) = encoder
        && let Some(vocabulary) = material.reader.vocabulary_mut()
    {
        vocabulary.read_characters(&corpus.train);
    }
    Ok((material, observed))
}

fn of_words(units: Units) -> Material {
    Material { reader: Reader::new(units), vectors: None, checkpoint: None }
}

/// For an encoder that brings its own embeddings: the vocabulary of its checkpoint, or without one
/// the words of the training sentences.
fn pieces(
    request: &JobRequest,
    encoder: &Encoder,
    longest: usize,
    corpus: &Corpus,
) -> Result<Material, Failure> {
    let Some(folder) = checkpoint(request)? else {
        let mut vocabulary = Vocabulary::of_training(&corpus.train);
        if heads::can(&request.settings.model.head.kind, Capability::Questions) {
            let asked = questions(&request.settings.model, &corpus.types);
            vocabulary.know(asked.iter().flat_map(Tokens::iter));
        }
        return Ok(of_words(Units::Windows { vocabulary, longest }));
    };
    let input = |error: &dyn Display| {
        Failure::input(renamed(&error.to_string(), &folder, "the checkpoint"))
    };
    let settings = TransformerSettings::of_folder(&folder).map_err(|error| input(&error))?;
    let tokeniser = Tokeniser::open(&folder, settings.pieces).map_err(|error| input(&error))?;
    let reader = Reader::new(Units::Pieces(Pieces {
        tokeniser,
        longest: longest.min(settings.positions),
        carrier: PieceEncoder::carrier(encoder),
        coverage: Coverage::default(),
    }));
    let checkpoint = Some(Checkpoint { folder, has_weights: true });
    Ok(Material { reader, vectors: None, checkpoint })
}

/// The folder of the checkpoint's files, none of which has changed since the plan.
fn checkpoint(request: &JobRequest) -> Result<Option<PathBuf>, Failure> {
    verify(&request.model_files, &request.settings.model.digests)?;
    let folder = request.model_files.get("config.json").and_then(|file| file.parent());
    Ok(folder.map(Path::to_owned))
}

/// Refuses files that changed since the plan.
pub fn verify(
    files: &BTreeMap<String, PathBuf>,
    digests: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    for (role, file) in files {
        let digest =
            digest_file(file).map_err(|error| Failure::input(without_folders(&error, [file])))?;
        if digests.get(role) != Some(&digest) {
            return Err(Failure::input(changed(file)));
        }
    }
    Ok(())
}

/// What was seen of the pieces; a vocabulary that does not know the corpus's words is refused.
pub fn coverage(reader: &Reader, observed: &mut BTreeMap<String, f64>) -> Result<(), Failure> {
    let Units::Pieces(pieces) = &reader.units else { return Ok(()) };
    let coverage = &pieces.coverage;
    let share = coverage.unknown_share();
    if share > MOST_UNKNOWN {
        let message = format!(
            "{:.1} % of the corpus's words have pieces that the checkpoint does not know (more than {:.0} %): \
             choose a checkpoint of the corpus's language",
            100.0 * share,
            100.0 * MOST_UNKNOWN
        );
        return Err(Failure::input(message));
    }
    let numbers = [
        ("unknown_share", share),
        ("pieces_a_word", coverage.pieces as f64 / coverage.words.max(1) as f64),
        ("shortened_words", coverage.shortened_words as f64),
        ("windowed_sentences", coverage.windowed_sentences as f64),
    ];
    observed.extend(numbers.map(|(name, value)| (name.to_owned(), value)));
    Ok(())
}

/// Every word of the corpus that the file has a vector for.
fn pretrained(
    request: &JobRequest,
    declared: &Pretrained,
    corpus: &Corpus,
    further: &[String],
    observed: &mut BTreeMap<String, f64>,
) -> Result<Material, Failure> {
    let source = source(request)?;
    let (mut words, mut counts) = distinct([&corpus.train, &corpus.dev, &corpus.test]);
    // Not counted: whether words are known is asked of the corpus.
    words.extend(further.iter().map(String::as_str));
    counts.resize(words.len(), 0);
    let numbers = declared.digits;
    let unknown = match declared.unknown {
        pretrained::Unknown::Random => Unknown::Random { seed: UNKNOWN_VECTORS },
        pretrained::Unknown::Zero => Unknown::Zero,
    };
    let failed = |error: VectorsError| Failure::input(without_folders(&error, [&source.file]));
    let found = source.look_up(&words, Policy { numbers, unknown }).map_err(failed)?;
    observed.insert("oov_share".into(), found.unknown_rate(&counts));
    let shape = [1 + found.rows.len() / found.dimension, found.dimension];
    let padding = std::iter::repeat_n(0.0, found.dimension);
    let vectors: Vec<f32> = padding.chain(found.rows.iter().copied()).collect();
    Ok(Material {
        reader: Reader::new(Units::Words(vocabulary(&words, &found, shape[0], numbers))),
        vectors: Some(TensorData::new(vectors, shape)),
        checkpoint: None,
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
pub fn source(request: &JobRequest) -> Result<Source, Failure> {
    let source = named_source(request)
        .ok_or_else(|| Failure::input("the request names no file of word vectors"))?;
    if !source.is_made() {
        let Source { file, digest, .. } = &source;
        let now = digest_file(file).map_err(Failure::input)?;
        if now != *digest {
            return Err(Failure::input(changed(file)));
        }
        eprintln!("reading {}, once for all jobs", file_name(file));
    }
    Ok(source)
}

/// The same without a look at the file; `None` where the request names none.
pub fn named_source(request: &JobRequest) -> Option<Source> {
    let role = parts::embeddings::ROLE;
    let file = request.model_files.get(role)?.clone();
    let digest = request.settings.model.digests.get(role)?.clone();
    let cache = places::cache().map(|folder| folder.join("vectors"));
    Some(Source { file, digest, cache })
}

/// The distinct words of some sentences in order of first appearance, and how often each occurs.
pub fn distinct<'a>(
    splits: impl IntoIterator<Item = &'a Vec<Sentence>>,
) -> (Vec<&'a str>, Vec<usize>) {
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

/// An error's text with the files' names in place of their paths: records go from machine to
/// machine.
pub fn without_folders<'a>(
    error: &dyn Display,
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> String {
    let with_name = |text: String, path: &PathBuf| renamed(&text, path, &file_name(path));
    files.into_iter().fold(error.to_string(), with_name)
}

fn changed(file: &Path) -> String {
    format!("{} has changed since the grid was planned: run it again", file_name(file))
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}
