//! `tailgrid run`: runs what is not done yet.

mod notify;

use super::grid::{self, GridArgs};
use super::models;
use super::output::{message, print};
use super::serve::{self, LivePage};
use super::{CliError, Common, Exit};
use domain::counted;
use runner::events::{Ending, Event};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use sweep::{OpenRun, RunEnd, RunOptions, Shard, TimeOfDay};
use ui::Style;

/// Runs the jobs of a grid that are not done yet; the same command resumes and extends
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
    /// Jobs side by side [default: cores / threads of a job]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// Run failed jobs again
    #[arg(long)]
    pub retry_failed: bool,
    /// Keep the models of the selected jobs; finished ones without a model are trained again for it
    #[arg(long, conflicts_with = "shared")]
    pub keep_models: bool,
    /// Wait while another run has the folder, instead of refusing
    #[arg(long)]
    pub wait: bool,
    /// Only the K-th of N parts of the jobs, for N machines with a folder each
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Only the jobs that were to do in a plan, as `plan --json` printed it
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Run beside others with this option, also on other machines, on one results folder
    #[arg(long)]
    pub shared: bool,
    /// Start no job that is expected to end after this time of day
    #[arg(long, value_name = "HH:MM")]
    pub until: Option<TimeOfDay>,
    /// When the run is over, give its summary to this shell command
    #[arg(long, value_name = "CMD")]
    pub notify: Option<String>,
    /// Serve the page of the results meanwhile, as 127.0.0.1:0 (any free port)
    #[arg(long, value_name = "ADDRESS", value_parser = serve::address)]
    pub serve: Option<SocketAddr>,
}

impl Args {
    fn options(&self, common: &Common) -> Result<RunOptions, CliError> {
        Ok(RunOptions {
            selection: grid::selection(common)?,
            slots: self.jobs,
            retry_failed: self.retry_failed,
            keep_models: self.keep_models,
            wait: self.wait,
            shard: self.shard,
            plan: self.plan.clone(),
            shared: self.shared,
            until: self.until,
            listens: true,
        })
    }
}

/// Runs the command, and tells whoever wants to know how it ended.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let result = carry_out(args, common);
    if let Some(command) = &args.notify {
        let text = match &result {
            Ok(end) => ui::summary_text(&end.summary),
            Err(error) => format!("{}: {error}\n", args.grid.grid.display()),
        };
        if let Err(problem) = notify::tell(command, &text, notify::PATIENCE) {
            ui::warn(&format!("--notify `{command}`: {problem}"));
        }
    }
    result.map(|end| end.conclusion.into())
}

fn carry_out(args: &Args, common: &Common) -> Result<RunEnd, CliError> {
    let alone = args.grid.load_alone(common)?;
    let source = args.grid.source(common);
    let options = args.options(common)?;
    let mut progress = ui::progress(Style::choose(common.json, common.quiet));
    let mut show = |event: &Event| {
        // What programs read is about jobs.
        if !(common.json && matches!(event, Event::Waiting { .. })) {
            progress(event);
        }
    };
    let open = OpenRun::new(&source, alone, &options, &mut show)?;
    let serve = |at| LivePage::start(at, open.alone(), &source, common, &mut show);
    let page = args.serve.map(serve).transpose()?;
    let mut recorded = open.carry_out(&mut show)?;
    page.iter().for_each(LivePage::finish);
    recorded.keep_models(&mut |event| {
        // A program that reads events takes these for the beginning and the end of the run.
        let is_frame = matches!(event, Event::RunStarted { .. } | Event::RunFinished { .. });
        if !(common.json && is_frame) {
            show(event);
        }
    })?;
    let end = recorded.finish(&mut show)?;
    if !common.json && !common.quiet {
        say(&end, args.shared)?;
    }
    Ok(end)
}

/// How a run ended, and what to do next.
fn say(end: &RunEnd, shared: bool) -> Result<(), CliError> {
    let RunEnd { summary, has_run, models, models_missing, held, .. } = end;
    let nothing = if *has_run { "" } else { "nothing to do: " };
    let counts = ui::of_counts(&summary.counts);
    let kept = models.as_ref().map(models::text).unwrap_or_default();
    let looks: String = summary.looks.iter().map(|line| format!("{line}\n")).collect();
    print(&format!("{nothing}{counts}; {}\n{kept}{looks}", summary.results))?;
    models::hint(*models_missing).filter(|_| models.is_none()).iter().for_each(|h| message!("{h}"));
    if summary.ending != Ending::Interrupted {
        if shared && summary.counts.to_do > 0 {
            message!("what is still to do is with other runs on this folder, or was left by them");
        }
        waiting(*held).iter().for_each(|hint| message!("{hint}"));
    }
    Ok(())
}

/// What to say of a run that ended while looks still wait.
fn waiting(held: usize) -> Option<String> {
    let jobs = counted(held, "job");
    let wait = if held == 1 { "waits" } else { "wait" };
    (held > 0).then(|| {
        format!(
            "{jobs} {wait} for planned looks, whose other jobs were not selected or have not ended: run \
             without --only and --not"
        )
    })
}
