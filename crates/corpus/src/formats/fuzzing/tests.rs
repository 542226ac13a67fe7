//! The bounded loop: random bytes, pieces of fixtures put together, and fixtures gone wrong.

use super::*;
use parts::Entry;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many inputs all readers see together, unless the variable says otherwise.
const INPUTS: usize = 1_000_000;
const VARIABLE: &str = "TAILGRID_FUZZ_INPUTS";

/// Inputs are short: many small files find more than a few large ones.
const LONGEST: usize = 160;

/// Makes inputs for one reader.
struct Inputs {
    random: ChaCha8Rng,
    fixtures: Vec<Vec<u8>>,
    /// Pieces of the fixtures between white space, and what separates them.
    pieces: Vec<Vec<u8>>,
    settings: usize,
}

impl Inputs {
    fn new(entry: &Entry) -> Self {
        let mut files = vec![];
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
        collect(&folder.join(entry.name), &mut files);
        let fixtures: Vec<Vec<u8>> = match entry.name {
            "brat" | "tags" => paired(&files),
            _ => files.into_iter().map(|(_, bytes)| bytes).collect(),
        };
        assert!(!fixtures.is_empty(), "{} has no fixtures", entry.name);
        let words = fixtures.iter().flat_map(|bytes| bytes.split(u8::is_ascii_whitespace));
        let mut pieces: Vec<Vec<u8>> = words.map(<[u8]>::to_vec).collect();
        pieces.sort_unstable();
        pieces.dedup();
        for separator in
            ["\n", "\n\n", "\r\n", "\t", " ", ",", ";", "\"", "\u{feff}", "\u{85}", "*", ")"]
        {
            pieces.extend(std::iter::repeat_n(separator.as_bytes().to_vec(), 1 + pieces.len() / 8));
        }
        let random = ChaCha8Rng::seed_from_u64(1);
        Self { random, fixtures, pieces, settings: entry.parameters.len() }
    }

    fn next(&mut self, input: &mut Vec<u8>) {
        input.clear();
        // None, a few or all settings other than they are by default.
        let touched = *pick(&mut self.random, &[0.0, 0.0, 0.15, 1.0]);
        for _ in 0..self.settings {
            let is_touched = self.random.random_bool(touched);
            input.push(if is_touched { self.random.random() } else { 0 });
        }
        match self.random.random_range(0..8) {
            0 => self.random_bytes(input),
            1 | 2 => self.assembled(input),
            _ => self.mutated(input),
        }
    }

    fn random_bytes(&mut self, input: &mut Vec<u8>) {
        for _ in 0..self.random.random_range(0..64) {
            input.push(self.random.random());
        }
    }

    fn assembled(&mut self, input: &mut Vec<u8>) {
        for _ in 0..self.random.random_range(0..24) {
            input.extend(pick(&mut self.random, &self.pieces));
        }
        input.truncate(self.settings + 2 * LONGEST);
    }

    /// A piece of a fixture with a few bytes other than they were.
    fn mutated(&mut self, input: &mut Vec<u8>) {
        let random = &mut self.random;
        let fixture = pick(random, &self.fixtures);
        let start = match random.random_bool(0.7) {
            true => 0,
            false => random.random_range(0..=fixture.len()),
        };
        let mut end = fixture.len().min(start + random.random_range(0..=LONGEST));
        if random.random_bool(0.7) {
            // A whole last line.
            end += fixture[end..].iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        }
        let first = input.len();
        input.extend(&fixture[start..end]);
        for _ in 0..random.random_range(0..4) {
            let at = random.random_range(first..=input.len());
            let until = random.random_range(at..=input.len().min(at + 12));
            match random.random_range(0..5) {
                0 if at < input.len() => input[at] ^= 1 << random.random_range(0..8),
                1 => drop(input.drain(at..until)),
                2 => {
                    let copied = input[at..until].to_vec();
                    let to = random.random_range(first..=input.len());
                    drop(input.splice(to..to, copied));
                }
                3 => drop(input.splice(at..at, pick(random, &self.pieces).iter().copied())),
                _ => input.insert(at, random.random()),
            }
        }
    }
}

fn pick<'a, T>(random: &mut ChaCha8Rng, of: &'a [T]) -> &'a T {
    &of[random.random_range(0..of.len())]
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("fixtures").map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if !path.ends_with("README.md") {
            let bytes = std::fs::read(&path).expect("a fixture");
            found.push((path, bytes));
        }
    }
}

/// A fixture's path and bytes.
type File = (PathBuf, Vec<u8>);

/// Every text with every file of annotations, as one input each: a NUL between them, and what names
/// the text naming this one.
fn paired(files: &[File]) -> Vec<Vec<u8>> {
    let is_text = |path: &Path| path.extension().is_some_and(|ending| ending == "txt");
    let (texts, annotations): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| is_text(path));
    let pairs = texts.iter().flat_map(|text| annotations.iter().map(move |other| (*text, *other)));
    let pair = |((path, text), (_, annotations)): (&File, &File)| {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let annotations = String::from_utf8_lossy(annotations);
        let is_own = |line: &&str| line.starts_with(['T', '#']) || line.contains(name);
        let own: Vec<&str> = annotations.split_inclusive('\n').filter(is_own).collect();
        let own = own.concat().replace(&format!("\t{name}"), "\tbytes");
        [text, &b"\0"[..], own.as_bytes()].concat()
    };
    pairs.map(pair).collect()
}

/// Has a reader read so many inputs, and counts those in which it found sentences.
fn survive(entry: &Entry, inputs: usize) -> usize {
    let mut made = Inputs::new(entry);
    let mut input = vec![];
    let mut with_sentences = 0;
    for _ in 0..inputs {
        made.next(&mut input);
        let read = std::panic::catch_unwind(|| read(entry.name, &input));
        let shown = || format!("{} on {}", entry.name, input.escape_ascii());
        with_sentences += usize::from(read.unwrap_or_else(|_| panic!("{}", shown())));
    }
    with_sentences
}

#[test]
fn a_million_inputs_panic_no_reader() {
    let all = std::env::var(VARIABLE).ok().and_then(|number| number.parse().ok()).unwrap_or(INPUTS);
    let each = all.div_ceil(targets().count());
    let start = Instant::now();
    for entry in targets().filter_map(find) {
        let with_sentences = survive(entry, each);
        println!("{}: {each} inputs, sentences in {with_sentences}", entry.name);
        // If every input were refused at its first line, this would show nothing.
        assert!(with_sentences > each / 100, "{}: {with_sentences} of {each}", entry.name);
    }
    println!("{} inputs in {:.1?}", each * targets().count(), start.elapsed());
}

#[test]
fn what_breaks_a_promise_is_noticed() {
    let types = TypeSet::new(["x".to_owned()]);
    let inside = Sentence {
        tokens: ["a"].into_iter().collect(),
        tags: vec![Tag::Inside(domain::TypeId(0))],
    };
    assert!(std::panic::catch_unwind(|| check_sentence(&inside, &types)).is_err());
    assert!(std::panic::catch_unwind(|| check_sentence(&Sentence::default(), &types)).is_err());
    assert!(std::panic::catch_unwind(|| check_message("a\u{1b}[31m")).is_err());
}

#[test]
fn every_reader_has_its_fuzz_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for name in targets() {
        let source = folder.join(format!("fuzz_targets/{name}.rs"));
        let source = std::fs::read_to_string(&source).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(source.contains(&format!("fuzzing::read(\"{name}\", input);")), "{source}");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in {manifest}");
    }
}
