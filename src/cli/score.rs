//! `tailgrid score`: precision, recall and F1 of a prediction file, whoever made it.

mod asked;
mod input;
mod json;
mod paired;
mod pass;
mod table;

use super::corpus::source::scheme_names;
use super::output::{message, print};
use super::{CliError, Common, Exit};
use asked::Asked;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use corpus::schemes::Scheme;
use score::{Mode, ZeroDivision};
use std::path::PathBuf;

/// Score a prediction file against gold
///
/// Files have a token a line, columns, and a blank line after each sentence. Two files, the tag in
/// the last column of each, or one file with the gold and the predicted tag in its last two
/// columns; `-` is standard input. Columns are split at tabs if the first line with a token has
/// one, else at white space. With a second prediction both are compared.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The gold tags, or one file with both
    #[arg(value_name = "GOLD")]
    gold: PathBuf,
    /// The predicted tags; a second file of them to compare with
    #[arg(value_name = "PRED", num_args = 0..=2)]
    predicted: Vec<PathBuf>,
    /// The column of the gold tag: 0 is the first, -1 the last [default: -1, in one file -2]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    gold_column: Option<isize>,
    /// The column of the predicted tag [default: -1]
    #[arg(long, alias = "pred-column", value_name = "N", allow_negative_numbers = true)]
    predicted_column: Option<isize>,
    /// How tags mark entities; bare is B, I and O without a type
    #[arg(long, default_value = Scheme::Iob2.word(), ignore_case = true, value_parser = scheme_parser())]
    scheme: Scheme,
    /// What an I is that continues nothing: conlleval begins an entity with it (as seqeval does by
    /// default), strict and discard drop it
    #[arg(long, default_value = Mode::Conlleval.name(), value_parser = mode_parser())]
    mode: Mode,
    /// The types of `macro_fixed`, in place of those in gold
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',',
        value_parser = NonEmptyStringValueParser::new())]
    types: Vec<String>,
    /// What a ratio of nothing counts
    #[arg(long, default_value = ZeroDivision::Zero.name(), value_parser = zero_parser())]
    zero_division: ZeroDivision,
    /// Also match softly: both ends, an overlap, the type alone (as nervaluate does)
    #[arg(long)]
    matching: bool,
    /// Also score by length of entity and sentence, and with --train by how training knows the
    /// entity
    #[arg(long)]
    buckets: bool,
    /// The training data of the predictor, for --buckets: a token and its tag a line
    #[arg(long, value_name = "FILE", requires = "buckets")]
    train: Option<PathBuf>,
    /// The column of the tag in the training data
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = -1,
        requires = "train")]
    train_column: isize,
    /// Test the difference of two predictions by a paired bootstrap [default: 10000 samples]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
        default_missing_value = "10000",
        value_parser = clap::value_parser!(u32).range(1..=MOST_RESAMPLES))]
    paired_bs: Option<u32>,
    /// Test the difference of two predictions by approximate randomisation [default: 10000 swaps]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
        default_missing_value = "10000",
        value_parser = clap::value_parser!(u32).range(1..=MOST_RESAMPLES))]
    paired_ar: Option<u32>,
    /// The seed of these tests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Align files by position alone, though their tokens differ
    #[arg(long, requires = "predicted")]
    ignore_tokens: bool,
}

/// More would take minutes and change no digit that is printed.
const MOST_RESAMPLES: i64 = 10_000_000;

/// Reads the names of the modes, and lists them in the help.
fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name))
        .map(|name| Mode::from_name(&name).unwrap_or_default())
}

fn scheme_parser() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(scheme_names())
        .map(|name| Scheme::from_name(&name).expect("a name of a scheme"))
}

fn zero_parser() -> impl TypedValueParser<Value = ZeroDivision> {
    PossibleValuesParser::new(ZeroDivision::ALL.map(ZeroDivision::name))
        .map(|name| ZeroDivision::from_name(&name).unwrap_or_default())
}

/// Reads, scores and prints.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let asked = Asked::new(args).map_err(|message| CliError::new(Exit::Usage, message))?;
    let shown = answer(&asked, common.json, common.quiet)
        .map_err(|error| CliError::new(Exit::Invalid, error))?;
    print(&shown).map(|()| Exit::Done)
}

/// What the command prints.
fn answer(asked: &Asked, as_json: bool, quiet: bool) -> Result<String, input::InputError> {
    let read = pass::read(asked)?;
    if !quiet {
        read.unused_types(asked).for_each(|name| {
            let zero = asked.policy.zero_division.name();
            message!(
                "warning: no entity of type `{name}` in gold or prediction: it counts as {zero}"
            );
        });
    }
    Ok(match (&read.predictions[..], as_json) {
        ([one], true) => format!("{:#}", json::one(asked, &read, one)),
        ([one], false) => table::one(asked, &read, one),
        (_, true) => format!("{:#}", paired::json(asked, &read)),
        (_, false) => paired::text(asked, &read),
    })
}

#[cfg(test)]
mod tests;
