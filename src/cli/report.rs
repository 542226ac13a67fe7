//! `tailgrid report GRID`: tables, figures and a page from the results.
//!
//! Of what stands in the folder of a report only files that an earlier report wrote are ever
//! removed.

mod manifest;

use super::grid::{self, GridArgs, Opened};
use super::output::{message, print};
use super::{CliError, Common, Exit};
use analysis::{GridView, ResultFrames};
use nix::sys::signal::kill;
use nix::unistd::Pid;
use report::errors::{JobErrors, errors_of, jobs_to_read};
use report::{self, Artefact, Extras};
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use store::Folder;

/// Tables and figures from the results, under reports/<name>/
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    #[command(flatten)]
    pub grid: GridArgs,
}

/// Renders the report of a grid's results.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Opened { grid, args: grid_args, common } = &args.grid.open(common)?;
    let (view, results) = grid::view(grid, common)?;
    if results.runs().is_empty() && !common.quiet {
        grid_args.mock_hint(common).iter().for_each(|hint| message!("hint: {hint}"));
    }
    let page = write(&view, &results, common)?.display().to_string();
    let shown =
        if common.json { json!({"grid": view.name, "page": page}).to_string() } else { page };
    print(&shown).map(|()| Exit::Done)
}

/// Renders and writes the report; where its page is.
pub fn write(
    view: &GridView,
    results: &ResultFrames,
    common: &Common,
) -> Result<PathBuf, CliError> {
    let errors = errors(view, results, &Folder::new(&common.results, &view.name)?)?;
    let extras = Extras { errors, live: None };
    let report = report::render_with(view, results, &extras)
        .map_err(|error| CliError::new(Exit::Internal, error))?;
    let folder = common.reports.join(&view.name);
    let before = manifest::read(&folder);
    // Until all is done the list has what was there and what is to come: whatever a report that is
    // interrupted leaves behind, the next one knows.
    sweep(&folder, &before, &report.files)?;
    write_file(&folder, &manifest::with(&before, &report.files))?;
    write_files(&folder, &report.files)?;
    remove_stale(&folder, &before, &report.files)?;
    write_file(&folder, &manifest::of(&report.files))?;
    if !common.quiet {
        report.warnings.iter().for_each(|warning| message!("warning: {warning}"));
    }
    Ok(folder.join("index.html"))
}

/// Bytes that are read of one job's predictions, and of all.
const MOST_OF_ONE: u64 = 4 << 20;
const MOST_OF_ALL: usize = 64 << 20;

/// What some jobs got wrong, by what is kept of their predictions.
pub fn errors(
    view: &GridView,
    results: &ResultFrames,
    folder: &Folder,
) -> Result<Vec<JobErrors>, CliError> {
    let (mut found, mut read) = (Vec::new(), 0);
    for key in jobs_to_read(view, results) {
        if read > MOST_OF_ALL {
            break;
        }
        let Some(predictions) = folder.read_predictions(&key, MOST_OF_ONE)? else { continue };
        read += predictions.text.len();
        found.extend(errors_of(&key, &predictions.text, predictions.is_partial));
    }
    Ok(found)
}

/// Threads that write: a disk takes several files at once.
const WRITERS: usize = 4;

fn write_files(folder: &Path, files: &[Artefact]) -> Result<(), CliError> {
    let part = files.len().div_ceil(WRITERS).max(1);
    std::thread::scope(|scope| {
        let write = |files: &[Artefact]| files.iter().try_for_each(|file| write_file(folder, file));
        let threads: Vec<_> =
            files.chunks(part).map(|files| scope.spawn(move || write(files))).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(written) => written,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// Writes a file beside its place and moves it there: a reader meets the old file or the new one.
/// Nobody waits for the disk, which takes seconds for a thousand files: a report can be made again.
fn write_file(folder: &Path, file: &Artefact) -> Result<(), CliError> {
    let path = folder.join(&file.path);
    // What stands there already need not be written, and most of a report stays as it was.
    // A pipe in its place is not read, which would never end.
    if fs::metadata(&path).is_ok_and(|old| old.is_file() && old.len() == file.bytes.len() as u64)
        && fs::read(&path).is_ok_and(|old| old == file.bytes)
    {
        return Ok(());
    }
    // The ending is part of the name: tables and figures of one stem are written at the same time.
    let temporary = folder.join(format!("{}.{}{TEMPORARY}", file.path, std::process::id()));
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::File::create(&temporary))
        .and_then(|mut out| out.write_all(&file.bytes))
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // What is left of a failed write is of no use to anybody.
        let _ = fs::remove_file(&temporary);
        CliError::new(Exit::Invalid, format!("cannot write {}: {error}", path.display()))
    })
}

/// How the name of a file on its way ends, after the number of the process that writes it.
const TEMPORARY: &str = ".tmp";

/// Removes what reports that were killed left on its way to these files, or to those of the report
/// before.
fn sweep(folder: &Path, before: &[String], files: &[Artefact]) -> Result<(), CliError> {
    let ours: HashSet<&str> = files
        .iter()
        .map(|file| file.path.as_str())
        .chain(before.iter().map(String::as_str))
        .collect();
    let is_left = |path: &str| {
        let name = path.strip_suffix(TEMPORARY).and_then(|name| name.rsplit_once('.'));
        let process = |(of, pid): (&str, &str)| {
            let pid = pid.parse().ok().filter(|pid| *pid > 0)?;
            (ours.contains(of) || of == manifest::NAME).then_some(Pid::from_raw(pid))
        };
        // Another report may be writing it at this moment.
        name.and_then(process).is_some_and(|pid| pid == Pid::this() || kill(pid, None).is_err())
    };
    let parts: HashSet<&str> =
        ours.iter().map(|path| path.rsplit_once('/').map_or("", |(part, _)| part)).collect();
    for part in parts {
        // What cannot be listed has nothing that could be removed.
        for entry in fs::read_dir(folder.join(part)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if part.is_empty() { name } else { format!("{part}/{name}") };
            if is_left(&path) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                remove(&entry.path())?;
            }
        }
    }
    Ok(())
}

