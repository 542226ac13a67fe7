//! The scores as tables for people.

mod footer;

use super::asked::Asked;
use super::pass::{Prediction, Read};
use crate::cli::output::width;
use domain::{Counts, LevelScores};
use report::tables::{Align, Table, terminal};
use score::buckets::BucketScores;
use score::matching::{Criterion, MatchScores, Matched, TypeMatches};
use score::{OutsideScores, Scored};

pub use footer::{averages_rule, mode_rule};

/// Spans and tokens by type with their averages, what else was asked for, and what it all means.
pub fn one(asked: &Asked, read: &Read, prediction: &Prediction) -> String {
    let mut text = levels(&prediction.scored);
    if let Some(matched) = &prediction.matched {
        text.push('\n');
        text.push_str(&matching(matched));
    }
    if let Some(buckets) = &prediction.buckets {
        text.push('\n');
        text.push_str(&bucket_tables(buckets));
    }
    text.push('\n');
    text.push_str(&footer::all(asked, read, prediction));
    text
}

/// Both levels in one table, so that their columns stand under each other.
fn levels(scored: &Scored) -> String {
    let (span, token) = (&scored.scores.span, &scored.scores.token);
    let mut rows = vec![heading("spans")];
    rows.extend(by_type(span));
    if !span.types.is_empty() {
        rows.push(vec![]);
    }
    rows.extend(level_averages(span));
    rows.extend([vec![], heading("tokens, B = I")]);
    rows.extend(by_type(token));
    rows.extend([counts_row("O", &scored.with_outside.outside), vec![]]);
    rows.extend(level_averages(token));
    rows.push(vec![]);
    rows.extend(averages_with_o(&scored.with_outside));
    numbers(rows)
}

/// Rows with a name on the left and numbers on the right.
pub fn numbers(rows: Vec<Vec<String>>) -> String {
    terminal::rows(&Table::numbers(rows), "", width())
}

fn heading(title: &str) -> Vec<String> {
    let columns = ["precision", "recall", "f1", "support", "predicted", "correct"];
    [title].into_iter().chain(columns).map(str::to_owned).collect()
}

fn by_type(level: &LevelScores) -> impl Iterator<Item = Vec<String>> {
    level.types.iter().map(|(name, counts)| counts_row(name, counts))
}

fn level_averages(level: &LevelScores) -> [Vec<String>; 4] {
    [
        counts_row("micro", &level.micro),
        counts_row("macro", &level.macro_),
        counts_row("macro_fixed", &level.macro_fixed),
        counts_row("weighted", &level.weighted),
    ]
}

fn averages_with_o(scores: &OutsideScores) -> [Vec<String>; 4] {
    [
        counts_row("micro with O", &scores.micro),
        counts_row("macro with O", &scores.macro_),
        counts_row("macro_fixed with O", &scores.macro_fixed),
        counts_row("weighted with O", &scores.weighted),
    ]
}

fn counts_row(name: &str, counts: &Counts) -> Vec<String> {
    let Counts { precision, recall, f1, support, predicted, correct } = counts;
    let ratios = [precision, recall, f1].map(|ratio| format!("{ratio:.4}"));
    let counts = [support, predicted, correct].map(u64::to_string);
    [name.to_owned()].into_iter().chain(ratios).chain(counts).collect()
}

/// Every criterion for all types together, then for each.
fn matching(matched: &Matched) -> String {
    let columns = [
        "matching",
        "",
        "precision",
        "recall",
        "f1",
        "correct",
        "incorrect",
        "partial",
        "missed",
        "spurious",
        "possible",
        "actual",
    ];
    let heads = columns.into_iter().enumerate();
    let heads = heads.map(|(c, head)| (head, if c < 2 { Align::Left } else { Align::Right }));
    let of_types = matched.types.iter().flat_map(|(name, matches)| match_rows(name, matches));
    let rows = match_rows("all types", &matched.all).into_iter().chain(of_types);
    terminal::rows(&Table::of_texts(heads, rows), "", width())
}

fn match_rows(name: &str, matches: &TypeMatches) -> [Vec<String>; 4] {
    Criterion::ALL.map(|criterion| {
        let &MatchScores {
            precision,
            recall,
            f1,
            correct,
            incorrect,
            partial,
            missed,
            spurious,
            possible,
            actual,
        } = matches.of(criterion);
        let name = if criterion == Criterion::ALL[0] { name } else { "" };
        let ratios = [precision, recall, f1].map(|ratio| format!("{ratio:.4}"));
        let counts = [correct, incorrect, partial, missed, spurious, possible, actual];
        let names = [name, criterion.name()].map(str::to_owned);
        names.into_iter().chain(ratios).chain(counts.map(|n| n.to_string())).collect()
    })
}

/// A table a bucketing, all with the same columns.
fn bucket_tables(scores: &[BucketScores]) -> String {
    let mut rows = vec![];
    for one in scores {
        if !rows.is_empty() {
            rows.push(vec![]);
        }
        rows.push(heading(one.name));
        rows.extend(one.buckets.iter().map(|(name, counts)| counts_row(name, counts)));
    }
    numbers(rows)
}
