//! `tailgrid corpus check`: all that is wrong or odd with corpora.

use super::source::SourceArgs;
use crate::cli::output::{print, printable};
use crate::cli::{CliError, Common, Exit};
use analysis::number::{counted, grouped};
use corpus::SplitSentences;
use corpus::check::{Checked, check};
use corpus::statistics::statistics;
use domain::Statistics;
use domain::plural;
use serde_json::{Value, json};
use spec::{NamedCorpus, SplitCounts};
use std::fmt::Write as _;

/// Read corpora to their last line and tell all that is wrong or odd with them
///
/// Errors, which make a corpus useless, end with exit code 3. Warnings do not: tags that their
/// scheme forbids (an error with --repair refuse), sentences that two splits share, types that
/// train lacks.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    source: SourceArgs,
}

const EXAMPLES: &str = "\
Examples:
  tailgrid corpus check train.txt test.txt
  tailgrid corpus check eng.train eng.testa eng.testb --scheme iob1 --repair refuse
  tailgrid corpus check experiments/mine.yaml --json";

/// What was found in one corpus.
struct Finding {
    corpus: NamedCorpus,
    checked: Checked,
}

/// Checks and tells.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let corpora = args.source.corpora(common)?;
    let findings: Vec<Finding> = corpora
        .into_iter()
        .map(|corpus| Finding { checked: check(&corpus.format, &corpus.files), corpus })
        .collect();
    let shown = match common.json {
        true => format!("{:#}", as_json(&findings)),
        false => findings.iter().map(Finding::text).collect(),
    };
    print(&shown)?;
    let is_valid = findings.iter().all(|finding| finding.checked.errors.is_empty());
    Ok(if is_valid { Exit::Done } else { Exit::Invalid })
}

impl Finding {
    /// What the readers had to decide and what is odd.
    fn warnings(&self) -> Vec<String> {
        let remarks = self.checked.distribution.iter().flat_map(|corpus| &corpus.remarks);
        let remarks = remarks.map(|remark| format!("{remark}{}", remark.elsewhere()));
        let odd = self.checked.warnings.iter().map(ToString::to_string);
        remarks.chain(odd).chain(self.other_counts()).collect()
    }

    /// Splits that are not what the catalogue says they are.
    fn other_counts(&self) -> Vec<String> {
        let Some(found) = &self.checked.distribution else { return vec![] };
        let other = |split: &SplitSentences| {
            let expected = *self.corpus.counts.get(&split.name)?;
            let Statistics { sentences, tokens, entities, .. } =
                statistics(&found.types, &split.sentences);
            let counts = SplitCounts { sentences, tokens, entities };
            (counts != expected).then(|| {
                let [found, expected] = [counts, expected].map(shown);
                let name = &split.name;
                format!("{name} has {found}, and that of the catalogue {expected}: is it another version?")
            })
        };
        found.splits.iter().filter_map(other).collect()
    }

    fn text(&self) -> String {
        let Checked { errors, more_errors, distribution, .. } = &self.checked;
        let warnings = self.warnings();
        let verdict = match (errors.len() + more_errors, warnings.len()) {
            (0, 0) => "nothing wrong".to_owned(),
            (0, odd) => counted(odd, "warning"),
            (wrong, 0) => counted(wrong, "error"),
            (wrong, odd) => format!("{}, {}", counted(wrong, "error"), counted(odd, "warning")),
        };
        let size = distribution.as_ref().map_or_else(String::new, |corpus| {
            let sentences = corpus.whole().count();
            format!(" in {} {}", grouped(sentences as u64), plural(sentences, "sentence"))
        });
        let mut text = format!("{}: {verdict}{size}\n", printable(&self.corpus.name));
        for error in errors {
            let _ = writeln!(text, "  error: {}", printable(&error.to_string()));
        }
        if *more_errors > 0 {
            let _ = writeln!(text, "  and {} more", grouped(*more_errors as u64));
        }
        for warning in warnings {
            let _ = writeln!(text, "  warning: {}", printable(&warning));
        }
        text
    }
}

fn shown(counts: SplitCounts) -> String {
    let SplitCounts { sentences, tokens, entities } = counts;
    let numbers = [(sentences, "sentence"), (tokens, "token"), (entities, "entity")];
    let [sentences, tokens, entities] =
        numbers.map(|(n, noun)| format!("{} {}", grouped(n), plural(n as usize, noun)));
    format!("{sentences}, {tokens} and {entities}")
}

fn as_json(findings: &[Finding]) -> Value {
    let one = |finding: &Finding| {
        let errors = finding.checked.errors.iter();
        let errors: Vec<Value> = errors
            .map(|error| json!({"message": error.to_string(), "line": error.line()}))
            .collect();
        json!({
            "name": finding.corpus.name,
            "valid": errors.is_empty(),
            "errors": errors,
            "more_errors": finding.checked.more_errors,
            "warnings": finding.warnings(),
        })
    };
    let is_valid = findings.iter().all(|finding| finding.checked.errors.is_empty());
    json!({"valid": is_valid, "corpora": findings.iter().map(one).collect::<Vec<_>>()})
}
