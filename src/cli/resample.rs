//! `tailgrid resample`: the data-level methods for users of any other trainer.

mod treatment;

use super::corpus::source::ReadingArgs;
use super::output::{message, print};
use super::written::{check_free, write_file};
use super::{CliError, Common, Exit};
use analysis::number::grouped;
use corpus::{Distribution, formats, write_columns};
use domain::Sentence;
use method::resample::{Resampled, Size};
use serde_json::json;
use spec::{self, NamedCorpus};
use std::path::PathBuf;
use treatment::Treatment;

/// Write resampled or augmented training data, for any other trainer
///
/// Copies of a sentence, and what is made of it, stand one after the other; shuffle before
/// training. Only ever treat training data: dev and test stay as they are.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A method that changes training data (`tailgrid methods`): sc, scr, scrd, nscrd, bus, or an
    /// augmentation: label-wise-token-replacement, synonym-replacement, mention-replacement,
    /// shuffle-within-segments, one-per-sentence, all
    #[arg(long, value_name = "METHOD")]
    method: String,
    /// The training file
    #[arg(long, value_name = "FILE")]
    train: PathBuf,
    /// What augmentations draw by, 1 if not given; sentence resampling and bus draw nothing
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Where the file is written, as token<TAB>tag lines in iob2
    #[arg(long, value_name = "FILE", required_unless_present = "counts")]
    out: Option<PathBuf>,
    /// Print how many times each sentence is used instead, a line a sentence (sc, scr, scrd, nscrd)
    #[arg(long, conflicts_with = "out")]
    counts: bool,
    /// Write over a file that is there already
    #[arg(long, requires = "out")]
    force: bool,
    #[command(flatten)]
    reading: ReadingArgs,
}

const EXAMPLES: &str = "\
Parameters of the method are given as those of the format are: --param variant=code --param tag=-1
(or --set). Where both have one of the name, write method.NAME or format.NAME.

Examples:
  tailgrid resample --method scr --train train.txt --out train.scr.txt
  tailgrid resample --method mention-replacement --seed 3 --train train.txt --out train.mr.txt
  tailgrid resample --method synonym-replacement --param synonyms=wordnet --train train.txt --out train.sr.txt
  tailgrid resample --method nscrd --param variant=code --train eng.train --scheme iob1 --counts";

/// Seeds of grids start with it too.
const FIRST_SEED: u64 = 1;

/// Reads, treats and writes.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    if let Some(path) = &args.out {
        check_free(path, args.force)?;
    }
    let owned = Owned::new(args, &common.sets)?;
    let treatment = Treatment::named(&args.method, &owned.method)?;
    if args.counts {
        treatment.check_counts(&args.method)?;
    }
    let distribution = read(args, &owned.format, common)?;
    let train = &distribution.splits[0].sentences;
    let seed = args.seed.unwrap_or(FIRST_SEED);
    let treated = treatment.apply(&distribution.types, train, seed, common)?;
    let size = Size::new(train, &treated.sentences, &treated.copies);
    if size.sentences == 0 {
        let message = format!(
            "{} leaves no sentence: none has an entity; is the tag's column the right one? (`tailgrid corpus stats`)",
            args.method
        );
        return Err(CliError::new(Exit::Invalid, message));
    }
    if let Some(path) = &args.out {
        write_file(path, args.force, |writer| {
            write_columns(used(&treated), &distribution.types, writer)
        })?;
    }
    if !common.quiet {
        message!("{}", summary(&args.method, train, &size));
        if args.seed.is_some() && !treatment.draws() {
            message!("note: {} draws nothing at random: the seed changes nothing", args.method);
        }
    }
    let seed = treatment.draws().then_some(seed);
    print_result(args, common, &treated.copies, &size, seed).map(|()| Exit::Done)
}

/// Every sentence as often as it is used.
fn used<'r>(treated: &'r Resampled<'_>) -> impl Iterator<Item = &'r Sentence> {
    let sentences = treated.sentences.iter().zip(&treated.copies);
    sentences.flat_map(|(sentence, &copies)| std::iter::repeat_n(sentence, copies as usize))
}

