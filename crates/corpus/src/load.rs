//! A corpus as a whole: the splits of its files under one set of types, and a dev split in any
//! case.

use super::chance::Chance;
use super::remark::{Remark, Remarks};
use super::{CorpusError, formats};
use domain::{Corpus, Part, Sentence, Tag, TypeId, TypeSet};
use parts::settings;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A corpus, and what its readers had to decide.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loaded {
    pub corpus: Corpus,
    /// Worth telling the user.
    pub remarks: Vec<Remark>,
}

/// What a format reads from one file; tags have ids of the set that the reader was given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FileContent {
    pub sentences: Vec<Sentence>,
    /// The first sentence of each document, in order; empty if the file does not say.
    pub documents: Vec<usize>,
    pub remarks: Remarks,
}

impl FileContent {
    /// Puts the content of a further file after this; a kind of remark keeps its first place.
    pub fn append(&mut self, mut further: FileContent) {
        let (before, added) = (self.sentences.len(), further.sentences.len());
        self.sentences.append(&mut further.sentences);
        // A document without a sentence is none.
        let documents = further.documents.into_iter().filter(|&first| first < added);
        self.documents.extend(documents.map(|first| before + first));
        self.remarks.append(further.remarks);
    }
}

/// The role of a file that holds the whole corpus, to be split.
pub const WHOLE: &str = "all";

/// The role of a further training part of this name.
pub fn part_role(name: &str) -> String {
    format!("{PART}{name}")
}

pub(super) const PART: &str = "parts.";

settings! {
    /// How a corpus is split, whatever a job's seed is, where there is no file for a split.
    pub struct Splitting {
        /// parts for train, dev and test of a corpus in one file (`all:`), as 8:1:1, by document
        /// where the format knows documents; 0 for dev carves it from train
        split: String = "8:1:1",
        /// the share of train that becomes dev if there is no dev file
        dev_share: f64 = 0.1 in 0.001..=0.9,
        /// which sentences become dev if there is no dev file, or what if there is one file for all
        seed: u64 = 1 in 0..,
    }
}

/// Loads a corpus: `format` with all its parameters, `files` by role: `train`, `dev` and `test`, or
/// [`WHOLE`], and [`part_role`]s.
pub fn load(format: &Part, files: &BTreeMap<String, PathBuf>) -> Result<Loaded, CorpusError> {
    let is_missing = |role: &str| !files.contains_key(role);
    if formats::reads(&format.kind).files
        && is_missing(WHOLE)
        && is_missing("test")
        && !is_parts_only(files)
    {
        return Err(CorpusError::NoFile { role: "test" });
    }
    formats::load(format, files)
}

/// The three splits as they are put together.
#[derive(Default)]
struct Splits {
    train: Vec<Sentence>,
    dev: Vec<Sentence>,
    test: Vec<Sentence>,
}

/// Reads every file with `read` and puts the splits together.
pub(super) fn from_files(
    splitting: &Splitting,
    files: &BTreeMap<String, PathBuf>,
    mut read: impl FnMut(&Path, &mut TypeSet) -> Result<FileContent, CorpusError>,
) -> Result<Loaded, CorpusError> {
    let mut remarks = vec![];
    let mut types = TypeSet::default();
    let mut content = |path: &Path| {
        let mut content = read(path, &mut types)?;
        remarks.extend(std::mem::take(&mut content.remarks).into_vec());
        Ok(content)
    };
    let Splits { train, dev, test } = match files.get(WHOLE) {
        Some(path) => split_whole(content(path)?, splitting, path)?,
        None if is_parts_only(files) => Splits::default(),
        None => read_splits(splitting, files, |path| content(path).map(|it| it.sentences))?,
    };
    let mut parts = BTreeMap::new();
    for (role, path) in files {
        if let Some(name) = role.strip_prefix(PART) {
            parts.insert(name.to_owned(), content(path)?.sentences);
        }
    }
    let annotations = vec![];
    let corpus = sort_types(Corpus { types, train, dev, test, parts, annotations });
    Ok(Loaded { corpus, remarks })
}

/// Whether there are parts and no split, so that none is missing and none to be carved.
fn is_parts_only(files: &BTreeMap<String, PathBuf>) -> bool {
    let is_part = |role: &String| role.starts_with(PART);
    let is_split = |role: &String| ["train", "dev", "test"].contains(&role.as_str());
    files.keys().any(is_part) && !files.keys().any(is_split)
}

fn read_splits(
    splitting: &Splitting,
    files: &BTreeMap<String, PathBuf>,
    mut read: impl FnMut(&Path) -> Result<Vec<Sentence>, CorpusError>,
) -> Result<Splits, CorpusError> {
    let path = |role| files.get(role).ok_or(CorpusError::NoFile { role });
    let train_path = path("train")?;
    let mut train = read(train_path)?;
    let dev = match files.get("dev") {
        Some(path) => read(path)?,
        None => carve_dev(&mut train, splitting, train_path)?,
    };
    // A parameter search has no test file to read.
    let test = files.get("test").map(|path| read(path)).transpose()?.unwrap_or_default();
    Ok(Splits { train, dev, test })
}

