//! `tailgrid corpus convert`: a corpus in another tag scheme or format.

use super::source::{self, SourceArgs, scheme_names};
use crate::cli::output::{message, print};
use crate::cli::written::{check_free, write_file};
use crate::cli::{CliError, Common, Exit};
use analysis::number::counted;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use corpus::schemes::Scheme;
use corpus::{Distribution, SplitSentences, write_columns_in, write_spans};
use domain::{Sentence, Tag};
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Write a corpus in another tag scheme or format
///
/// Between iob1, iob2 and iobes nothing is lost. io cannot tell neighbours of one type apart, and
/// bare has no types: what they lose is counted on standard error.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    source: SourceArgs,
    /// What to write: token<TAB>tag lines, or JSON lines with text, tokens and character spans
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "columns")]
    to: Target,
    /// The scheme of the tags that are written
    #[arg(long, value_name = "NAME", default_value = Scheme::Iob2.word(), ignore_case = true, value_parser = scheme_parser())]
    to_scheme: Scheme,
    /// Put tokens together without spaces in the text of json-spans: Chinese or Japanese characters
    #[arg(long)]
    no_spaces: bool,
    /// Only this split
    #[arg(long, value_name = "NAME")]
    split: Option<String>,
    /// Write the splits as jobs get them: dev carved from train, a single file split
    #[arg(long)]
    as_trained: bool,
    /// A file for one split, a folder for several [default: standard output, one split only]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write over files that are there already
    #[arg(long, requires = "out")]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  tailgrid corpus convert eng.train --scheme iob1 --to-scheme iobes --out train.iobes
  tailgrid corpus convert wnut17 --out converted/
  tailgrid corpus convert wnut17 --split dev --to json-spans > dev.jsonl";

/// What can be written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    Columns,
    JsonSpans,
}

impl Target {
    fn ending(self) -> &'static str {
        match self {
            Target::Columns => "tsv",
            Target::JsonSpans => "jsonl",
        }
    }
}

/// Reads the names of the schemes, and lists them in the help.
pub fn scheme_parser() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(scheme_names())
        .map(|name| Scheme::from_name(&name).expect("a name of a scheme"))
}

/// Reads and writes.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let corpus = args.source.only(common)?;
    let mut distribution = source::read(&corpus, args.as_trained, common)?;
    choose(&mut distribution, args.split.as_deref())?;
    let places = args.places(&distribution)?;
    match &places {
        None => {
            let out = BufWriter::new(io::stdout().lock());
            args.write(&distribution.splits[0], &distribution, out).or_else(broken_pipe)?;
        }
        Some(places) => {
            // All of them first, so that a file in the way stops the command before it wrote any.
            places.iter().try_for_each(|path| check_free(path, args.force))?;
            for (path, split) in places.iter().zip(&distribution.splits) {
                write_file(path, args.force, |w| args.write(split, &distribution, w))?;
            }
        }
    }
    args.tell(&distribution, places.as_deref(), common).map(|()| Exit::Done)
}

/// Keeps the split that was asked for.
fn choose(distribution: &mut Distribution, split: Option<&str>) -> Result<(), CliError> {
    let Some(wanted) = split else { return Ok(()) };
    let known: Vec<String> = distribution.splits.iter().map(|split| split.name.clone()).collect();
    distribution.splits.retain(|split| split.name == wanted);
    match distribution.splits.is_empty() {
        true => {
            let message = format!("there is no split {wanted}; there are {}", known.join(", "));
            Err(CliError::new(Exit::Invalid, message))
        }
        false => Ok(()),
    }
}

impl Args {
    /// Where each split is written; none for standard output.
    fn places(&self, distribution: &Distribution) -> Result<Option<Vec<PathBuf>>, CliError> {
        let names = distribution.splits.iter().map(|split| file_name(&split.name, self.to));
        let several = distribution.splits.len() > 1;
        match &self.out {
            None if several => {
                let names: Vec<_> = distribution.splits.iter().map(|s| s.name.as_str()).collect();
                let message = format!(
                    "there are {} splits ({}): name a folder with `--out`, or one of them with `--split`",
                    names.len(),
                    names.join(", ")
                );
                Err(CliError::new(Exit::Usage, message))
            }
            None => Ok(None),
            Some(path) if several || is_folder(path) => {
                Ok(Some(names.map(|name| path.join(name)).collect()))
            }
            Some(path) => Ok(Some(vec![path.clone()])),
        }
    }

