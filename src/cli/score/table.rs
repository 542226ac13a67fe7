//! The scores as a table for people.

use crate::domain::{Counts, LevelScores, Scores};
use crate::score::Mode;
use std::fmt::Write;

/// The span table by type with its averages, the token averages, and what the numbers mean.
pub fn render(scores: &Scores, mode: Mode, fixed: &[String]) -> String {
    let names = scores.span.types.keys().map(|name| name.chars().count());
    let width = names.chain([TOKEN_HEADING.len()]).max().unwrap_or_default();
    let mut out = String::new();
    heading(&mut out, width, "spans");
    for (name, counts) in &scores.span.types {
        row(&mut out, width, name, counts);
    }
    if !scores.span.types.is_empty() {
        out.push('\n');
    }
    averages(&mut out, width, &scores.span);
    out.push('\n');
    heading(&mut out, width, TOKEN_HEADING);
    averages(&mut out, width, &scores.token);
    out.push('\n');
    out.push_str(&footer(mode, fixed));
    out
}

const TOKEN_HEADING: &str = "tokens, B = I";

fn heading(out: &mut String, width: usize, title: &str) {
    let columns = ["precision", "recall", "f1", "support", "predicted", "correct"];
    let _ = write!(out, "{title:width$}");
    for column in columns {
        let _ = write!(out, "  {column:>9}");
    }
    out.push('\n');
}

fn averages(out: &mut String, width: usize, level: &LevelScores) {
    row(out, width, "micro", &level.micro);
    row(out, width, "macro", &level.macro_);
    row(out, width, "macro_fixed", &level.macro_fixed);
    row(out, width, "weighted", &level.weighted);
}

fn row(out: &mut String, width: usize, name: &str, counts: &Counts) {
    let Counts { precision, recall, f1, support, predicted, correct } = counts;
    let _ = write!(out, "{name:width$}  {precision:>9.4}  {recall:>9.4}  {f1:>9.4}");
    let _ = writeln!(out, "  {support:>9}  {predicted:>9}  {correct:>9}");
}

/// Which rules the numbers follow.
fn footer(mode: Mode, fixed: &[String]) -> String {
    let rule = match mode {
        Mode::Conlleval => "an I that continues nothing begins an entity (seqeval's default)",
        Mode::Strict => "an I that continues nothing is dropped (seqeval's strict IOB2)",
        Mode::Discard => "an I that continues nothing is dropped (SeqScore's discard)",
    };
    let fixed = match fixed {
        [] => "the types in gold".to_owned(),
        types => types.join(", "),
    };
    format!(
        "mode {}: {rule}\n\
         macro: mean over the types in gold or prediction, those without support included, as 0;\n\
         macro_fixed: mean over {fixed}. A ratio of nothing is 0.\n",
        mode.name()
    )
}
