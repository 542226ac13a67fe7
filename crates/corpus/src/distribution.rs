//! The files of a corpus as its authors distribute them: every file a split, nothing carved from
//! another one. Jobs see other splits where there is no dev file; [`dev_origin`] says which.

use super::load::{PART, Splitting};
use super::{CorpusError, Loaded, Remark, WHOLE, load, part_role};
use domain::{Part, Sentence, TypeSet};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// What there is of a corpus.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Distribution {
    pub types: TypeSet,
    /// Train, dev and test first, then whatever else there is, by name.
    pub splits: Vec<SplitSentences>,
    /// Worth telling the user.
    pub remarks: Vec<Remark>,
}

/// The sentences of a split.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SplitSentences {
    pub name: String,
    pub sentences: Vec<Sentence>,
    /// Whether it is a further training part, which is no part of the corpus itself.
    pub is_further: bool,
}

impl Distribution {
    /// The sentences of a split, if there is one of this name.
    pub fn split(&self, name: &str) -> Option<&[Sentence]> {
        let split = self.splits.iter().find(|split| split.name == name && !split.is_further);
        split.map(|split| split.sentences.as_slice())
    }

    /// All sentences but those of further training parts.
    pub fn whole(&self) -> impl Iterator<Item = &Sentence> {
        self.splits.iter().filter(|split| !split.is_further).flat_map(|split| &split.sentences)
    }
}

/// Stands before the name of a split that is read as a part, so that no part has its name.
const AS_PART: &str = "/";
/// The splits of jobs, in the order in which they are told.
const SPLITS: [&str; 3] = ["train", "dev", "test"];

