//! A corpus as a whole: the splits of its files under one set of types, and a dev split in any case.

use super::chance::Chance;
use super::schemes::Scheme;
use super::{CorpusError, formats};
use crate::domain::{
    Corpus, Parameter, ParameterKind, Parameters, Part, Sentence, Tag, TypeId, TypeSet,
};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A corpus, and what in its files broke their scheme and was read as `conlleval` reads it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loaded {
    pub corpus: Corpus,
    /// One for each file that had to be repaired: worth telling the user.
    pub repaired: Vec<Repaired>,
}

/// How often a file breaks its own tag scheme. Displayed, it is a warning that teaches the mend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repaired {
    pub path: PathBuf,
    pub scheme: Scheme,
    /// How many tags may not follow the one before them.
    pub count: usize,
    pub first_line: usize,
}

impl fmt::Display for Repaired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Repaired { path, scheme, count, first_line } = self;
        let (path, scheme) = (path.display(), scheme.name());
        write!(
            f,
            "{path}:{first_line}: the first of {count} tag(s) that {scheme} does not allow after the one \
             before, read as conlleval reads them; if there are many, the file has another scheme"
        )
    }
}

/// What a format reads from one file; tags have ids of the set that the reader was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FileContent {
    pub sentences: Vec<Sentence>,
    pub repaired: Option<Repaired>,
}

/// The parameter of file formats that says how much of train becomes dev where there is no dev file.
pub(super) const DEV_SHARE: Parameter = Parameter {
    name: "dev_share",
    help: "the share of train that becomes dev if there is no dev file",
    kind: ParameterKind::Real { default: 0.1, min: 0.001, max: 0.9 },
};

/// The parameter of file formats that fixes their random splits, whatever a job's seed is.
pub(super) const SEED: Parameter = Parameter {
    name: "seed",
    help: "which sentences of train become dev if there is no dev file",
    kind: ParameterKind::Integer { default: 1, min: 0, max: i64::MAX },
};

/// Loads a corpus: `format` with all its parameters, `files` by role (`train`, `dev`, `test`; other
/// roles are left alone).
pub fn load(format: &Part, files: &BTreeMap<String, PathBuf>) -> Result<Loaded, CorpusError> {
    formats::load(format, files)
}

/// Reads every split with `read` and puts them together.
pub(super) fn from_files(
    parameters: &Parameters,
    files: &BTreeMap<String, PathBuf>,
    mut read: impl FnMut(&Path, &mut TypeSet) -> Result<FileContent, CorpusError>,
) -> Result<Loaded, CorpusError> {
    let path = |role| files.get(role).ok_or(CorpusError::NoFile { role });
    let (train_path, test_path) = (path("train")?, path("test")?);
    let mut loaded = Loaded::default();
    let mut types = TypeSet::default();
    let mut split = |path: &Path| {
        let FileContent { sentences, repaired } = read(path, &mut types)?;
        loaded.repaired.extend(repaired);
        Ok(sentences)
    };
    let mut train = split(train_path)?;
    let dev = match files.get("dev") {
        Some(path) => split(path)?,
        None => carve_dev(&mut train, parameters, train_path)?,
    };
    let test = split(test_path)?;
    loaded.corpus = sort_types(Corpus { types, train, dev, test });
    Ok(loaded)
}

/// Takes a random share of train out of it; both keep the order of the file. The corpus's own seed
/// decides, so every job of a corpus has the same dev split.
fn carve_dev(
    train: &mut Vec<Sentence>,
    parameters: &Parameters,
    path: &Path,
) -> Result<Vec<Sentence>, CorpusError> {
    let n = train.len();
    if n < 2 {
        return Err(CorpusError::TooSmallToCarve { path: path.to_owned(), sentences: n });
    }
    let wanted = (n as f64 * parameters.real("dev_share")).round() as usize;
    let mut chance = Chance::new("dev split", parameters.integer("seed").unsigned_abs());
    let mut is_dev = chance.choose(n, wanted.clamp(1, n - 1)).into_iter();
    Ok(train.extract_if(.., |_| is_dev.next() == Some(true)).collect())
}

