//! `tailgrid logs`: a job's log.

use super::{CliError, Common, Exit};
use crate::domain::JobKey;
use crate::store::{Folder, JobFolder};
use std::fs::{self, File};
use std::io::{self, ErrorKind};

/// Prints the log of a job
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The job's key, or enough of its beginning
    pub job: String,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let found = find(&args.job, common)?;
    let (_, job) = match found.as_slice() {
        [] => {
            let message = format!(
                "no job in {} begins with `{}`: `tailgrid status GRID` names the failed ones",
                common.results.display(),
                args.job
            );
            return Err(CliError::new(Exit::NothingSelected, message));
        }
        [one] => one,
        several => return Err(ambiguous(&args.job, several)),
    };
    print(job)
}

/// The jobs of every grid whose key begins like this.
fn find(prefix: &str, common: &Common) -> Result<Vec<(JobKey, JobFolder)>, CliError> {
    let entries = match fs::read_dir(&common.results) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| unreadable(&common.results.display(), &error))?,
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        // What has not the name of a grid is none.
        let Ok(folder) = Folder::new(&common.results, &entry.file_name().to_string_lossy()) else {
            continue;
        };
        for key in folder.keys()?.into_iter().filter(|key| key.0.starts_with(prefix)) {
            found.push((key.clone(), folder.job(&key)?));
        }
    }
    found.sort_by(|a, b| a.1.path().cmp(b.1.path()));
    Ok(found)
}

fn print(job: &JobFolder) -> Result<Exit, CliError> {
    let path = job.log();
    let mut log = File::open(&path).map_err(|error| unreadable(&path.display(), &error))?;
    match io::copy(&mut log, &mut io::stdout().lock()) {
        // A pager that was left is no error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(unreadable(&path.display(), &error))
        }
        _ => Ok(Exit::Done),
    }
}

fn unreadable(path: &dyn std::fmt::Display, error: &io::Error) -> CliError {
    CliError::new(Exit::Invalid, format!("cannot read {path}: {error}"))
}

fn ambiguous(prefix: &str, found: &[(JobKey, JobFolder)]) -> CliError {
    let listed: Vec<String> =
        found.iter().take(10).map(|(_, job)| format!("  {}", job.path().display())).collect();
    let message = format!(
        "{} jobs begin with `{prefix}`: say more of the key\n{}",
        found.len(),
        listed.join("\n")
    );
    CliError::new(Exit::Usage, message)
}