    fn write(
        &self,
        split: &SplitSentences,
        distribution: &Distribution,
        writer: impl Write,
    ) -> io::Result<()> {
        let types = &distribution.types;
        match self.to {
            Target::Columns => write_columns_in(self.to_scheme, &split.sentences, types, writer),
            Target::JsonSpans => {
                let between = if self.no_spaces { "" } else { " " };
                write_spans(&split.sentences, types, between, writer)
            }
        }
    }

    /// What was written, and what was lost.
    fn tell(
        &self,
        distribution: &Distribution,
        places: Option<&[PathBuf]>,
        common: &Common,
    ) -> Result<(), CliError> {
        let sentences = || distribution.splits.iter().flat_map(|split| &split.sentences);
        let lost = match self.to {
            Target::Columns => loss(self.to_scheme, sentences(), distribution.types.len()),
            Target::JsonSpans => None,
        };
        let count = sentences().count();
        if !common.quiet {
            message!("converted: {}", counted(count, "sentence"));
            lost.iter().for_each(|lost| message!("warning: {lost}"));
        }
        // Without a file, standard output has the corpus.
        match (common.json, places) {
            (true, Some(places)) => {
                let files: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
                print(&format!("{:#}", json!({"sentences": count, "files": files, "lost": lost})))
            }
            _ => Ok(()),
        }
    }
}

fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A file's name for a split, which may be called anything.
fn file_name(split: &str, target: Target) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = split.chars().map(safe).collect();
    format!("{}.{}", name.trim_start_matches('.'), target.ending())
}

/// What a scheme cannot say of these sentences, in words.
fn loss<'s>(
    scheme: Scheme,
    sentences: impl Iterator<Item = &'s Sentence>,
    types: usize,
) -> Option<String> {
    match scheme {
        Scheme::Iob1 | Scheme::Iob2 | Scheme::Iobes => None,
        Scheme::Io => {
            let joined: usize = sentences.map(joined).sum();
            let entities = counted(joined, "entity");
            let lost = format!("io joined {entities} to the one before, which is of the same type");
            (joined > 0).then_some(lost)
        }
        Scheme::Bare => {
            let count: usize = sentences.map(|sentence| sentence.entities().count()).sum();
            let (entities, types) = (counted(count, "entity"), counted(types, "type"));
            let lost = format!("bare dropped the type of {entities}; there were {types}");
            (count > 0).then_some(lost)
        }
    }
}

/// Entities that begin right after one of their type.
fn joined(sentence: &Sentence) -> usize {
    let pairs = sentence.tags.windows(2);
    pairs
        .filter(|pair| matches!(pair[1], Tag::Begin(id) if pair[0].entity_type() == Some(id)))
        .count()
}

/// A reader that has seen enough is no error.
fn broken_pipe(error: io::Error) -> Result<(), CliError> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        io::ErrorKind::InvalidData => Err(CliError::new(Exit::Invalid, error)),
        _ => {
            let message = format!("cannot write to standard output: {error}");
            Err(CliError::new(Exit::Internal, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::TypeId;

    fn sentence(tags: &[Tag]) -> Sentence {
        Sentence { tokens: tags.iter().map(|_| "w").collect(), tags: tags.to_vec() }
    }

    #[test]
    fn losses_are_counted() {
        let (a, b) = (TypeId(0), TypeId(1));
        let tags = [Tag::Begin(a), Tag::Begin(a), Tag::Inside(a), Tag::Begin(b), Tag::Outside];
        let sentences = [sentence(&tags), sentence(&[Tag::Begin(a), Tag::Outside, Tag::Begin(a)])];
        let said = |scheme| loss(scheme, sentences.iter(), 2);
        for scheme in [Scheme::Iob1, Scheme::Iob2, Scheme::Iobes] {
            assert_eq!(said(scheme), None);
        }
        let io = "io joined 1 entity to the one before, which is of the same type";
        assert_eq!(said(Scheme::Io).unwrap(), io);
        let bare = "bare dropped the type of 5 entities; there were 2 types";
        assert_eq!(said(Scheme::Bare).unwrap(), bare);
        assert_eq!(loss(Scheme::Io, sentences[1..].iter(), 2), None);
    }

    #[test]
    fn splits_give_safe_file_names() {
        assert_eq!(file_name("train", Target::Columns), "train.tsv");
        assert_eq!(file_name("../etc/passwd", Target::JsonSpans), "_etc_passwd.jsonl");
    }
}
