//! `tailgrid score`: precision, recall and F1 of a prediction file, whoever made it.

mod table;
mod tag_columns;

use super::output::print;
use super::{CliError, Common, Exit};
use crate::domain::Scores;
use crate::score::{Mode, macro_over, score};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use std::path::PathBuf;
use tag_columns::{Column, InputError, Tagged};

/// Score a prediction file against gold, in IOB2 and in columns
///
/// Two files, the tag in the last column of each, or one file with the gold and the predicted tag
/// in its last two columns. Columns are split at tabs, or at spaces in a line without a tab.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The gold tags, or one file with both
    #[arg(value_name = "GOLD")]
    gold: PathBuf,
    /// The predicted tags
    #[arg(value_name = "PRED")]
    predicted: Option<PathBuf>,
    /// The column of the gold tag: 0 is the first, -1 the last [default: -1, in one file -2]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    gold_column: Option<isize>,
    /// The column of the predicted tag [default: -1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pred_column: Option<isize>,
    /// What an I is that continues nothing: conlleval begins an entity with it (as seqeval does by
    /// default), strict and discard drop it
    #[arg(long, default_value = Mode::Conlleval.name(), value_parser = mode_parser())]
    mode: Mode,
    /// The types of `macro_fixed`, in place of those in gold
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',',
        value_parser = NonEmptyStringValueParser::new())]
    types: Vec<String>,
    /// Align two files by position alone, though their tokens differ
    #[arg(long, requires = "predicted")]
    ignore_tokens: bool,
}

/// Reads the names of the modes, and lists them in the help.
fn mode_parser() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(Mode::ALL.map(Mode::name))
        .map(|name| Mode::from_name(&name).unwrap_or_default())
}

/// Reads, scores and prints.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let tagged = read(args).map_err(|error| CliError::new(Exit::Invalid, error))?;
    let mut scores = score(&tagged.types, tagged.gold(), tagged.predicted(), args.mode)
        .map_err(|error| CliError::new(Exit::Invalid, error))?;
    fix_types(&mut scores, &args.types, common.quiet);
    let shown = match common.json {
        true => format!("{:#}", as_json(&scores, args.mode)),
        false => table::render(&scores, args.mode, &args.types),
    };
    print(&shown).map(|()| Exit::Done)
}

/// The tags of both sides, from two files or from one.
fn read(args: &Args) -> Result<Tagged, InputError> {
    let column = |given: Option<isize>, default| Column(given.unwrap_or(default));
    let predicted = column(args.pred_column, -1);
    match &args.predicted {
        Some(file) => tag_columns::read_two(
            (&args.gold, column(args.gold_column, -1)),
            (file, predicted),
            !args.ignore_tokens,
        ),
        None => tag_columns::read_one(&args.gold, column(args.gold_column, -2), predicted),
    }
}

/// Takes `macro_fixed` over the types given by hand, if there are any.
fn fix_types(scores: &mut Scores, types: &[String], quiet: bool) {
    if types.is_empty() {
        return;
    }
    for name in types.iter().filter(|name| !scores.span.types.contains_key(*name) && !quiet) {
        eprintln!("warning: no entity of type `{name}` in gold or prediction: it counts as 0");
    }
    for level in [&mut scores.span, &mut scores.token] {
        level.macro_fixed = macro_over(level, types.iter().map(String::as_str));
    }
}

/// What other programs read: spans at the top, tokens under `token`, fractions throughout.
fn as_json(scores: &Scores, mode: Mode) -> Value {
    let span = &scores.span;
    json!({
        "mode": mode.name(),
        "micro": span.micro,
        "macro": span.macro_,
        "macro_fixed": span.macro_fixed,
        "weighted": span.weighted,
        "types": span.types,
        "token": scores.token,
    })
}

#[cfg(test)]
mod tests;
