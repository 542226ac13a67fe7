//! A corpus as the bytes of an entry, and back.
//!
//! A line that says what it is, the SHA-256 of the rest, a header in JSON (types, sizes, remarks),
//! and the sentences: how many tokens, their lengths, their tags, their text. Numbers are of
//! variable length, seven bits a byte, the lowest first; most take one byte.

use crate::Loaded;
use crate::remark::{Remark, RemarkKind};
use domain::{Corpus, Sentence, Tag, TokensBuilder, TypeSet};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TITLE: &[u8] = b"a corpus parsed by tailgrid\n";
const CHECKSUM: usize = 32;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    types: Vec<String>,
    /// How many sentences train, dev and test have.
    splits: [usize; 3],
    /// The further parts and their sizes, in the order of their names.
    parts: Vec<(String, usize)>,
    remarks: Vec<StoredRemark>,
}

/// A remark whose place is told by the file's role, since the same files may lie elsewhere.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRemark {
    role: String,
    /// The file in the folder of that role; empty if the role is the file.
    file: PathBuf,
    line: Option<usize>,
    further: Vec<usize>,
    count: usize,
    kind: RemarkKind,
}

impl StoredRemark {
    fn new(remark: &Remark, files: &BTreeMap<String, PathBuf>) -> Option<Self> {
        let inside = |(role, path): (&String, &PathBuf)| {
            let file = remark.path.strip_prefix(path).ok()?;
            Some((path.as_os_str().len(), role.clone(), file.to_owned()))
        };
        let (_, role, file) = files.iter().filter_map(inside).max()?;
        let Remark { line, further, count, kind, .. } = remark.clone();
        Some(Self { role, file, line, further, count, kind })
    }

    fn restored(self, files: &BTreeMap<String, PathBuf>) -> Option<Remark> {
        let Self { role, file, line, further, count, kind } = self;
        let path = files.get(&role)?;
        let path = if file == Path::new("") { path.clone() } else { path.join(file) };
        Some(Remark { path, line, further, count, kind })
    }
}

/// The bytes of an entry; `None` if an entry cannot hold this.
pub(super) fn encode(loaded: &Loaded, files: &BTreeMap<String, PathBuf>) -> Option<Vec<u8>> {
    let Loaded { corpus, remarks } = loaded;
    let Corpus { types, train, dev, test, parts, annotations } = corpus;
    if !annotations.is_empty() {
        return None;
    }
    let header = Header {
        types: types.names().to_vec(),
        splits: [train.len(), dev.len(), test.len()],
        parts: parts.iter().map(|(name, part)| (name.clone(), part.len())).collect(),
        remarks: remarks.iter().map(|r| StoredRemark::new(r, files)).collect::<Option<_>>()?,
    };
    let header = serde_json::to_vec(&header).ok()?;
    let mut bytes = [TITLE, &[0; CHECKSUM]].concat();
    push_number(&mut bytes, header.len());
    bytes.extend(header);
    for sentence in [train, dev, test].into_iter().chain(parts.values()).flatten() {
        push_sentence(&mut bytes, sentence);
    }
    let (start, content) = bytes.split_at_mut(TITLE.len() + CHECKSUM);
    start[TITLE.len()..].copy_from_slice(&Sha256::digest(content));
    Some(bytes)
}

fn push_sentence(bytes: &mut Vec<u8>, sentence: &Sentence) {
    push_number(bytes, sentence.len());
    sentence.tokens.iter().for_each(|token| push_number(bytes, token.len()));
    sentence.tags.iter().for_each(|tag| push_number(bytes, tag.index()));
    sentence.tokens.iter().for_each(|token| bytes.extend(token.as_bytes()));
}

fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The corpus of an entry, its remarks with the paths of these files; `None` if it is damaged.
pub(super) fn decode(bytes: &[u8], files: &BTreeMap<String, PathBuf>) -> Option<Loaded> {
    let (checksum, content) = bytes.strip_prefix(TITLE)?.split_at_checked(CHECKSUM)?;
    if checksum != Sha256::digest(content).as_slice() {
        return None;
    }
    let mut content = Content(content);
    let length = content.number()?;
    let header: Header = serde_json::from_slice(content.take(length)?).ok()?;
    let types = TypeSet::new(header.types);
    let mut reader =
        Sentences { content, tags: types.tag_count(), tokens: TokensBuilder::default() };
    let [train, dev, test] = header.splits;
    let corpus = Corpus {
        train: reader.take(train)?,
        dev: reader.take(dev)?,
        test: reader.take(test)?,
        parts: header
            .parts
            .into_iter()
            .map(|(name, n)| Some((name, reader.take(n)?)))
            .collect::<Option<_>>()?,
        types,
        annotations: vec![],
    };
    let remarks = header.remarks.into_iter().map(|remark| remark.restored(files));
    let remarks = remarks.collect::<Option<_>>()?;
    reader.content.0.is_empty().then_some(Loaded { corpus, remarks })
}

/// What is still to be read of an entry.
struct Content<'b>(&'b [u8]);

impl<'b> Content<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0usize, 0);
        loop {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }
}

/// The sentences of an entry.
struct Sentences<'b> {
    content: Content<'b>,
    /// How many tags there are.
    tags: usize,
    tokens: TokensBuilder,
}

impl Sentences<'_> {
    fn take(&mut self, count: usize) -> Option<Vec<Sentence>> {
        // A sentence is a byte at least: no number in an entry makes more room than there is.
        let mut sentences = Vec::with_capacity(count.min(self.content.0.len()));
        for _ in 0..count {
            sentences.push(self.sentence()?);
        }
        Some(sentences)
    }

    fn sentence(&mut self) -> Option<Sentence> {
        let count = self.content.number()?;
        let mut lengths = Content(self.content.0);
        for _ in 0..count {
            self.content.number()?;
        }
        let mut tags = Vec::with_capacity(count);
        for _ in 0..count {
            let index = self.content.number().filter(|&index| index < self.tags)?;
            tags.push(Tag::from_index(index));
        }
        let mut places = Content(lengths.0);
        let length = (0..count).try_fold(0, |sum: usize, _| sum.checked_add(places.number()?))?;
        let mut text = std::str::from_utf8(self.content.take(length)?).ok()?;
        for _ in 0..count {
            let (token, rest) = text.split_at_checked(lengths.number()?)?;
            self.tokens.push(token);
            text = rest;
        }
        Some(Sentence { tokens: self.tokens.take(), tags })
    }
}
