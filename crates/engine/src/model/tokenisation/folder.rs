//! A vocabulary from the files beside a checkpoint: `tokenizer.json`, else `vocab.txt` (WordPiece),
//! else `vocab.json` with `merges.txt` (byte pairs).

use super::byte_pairs::BytePairs;
use super::word_piece::{Normaliser, WordPiece};
use super::{Cutter, Special, Tokeniser};
use crate::model::checkpoints::{CheckpointError, json, text};
use parts::supported::{self, Cut, Vocabulary as Files};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a vocabulary cannot be used.
#[derive(Debug, Error)]
pub enum TokeniserError {
    /// None of the files is there.
    #[error(
        "{} has no vocabulary: it needs a tokenizer.json, a vocab.txt, or a vocab.json with a merges.txt",
        .0.display()
    )]
    Missing(PathBuf),
    /// A file cannot be read, lacks something, or has it in another form.
    #[error(transparent)]
    File(#[from] CheckpointError),
    /// A way of cutting that is not known.
    #[error(
        "{}: the {part} `{kind}` is not supported: WordPiece with BERT's normaliser and byte-level BPE are",
        path.display()
    )]
    Unsupported { path: PathBuf, part: &'static str, kind: String },
    /// The checkpoint has no vectors for some of the pieces.
    #[error(
        "the vocabulary of {} has {entries} pieces, but config.json has a vocab_size of {pieces}: they are of different checkpoints",
        folder.display()
    )]
    TooLarge { folder: PathBuf, entries: usize, pieces: usize },
    /// A piece that stands for no text is not in the vocabulary.
    #[error("the vocabulary of {} has no piece `{piece}`", folder.display())]
    Special { folder: PathBuf, piece: String },
}

type Vocabulary = HashMap<String, i64>;

impl Tokeniser {
    /// The vocabulary of a folder whose checkpoint knows so many pieces.
    pub fn open(folder: &Path, pieces: usize) -> Result<Self, TokeniserError> {
        let settings = optional_json(&folder.join("tokenizer_config.json"))?;
        let names = optional_json(&folder.join("special_tokens_map.json"))?;
        let (cutter, vocabulary) = cutter(folder, &settings)?;
        let entries = vocabulary.values().max().map_or(0, |&highest| highest as usize + 1);
        if entries > pieces {
            return Err(TokeniserError::TooLarge { folder: folder.to_owned(), entries, pieces });
        }
        let special = |key: &str, usual: &[&str]| {
            let named = [&names, &settings].into_iter().find_map(|file| content(&file[key]));
            let found = usual.iter().find(|name| vocabulary.contains_key(**name));
            let piece = named.or(found.copied()).unwrap_or(usual[0]);
            vocabulary.get(piece).copied().ok_or_else(|| TokeniserError::Special {
                folder: folder.to_owned(),
                piece: piece.to_owned(),
            })
        };
        Ok(Self {
            special: Special {
                start: special("cls_token", &["[CLS]", "<s>"])?,
                end: special("sep_token", &["[SEP]", "</s>"])?,
                unknown: special("unk_token", &["[UNK]", "<unk>"])?,
                padding: special("pad_token", &["[PAD]", "<pad>"])?,
            },
            cutter,
            known: HashMap::new(),
        })
    }
}

fn cutter(folder: &Path, settings: &Value) -> Result<(Cutter, Vocabulary), TokeniserError> {
    match Files::of_folder(folder) {
        Some(Files::Whole(whole)) => from_tokenizer_json(&whole),
        Some(Files::Pieces(pieces)) => {
            let vocabulary = lines(&text(&pieces)?);
            let normaliser = normaliser_of_settings(settings, &vocabulary);
            let cutter = WordPiece::new(vocabulary.clone(), normaliser, "##".into(), 100);
            Ok((Cutter::WordPiece(cutter), vocabulary))
        }
        Some(Files::Pairs(pairs, merges)) => {
            let vocabulary = vocabulary(&pairs, &json(&pairs)?)?;
            let text = text(&merges)?;
            let pairs = text.lines().filter(|line| !line.starts_with("#version")).filter_map(pair);
            let cutter = BytePairs::new(vocabulary.clone(), pairs.collect());
            Ok((Cutter::BytePairs(cutter), vocabulary))
        }
        None => Err(TokeniserError::Missing(folder.to_owned())),
    }
}