/// Parameters by what they are parameters of.
#[derive(Debug, PartialEq)]
struct Owned {
    method: Vec<String>,
    format: Vec<String>,
}

impl Owned {
    fn new(args: &Args, sets: &[String]) -> Result<Self, CliError> {
        let format = args.reading.format();
        let entry = formats::ENTRIES.iter().find(|entry| entry.name == format);
        let of_format =
            |name: &str| entry.is_some_and(|entry| entry.parameters.iter().any(|p| p.name == name));
        let entry = treatment::entry(&args.method);
        let of_method =
            |name: &str| entry.is_some_and(|entry| entry.parameters.iter().any(|p| p.name == name));
        let mut owned = Owned { method: Vec::new(), format: Vec::new() };
        for given in args.reading.parameters().into_iter().chain(sets.iter().cloned()) {
            let name = given.split('=').next().unwrap_or_default().trim();
            if let Some(rest) = given.strip_prefix("method.") {
                owned.method.push(rest.to_owned());
            } else if let Some(rest) = given.strip_prefix("format.") {
                owned.format.push(rest.to_owned());
            } else if of_format(name) && of_method(name) {
                let message = format!(
                    "`{name}` can mean two things: write `--param method.{given}` or `--param format.{given}`"
                );
                return Err(CliError::new(Exit::Usage, message));
            } else if of_format(name) {
                owned.format.push(given);
            } else {
                owned.method.push(given);
            }
        }
        Ok(owned)
    }
}

fn read(args: &Args, parameters: &[String], common: &Common) -> Result<Distribution, CliError> {
    let format = spec::format_named(args.reading.format(), parameters)
        .map_err(|found| CliError::listed(&found))?;
    if !formats::reads(&format.kind).files {
        let message = format!("the format {} reads no files", format.kind);
        return Err(CliError::new(Exit::Usage, message));
    }
    let files = [("train".to_owned(), args.train.clone())].into();
    let name = args.train.display().to_string();
    let corpus = NamedCorpus { name, format, files, counts: Default::default() };
    super::corpus::source::read(&corpus, false, common)
}

/// By how much the data grew, in the terms of Table 6 of wang2022.
fn summary(method: &str, train: &[Sentence], size: &Size) -> String {
    let tokens: usize = train.iter().map(Sentence::len).sum();
    format!(
        "{method}: {} sentences became {} (× {:.2}), {} tokens {} (× {:.2})",
        grouped(train.len() as u64),
        grouped(size.sentences),
        size.sentence_factor,
        grouped(tokens as u64),
        grouped(size.tokens),
        size.token_factor
    )
}

fn print_result(
    args: &Args,
    common: &Common,
    copies: &[u32],
    size: &Size,
    seed: Option<u64>,
) -> Result<(), CliError> {
    if common.json {
        let result = json!({
            "method": args.method,
            "seed": seed,
            "sentences": size.sentences,
            "tokens": size.tokens,
            "sentence_factor": size.sentence_factor,
            "token_factor": size.token_factor,
            "copies": args.counts.then_some(copies),
        });
        return print(&format!("{result:#}"));
    }
    match args.counts {
        true => print(&copies.iter().map(|n| format!("{n}\n")).collect::<String>()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn owned(arguments: &[&str]) -> Result<Owned, CliError> {
        let start = ["resample", "--method", "scr", "--train", "t", "--counts"];
        Owned::new(&Line::parse_from(start.iter().chain(arguments)).args, &["tag=2".to_owned()])
    }

    #[test]
    fn parameters_go_to_whom_they_belong() {
        let given = ["--param", "variant=code", "--param", "token=1", "--scheme", "iob1"];
        let found = owned(&given).unwrap();
        assert_eq!(found.method, ["variant=code"]);
        assert_eq!(found.format, ["token=1", "scheme=iob1", "tag=2"]);
        let found = owned(&["--param", "method.x=1", "--param", "format.y=2", "--param", "z=3"]);
        let expected = Owned {
            method: vec!["x=1".into(), "z=3".into()],
            format: vec!["y=2".into(), "tag=2".into()],
        };
        assert_eq!(found.unwrap(), expected);
    }
}