/// Gives the types the order of their names, so that ids do not depend on what a file mentions first.
fn sort_types(mut corpus: Corpus) -> Corpus {
    let sorted = TypeSet::new(corpus.types.names().iter().cloned());
    let renumbered: Vec<TypeId> =
        corpus.types.names().iter().filter_map(|name| sorted.id(name)).collect();
    let new = |TypeId(old): TypeId| renumbered[old as usize];
    for sentence in [&mut corpus.train, &mut corpus.dev, &mut corpus.test].into_iter().flatten() {
        for tag in &mut sentence.tags {
            *tag = match *tag {
                Tag::Outside => Tag::Outside,
                Tag::Begin(id) => Tag::Begin(new(id)),
                Tag::Inside(id) => Tag::Inside(new(id)),
            };
        }
    }
    corpus.types = sorted;
    corpus
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten one-word sentences a file: `<name>0` to `<name>9`, the last an entity of type `<name>`.
    fn read(path: &Path, types: &mut TypeSet) -> Result<FileContent, CorpusError> {
        let name = path.to_str().unwrap();
        let id = types.intern(name);
        let tag = |n| if n == 9 { Tag::Begin(id) } else { Tag::Outside };
        let sentence = |n| Sentence { tokens: vec![format!("{name}{n}")], tags: vec![tag(n)] };
        Ok(FileContent { sentences: (0..10).map(sentence).collect(), repaired: None })
    }

    fn corpus(roles: &[(&str, &str)], seed: i64) -> Result<Corpus, CorpusError> {
        let files = roles.iter().map(|(role, path)| (role.to_string(), path.into())).collect();
        let mut parameters = Parameters::defaults(&[DEV_SHARE, SEED]);
        parameters.0.insert("seed".into(), crate::domain::ParameterValue::Integer(seed));
        parameters.0.insert("dev_share".into(), crate::domain::ParameterValue::Real(0.3));
        from_files(&parameters, &files, read).map(|loaded| loaded.corpus)
    }

    fn words(sentences: &[Sentence]) -> Vec<&str> {
        sentences.iter().map(|sentence| sentence.tokens[0].as_str()).collect()
    }

    #[test]
    fn types_are_sorted_over_all_splits_and_tags_follow() {
        let corpus = corpus(&[("train", "z"), ("dev", "y"), ("test", "x")], 1).unwrap();
        assert_eq!(corpus.types.names(), ["x", "y", "z"]);
        let last = |split: &[Sentence]| split[9].tags[0];
        assert_eq!(last(&corpus.train), Tag::Begin(TypeId(2)));
        assert_eq!(last(&corpus.dev), Tag::Begin(TypeId(1)));
        assert_eq!(last(&corpus.test), Tag::Begin(TypeId(0)));
    }

    #[test]
    fn dev_is_carved_from_train_in_file_order_by_the_corpus_seed() {
        let roles = [("train", "a"), ("test", "b")];
        let first = corpus(&roles, 1).unwrap();
        assert_eq!((first.train.len(), first.dev.len(), first.test.len()), (7, 3, 10));
        for split in [&first.train, &first.dev] {
            assert!(words(split).is_sorted(), "{:?}", words(split));
        }
        let mut all = [words(&first.train), words(&first.dev)].concat();
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(n, word)| *word == format!("a{n}")));
        assert_eq!(first, corpus(&roles, 1).unwrap());
        assert!((2..6).any(|seed| corpus(&roles, seed).unwrap().dev != first.dev));
    }

    #[test]
    fn train_and_test_are_needed() {
        let message = |roles| corpus(roles, 1).unwrap_err().to_string();
        assert!(message(&[("test", "b")]).contains("no train file"));
        assert!(message(&[("train", "b")]).contains("no test file"));
    }

    #[test]
    fn one_sentence_cannot_be_split() {
        let mut train = vec![Sentence::default()];
        let parameters = Parameters::defaults(&[DEV_SHARE, SEED]);
        let error = carve_dev(&mut train, &parameters, Path::new("t")).unwrap_err();
        assert!(matches!(error, CorpusError::TooSmallToCarve { sentences: 1, .. }), "{error}");
    }
}
