//! Every fixture under `tests/fixtures/columns`, and bytes that nobody would call a corpus.

use super::*;
use crate::error::checked;
use crate::formats::rows::MOST_TYPES;
use crate::formats::testing::{self, Read};
use crate::schemes::{Label, Scheme};
use crate::write_columns;
use domain::{Parameters, Part, Sentence, Tag, TypeId};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

fn parameters(set: &[(&str, &str)]) -> Parameters {
    testing::parameters(Columns::PARAMETERS, set)
}

fn read_bytes(
    path: &Path,
    bytes: &[u8],
    set: &[(&str, &str)],
) -> Result<(FileContent, TypeSet), CorpusError> {
    read_lines(path, bytes, set).map(|Read { content, types }| (content, types))
}

fn read_lines(path: &Path, bytes: &[u8], set: &[(&str, &str)]) -> Result<Read, CorpusError> {
    let columns = Columns::read(&checked(Columns::PARAMETERS, &parameters(set))?);
    columns.check()?;
    let lines = Lines::new(path, columns.encoding, bytes);
    testing::read(|types| columns.read_lines(lines, types))
}

fn read(name: &str, set: &[(&str, &str)]) -> Result<(FileContent, TypeSet), CorpusError> {
    read_bytes(Path::new(name), &testing::fixture("columns", name), set)
}

/// A fixture's sentences, one a line.
fn shown(name: &str, set: &[(&str, &str)]) -> Vec<String> {
    read_lines(Path::new(name), &testing::fixture("columns", name), set).unwrap().shown()
}

fn message(name: &str, set: &[(&str, &str)]) -> String {
    read(name, set).unwrap_err().to_string()
}

#[test]
fn a_last_sentence_needs_no_blank_line() {
    assert_eq!(
        shown("iob2-no-final-newline.txt", &[]),
        ["EU/B-ORG rejects German/B-MISC call .", "Peter/B-PER Blackburn/I-PER"]
    );
}

#[test]
fn conll_2003_is_read_in_iob1_with_documents_skipped_or_counted() {
    let sentences = ["EU/B-ORG rejects .", "Anna/B-PER Ben/B-PER Lee/I-PER", "Bonn/B-LOC"];
    let iob1 = ("scheme", "iob1");
    assert_eq!(shown("conll2003.txt", &[iob1]), sentences);
    assert_eq!(shown("conll2003.txt", &[iob1, ("separator", "space")]), sentences);
    let counted = shown("conll2003.txt", &[iob1, ("docstart", "count")]);
    assert_eq!(counted, ["-DOCSTART-", sentences[0], sentences[1], "-DOCSTART-", sentences[2]]);
}

#[test]
fn iobes_has_either_set_of_letters() {
    assert_eq!(
        shown("iobes-and-bilou.tsv", &[("scheme", "iobes")]),
        [
            "Lung/B-Organ cancer/I-Organ cell/B-Cell",
            "heart/B-Organ red/B-Cell blood/I-Cell cell/I-Cell"
        ]
    );
}

#[test]
fn bare_tags_have_the_type_they_are_given() {
    let gene = [("scheme", "bare"), ("entity_type", "gene")];
    assert_eq!(shown("bare.tsv", &gene), ["BRCA1/B-gene and p53/B-gene gene/I-gene"]);
}

#[test]
fn io_joins_neighbours_of_one_type() {
    assert_eq!(shown("io.tsv", &[("scheme", "io")]), ["Ann/B-PER Bob/I-PER Rome/B-LOC"]);
}

#[test]
fn only_the_separator_separates_and_only_blank_lines_end_sentences() {
    let work = "creative-work";
    let expected = [
        format!("The/B-{work}  /I-{work} Wall/I-{work}"),
        "\\u{a0} \\u{85} \\u{8} a\\u{200b}b c\\u{feff}d".to_owned(),
        "\\u{feff}".to_owned(),
    ];
    assert_eq!(shown("traps.tsv", &[]), expected);
    assert_eq!(shown("traps.tsv", &[("separator", "tab")]), expected);
}

#[test]
fn a_line_of_other_white_space_is_not_blank() {
    let error = read_bytes(Path::new("f"), "a\tO\n\u{a0}\nb\tO\n".as_bytes(), &[]).unwrap_err();
    assert!(error.to_string().starts_with("f:2: only 1 column(s)"), "{error}");
}

