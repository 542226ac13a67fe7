//! Which checkpoints can be read, as their small files say: so that a plan refuses what a job could
//! not use. No tensor is looked at.

use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// What can be read, for messages and the documentation.
pub const SUPPORTED: &str = "supported are model_type bert, roberta and bart, with a WordPiece \
     tokeniser (BertNormalizer) or byte-level BPE";

/// Why a checkpoint cannot be used, without its folder.
pub type Unsupported = String;

/// A family of checkpoints.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Family {
    Bert,
    Roberta,
    Bart,
}

/// How a tokeniser cuts words.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Cut {
    WordPiece,
    BytePairs,
}

/// What a tokeniser is made from, the first that is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vocabulary {
    /// `tokenizer.json`.
    Whole(PathBuf),
    /// `vocab.txt`.
    Pieces(PathBuf),
    /// `vocab.json` and `merges.txt`.
    Pairs(PathBuf, PathBuf),
}

impl Vocabulary {
    /// The files of a folder; `None` if it has none of them.
    pub fn of_folder(folder: &Path) -> Option<Self> {
        let [whole, pieces, pairs, merges] =
            ["tokenizer.json", "vocab.txt", "vocab.json", "merges.txt"]
                .map(|name| folder.join(name));
        match () {
            () if whole.exists() => Some(Self::Whole(whole)),
            () if pieces.exists() => Some(Self::Pieces(pieces)),
            () if pairs.exists() && merges.exists() => Some(Self::Pairs(pairs, merges)),
            () => None,
        }
    }
}

/// The family that a `config.json` names.
pub fn family(config: &Value) -> Result<Family, Unsupported> {
    let family = match config["model_type"].as_str() {
        Some("bert") => Family::Bert,
        Some("roberta") => Family::Roberta,
        Some("bart") => Family::Bart,
        other => {
            let kind = other.map_or("(missing)".to_owned(), |kind| format!("`{kind}`"));
            return Err(format!("model_type {kind} is not supported: bert, roberta and bart are"));
        }
    };
    match config["position_embedding_type"].as_str() {
        Some(other) if other != "absolute" && family != Family::Bart => {
            Err(format!("positions of type `{other}` are not supported"))
        }
        _ => Ok(family),
    }
}

/// How a `tokenizer.json` cuts words; else the part that is not supported, and what it is.
pub fn cut(file: &Value) -> Result<Cut, (&'static str, String)> {
    let unsupported =
        |part, kind: &Value| Err((part, kind.as_str().unwrap_or("without a name").to_owned()));
    let (model, normaliser) = (&file["model"]["type"], &file["normalizer"]);
    match model.as_str().unwrap_or("WordPiece") {
        "WordPiece" if normaliser["type"] == "BertNormalizer" => Ok(Cut::WordPiece),
        "WordPiece" => unsupported("normaliser", &normaliser["type"]),
        "BPE" if !normaliser.is_null() => unsupported("normaliser", &normaliser["type"]),
        "BPE" if file["pre_tokenizer"]["type"] == "ByteLevel" => Ok(Cut::BytePairs),
        "BPE" => unsupported("pre-tokeniser", &file["pre_tokenizer"]["type"]),
        _ => unsupported("model", model),
    }
}

/// Whether a folder's configuration and tokeniser are of a kind that jobs read with this encoder.
pub fn check(folder: &Path, encoder: &str) -> Result<(), Unsupported> {
    for name in super::CHECKPOINT_FILES {
        // A pipe would be waited for.
        if std::fs::metadata(folder.join(name)).is_ok_and(|found| !found.is_file()) {
            return Err(format!("{name} is not a regular file"));
        }
    }
    let config = json(&folder.join("config.json"))?;
    let reader = match family(&config)? {
        Family::Bert | Family::Roberta => "bert",
        Family::Bart => "bart",
    };
    if reader != encoder {
        let kind = config["model_type"].as_str().unwrap_or_default();
        return Err(format!("model_type `{kind}` needs `encoder: {reader}`"));
    }
    match Vocabulary::of_folder(folder) {
        Some(Vocabulary::Whole(path)) => cut(&json(&path)?).map(drop).map_err(|(part, kind)| {
            format!("tokenizer.json: the {part} `{kind}` is not supported")
        }),
        Some(_) => Ok(()),
        None => {
            Err("there is no vocabulary: a tokenizer.json, a vocab.txt, or a vocab.json with a \
                     merges.txt"
                .to_owned())
        }
    }
}