impl Splitting {
    /// The parts for train, dev and test.
    pub(super) fn parts(&self) -> Result<[u64; 3], CorpusError> {
        let text = &self.split;
        let parts: Result<Vec<u64>, _> = text.split(':').map(|part| part.trim().parse()).collect();
        match parts.as_deref() {
            Ok(&[train, dev, test])
                if train > 0 && test > 0 && [train, dev, test].iter().all(|&n| n <= 1_000_000) =>
            {
                Ok([train, dev, test])
            }
            _ => {
                let problem = format!(
                    "`{text}` should be three whole numbers for train, dev and test, as 8:1:1, of \
                     which dev alone may be 0"
                );
                Err(CorpusError::setting("split", problem))
            }
        }
    }

    /// How many of `n` training sentences, at least two, become dev.
    pub(super) fn carved(&self, n: usize) -> usize {
        let wanted = (n as f64 * self.dev_share).round() as usize;
        wanted.clamp(1, n.max(2) - 1)
    }
}

/// Splits a corpus that comes in one piece. Its own seed decides, so every job has the same splits;
/// what belongs to one document stays together, and the order is that of the file.
fn split_whole(
    content: FileContent,
    splitting: &Splitting,
    path: &Path,
) -> Result<Splits, CorpusError> {
    let FileContent { sentences: mut train, documents, .. } = content;
    let shares = splitting.parts()?;
    let units = match documents.is_empty() {
        true => (0..=train.len()).collect(),
        false => unit_bounds(documents, train.len()),
    };
    let n = units.len() - 1;
    let needed = shares.iter().filter(|&&share| share > 0).count();
    if n < needed {
        return Err(CorpusError::TooSmallToSplit { path: path.to_owned(), units: n, needed });
    }
    let mut order: Vec<usize> = (0..n).collect();
    Chance::new("splits", splitting.seed).shuffle(&mut order);
    let mut place = vec![0; n];
    for (index, &unit) in order.iter().enumerate() {
        place[unit] = split_of(index as u64, n as u64, shares);
    }
    // The place of each sentence; what is left after the others are taken out is train, which is
    // most of the corpus and need not be moved.
    let sizes = units.windows(2).map(|bounds| bounds[1] - bounds[0]);
    let places = place.into_iter().zip(sizes);
    let mut places: Vec<u8> =
        places.flat_map(|(place, size)| std::iter::repeat_n(place, size)).collect();
    let mut take = |split| {
        let mut at = places.iter();
        let taken = train.extract_if(.., |_| at.next() == Some(&split)).collect();
        places.retain(|&place| place != split);
        taken
    };
    let (test, dev): (_, Vec<Sentence>) = (take(TEST), take(DEV));
    let dev = if shares[1] == 0 { carve_dev(&mut train, splitting, path)? } else { dev };
    Ok(Splits { train, dev, test })
}

/// The splits that sentences are taken out for, as small as one a sentence should be.
const DEV: u8 = 1;
const TEST: u8 = 2;

/// Where units begin, and the end of the last one.
fn unit_bounds(mut documents: Vec<usize>, sentences: usize) -> Vec<usize> {
    documents.retain(|&first| first < sentences);
    if documents.first() != Some(&0) {
        documents.insert(0, 0);
    }
    documents.push(sentences);
    documents
}

/// The split of the `index`th of `n` shuffled units: each split that has a share gets at least one.
fn split_of(index: u64, n: u64, [train, dev, test]: [u64; 3]) -> u8 {
    let whole = train + dev + test;
    let least = |share: u64| if share == 0 { 0 } else { 1 };
    let count = |share: u64| ((n * share + whole / 2) / whole).max(least(share));
    let (dev, test) = (count(dev), count(test));
    let spare = n.saturating_sub(1);
    let test = test.min(spare.saturating_sub(least(dev)).max(1));
    let dev = dev.min(spare.saturating_sub(test));
    match index {
        index if index < test => TEST,
        index if index < test + dev => DEV,
        _ => 0,
    }
}

/// Takes a random share of train out of it; both keep the order of the file. The corpus's own seed
/// decides, so every job of a corpus has the same dev split.
fn carve_dev(
    train: &mut Vec<Sentence>,
    splitting: &Splitting,
    path: &Path,
) -> Result<Vec<Sentence>, CorpusError> {
    let n = train.len();
    if n < 2 {
        return Err(CorpusError::TooSmallToCarve { path: path.to_owned(), sentences: n });
    }
    let mut chance = Chance::new("dev split", splitting.seed);
    let mut is_dev = chance.choose(n, splitting.carved(n)).into_iter();
    Ok(train.extract_if(.., |_| is_dev.next() == Some(true)).collect())
}

/// Gives the types the order of their names, so that ids do not depend on what a file mentions
/// first.
fn sort_types(corpus: Corpus) -> Corpus {
    let sorted = TypeSet::new(corpus.types.names().iter().cloned());
    with_types(corpus, sorted)
}

