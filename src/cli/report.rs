//! `tailgrid report GRID`: tables, figures and a page from the results.

use super::{CliError, Common, Exit};
use crate::report::{self, Artefact, GridView};
use crate::store::Results;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Tables and figures from the results, under reports/<name>/
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The grid file
    pub grid: PathBuf,
}

/// Renders the report, writes it and says where its page is.
pub fn write(view: &GridView, results: &Results, common: &Common) -> Result<Exit, CliError> {
    if view.jobs.is_empty() {
        return Err(CliError::new(Exit::NothingSelected, "no job of the grid is selected"));
    }
    let report = report::render(view, results).map_err(|e| CliError::new(Exit::Internal, e))?;
    let folder = common.reports.join(&view.name);
    for file in &report.files {
        write_file(&folder, file)?;
    }
    if !common.quiet {
        report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    }
    println!("{}", folder.join("index.html").display());
    Ok(Exit::Done)
}

/// Writes a file beside its place and moves it there: a reader meets the old file or the new one.
fn write_file(folder: &Path, file: &Artefact) -> Result<(), CliError> {
    let path = folder.join(&file.path);
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::File::create(&temporary))
        .and_then(|mut out| out.write_all(&file.bytes).and_then(|()| out.sync_all()))
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // What is left of a failed write is of no use to anybody.
        let _ = fs::remove_file(&temporary);
        CliError::new(Exit::Invalid, format!("cannot write {}: {error}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