fn remove(path: &Path) -> Result<(), CliError> {
    fs::remove_file(path).map_err(|error| {
        let message = format!("cannot remove the old {}: {error}", path.display());
        CliError::new(Exit::Invalid, message)
    })
}

/// Removes the tables and figures of the report before that this one has not: whoever copies the
/// folder must not take old numbers along.
fn remove_stale(folder: &Path, before: &[String], files: &[Artefact]) -> Result<(), CliError> {
    let fresh: HashSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_stale = |path: &&String| !fresh.contains(path.as_str());
    for path in before.iter().filter(is_stale).map(|path| folder.join(path)) {
        // A link or a folder in the place of a file is somebody else's.
        if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
            continue;
        }
        remove(&path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::synthetic;
    use clap::Parser as _;
    use std::collections::BTreeSet;

    fn names(folder: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("the folder is there");
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// A folder for reports, and how they are written into it.
    fn place() -> (tempfile::TempDir, Common) {
        let reports = tempfile::tempdir().expect("a temporary folder");
        let mut common = Common::parse_from(["tailgrid"]);
        common.reports = reports.path().to_owned();
        (reports, common)
    }

    #[test]
    fn files_of_an_earlier_report_go_and_those_of_others_stay() {
        let (_reports, common) = place();
        let (mut view, results) = synthetic::grid();
        let page = write(&view, &(&results).into(), &common).expect("written");
        let [tables, figures] = ["tables", "figures"].map(|part| page.with_file_name(part));
        for mine in ["notes.txt", "mine.md", "mine.csv", "mine.tex"] {
            fs::write(tables.join(mine), "mine").expect("written");
        }
        fs::write(figures.join("photo.png"), "mine").expect("written");
        fs::remove_file(tables.join("comparisons-synthetic-full.md")).expect("removed");
        fs::create_dir(tables.join("comparisons-synthetic-full.md")).expect("made");
        view.baseline = None;
        write(&view, &(&results).into(), &common).expect("written again");
        let left = names(&tables);
        for mine in ["notes.txt", "mine.md", "mine.csv", "mine.tex"] {
            assert!(left.contains(mine), "{mine}: {left:?}");
        }
        assert!(left.contains("comparisons-synthetic-full.md"), "a folder is none of ours");
        assert!(left.contains("macro-f1-synthetic-full.csv"), "{left:?}");
        assert!(!left.contains("comparisons-synthetic-full.csv"), "{left:?}");
        let left = names(&figures);
        assert!(left.contains("displacement-synthetic-full-dark.png"), "{left:?}");
        assert!(left.contains("photo.png"), "{left:?}");
        assert!(!left.iter().any(|name| name.starts_with("forest")), "no baseline, no differences");
    }

    #[test]
    fn nothing_is_removed_from_a_folder_that_lists_no_files() {
        let (_reports, common) = place();
        let (mut view, results) = synthetic::grid();
        let page = write(&view, &(&results).into(), &common).expect("written");
        let list = page.with_file_name("files.txt");
        let listed = fs::read_to_string(&list).expect("a list");
        assert!(listed.contains("\ntables/comparisons-synthetic-full.md\n"), "{listed}");
        fs::remove_file(&list).expect("removed");
        view.baseline = None;
        write(&view, &(&results).into(), &common).expect("written again");
        assert!(page.with_file_name("tables").join("comparisons-synthetic-full.md").exists());
        let listed = fs::read_to_string(&list).expect("a list again");
        assert!(!listed.contains("comparisons"), "{listed}");
    }

    #[test]
    fn what_a_killed_report_left_half_way_is_removed_by_the_next() {
        let (_reports, common) = place();
        let (view, results) = synthetic::grid();
        let page = write(&view, &(&results).into(), &common).expect("written");
        let path = |name: &str| page.with_file_name(name);
        let figure = names(&path("figures")).into_iter().next().expect("a figure");
        // No process has so high a number; the first process is there as long as the machine is.
        let dead = i32::MAX;
        let (left, live) =
            (format!("figures/{figure}.{dead}.tmp"), format!("figures/{figure}.1.tmp"));
        let of_page = format!("index.html.{dead}.tmp");
        let mine = format!("figures/mine.png.{dead}.tmp");
        for name in [&left, &live, &of_page, &mine] {
            fs::write(path(name), "half").expect("written");
        }
        write(&view, &(&results).into(), &common).expect("written again");
        let there = [&left, &live, &of_page, &mine].map(|name| path(name).exists());
        assert_eq!(there, [false, true, false, true]);
    }

    #[test]
    fn a_file_is_written_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = Artefact { path: "tables/a.md".to_owned(), bytes: b"text".to_vec() };
        write_file(folder.path(), &file).expect("written");
        write_file(folder.path(), &file).expect("written again");
        let names: Vec<_> = fs::read_dir(folder.path().join("tables"))
            .expect("the folder is there")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        assert_eq!(names, ["a.md"]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("tables"), "in the way").expect("written");
        let file = Artefact { path: "tables/a.md".to_owned(), bytes: Vec::new() };
        let error = write_file(folder.path(), &file).expect_err("a file is in the way");
        assert!(error.message.contains("a.md"), "{}", error.message);
        assert_eq!(error.exit, Exit::Invalid);
    }
}
