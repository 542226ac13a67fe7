//! Corpora with spans of characters, compared with the column files that their authors or others
//! made of them.

use super::{folder, numbers, read};
use crate::{Loaded, RemarkKind, formats, load};
use domain::{Corpus, ParameterValue, Part, Sentence, Split, Tag};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn read_as(format: &str, roles: &[(&str, PathBuf)], set: &[(&str, &str)]) -> Loaded {
    let entry = formats::ENTRIES.iter().find(|entry| entry.name == format).expect("the format");
    let mut parameters = entry.defaults();
    for (name, value) in set {
        parameters.0.insert(name.to_string(), ParameterValue::Text(value.to_string()));
    }
    let files = roles.iter().map(|(role, path)| (role.to_string(), path.clone())).collect();
    load(&Part { kind: format.into(), parameters }, &files).unwrap()
}

/// The entities of a split in order: the type, and the text without white space.
fn entities(corpus: &Corpus, split: Split) -> Vec<(String, String)> {
    let mut entities: Vec<(String, String)> = vec![];
    for Sentence { tokens, tags } in corpus.split(split) {
        for (token, tag) in tokens.iter().zip(tags) {
            match (tag, entities.last_mut()) {
                (Tag::Begin(id), _) => {
                    entities.push((corpus.types.name(*id).to_owned(), token.to_owned()));
                }
                (Tag::Inside(_), Some((_, text))) => text.push_str(token),
                _ => {}
            }
        }
    }
    entities
}

fn tokens(corpus: &Corpus, split: Split) -> Vec<&str> {
    corpus.split(split).iter().flat_map(|sentence| sentence.tokens.iter()).collect()
}

/// Links to the documents of a list, numbered in the list's order, which is that of the columns.
fn listed(folder: &Path, list: &str, into: &Path) -> PathBuf {
    let target = into.join(list);
    fs::create_dir(&target).unwrap();
    let names = fs::read_to_string(folder.join("test").join(list)).unwrap();
    for (index, name) in names.lines().enumerate() {
        let name = Path::new(name.trim()).file_stem().unwrap().to_str().unwrap();
        for ending in ["txt", "ann"] {
            let from = folder.join("standoff").join(format!("{name}.{ending}"));
            let to = target.join(format!("{index:04}-{name}.{ending}"));
            std::os::unix::fs::symlink(from.canonicalize().unwrap(), to).unwrap();
        }
    }
    target
}

/// The first difference of two lists.
fn difference<T: PartialEq>(a: Vec<T>, b: Vec<T>) -> Option<(usize, Option<T>, Option<T>)> {
    let longest = a.len().max(b.len());
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    (0..longest).map(|n| (n, a.next(), b.next())).find(|(_, a, b)| a != b)
}

fn counted(loaded: &Loaded) -> Vec<(RemarkKind, usize)> {
    loaded.remarks.iter().map(|remark| (remark.kind, remark.count)).collect()
}

#[test]
fn anem_standoff_is_its_column_files() {
    let Some(folder) = folder("anem") else { return };
    let files = ["test/AnEM.train", "test/AnEM.test", "test/AnEM.test"];
    let columns = read(&folder, files, "iob2").unwrap().corpus;
    let links = tempfile::tempdir().unwrap();
    let train = listed(&folder, "train-files.list", links.path());
    let test = listed(&folder, "test-files.list", links.path());
    let roles = [("train", train), ("dev", test.clone()), ("test", test)];
    let cut = read_as("brat", &roles, &[]);
    // Those who made the columns gave a token the tag of an entity inside of it.
    let widened = read_as("brat", &roles, &[("partial_tokens", "widen")]);
    for (split, count) in [(Split::Train, 1_879), (Split::Test, 1_256)] {
        assert_eq!(entities(&cut.corpus, split).len(), count);
        let standoff = &widened.corpus;
        assert_eq!(difference(entities(standoff, split), entities(&columns, split)), None);
        assert_eq!(difference(tokens(standoff, split), tokens(&columns, split)), None);
    }
    let each = [8, 2, 2];
    assert_eq!(counted(&cut), each.map(|count| (RemarkKind::CutTokens, count)));
    assert_eq!(counted(&widened), each.map(|count| (RemarkKind::Widened, count)));
}

#[test]
fn ncbi_disease_in_pubtator_has_the_tokens_and_mentions_of_its_column_files() {
    let Some(folder) = folder("ncbi-disease") else { return };
    let columns = read(&folder, ["train.tsv", "devel.tsv", "test.tsv"], "iob2").unwrap();
    let original = |name: &str, file: &str| folder.join("original-data").join(name).join(file);
    let roles = [
        ("train", original("train", "NCBItrainset_corpus.txt")),
        ("dev", original("devel", "NCBIdevelopset_corpus.txt")),
        ("test", original("test", "NCBItestset_corpus.txt")),
    ];
    let pubtator = read_as("pubtator", &roles, &[("partial_tokens", "widen")]);
    let types = ["CompositeMention", "DiseaseClass", "Modifier", "SpecificDisease"];
    assert_eq!(pubtator.corpus.types.names(), types);
    let sizes = [(135_701, 5_134), (23_969, 787), (24_497, 960)];
    for (split, size) in [Split::Train, Split::Dev, Split::Test].into_iter().zip(sizes) {
        let found = numbers(&pubtator, split);
        assert_eq!((found.tokens, found.entities), size);
        // The columns have the articles in another order.
        let texts = |loaded: &Loaded| {
            let texts = entities(&loaded.corpus, split).into_iter().map(|(_, text)| text);
            let mut texts: Vec<String> = texts.collect();
            texts.sort_unstable();
            texts
        };
        assert_eq!(difference(texts(&pubtator), texts(&columns)), None);
    }
    let expected = [
        (RemarkKind::SpacesDiffer, 1),
        (RemarkKind::Widened, 2),
        (RemarkKind::RepeatedDocuments, 1),
    ];
    assert_eq!(counted(&pubtator).into_iter().collect::<BTreeSet<_>>(), expected.into());
}

#[test]
fn stockmark_is_counted_in_characters() {
    let Some(folder) = folder("stockmark") else { return };
    let loaded =
        read_as("json-spans", &[("all", folder.join("ner.json"))], &[("tokens", "character")]);
    let splits = [Split::Train, Split::Dev, Split::Test].map(|split| numbers(&loaded, split));
    assert_eq!(splits.iter().map(|split| split.sentences).sum::<u64>(), 5_343);
    assert_eq!(splits.iter().map(|split| split.tokens).sum::<u64>(), 308_374);
    assert_eq!(splits.iter().map(|split| split.entities).sum::<u64>(), 13_185);
    assert_eq!(loaded.corpus.types.len(), 8);
    assert_eq!(splits.map(|split| split.sentences), [4_275, 534, 534]);
    assert_eq!(loaded.remarks, []);
}
