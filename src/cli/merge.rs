//! `tailgrid merge`: result folders of one grid joined.

use super::output::{message, print, printable};
use super::{CliError, Common, Exit};
use domain::{SCORE_TOLERANCE, counted};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use store::{self, Conflict, Difference, Folder, Lock, MergePlan, MergeSource, Skipped, Survey};

/// Joins result folders of one grid: those of shards, copied from other machines, or kept as
/// journals
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The folders, each as results/<grid> is, or files of `tailgrid export --journal`; they are
    /// only read
    #[arg(required = true, value_name = "DIR|FILE")]
    pub folders: Vec<PathBuf>,
    /// The folder that gets everything [default: the folders' common name, under --results]
    #[arg(long, value_name = "DIR")]
    pub into: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let sources = args.folders.iter().map(|path| open(path)).collect::<Result<Vec<_>, _>>()?;
    let target = target(args, &sources, common)?;
    check_grids(&target, &sources)?;
    target.prepare()?;
    let _lock = Lock::take(&target)?;
    target.sweep()?;
    check_free(&target, &sources)?;
    let mut plan = MergePlan::make(&target, &sources)?;
    if !plan.conflicts.is_empty() {
        return Err(CliError::new(Exit::Differs, conflicts_text(&plan.conflicts)));
    }
    plan.carry_out(&target)?;
    finish(&target, &sources)?;
    report(&plan, &target, common)
}

fn open(path: &Path) -> Result<MergeSource, CliError> {
    if path.is_file() {
        return Ok(MergeSource::unpack(path)?);
    }
    MergeSource::open(path).ok_or_else(|| {
        let message = format!(
            "{} holds no results: name the folder of one grid, as results/<grid>, which has jobs/ in it, or a journal",
            path.display()
        );
        CliError::new(Exit::Invalid, message)
    })
}

/// Where everything goes: as told, or by the name that all folders have.
fn target(args: &Args, sources: &[MergeSource], common: &Common) -> Result<Folder, CliError> {
    let invalid = |message: String| CliError::new(Exit::Invalid, message);
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    if let Some(into) = &args.into {
        let named = name(into).ok_or_else(|| invalid(format!("{} has no name", into.display())))?;
        return Ok(Folder::new(into.parent().unwrap_or(Path::new("")), &named)?);
    }
    let names: Vec<_> = sources.iter().map(|source| name(source.path())).collect();
    match &names[..] {
        [Some(first), rest @ ..] if rest.iter().all(|name| name.as_ref() == Some(first)) => {
            Ok(Folder::new(&common.results, first)?)
        }
        _ => Err(invalid(
            "the folders have no name in common: say with --into results/<grid> where they belong"
                .into(),
        )),
    }
}

/// Results of different grids do not belong together.
fn check_grids(target: &Folder, sources: &[MergeSource]) -> Result<(), CliError> {
    let there = target.grid_text()?.and_then(|text| spec::name_in(&text));
    let there = there.map(|name| (name, target.path()));
    let named = sources
        .iter()
        .filter_map(|source| Some((spec::name_in(&source.grid_text()?)?, source.path())));
    let mut all = there.into_iter().chain(named);
    let Some((first, place)) = all.next() else { return Ok(()) };
    match all.find(|(name, _)| *name != first) {
        None => Ok(()),
        Some((other, path)) => {
            let (place, path) = (place.display(), path.display());
            let (first, other) = (printable(&first), printable(&other));
            let message = format!("{place} is of the grid `{first}`, and {path} of `{other}`");
            Err(CliError::new(Exit::Invalid, message))
        }
    }
}

/// A folder that is being written to is not merged half-way, and none into itself.
fn check_free(target: &Folder, sources: &[MergeSource]) -> Result<(), CliError> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    for source in sources {
        let path = source.path().display();
        if real(source.path()) == real(target.path()) {
            let message = format!("{path} is the folder to merge into: name the others only");
            return Err(CliError::new(Exit::Usage, message));
        }
        if let Some(holder) = source.holder() {
            let message = format!(
                "{path} is in use by a run{}: wait for it to end",
                printable(&holder.to_string())
            );
            return Err(CliError::new(Exit::InUse, message));
        }
    }
    Ok(())
}

/// The grid, the searches and the frames of what is there now.
fn finish(target: &Folder, sources: &[MergeSource]) -> Result<(), CliError> {
    if !target.grid_file().exists()
        && let Some(text) = sources.iter().find_map(MergeSource::grid_text)
    {
        target.write_grid(&text)?;
    }
    // What cannot be read follows from the trials.
    let own = target.read_tuning().ok().flatten().into_iter().flat_map(|record| record.searches);
    let searches = store::join_searches(own.chain(sources.iter().flat_map(MergeSource::searches)));
    let jobs = target.recorded_jobs(&searches, sources)?;
    let survey = Survey::new(target, jobs.iter().map(|placed| &placed.job))?.whole()?;
    let mut survey = survey.with_others(target)?;
    survey.write_index(target)?;
    store::refresh_frames(target, &jobs, &survey)?;
    Ok(target.write_tuning(&searches)?)
}

fn report(plan: &MergePlan, target: &Folder, common: &Common) -> Result<Exit, CliError> {
    let MergePlan { same, close, skipped, .. } = plan;
    let (new, into) = (plan.new_jobs(), target.path().display().to_string());
    if common.json {
        let skipped: Vec<_> = skipped
            .iter()
            .map(|Skipped { path, reason }| json!({ "path": path.display().to_string(), "reason": reason }))
            .collect();
        let merged = json!({
            "into": into, "new": new, "same": same, "within_tolerance": close, "skipped": skipped
        });
        print(&merged.to_string())?;
    } else {
        let left = match skipped.len() {
            0 => String::new(),
            n => format!(", {n} left out"),
        };
        print(&format!("{} merged, {same} were there already{left}; {into}", counted(new, "job")))?;
        if *close > 0 {
            print(&format!(
                "{close} of those that were there already have other bits here: the processors are not known \
                 to be of one kind, and the scores agree within {SCORE_TOLERANCE}; the first result is kept"
            ))?;
        }
    }
    for Skipped { path, reason } in skipped {
        message!("left out: {}: {}", printable(&path.display().to_string()), printable(reason));
    }
    Ok(if skipped.is_empty() { Exit::Done } else { Exit::Damaged })
}

/// What differs, and what to do about it.
fn conflicts_text(conflicts: &[Conflict]) -> String {
    const SHOWN: usize = 10;
    let mut text =
        format!("{} came out differently in two folders:\n", counted(conflicts.len(), "job"));
    for Conflict { job, point, file, folders: [a, b], difference } in conflicts.iter().take(SHOWN) {
        let (a, b, point) = (a.join(file), b.join(file), printable(point));
        let (a, b, how) = (a.display(), b.display(), difference_text(difference));
        text.push_str(&format!("  {point}  {job}\n    {a}\n    {b}\n    {how}\n"));
    }
    if conflicts.len() > SHOWN {
        text.push_str(&format!("  and {} more\n", conflicts.len() - SHOWN));
    }
    text + "nothing was merged: find out which is right (`tailgrid verify` runs a job again), \
            and remove the job's folder where it is wrong"
}

/// How the job differs, and what that means.
fn difference_text(difference: &Difference) -> String {
    match difference {
        Difference::Bits => {
            "the bits differ although the processors are of one kind: one machine is faulty, or a file was changed"
                .to_owned()
        }
        Difference::Inexplicable => {
            "they differ in more than another kind of processor explains".to_owned()
        }
        Difference::Scores(apart) => {
            format!("{apart}: more than another kind of processor is expected to change")
        }
    }
}