#[test]
fn columns_count_from_either_end() {
    let expected = ["Ventricular/B-Multi-tissue_structure septum/I-Multi-tissue_structure is"];
    assert_eq!(shown("four-columns.tsv", &[]), expected);
    assert_eq!(shown("four-columns.tsv", &[("token", "-4"), ("tag", "3")]), expected);
    let csv = [("token", "-1"), ("tag", "0"), ("separator", ","), ("scheme", "iob1")];
    assert_eq!(shown("tag-first.csv", &csv), ["Rome/B-LOC is Oslo/B-LOC"]);
}

#[test]
fn sequences_that_break_the_scheme_are_counted_with_their_first_line() {
    let (content, _) = read("broken-iob2.tsv", &[]).unwrap();
    let [remark] = &content.remarks.into_vec()[..] else { panic!("one kind of remark") };
    assert_eq!((remark.count, remark.line), (3, Some(2)));
    assert!(remark.to_string().starts_with("broken-iob2.tsv:2: the first of 3 tag(s)"));
    assert_eq!(shown("broken-iob2.tsv", &[])[1], "Bonn/B-LOC Paris/B-LOC said/B-PER");
    let (whole, _) = read("iob2-no-final-newline.txt", &[]).unwrap();
    assert_eq!(whole.remarks.into_vec(), []);
}

#[test]
fn broken_entities_are_discarded_or_refused_if_asked() {
    let discarded = shown("broken-iob2.tsv", &[("repair", "discard")]);
    assert_eq!(discarded[1], "Bonn Paris/B-LOC said");
    let refused = message("broken-iob2.tsv", &[("repair", "refuse")]);
    assert!(refused.starts_with("broken-iob2.tsv:2: a tag that iob2 does not allow"), "{refused}");
}

#[test]
fn a_header_and_comments_are_no_tokens() {
    let rows = b"word,tag\n# Rome,O\nRome,B-LOC\n# a comment in a sentence\nis,O\n";
    let set = [("separator", ","), ("header", "true"), ("comment", "# ")];
    let (content, _) = read_bytes(Path::new("f"), rows, &set).unwrap();
    assert_eq!(content.sentences.len(), 1);
    assert!(content.sentences[0].tokens.iter().eq(["Rome", "is"]));
    let named = read_bytes(Path::new("f"), rows, &[("separator", ",")]).unwrap_err().to_string();
    assert!(named.starts_with("f:1: `tag` is not a tag"), "{named}");
}

#[test]
fn tags_that_say_nothing_are_counted() {
    let set = [("unlabelled", "UNK")];
    let (content, _) = read_bytes(Path::new("f"), b"a\tUNK\nb\tB-x\nc\tUNK\n", &set).unwrap();
    let [remark] = &content.remarks.into_vec()[..] else { panic!("one kind of remark") };
    assert_eq!(remark.to_string(), "f:1: the first of 2 token(s) without a label, read as O");
}

#[test]
fn windows_1252_is_read_where_it_is_asked_for() {
    let cafe = shown("latin-1.tsv", &[("encoding", "windows-1252")]);
    assert_eq!(cafe, ["ok café"]);
}

#[test]
fn errors_name_file_line_text_and_remedy() {
    assert_eq!(
        message("too-few-columns.tsv", &[]),
        "too-few-columns.tsv:2: only 1 column(s) when splitting at tabs, at least 2 are needed: `two`; \
         set `separator`, `token` and `tag` to fit the file"
    );
    assert_eq!(
        message("not-in-scheme.tsv", &[]),
        "not-in-scheme.tsv:4: `UNK` is not a tag of the scheme iob2 (O, B-type or I-type); \
         set `scheme` and `tag` to fit the file"
    );
    let escaped = message("not-in-scheme.tsv", &[("scheme", "bare")]);
    assert!(escaped.starts_with("not-in-scheme.tsv:3: `B-\\u{1b}[31mPER` is not"), "{escaped}");
    assert!(
        message("empty-token.tsv", &[])
            .starts_with("empty-token.tsv:2: the token is empty: `\\tO`")
    );
    assert_eq!(message("no-sentence.tsv", &[]), "no-sentence.tsv: no sentence in it");
    assert!(message("latin-1.tsv", &[]).starts_with("latin-1.tsv:2: not UTF-8"));
    assert!(message("binary.dat", &[]).starts_with("binary.dat:2: a NUL byte"));
    let needed = message("four-columns.tsv", &[("token", "4"), ("tag", "-1")]);
    assert!(needed.contains("only 4 column(s)") && needed.contains("at least 6"), "{needed}");
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    let refused = |set| message("io.tsv", set);
    assert!(refused(&[("token", "-1")]).starts_with("`tag`"));
    assert!(refused(&[("separator", "")]).starts_with("`separator`"));
    assert!(refused(&[("scheme", "iob3")]).starts_with("`scheme`: `iob3`"));
    assert!(refused(&[("entity_type", "")]).starts_with("`entity_type`"));
}

