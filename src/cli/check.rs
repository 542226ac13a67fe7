//! `tailgrid check`: reads everything in a results folder once and says what is damaged.

use super::output::{print, printable};
use super::{CliError, Common, Exit};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use store::{Checked, DamagedFile, Folder};

/// Read everything in a results folder once and say what is damaged
///
/// Records and predictions carry checksums. `status` and `run` compare lengths and times; this
/// command reads every byte. Nothing is changed: `tailgrid run` sets damaged files aside and runs
/// their jobs again. Ends with 0 if all is as it was written and with 7 if something is damaged.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The results of one grid, as results/<grid>, or of all, as results
    #[arg(value_name = "RESULTS")]
    pub folder: PathBuf,
}

/// What `check --json` prints.
#[derive(Debug, Serialize)]
struct Report {
    grids: Vec<CheckedGrid>,
    /// Files of all grids that are not as they were written.
    damaged: usize,
}

#[derive(Debug, Serialize)]
struct CheckedGrid {
    grid: String,
    path: String,
    jobs: usize,
    /// Beside records, whose checksums were compared.
    files: usize,
    bytes: u64,
    /// That a record names and that are not there.
    missing: usize,
    /// Finished jobs whose records are older than checksums of files.
    without_sums: usize,
    damaged: Vec<Damage>,
    /// What makes it whole again; null where nothing is damaged.
    command: Option<String>,
}

#[derive(Debug, Serialize)]
struct Damage {
    path: String,
    job: Option<String>,
    /// Corpus, scenario, model, method and seed.
    point: Option<String>,
    reason: String,
    advice: String,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let folders = folders(&args.folder)?;
    let grids = folders.iter().map(|folder| Ok(checked(folder, &folder.check()?)));
    let grids = grids.collect::<Result<Vec<_>, CliError>>()?;
    let report = Report { damaged: grids.iter().map(|grid| grid.damaged.len()).sum(), grids };
    match common.json {
        true => {
            print(&serde_json::to_string(&report).map_err(|e| CliError::new(Exit::Internal, e))?)?;
        }
        false => print(&report.grids.iter().map(text).collect::<Vec<_>>().join("\n"))?,
    }
    Ok(if report.damaged == 0 { Exit::Done } else { Exit::Damaged })
}

/// The grids at a path: itself, or those in it.
fn folders(path: &Path) -> Result<Vec<Folder>, CliError> {
    let invalid = |message: String| CliError::new(Exit::Invalid, message);
    // Of `.` and `..` the name is that of the folder itself.
    let named = match path.file_name() {
        Some(_) => path.to_owned(),
        None => std::fs::canonicalize(path)
            .map_err(|error| invalid(format!("cannot read {}: {error}", path.display())))?,
    };
    let is_grid = named.join("jobs").symlink_metadata().is_ok();
    if let (true, Some(name)) = (is_grid, named.file_name()) {
        let parent = named.parent().unwrap_or(Path::new(""));
        return Ok(vec![Folder::new(parent, &name.to_string_lossy())?]);
    }
    let all = Folder::all(path)?;
    let all: Vec<Folder> = all.into_iter().filter(|folder| folder.jobs().exists()).collect();
    match all.is_empty() {
        false => Ok(all),
        true => Err(invalid(format!(
            "{} holds no results: name the folder of one grid, as results/<grid>, which has jobs/ in it, or \
             the folder of all of them",
            path.display()
        ))),
    }
}

fn checked(folder: &Folder, found: &Checked) -> CheckedGrid {
    let damage = |one: &DamagedFile| Damage {
        path: one.path.display().to_string(),
        job: one.job.as_ref().map(ToString::to_string),
        point: one.point.as_ref().map(ToString::to_string),
        reason: one.reason.clone(),
        advice: one.advice.clone(),
    };
    CheckedGrid {
        grid: folder.grid().to_owned(),
        path: folder.path().display().to_string(),
        jobs: found.jobs,
        files: found.files,
        bytes: found.bytes,
        missing: found.missing,
        without_sums: found.without_sums,
        damaged: found.damaged.iter().map(damage).collect(),
        command: (!found.damaged.is_empty()).then(|| command(folder, found)),
    }
}

/// The run that heals a folder; where the file of its grid is, nobody knows but its user.
fn command(folder: &Folder, found: &Checked) -> String {
    let mut command = "tailgrid run GRID".to_owned();
    let results = folder.path().parent().filter(|path| *path != Path::new("results"));
    if let Some(results) = results {
        let shown = if results == Path::new("") { Path::new(".") } else { results };
        // Writing to a string cannot fail.
        let _ = write!(command, " --results {}", shown.display());
    }
    if found.is_mock {
        command.push_str(" --engine mock");
    }
    command
}

fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn text(grid: &CheckedGrid) -> String {
    let CheckedGrid { jobs, files, bytes, missing, without_sums, damaged, .. } = grid;
    let size = bytesize::ByteSize(*bytes).display().iec();
    let (jobs, files) = (counted(*jobs, "record"), counted(*files, "file"));
    let found = match damaged.len() {
        0 => "nothing is damaged".to_owned(),
        n => format!("{n} damaged"),
    };
    // Writing to a string cannot fail.
    let mut text = format!("{}: {jobs} and {files} read, {size}; {found}\n", grid.path);
    if *missing > 0 {
        let files = counted(*missing, "file");
        let _ = writeln!(text, "  {files} not there: removed, or left out by a journal");
    }
    if *without_sums > 0 {
        let jobs = counted(*without_sums, "job");
        let _ =
            writeln!(text, "  {jobs} of an earlier version, whose predictions have no checksum");
    }
    for Damage { path, job, point, reason, advice } in damaged {
        let names = point.iter().chain(job).map(String::as_str).collect::<Vec<_>>().join("  ");
        let names = if names.is_empty() { names } else { format!("\n    {}", printable(&names)) };
        let (path, reason) = (printable(path), printable(reason));
        let _ = writeln!(text, "  {path}: {reason}; {advice}{names}");
    }
    if let Some(command) = &grid.command {
        let name = &grid.grid;
        let _ = writeln!(
            text,
            "heal with `{command}`, where GRID is the file of the grid `{name}`; jobs that it no longer has \
             go with `tailgrid gc GRID --orphans --yes`"
        );
    }
    text
}