fn from_tokenizer_json(path: &Path) -> Result<(Cutter, Vocabulary), TokeniserError> {
    let file = json(path)?;
    let model = &file["model"];
    let mut all = vocabulary(path, &model["vocab"])?;
    let unsupported =
        |(part, kind)| TokeniserError::Unsupported { path: path.to_owned(), part, kind };
    let cutter = match supported::cut(&file).map_err(unsupported)? {
        Cut::WordPiece => {
            let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned();
            let longest = model["max_input_chars_per_word"].as_u64().unwrap_or(100) as usize;
            let normaliser = normaliser_of_tokenizer_json(&file["normalizer"]);
            Cutter::WordPiece(WordPiece::new(all.clone(), normaliser, prefix, longest))
        }
        Cut::BytePairs => {
            let merges = model["merges"].as_array().into_iter().flatten();
            let merges: Option<Vec<(String, String)>> = merges.map(pair_of_value).collect();
            let merges = merges.ok_or_else(|| form(path, "a merge is not a pair"))?;
            Cutter::BytePairs(BytePairs::new(all.clone(), merges))
        }
    };
    all.extend(added(&file));
    Ok((cutter, all))
}

fn normaliser_of_tokenizer_json(settings: &Value) -> Normaliser {
    let flag = |key: &str, usual| settings[key].as_bool().unwrap_or(usual);
    let lower_case = flag("lowercase", true);
    Normaliser {
        clean: flag("clean_text", true),
        split_chinese: flag("handle_chinese_chars", true),
        strip_accents: flag("strip_accents", lower_case),
        lower_case,
    }
}

/// As `tokenizer_config.json` says; where it does not, a vocabulary without an upper-case letter
/// wants lower case.
fn normaliser_of_settings(settings: &Value, vocabulary: &Vocabulary) -> Normaliser {
    let special = |piece: &str| piece.starts_with('[') && piece.ends_with(']');
    let upper = |piece: &&String| !special(piece) && piece.chars().any(char::is_uppercase);
    let flag = |key: &str| settings[key].as_bool();
    let lower_case = flag("do_lower_case").unwrap_or_else(|| !vocabulary.keys().any(|p| upper(&p)));
    Normaliser {
        clean: true,
        split_chinese: flag("tokenize_chinese_chars").unwrap_or(true),
        strip_accents: flag("strip_accents").unwrap_or(lower_case),
        lower_case,
    }
}

/// A line a piece, from 0.
fn lines(text: &str) -> Vocabulary {
    let line = |(id, line): (usize, &str)| (line.trim_end_matches('\r').to_owned(), id as i64);
    text.lines().enumerate().map(line).collect()
}

fn vocabulary(path: &Path, value: &Value) -> Result<Vocabulary, CheckpointError> {
    let entries = value.as_object().ok_or_else(|| form(path, "there is no vocabulary in it"))?;
    let entry = |(piece, id): (&String, &Value)| {
        let id = id.as_u64().filter(|&id| id < u64::from(u32::MAX));
        let id = id.ok_or_else(|| form(path, &format!("the piece `{piece}` has no number")))?;
        Ok((piece.clone(), id as i64))
    };
    entries.iter().map(entry).collect()
}

/// Pieces that were added to a vocabulary later, special ones among them.
fn added(file: &Value) -> Vocabulary {
    let entries = file["added_tokens"].as_array().into_iter().flatten();
    let entry = |entry: &Value| {
        let id = entry["id"].as_u64().filter(|&id| id < u64::from(u32::MAX))?;
        Some((entry["content"].as_str()?.to_owned(), id as i64))
    };
    entries.filter_map(entry).collect()
}

fn pair(line: &str) -> Option<(String, String)> {
    let (left, right) = line.trim_end().split_once(' ')?;
    Some((left.to_owned(), right.to_owned()))
}

/// A merge is `"a b"` in older files and `["a", "b"]` in newer ones.
fn pair_of_value(value: &Value) -> Option<(String, String)> {
    match value {
        Value::String(line) => pair(line),
        Value::Array(sides) => match sides.as_slice() {
            [left, right] => Some((left.as_str()?.to_owned(), right.as_str()?.to_owned())),
            _ => None,
        },
        _ => None,
    }
}

/// A special piece is named by its text or by an object with it.
fn content(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value["content"].as_str())
}

fn form(path: &Path, what: &str) -> CheckpointError {
    CheckpointError::Setting { path: path.to_owned(), what: what.to_owned() }
}

/// A file that may be missing; `null` then.
fn optional_json(path: &Path) -> Result<Value, CheckpointError> {
    if path.exists() { json(path) } else { Ok(Value::Null) }
}
