//! The arguments as meant.

use super::Args;
use super::input::{Alignment, Column, Source, refusal};
use crate::cli::output::printable;
use corpus::schemes::Scheme;
use score::{Mode, Policy};
use std::path::{Path, PathBuf};

/// What to read and what to make of it. There are one or two predictions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The gold first; its columns and those of the others are gold and the predictions in order.
    pub sources: Vec<Source>,
    pub alignment: Alignment,
    pub scheme: Scheme,
    pub mode: Mode,
    pub policy: Policy,
    pub matching: bool,
    pub buckets: bool,
    pub train: Option<Source>,
    pub tests: Tests,
}

/// How two predictions are tested.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Tests {
    /// Samples, if it is asked for.
    pub bootstrap: Option<u32>,
    /// Swaps, if it is asked for.
    pub randomisation: Option<u32>,
    pub seed: u64,
}

impl Tests {
    /// Whether there is a test to make.
    pub fn any(&self) -> bool {
        self.bootstrap.is_some() || self.randomisation.is_some()
    }
}

impl Asked {
    /// Checks what clap cannot: which options go together.
    pub fn new(args: &Args) -> Result<Self, String> {
        check(args)?;
        let fixed_types = args.types.iter().cloned().collect();
        Ok(Self {
            sources: sources(args),
            alignment: Alignment {
                compare_tokens: !args.ignore_tokens,
                keep_words: args.train.is_some(),
            },
            scheme: args.scheme,
            mode: args.mode,
            policy: Policy { zero_division: args.zero_division, fixed_types },
            matching: args.matching,
            buckets: args.buckets,
            train: args.train.clone().map(|path| source(path, &[args.train_column])),
            tests: Tests {
                bootstrap: args.paired_bs,
                randomisation: args.paired_ar,
                seed: args.seed,
            },
        })
    }

    /// How many predictions there are.
    pub fn predictions(&self) -> usize {
        self.sources.iter().map(|source| source.columns.len()).sum::<usize>() - 1
    }
}

fn check(args: &Args) -> Result<(), String> {
    let test = args.paired_bs.is_some() || args.paired_ar.is_some();
    let two = args.predicted.len() == 2;
    let files = [&args.gold].into_iter().chain(&args.predicted).chain(&args.train);
    if files.filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err("only one file can be standard input".to_owned());
    }
    // clap counts the files of each place on the line, and they may stand apart.
    if let Some(extra) = args.predicted.get(2) {
        let extra = printable(&extra.display().to_string());
        return Err(format!(
            "{extra} is one file too many: give GOLD, GOLD PRED or GOLD PRED PRED"
        ));
    }
    if let Some(reason) = refusal(args.scheme, args.mode) {
        return Err(reason.to_owned());
    }
    if test && !two {
        return Err("--paired-bs and --paired-ar test two predictions: GOLD PRED PRED".to_owned());
    }
    if test && (!args.types.is_empty() || args.zero_division != Default::default()) {
        return Err(
            "--paired-bs and --paired-ar test F1 over the types in gold, where a ratio of \
                    nothing is 0: leave --types and --zero-division out"
                .to_owned(),
        );
    }
    if two && (args.matching || args.buckets) {
        return Err("--matching and --buckets show one prediction: score each alone".to_owned());
    }
    Ok(())
}

/// One file with both columns, or a file a column.
fn sources(args: &Args) -> Vec<Source> {
    let predicted = args.predicted_column.unwrap_or(-1);
    if args.predicted.is_empty() {
        return vec![source(args.gold.clone(), &[args.gold_column.unwrap_or(-2), predicted])];
    }
    let gold = source(args.gold.clone(), &[args.gold_column.unwrap_or(-1)]);
    let others = args.predicted.iter().map(|path| source(path.clone(), &[predicted]));
    std::iter::once(gold).chain(others).collect()
}

fn source(path: PathBuf, columns: &[isize]) -> Source {
    Source { path, columns: columns.iter().map(|&column| Column(column)).collect() }
}
