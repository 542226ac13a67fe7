//! What was verified, as people read it.

use super::super::output::{aligned, printable};
use domain::{SCORE_TOLERANCE, counted};
use std::fmt::Write;
use sweep::{Deviation, Outdated, RerunVerdict, Verification, VerifiedJob};

/// Of outdated jobs so many are listed.
const MOST_LISTED: usize = 5;
/// A longer value is cut.
const LONGEST: usize = 40;

pub(super) fn text(verified: &Verification) -> String {
    let Verification {
        grid, finished, jobs, same, within_tolerance, differ, failed, outdated, ..
    } = verified;
    let mut text = format!(
        "{grid}: {} of {} {} run again\n",
        jobs.len(),
        counted(*finished, "finished job"),
        if jobs.len() == 1 { "was" } else { "were" }
    );
    let rows: Vec<Vec<String>> = jobs.iter().flat_map(rows).collect();
    text.push_str(&aligned(&rows, "  "));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", summary([*same, *within_tolerance, *differ, *failed]));
    if !outdated.is_empty() {
        let _ = writeln!(text, "\n{}", list(outdated));
    }
    text
}

/// A line for the job, and one more for each further difference.
fn rows(job: &VerifiedJob) -> Vec<Vec<String>> {
    let point = job.point.to_string();
    let row = |verdict: &str, what: String| vec![verdict.to_owned(), point.clone(), what];
    let noted = |note: &Option<String>| note.as_deref().map(printable).unwrap_or_default();
    match &job.verdict {
        RerunVerdict::Same { note } => vec![row("same", noted(note))],
        RerunVerdict::Failed { reason } => vec![row("failed", printable(reason))],
        RerunVerdict::WithinTolerance { note, .. } => vec![row("close", printable(note))],
        RerunVerdict::Differs { differences, note } => {
            let mut lines: Vec<String> = differences.iter().map(line).collect();
            lines.extend(note.as_deref().map(printable));
            let mut rows: Vec<Vec<String>> =
                lines.into_iter().map(|line| vec![String::new(), String::new(), line]).collect();
            if let Some(first) = rows.first_mut() {
                (first[0], first[1]) = ("differs".to_owned(), point.clone());
            }
            rows
        }
    }
}

fn line(difference: &Deviation) -> String {
    let short = |value: &str| {
        let value = printable(value);
        match value.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &value[..end]),
            None => value,
        }
    };
    let Deviation { what, recorded, again } = difference;
    format!("{what}: {} → {}", short(recorded), short(again))
}

fn summary([same, close, differ, failed]: [usize; 4]) -> String {
    let elsewhere = format!(
        "{close} close: not recorded on this kind of processor, and every score within {SCORE_TOLERANCE}"
    );
    match (same, close, differ, failed) {
        (0, 0, 0, 0) => "nothing was compared".to_owned(),
        (_, 0, 0, 0) => "every one is the same, bit for bit".to_owned(),
        (_, 0, ..) => format!("{same} the same, {differ} differ, {failed} could not be run again"),
        (_, _, 0, 0) => format!("{same} the same, {elsewhere}"),
        _ => format!(
            "{same} the same, {differ} differ, {failed} could not be run again, {elsewhere}"
        ),
    }
}

/// `recorded before settings or files changed, so not verified:` and the jobs; nothing without one.
pub(super) fn list(outdated: &[Outdated]) -> String {
    if outdated.is_empty() {
        return String::new();
    }
    let mut text =
        "recorded before settings or files changed, so not verified; `tailgrid run` runs them again:"
            .to_owned();
    for Outdated { point, changed, .. } in outdated.iter().take(MOST_LISTED) {
        let _ = write!(text, "\n  {point}: {}", printable(&changed.join(", ")));
    }
    if outdated.len() > MOST_LISTED {
        let _ = write!(text, "\n  and {} more", outdated.len() - MOST_LISTED);
    }
    text
}
