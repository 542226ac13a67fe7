//! A corpus as a trial of a parameter search sees it: without its test split.
//!
//! Where test is a file of its own, a trial's corpus does not name it, so nothing can read it.
//! Where the splits are drawn from one file, that file is read, and test is dropped before anything
//! else looks at the corpus. Types that only test has are unknown to a trial either way.

use super::load::with_types;
use super::synthetic::TEST_SIZE;
use super::{CorpusError, Loaded, cache};
use domain::{Corpus, CorpusIdentity, ParameterValue, Tag, TypeId, TypeSet};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The identity of a corpus without what belongs to test alone: its file, and its size where the
/// corpus is generated.
pub fn without_test(identity: &CorpusIdentity) -> CorpusIdentity {
    let mut identity = identity.clone();
    identity.digests.remove("test");
    if let Some(size) = identity.format.parameters.0.get_mut(TEST_SIZE) {
        *size = ParameterValue::Integer(1);
    }
    identity
}

/// Loads train and dev, from the cache if they are there.
pub fn load_without_test(
    identity: &CorpusIdentity,
    files: &BTreeMap<String, PathBuf>,
) -> Result<Loaded, CorpusError> {
    let Loaded { mut corpus, remarks } = cache::load_cached(identity, files)?;
    if !corpus.test.is_empty() {
        corpus.test.clear();
        // A generated corpus knows its types before it has a sentence.
        if !identity.digests.is_empty() {
            let seen = seen_types(&corpus);
            corpus = with_types(corpus, seen);
        }
    }
    Ok(Loaded { corpus, remarks })
}

/// The types that an entity of train, dev or a further part has.
fn seen_types(corpus: &Corpus) -> TypeSet {
    let splits = [&corpus.train, &corpus.dev].into_iter().chain(corpus.parts.values());
    let mut seen = vec![false; corpus.types.names().len()];
    for tag in splits.flatten().flat_map(|sentence| &sentence.tags) {
        if let Tag::Begin(TypeId(id)) | Tag::Inside(TypeId(id)) = tag {
            seen[*id as usize] = true;
        }
    }
    let names = corpus.types.names().iter().zip(seen);
    TypeSet::new(names.filter(|(_, seen)| *seen).map(|(name, _)| name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{digest_file, formats};
    use domain::Part;

    const TRAIN: &str = "a O\nb B-zoo\n\nc B-person\n\n";

    fn identity(
        kind: &str,
        files: &[(&str, PathBuf)],
    ) -> (CorpusIdentity, BTreeMap<String, PathBuf>) {
        let entry = formats::ENTRIES.iter().find(|entry| entry.name == kind).unwrap();
        let format = Part { kind: kind.into(), parameters: entry.defaults() };
        let digests =
            files.iter().map(|(role, path)| (role.to_string(), digest_file(path).unwrap()));
        let digests = digests.collect();
        let files = files.iter().map(|(role, path)| (role.to_string(), path.clone())).collect();
        (CorpusIdentity { format, digests }, files)
    }

    #[test]
    fn a_test_file_is_not_named_and_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let [train, test] = ["train.txt", "test.txt"].map(|name| folder.path().join(name));
        std::fs::write(&train, TRAIN).unwrap();
        std::fs::write(&test, "d B-animal\n\n").unwrap();
        let roles = [("train", train.clone()), ("dev", train), ("test", test.clone())];
        let (whole, mut files) = identity("columns", &roles);
        let part = without_test(&whole);
        assert_eq!(part.digests.keys().collect::<Vec<_>>(), ["dev", "train"]);
        std::fs::remove_file(test).unwrap();
        files.remove("test");
        let Loaded { corpus, .. } = load_without_test(&part, &files).unwrap();
        assert_eq!((corpus.train.len(), corpus.dev.len(), corpus.test.len()), (2, 2, 0));
        assert_eq!(corpus.types.names(), ["person", "zoo"]);
    }

    #[test]
    fn what_is_drawn_from_one_file_loses_test_and_its_types() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all.txt");
        let sentence = |n: usize| format!("w{n} B-t{n}\n\n");
        std::fs::write(&path, (0..20).map(sentence).collect::<String>()).unwrap();
        let (identity, files) = identity("columns", &[("all", path)]);
        let whole = cache::load_cached(&identity, &files).unwrap().corpus;
        let part = load_without_test(&without_test(&identity), &files).unwrap().corpus;
        assert!(part.test.is_empty() && !whole.test.is_empty());
        assert_eq!(part.types.names().len(), part.train.len() + part.dev.len());
        for (one, other) in part.train.iter().zip(&whole.train) {
            assert_eq!(one.tokens, other.tokens);
            assert_eq!(
                part.types.show(one.tags[0]).to_string(),
                whole.types.show(other.tags[0]).to_string()
            );
        }
    }

    #[test]
    fn a_generated_corpus_does_not_depend_on_the_size_of_its_test() {
        let (mut identity, files) = identity("synthetic", &[]);
        let one = without_test(&identity);
        identity.format.parameters.0.insert(TEST_SIZE.into(), ParameterValue::Integer(77));
        assert_eq!(without_test(&identity), one);
        let (part, whole) = (
            load_without_test(&one, &files).unwrap().corpus,
            cache::load_cached(&identity, &files).unwrap().corpus,
        );
        assert_eq!((part.train, part.dev, part.test.len()), (whole.train, whole.dev, 0));
        assert_eq!(part.types, whole.types);
    }
}