fn json(path: &Path) -> Result<Value, Unsupported> {
    let name = path.file_name().unwrap_or_default().display();
    let failed = |error: io::Error| format!("cannot read {name}: {error}");
    let text = std::fs::read(path).map_err(failed)?;
    serde_json::from_slice(&text).map_err(|error| format!("{name} is not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// `model_type`, `tokenizer.json`, and the words that errors use for them.
    fn said(kind: &str, tokeniser: Value) -> String {
        said_by(if kind == "bart" { "bart" } else { "bert" }, kind, tokeniser)
    }

    fn said_by(encoder: &str, kind: &str, tokeniser: Value) -> String {
        let folder = tempfile::tempdir().unwrap();
        let config = json!({"model_type": kind}).to_string();
        std::fs::write(folder.path().join("config.json"), config).unwrap();
        std::fs::write(folder.path().join("tokenizer.json"), tokeniser.to_string()).unwrap();
        check(folder.path(), encoder).err().unwrap_or_default()
    }

    #[test]
    fn families_and_tokenisers_that_jobs_cannot_read_are_refused() {
        let pieces =
            json!({"model": {"type": "WordPiece"}, "normalizer": {"type": "BertNormalizer"}});
        let bytes = json!({"model": {"type": "BPE"}, "pre_tokenizer": {"type": "ByteLevel"}});
        let unigram = json!({"model": {"type": "Unigram"}});
        for kind in ["bert", "roberta", "bart"] {
            assert_eq!((said(kind, pieces.clone()), said(kind, bytes.clone())), Default::default());
        }
        for kind in ["distilbert", "xlm-roberta", "deberta-v2", "electra"] {
            let said = said(kind, pieces.clone());
            assert!(said.starts_with(&format!("model_type `{kind}` is not supported")), "{said}");
        }
        let said = said("roberta", unigram);
        assert_eq!(said, "tokenizer.json: the model `Unigram` is not supported");
    }

    #[test]
    fn a_checkpoint_of_the_other_encoder_is_refused() {
        let pieces =
            json!({"model": {"type": "WordPiece"}, "normalizer": {"type": "BertNormalizer"}});
        for (encoder, kind, other) in
            [("bert", "bart", "bart"), ("bart", "bert", "bert"), ("bart", "roberta", "bert")]
        {
            let said = said_by(encoder, kind, pieces.clone());
            assert_eq!(said, format!("model_type `{kind}` needs `encoder: {other}`"));
        }
    }

    #[test]
    fn what_is_not_a_regular_file_is_refused_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.json"), "{\"model_type\": \"bert\"}").unwrap();
        std::fs::create_dir(folder.path().join("tokenizer.json")).unwrap();
        let said = check(folder.path(), "bert").unwrap_err();
        assert_eq!(said, "tokenizer.json is not a regular file");
    }

    #[test]
    fn a_folder_without_a_vocabulary_or_with_a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let said = || check(folder.path(), "bert").unwrap_err();
        assert!(said().starts_with("cannot read config.json: "), "{}", said());
        std::fs::write(folder.path().join("config.json"), "{").unwrap();
        assert!(said().starts_with("config.json is not JSON: "), "{}", said());
        std::fs::write(folder.path().join("config.json"), "{\"model_type\": \"bert\"}").unwrap();
        assert!(said().starts_with("there is no vocabulary"), "{}", said());
        std::fs::write(folder.path().join("vocab.txt"), "[CLS]\n").unwrap();
        check(folder.path(), "bert").unwrap();
    }
}
