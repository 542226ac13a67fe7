//! Real corpora as their authors distribute them, counted: the numbers are those that the authors
//! and the papers print, not ours.
//!
//! They are no part of the project. The folder is `TAILGRID_CORPORA`, or `../shared/corpora` beside
//! the project; where it is missing these tests say so and pass.

mod spans;

use super::statistics::statistics;
use super::{CorpusError, Loaded, formats, load};
use domain::{ParameterValue, Part, Split, Statistics};
use std::path::{Path, PathBuf};

/// The folder of all corpora, whether or not it is there.
pub fn corpora() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    std::env::var_os("TAILGRID_CORPORA").map_or_else(beside, PathBuf::from)
}

/// The folder of a corpus, if it is there.
fn folder(name: &str) -> Option<PathBuf> {
    let folder = corpora().join(name);
    if !folder.is_dir() {
        println!("skipped: no corpora ({name})");
        return None;
    }
    Some(folder)
}

fn columns(scheme: &str) -> Part {
    let entry = formats::ENTRIES.iter().find(|entry| entry.name == "columns").expect("the format");
    let mut parameters = entry.defaults();
    parameters.0.insert("scheme".into(), ParameterValue::Text(scheme.into()));
    Part { kind: "columns".into(), parameters }
}

fn read(folder: &Path, files: [&str; 3], scheme: &str) -> Result<Loaded, CorpusError> {
    let files =
        ["train", "dev", "test"].map(str::to_owned).into_iter().zip(files.map(|f| folder.join(f)));
    load(&columns(scheme), &files.collect())
}

fn numbers(loaded: &Loaded, split: Split) -> Statistics {
    statistics(&loaded.corpus.types, loaded.corpus.split(split))
}

fn sizes(loaded: &Loaded) -> [(u64, u64, u64); 3] {
    [Split::Train, Split::Dev, Split::Test].map(|split| {
        let Statistics { sentences, tokens, entities, .. } = numbers(loaded, split);
        (sentences, tokens, entities)
    })
}

/// A share in per cent with two digits, as papers print it.
fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// Types, entity tokens, sentences with entities, rarest and commonest type (Table 1 of wang2022).
fn table_1(found: &Statistics) -> (usize, [String; 4]) {
    let shares = [
        found.entity_token_share,
        found.sentences_with_entities_share,
        found.rarest_type_share,
        found.commonest_type_share,
    ];
    (found.types.len(), shares.map(percent))
}

#[test]
fn wnut_2017() {
    let Some(folder) = folder("wnut17") else { return };
    let files = ["wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated"];
    let loaded = read(&folder, files, "iob2").unwrap();
    let expected = [(3_394, 62_730, 1_975), (1_009, 15_733, 836), (1_287, 23_394, 1_079)];
    assert_eq!(sizes(&loaded), expected);
    let train = table_1(&numbers(&loaded, Split::Train));
    assert_eq!(train, (6, ["5.04", "36.18", "0.43", "1.59"].map(String::from)));
}

#[test]
fn anem() {
    let Some(folder) = folder("anem") else { return };
    let files = ["test/AnEM.train", "test/AnEM.test", "test/AnEM.test"];
    let loaded = read(&folder, files, "iob2").unwrap();
    let test = (1_882, 45_939, 1_256);
    assert_eq!(sizes(&loaded), [(2_815, 71_697, 1_879), test, test]);
    let train = table_1(&numbers(&loaded, Split::Train));
    assert_eq!(train, (11, ["3.91", "35.38", "0.03", "1.08"].map(String::from)));
}

/// The files of NCBI disease.
#[test]
fn ncbi_disease_is_the_same_in_both_schemes() {
    let Some(folder) = folder("ncbi-disease") else { return };
    let files = ["train.tsv", "devel.tsv", "test.tsv"];
    let iob2 = read(&folder, files, "iob2").unwrap();
    let mut counts = vec![0; iob2.corpus.types.tag_count()];
    let tags = iob2.corpus.train.iter().flat_map(|sentence| &sentence.tags);
    tags.for_each(|tag| counts[tag.index()] += 1);
    assert_eq!(counts, [124_452, 5_134, 6_115]);
    let expected = [(5_424, 135_701, 5_134), (923, 23_969, 787), (940, 24_497, 960)];
    assert_eq!(sizes(&iob2), expected);
    let iobes = read(&folder.join("IOBES"), files, "iobes").unwrap();
    for split in [Split::Train, Split::Dev, Split::Test] {
        let pairs = iob2.corpus.split(split).iter().zip(iobes.corpus.split(split));
        assert_eq!(pairs.filter(|(a, b)| a != b).collect::<Vec<_>>(), []);
    }
    assert_eq!((iob2.remarks, iobes.remarks), (vec![], vec![]));
}

#[test]
fn ec_with_spaces_as_tokens() {
    let Some(folder) = folder("ec") else { return };
    let loaded = read(&folder, ["train", "dev", "test"], "iob2").unwrap();
    assert_eq!(sizes(&loaded), [(1_097, 8_635, 1_264), (400, 3_104, 475), (798, 6_107, 918)]);
    let distant = read(&folder, ["ds_fa", "dev", "test"], "iob2").unwrap();
    assert_eq!(sizes(&distant)[0], (2_560, 21_976, 3_061));
    let mut format = columns("iob2");
    format.parameters.0.insert("unlabelled".into(), ParameterValue::Text("UNK".into()));
    let files = ["train", "dev", "test"].map(str::to_owned).into_iter();
    let files = files.zip(["ds_pa", "dev", "test"].map(|file| folder.join(file)));
    let unlabelled = load(&format, &files.collect()).unwrap();
    assert_eq!(sizes(&unlabelled)[0], (2_560, 21_976, 3_061));
    let partial = read(&folder, ["ds_pa", "dev", "test"], "iob2").unwrap_err();
    let CorpusError::Several { problems, more } = partial else { panic!("{partial}") };
    let is_unknown =
        |error: &CorpusError| matches!(error, CorpusError::Tag { tag, .. } if tag == "UNK");
    assert!(problems.iter().all(is_unknown), "{problems:?}");
    assert_eq!(problems.len() + more, 14_710);
}