/// The corpus under another set of types, which has every one of which there is an entity.
pub(super) fn with_types(mut corpus: Corpus, types: TypeSet) -> Corpus {
    let renumbered: Vec<TypeId> =
        corpus.types.names().iter().map(|name| types.id(name).unwrap_or(TypeId(0))).collect();
    let new = |TypeId(old): TypeId| renumbered[old as usize];
    let splits = [&mut corpus.train, &mut corpus.dev, &mut corpus.test];
    for sentence in splits.into_iter().chain(corpus.parts.values_mut()).flatten() {
        for tag in &mut sentence.tags {
            *tag = match *tag {
                Tag::Outside => Tag::Outside,
                Tag::Begin(id) => Tag::Begin(new(id)),
                Tag::Inside(id) => Tag::Inside(new(id)),
            };
        }
    }
    corpus.types = types;
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
        let tokens = |n| [format!("{name}{n}")].into_iter().collect();
        let sentence = |n| Sentence { tokens: tokens(n), tags: vec![tag(n)] };
        let documents = if name == "documents" { vec![0, 3, 7] } else { vec![] };
        let sentences = (0..10).map(sentence).collect();
        Ok(FileContent { sentences, documents, ..FileContent::default() })
    }

    fn corpus(roles: &[(&str, &str)], seed: u64) -> Result<Corpus, CorpusError> {
        let files = roles.iter().map(|(role, path)| (role.to_string(), path.into())).collect();
        let splitting = Splitting { split: "8:1:1".to_owned(), dev_share: 0.3, seed };
        from_files(&splitting, &files, read).map(|loaded| loaded.corpus)
    }

    fn words(sentences: &[Sentence]) -> Vec<&str> {
        sentences.iter().map(|sentence| &sentence.tokens[0]).collect()
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
    fn a_corpus_in_one_file_is_split_by_its_seed() {
        let whole = corpus(&[("all", "a")], 1).unwrap();
        assert_eq!((whole.train.len(), whole.dev.len(), whole.test.len()), (8, 1, 1));
        let mut all = [words(&whole.train), words(&whole.dev), words(&whole.test)].concat();
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(n, word)| *word == format!("a{n}")));
        assert!(words(&whole.train).is_sorted());
        assert!((2..6).any(|seed| corpus(&[("all", "a")], seed).unwrap().test != whole.test));
    }

    #[test]
    fn documents_are_not_torn_apart() {
        let whole = corpus(&[("all", "documents")], 1).unwrap();
        let sizes = [whole.train.len(), whole.dev.len(), whole.test.len()];
        let mut sorted = sizes;
        sorted.sort_unstable();
        assert_eq!(sorted, [3, 3, 4], "{sizes:?}");
    }

    #[test]
    fn shares_are_kept_and_no_split_is_empty() {
        let counts = |n, shares| {
            let mut counts = [0; 3];
            (0..n).for_each(|index| counts[split_of(index, n, shares) as usize] += 1);
            counts
        };
        assert_eq!(counts(5343, [8, 1, 1]), [4275, 534, 534]);
        assert_eq!(counts(2999, [3, 0, 1]), [2249, 0, 750]);
        assert_eq!(counts(3, [8, 1, 1]), [1, 1, 1]);
        assert_eq!(counts(3, [1, 1, 1000]), [1, 1, 1]);
        assert_eq!(counts(2, [1, 0, 1000]), [1, 0, 1]);
    }

    #[test]
    fn parts_are_read_beside_the_splits() {
        let roles = [("train", "b"), ("test", "c"), ("parts.distant", "a")];
        let corpus = corpus(&roles, 1).unwrap();
        assert_eq!(corpus.parts["distant"].len(), 10);
        assert_eq!(corpus.parts["distant"][9].tags, [Tag::Begin(TypeId(0))]);
        assert_eq!(corpus.types.names(), ["a", "b", "c"]);
    }

    #[test]
    fn parts_alone_are_read_as_they_are() {
        let corpus = corpus(&[("parts.one", "b"), ("parts.two", "a")], 1).unwrap();
        assert!(corpus.train.is_empty() && corpus.dev.is_empty() && corpus.test.is_empty());
        assert_eq!((corpus.parts["one"].len(), corpus.types.names().len()), (10, 2));
    }

    #[test]
    fn train_and_test_are_needed() {
        let message = |roles| corpus(roles, 1).unwrap_err().to_string();
        assert!(message(&[("test", "b")]).contains("no train file"));
        let format = Part { kind: "columns".into(), parameters: Default::default() };
        let files = BTreeMap::from([("train".to_owned(), PathBuf::from("b"))]);
        assert!(load(&format, &files).unwrap_err().to_string().contains("no test file"));
    }

    #[test]
    fn one_sentence_cannot_be_split() {
        let mut train = vec![Sentence::default()];
        let splitting = Splitting::read(&parts::defaults(Splitting::PARAMETERS));
        let error = carve_dev(&mut train, &splitting, Path::new("t")).unwrap_err();
        assert!(matches!(error, CorpusError::TooSmallToCarve { sentences: 1, .. }), "{error}");
    }
}
