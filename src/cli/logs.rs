//! `tailgrid logs`: a job's log.

use super::{CliError, Common, Exit};
use crate::domain::JobKey;
use crate::store::{Folder, JobFolder};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::SystemTime;

/// Prints the log of a job
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The beginning of a job's key, or corpus/scenario/model/method/seed
    pub job: String,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let Log { job, folder, .. } = newest(&args.job, &common.results)?;
    print(&folder.job(&job)?)
}

/// A log of a job, and when it was last written to.
struct Log {
    job: JobKey,
    folder: Folder,
    written: SystemTime,
}

/// The log of the one job that goes by this. Grids that share a job each have a folder for it: the newest
/// log is the one that is asked for.
fn newest(asked: &str, results: &Path) -> Result<Log, CliError> {
    let logs = find(asked, results)?;
    if logs.iter().any(|log| log.job != logs[0].job) {
        return Err(ambiguous(asked, &logs));
    }
    let newest = logs.into_iter().max_by_key(|log| log.written);
    newest.ok_or_else(|| {
        let message = format!(
            "no job in {} that goes by `{asked}` has a log: `tailgrid status GRID` names the failed ones, and \
             one that has not ended goes by its key alone",
            results.display()
        );
        CliError::new(Exit::NothingSelected, message)
    })
}

/// The logs of every grid's jobs whose keys begin like this, or that have these names.
fn find(asked: &str, results: &Path) -> Result<Vec<Log>, CliError> {
    let mut found = Vec::new();
    for folder in Folder::all(results)? {
        for job in folder.keys()?.into_iter().filter(|key| goes_by(asked, key, &folder)) {
            let path = folder.job(&job)?.log();
            // A record can be there without a log, as in results that came from elsewhere.
            if let Ok(written) = fs::symlink_metadata(&path).and_then(|file| file.modified()) {
                found.push(Log { job, folder: folder.clone(), written });
            }
        }
    }
    Ok(found)
}

/// Names are those of its record: keys have no slash, and a trial has the names of another job.
fn goes_by(asked: &str, key: &JobKey, folder: &Folder) -> bool {
    if !asked.contains('/') {
        return key.0.starts_with(asked);
    }
    let record = folder.read_record(key).ok().flatten();
    record.is_some_and(|r| r.settings.stage.is_main() && r.point.to_string() == asked)
}

fn print(job: &JobFolder) -> Result<Exit, CliError> {
    let mut log = job.open_log()?;
    match io::copy(&mut log, &mut io::stdout().lock()) {
        // A pager that was left is no error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unreadable(&job.log(), &error)),
        _ => Ok(Exit::Done),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::new(Exit::Invalid, format!("cannot read {}: {error}", path.display()))
}

fn ambiguous(asked: &str, found: &[Log]) -> CliError {
    let mut jobs: Vec<&JobKey> = found.iter().map(|log| &log.job).collect();
    jobs.sort();
    jobs.dedup();
    let listed: Vec<String> = jobs.iter().take(10).map(|job| format!("  {job}")).collect();
    let message =
        format!("{} jobs go by `{asked}`: say more of the key\n{}", jobs.len(), listed.join("\n"));
    CliError::new(Exit::Usage, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::Duration;

    fn path(asked: &str, results: &Path) -> PathBuf {
        let Log { job, folder, .. } = newest(asked, results).ok().expect("a log");
        folder.job(&job).unwrap().log()
    }

    /// A job's folder in a grid's results, with a log of this age if any.
    fn job(results: &Path, grid: &str, key: &str, age: Option<u64>) -> PathBuf {
        let folder = Folder::new(results, grid).unwrap();
        folder.prepare().unwrap();
        let job = folder.job(&JobKey(key.to_owned())).unwrap();
        job.create().unwrap();
        if let Some(age) = age {
            let log = File::create(job.log()).unwrap();
            log.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        job.log()
    }

    #[test]
    fn a_job_of_several_grids_has_one_newest_log() {
        let results = tempfile::tempdir().unwrap();
        let (one, two) = ("ab".repeat(16), "ac".repeat(16));
        job(results.path(), "a-example", &one, None);
        let newer = job(results.path(), "b", &one, Some(10));
        job(results.path(), "c", &one, Some(1000));
        let other = job(results.path(), "c", &two, Some(1));
        assert_eq!(path(&one, results.path()), newer);
        assert_eq!(path("ab", results.path()), newer);
        assert_eq!(path("ac", results.path()), other);
        let error = newest("a", results.path()).err().unwrap();
        assert!(error.message.starts_with("2 jobs go by `a`"), "{}", error.message);
    }

    #[test]
    fn a_job_goes_by_its_names_once_it_has_a_record() {
        let results = tempfile::tempdir().unwrap();
        let record = crate::store::testing::done("ab", "sc", 1);
        let log = job(results.path(), "grid", "ab", Some(1));
        job(results.path(), "grid", "cd", Some(1));
        let asked = record.point.to_string();
        assert_eq!(newest(&asked, results.path()).err().unwrap().exit, Exit::NothingSelected);
        Folder::new(results.path(), "grid").unwrap().write_record(&record).unwrap();
        assert_eq!(path(&asked, results.path()), log);
        let other = asked.replace("/sc/", "/scr/");
        assert_ne!(other, asked);
        assert!(newest(&other, results.path()).is_err());
    }

    #[test]
    fn a_job_without_a_log_is_told_from_one_that_has_one() {
        let results = tempfile::tempdir().unwrap();
        job(results.path(), "a-example", &"ab".repeat(16), None);
        assert_eq!(newest("ab", results.path()).err().unwrap().exit, Exit::NothingSelected);
    }
}