#[test]
fn too_many_types_mean_a_wrong_column() {
    let rows: String = (0..=MOST_TYPES).map(|n| format!("w\tB-{n}\n")).collect();
    let error = read_bytes(Path::new("f"), rows.as_bytes(), &[]).unwrap_err().to_string();
    assert!(error.starts_with("f:1001: more than 1000 entity types"), "{error}");
}

#[test]
fn a_corpus_is_loaded_by_name_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (name.to_owned(), path)
    };
    let rows = "a\tB-z\n\nb\tI-y\n\nc\tO\n";
    let part = Part { kind: "columns".into(), parameters: parameters(&[]) };
    let mut files: BTreeMap<_, _> = [file("train", rows), file("test", "d\tB-x\n")].into();
    let loaded = crate::load(&part, &files).unwrap();
    assert_eq!(loaded.corpus.types.names(), ["x", "y", "z"]);
    assert_eq!((loaded.corpus.train.len(), loaded.corpus.dev.len()), (2, 1));
    assert_eq!((loaded.remarks.len(), loaded.remarks[0].line), (1, Some(3)));
    files.insert("dev".into(), folder.path().join("none"));
    let missing = crate::load(&part, &files).unwrap_err();
    assert!(matches!(missing, CorpusError::Missing { .. }), "{missing}");
    files.insert("dev".into(), folder.path().to_owned());
    let unreadable = crate::load(&part, &files).unwrap_err();
    assert!(matches!(unreadable, CorpusError::Unreadable { .. }), "{unreadable}");
}

/// Bytes that look a little like columns, so that rows get through too.
fn row_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&str] =
        &["\n", "\t", " ", "\r", "a", "B-x", "I-x", "O", "-DOCSTART-", "\u{feff}", "é", "B", "S-y"];
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|p| p.concat().into_bytes())
}

/// Tokens that a column file can hold, and now and then one that looks like a document's start.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![40 => "[^\t\n\r\0]{1,4}", 1 => "\u{feff}?-DOCSTART-[ \u{a0}x]?[x-]?"]
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), row_like()],
        token in -3i64..3, tag in -3i64..3,
        scheme in prop::sample::select(Scheme::WORDS),
        separator in prop::sample::select(&["auto", "tab", "space", "whitespace", "é"][..]),
        docstart in prop::sample::select(&["skip", "count"][..]),
    ) {
        let (token, tag) = (token.to_string(), tag.to_string());
        let set = [("token", &*token), ("tag", &tag), ("scheme", scheme), ("separator", separator), ("docstart", docstart)];
        if let Ok((content, _)) = read_bytes(Path::new("f"), &bytes, &set) {
            for sentence in &content.sentences {
                prop_assert!(!sentence.is_empty() && sentence.len() == sentence.tags.len());
            }
        }
    }

    #[test]
    fn what_is_written_is_read_back(
        sentences in prop::collection::vec(
            prop::collection::vec((word(), 0..5usize), 1..6), 1..5)
    ) {
        let types = TypeSet::new(["x", "y-z"].map(String::from));
        let sentences: Vec<Sentence> = sentences.into_iter().map(|rows| {
            let (tokens, classes): (Vec<String>, Vec<usize>) = rows.into_iter().unzip();
            let labels: Vec<Label> = Scheme::Iob2.from_iob2(&classes.into_iter().map(Tag::from_index).collect::<Vec<_>>());
            Sentence { tokens: tokens.iter().collect(), tags: Scheme::Iob2.to_iob2(&labels).tags }
        }).collect();
        let mut bytes = vec![];
        let written = write_columns(&sentences, &types, &mut bytes);
        if sentences.iter().flat_map(|sentence| sentence.tokens.iter()).any(is_docstart) {
            prop_assert!(written.is_err());
            return Ok(());
        }
        written.unwrap();
        let columns = Columns::read(&parameters(&[]));
        let lines = Lines::new(Path::new("f"), columns.encoding, &bytes[..]);
        let content = columns.read_lines(lines, &mut types.clone()).unwrap();
        prop_assert_eq!(content, FileContent { sentences, ..FileContent::default() });
    }
}

#[test]
fn a_type_keeps_its_id_across_files() {
    let mut types = TypeSet::new(["a".to_owned(), "b".to_owned()]);
    let columns = Columns::read(&parameters(&[]));
    let lines = Lines::new(Path::new("f"), columns.encoding, &b"w\tB-b\n"[..]);
    let content = columns.read_lines(lines, &mut types).unwrap();
    assert_eq!(content.sentences[0].tags, [Tag::Begin(TypeId(1))]);
}
