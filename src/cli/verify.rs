//! `tailgrid verify`: runs finished jobs again, elsewhere, and compares bit for bit.

use super::grid::{self, GridArgs};
use super::output::{print, printable, shown};
use super::{CliError, Common, Exit};
use domain::{SCORE_TOLERANCE, counted};
use report::tables::Table;
use std::fmt::Write;
use std::num::NonZeroUsize;
use sweep::{
    Deviation, Outdated, RerunVerdict, SweepError, Verification, VerifiedJob, VerifyOptions,
};
use ui::Style;

/// Runs a sample of finished jobs again and compares predictions, scores, losses and weights bit
/// for bit
///
/// The results are read, never written to: jobs run in a temporary folder, with the settings that
/// they have now. Where the record is from another kind of processor, or from an unknown one, bits
/// may differ and scores must agree within 0.02. Ends with 0 if everything is as it must be and
/// with 9 if anything differs.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// How many finished jobs to run again, drawn by chance; 0 for all
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub sample: usize,
    /// Another number draws other jobs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let grid = args.grid.load(common)?;
    let options = VerifyOptions {
        selection: grid::selection(common)?,
        sample: args.sample,
        seed: args.seed,
        slots: args.jobs,
        listens: true,
    };
    // Events as JSON would be between the results.
    let mut show = ui::progress(Style::choose(false, common.quiet || common.json));
    let source = args.grid.source(common);
    let verified = sweep::verify(&source, &grid, &options, &mut *show).map_err(error)?;
    match common.json {
        true => print(&serde_json::to_string(&verified).map_err(internal)?)?,
        false => print(&text(&verified))?,
    }
    Ok(verified.conclusion().into())
}

fn internal(error: serde_json::Error) -> CliError {
    CliError::new(Exit::Internal, error)
}

/// With the jobs that are finished, but with other settings.
fn error(error: SweepError) -> CliError {
    let listed = match &error {
        SweepError::NothingFinished { outdated, .. } => list(outdated),
        _ => String::new(),
    };
    let error = CliError::from(error);
    match listed.is_empty() {
        true => error,
        false => CliError { message: format!("{}\n{listed}", error.message), ..error },
    }
}

/// Of outdated jobs so many are listed.
const MOST_LISTED: usize = 5;
/// A longer value is cut.
const LONGEST: usize = 40;

fn text(verified: &Verification) -> String {
    let Verification {
        grid, finished, jobs, same, within_tolerance, differ, failed, outdated, ..
    } = verified;
    let mut text = format!(
        "{grid}: {} of {} {} run again\n",
        jobs.len(),
        counted(*finished, "finished job"),
        if jobs.len() == 1 { "was" } else { "were" }
    );
    text.push_str(&shown(&Table::list(jobs.iter().flat_map(rows))));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}", summary([*same, *within_tolerance, *differ, *failed]));
    if !outdated.is_empty() {
        let _ = writeln!(text, "\n{}", list(outdated));
    }
    text
}

/// A line for the job, and one more for each further difference.
fn rows(job: &VerifiedJob) -> Vec<[String; 3]> {
    let point = job.point.to_string();
    let row = |verdict: &str, what: String| vec![[verdict.to_owned(), point.clone(), what]];
    match &job.verdict {
        RerunVerdict::Same { note } => row("same", note.clone().unwrap_or_default()),
        RerunVerdict::Failed { reason } => row("failed", reason.clone()),
        RerunVerdict::WithinTolerance { note, .. } => row("close", note.clone()),
        RerunVerdict::Differs { differences, note } => {
            let lines = differences.iter().map(line).chain(note.clone());
            let heads = [("differs", &*point)].into_iter().chain(std::iter::repeat(("", "")));
            let row = |((verdict, point), line): ((&str, &str), String)| {
                [verdict.to_owned(), point.to_owned(), line]
            };
            heads.zip(lines).map(row).collect()
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
fn list(outdated: &[Outdated]) -> String {
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