/// Reads every split of a corpus by itself, whatever it is called. Files of other roles that the
/// format reads beside the splits (annotations in a folder of their own) stay what they are.
pub fn as_distributed(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Distribution, CorpusError> {
    if files.is_empty() {
        return as_trained(format, files);
    }
    let beside = super::formats::reads(&format.kind).roles;
    let role = |role: &String| match role.starts_with(PART) || beside.contains(&role.as_str()) {
        true => role.clone(),
        false => part_role(&format!("{AS_PART}{role}")),
    };
    let roles = files.iter().map(|(name, path)| (role(name), path.clone())).collect();
    let Loaded { corpus, remarks } = load(format, &roles)?;
    let split = |(name, sentences): (String, _)| match name.strip_prefix(AS_PART) {
        Some(name) => SplitSentences { name: name.to_owned(), sentences, is_further: false },
        None => SplitSentences { name, sentences, is_further: true },
    };
    let mut splits: Vec<SplitSentences> = corpus.parts.into_iter().map(split).collect();
    splits.sort_by_key(|split| (split.is_further, rank(&split.name)));
    Ok(Distribution { types: corpus.types, splits, remarks })
}

/// The file of a whole corpus, whether it is read to be split or as it is distributed.
pub(super) fn whole(files: &BTreeMap<String, PathBuf>) -> Option<&PathBuf> {
    files.get(WHOLE).or_else(|| files.get(&part_role(&format!("{AS_PART}{WHOLE}"))))
}

/// The place of a split among others: those of jobs first.
pub(super) fn rank(split: &str) -> usize {
    SPLITS.iter().position(|known| *known == split).unwrap_or(SPLITS.len())
}

/// Reads a corpus as jobs do: with a dev split in any case.
pub fn as_trained(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Distribution, CorpusError> {
    let Loaded { corpus, remarks } = load(format, files)?;
    let own = SPLITS.map(str::to_owned).into_iter().zip([corpus.train, corpus.dev, corpus.test]);
    let own = own.map(|(name, sentences)| SplitSentences { name, sentences, is_further: false });
    let parts = corpus.parts.into_iter();
    let parts = parts.map(|(name, sentences)| SplitSentences { name, sentences, is_further: true });
    Ok(Distribution { types: corpus.types, splits: own.chain(parts).collect(), remarks })
}

/// Where the dev split of jobs comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum DevOrigin {
    /// A file of its own.
    Own,
    /// A random share of train; how many sentences, if train is known.
    Carved { share: f64, seed: u64, sentences: Option<usize> },
    /// A random part of the one file that there is.
    Split { parts: String, seed: u64 },
    /// The corpus is made with one.
    Made,
}

/// Where the dev split of a corpus comes from; `None` if it has no train or no test file, so that
/// no job can use it.
pub fn dev_origin(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
    train: Option<&[Sentence]>,
) -> Option<DevOrigin> {
    let parameters = parts::with_defaults(Splitting::PARAMETERS, &format.parameters);
    let splitting = Splitting::read(&parameters);
    let seed = splitting.seed;
    let has = |role: &str| files.contains_key(role);
    if files.is_empty() {
        Some(DevOrigin::Made)
    } else if has("dev") {
        Some(DevOrigin::Own)
    } else if has(WHOLE) {
        Some(DevOrigin::Split { parts: splitting.split, seed })
    } else if has("train") && has("test") {
        let sentences = train.map(|train| splitting.carved(train.len()));
        Some(DevOrigin::Carved { share: splitting.dev_share, seed, sentences })
    } else {
        None
    }
}

impl fmt::Display for DevOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DevOrigin::Own => f.write_str("comes with the corpus"),
            DevOrigin::Carved { share, seed, sentences } => {
                let percent = 100.0 * share;
                write!(f, "no file: jobs set {percent} % of train aside for it")?;
                if let Some(sentences) = sentences {
                    write!(f, ", {sentences} sentence(s)")?;
                }
                write!(f, " (`dev_share`, `seed` {seed})")
            }
            DevOrigin::Split { parts, seed } => {
                write!(f, "one file: jobs split it {parts} into train, dev and test")?;
                write!(f, " (`split`, `seed` {seed})")
            }
            DevOrigin::Made => f.write_str("generated with the corpus"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;

    fn part(kind: &str) -> Part {
        let entry = formats::ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
        Part { kind: kind.into(), parameters: entry.defaults() }
    }

    /// Ten sentences a file, in a folder that lives as long as the test.
    fn files(roles: &[&str]) -> (tempfile::TempDir, BTreeMap<String, PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |role: &&str| {
            let path = folder.path().join(role);
            std::fs::write(&path, format!("a\tB-{}\n\n", role.replace('.', "-")).repeat(10))
                .unwrap();
            (role.to_string(), path)
        };
        let files = roles.iter().map(write).collect();
        (folder, files)
    }

    fn sizes(distribution: &Distribution) -> Vec<(&str, usize, bool)> {
        let size = |split: &SplitSentences| split.sentences.len();
        distribution.splits.iter().map(|s| (s.name.as_str(), size(s), s.is_further)).collect()
    }

    #[test]
    fn files_are_splits_and_parts_are_not_the_corpus() {
        let (_folder, files) = files(&["train", "test", "parts.train", "parts.more"]);
        let found = as_distributed(&part("columns"), &files).unwrap();
        let expected =
            [("train", 10, false), ("test", 10, false), ("train", 10, true), ("more", 10, true)];
        assert_eq!(sizes(&found), expected);
        assert_eq!((found.whole().count(), found.types.len()), (20, 4));
        assert_eq!(
            found.types.name(found.split("train").unwrap()[0].tags[0].entity_type().unwrap()),
            "train"
        );
        let trained = as_trained(&part("columns"), &files).unwrap();
        assert_eq!(
            sizes(&trained)[..3],
            [("train", 9, false), ("dev", 1, false), ("test", 10, false)]
        );
    }

    #[test]
    fn a_corpus_in_one_file_is_one_split() {
        let (_folder, files) = files(&["all"]);
        assert_eq!(sizes(&as_distributed(&part("columns"), &files).unwrap()), [("all", 10, false)]);
        let trained = as_trained(&part("columns"), &files).unwrap();
        assert_eq!(sizes(&trained).iter().map(|s| s.1).collect::<Vec<_>>(), [8, 1, 1]);
    }

    #[test]
    fn a_generated_corpus_has_the_splits_of_jobs() {
        let none = BTreeMap::new();
        let found = as_distributed(&part("synthetic"), &none).unwrap();
        assert_eq!(found, as_trained(&part("synthetic"), &none).unwrap());
        assert!(found.splits.iter().map(|split| split.name.as_str()).eq(SPLITS));
        assert_eq!(dev_origin(&part("synthetic"), &none, None), Some(DevOrigin::Made));
    }

    #[test]
    fn it_is_said_where_dev_comes_from() {
        let origin = |roles: &[&str]| {
            let files = roles.iter().map(|role| (role.to_string(), PathBuf::new())).collect();
            let train = vec![Sentence::default(); 42];
            dev_origin(&part("columns"), &files, Some(&train)).map(|origin| origin.to_string())
        };
        assert_eq!(origin(&["train", "dev", "test"]).unwrap(), "comes with the corpus");
        assert_eq!(
            origin(&["train", "test"]).unwrap(),
            "no file: jobs set 10 % of train aside for it, 4 sentence(s) (`dev_share`, `seed` 1)"
        );
        assert_eq!(
            origin(&["all"]).unwrap(),
            "one file: jobs split it 8:1:1 into train, dev and test (`split`, `seed` 1)"
        );
        assert_eq!(origin(&["train"]), None);
    }
}
