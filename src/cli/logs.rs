//! `tailgrid logs`: a job's log.

use super::output::{message, shown};
use super::{CliError, Common, Exit};
use domain::{JobKey, counted, escaped};
use report::tables::Table;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Write};
use std::path::Path;
use std::time::SystemTime;
use store::{Folder, JobFolder, Status, UnderWay};

/// Prints the log of a job
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The beginning of a job's key, or corpus/scenario/model/method/seed
    pub job: String,
    /// Only of this grid, by its name or its file
    #[arg(long, value_name = "GRID")]
    pub grid: Option<String>,
    /// The log's own bytes: escape sequences in it reach the terminal
    #[arg(long)]
    pub raw: bool,
}

/// Runs the command.
pub fn run(args: &Args, common: &Common) -> Result<Exit, CliError> {
    let folders = match &args.grid {
        Some(grid) => vec![Folder::new(&common.results, &name_of(grid)?)?],
        None => Folder::all(&common.results)?,
    };
    let chosen = choose(&args.job, &folders, &common.results)?;
    if chosen.had_others && !common.quiet {
        let Log { job, grid, state, .. } = &chosen.log;
        message!("the log of {job} in `{grid}` ({}); `--grid` names another grid", state.name());
    }
    show(&chosen.log.place, args.raw)
}

/// A grid's name, given as such or as its file.
fn name_of(grid: &str) -> Result<String, CliError> {
    let path = Path::new(grid);
    if !path.is_file() {
        return Ok(grid.to_owned());
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    spec::name_in(&text).ok_or_else(|| {
        CliError::new(Exit::Invalid, format!("{} does not say the name of a grid", path.display()))
    })
}

/// How a job stands, as far as its log is concerned.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum LogState {
    Running,
    Done,
    Failed,
    /// Started by a run that was stopped.
    Interrupted,
}

impl LogState {
    fn name(self) -> &'static str {
        match self {
            LogState::Running => "running",
            LogState::Done => "done",
            LogState::Failed => "failed",
            LogState::Interrupted => "interrupted",
        }
    }
}

/// Copies a log to standard output.
fn show(job: &JobFolder, raw: bool) -> Result<Exit, CliError> {
    let log = BufReader::new(job.open_log()?);
    let mut out = io::stdout().lock();
    let copied = match raw {
        true => io::copy(&mut { log }, &mut out).map(drop),
        false => copy_escaped(log, &mut out),
    };
    match copied.and_then(|()| out.flush()) {
        // A pager that was left is no error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unreadable(&job.log(), &error)),
        _ => Ok(Exit::Done),
    }
}

/// Copies a log line by line without what a terminal would obey. A carriage return, with which bars
/// of progress begin their line again, ends it here.
fn copy_escaped(mut log: impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        out.write_all(escaped(&text).as_bytes())?;
        line.clear();
    }
    Ok(())
}

/// A log of a job, and when it was last written to.
#[derive(Clone, Debug)]
struct Log {
    job: JobKey,
    grid: String,
    /// Whether a run has the grid's folder.
    under_way: bool,
    state: LogState,
    /// The job's names; none where neither record nor log has them.
    point: Option<String>,
    place: JobFolder,
    written: SystemTime,
}

/// The log that is asked for.
#[derive(Debug)]
struct Chosen {
    log: Log,
    /// Whether other jobs go by the same.
    had_others: bool,
}

/// The log of the one job that goes by this. Names are those of jobs in many grids: the grid whose
/// run is under way is meant, or else the one that ran last, and of its jobs the running one. Grids
/// that share a job each have a folder for it: the newest log is the one that is asked for.
fn choose(asked: &str, folders: &[Folder], results: &Path) -> Result<Chosen, CliError> {
    let mut logs = find(asked, folders)?;
    let jobs = |logs: &[Log]| logs.iter().map(|log| &log.job).collect::<BTreeSet<_>>().len();
    let had_others = jobs(&logs) > 1;
    if had_others && asked.contains('/') {
        narrow(&mut logs, |log| log.under_way);
        let last = logs.iter().max_by_key(|log| log.written).map(|log| log.grid.clone());
        narrow(&mut logs, |log| Some(&log.grid) == last.as_ref());
        narrow(&mut logs, |log| log.state == LogState::Running);
    }
    if jobs(&logs) > 1 {
        return Err(ambiguous(asked, &logs));
    }
    let newest = logs.into_iter().max_by_key(|log| log.written);
    newest.map(|log| Chosen { log, had_others }).ok_or_else(|| {
        let message = format!(
            "no job in {} that goes by `{asked}` has a log: `tailgrid status GRID` names failed and running ones",
            results.display()
        );
        CliError::new(Exit::NothingSelected, message)
    })
}

/// Keeps those of which this is true, where it is true of any.
fn narrow(logs: &mut Vec<Log>, is_meant: impl Fn(&Log) -> bool) {
    if logs.iter().any(&is_meant) {
        logs.retain(is_meant);
    }
}

/// The logs of jobs whose keys begin like this, or that have these names.
fn find(asked: &str, folders: &[Folder]) -> Result<Vec<Log>, CliError> {
    let mut found = Vec::new();
    for folder in folders {
        let run = UnderWay::of(folder);
        let by_names = asked.contains('/');
        for job in folder.keys()?.into_iter().filter(|key| by_names || key.0.starts_with(asked)) {
            let place = folder.job(&job)?;
            // A record can be there without a log, as in results that came from elsewhere.
            let Ok(written) = fs::symlink_metadata(place.log()).and_then(|file| file.modified())
            else {
                continue;
            };
            let record = folder.read_record(&job).ok().flatten();
            let is_trial = record.as_ref().is_some_and(|record| !record.settings.stage.is_main());
            let point = match &record {
                Some(record) => Some(record.point.to_string()),
                None => named_in(&place, &job),
            };
            // A trial has the names of another job.
            if by_names && (is_trial || point.as_deref() != Some(asked)) {
                continue;
            }
            let is_running = run.as_ref().map_or(Ok(false), |run| run.has_started(&job))?;
            let state = match record.map(|record| record.status) {
                _ if is_running => LogState::Running,
                Some(Status::Done) => LogState::Done,
                Some(Status::Failed) => LogState::Failed,
                None => LogState::Interrupted,
            };
            let (grid, under_way) = (folder.grid().to_owned(), run.is_some());
            found.push(Log { job, grid, under_way, state, point, place, written });
        }
    }
    Ok(found)
}

/// The names of a job that has no record yet: the first line of its log has them.
fn named_in(place: &JobFolder, job: &JobKey) -> Option<String> {
    let mut start = Vec::new();
    place.open_log().ok()?.take(2000).read_to_end(&mut start).ok()?;
    let start = String::from_utf8_lossy(&start);
    let names = start.lines().next()?.strip_prefix("job ")?.strip_prefix(job.0.as_str())?;
    Some(names.trim().to_owned())
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::new(Exit::Invalid, format!("cannot read {}: {error}", path.display()))
}

fn ambiguous(asked: &str, found: &[Log]) -> CliError {
    let mut found: Vec<&Log> = found.iter().collect();
    found.sort_by_key(|log| std::cmp::Reverse(log.written));
    let row = |log: &&Log| {
        let point = log.point.clone().unwrap_or_default();
        [log.job.to_string(), log.grid.clone(), log.state.name().to_owned(), point]
    };
    let listed = Table::list(found.iter().take(MOST_LISTED).map(row));
    let more = match found.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!("  and {more} more\n"),
    };
    let message = format!(
        "{} go by `{asked}`: give more of the key, or `--grid`\n{}{more}",
        counted(found.len(), "log"),
        shown(&listed)
    );
    CliError::new(Exit::Usage, message)
}

/// More logs are counted.
const MOST_LISTED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::Duration;

    fn newest(asked: &str, results: &Path) -> Result<PathBuf, CliError> {
        choose(asked, &Folder::all(results)?, results).map(|chosen| chosen.log.place.log())
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
        assert_eq!(newest(&one, results.path()).unwrap(), newer);
        assert_eq!(newest("ab", results.path()).unwrap(), newer);
        assert_eq!(newest("ac", results.path()).unwrap(), other);
        let error = newest("a", results.path()).unwrap_err();
        assert!(error.message.starts_with("3 logs go by `a`"), "{}", error.message);
        let told: Vec<_> = error.message.lines().skip(1).map(str::trim).collect();
        assert_eq!(told[0], format!("{two}  c  interrupted"));
    }

    #[test]
    fn a_job_goes_by_its_names_once_it_has_a_record() {
        let results = tempfile::tempdir().unwrap();
        let record = store::testing::done("ab", "sc", 1);
        let log = job(results.path(), "grid", "ab", Some(1));
        job(results.path(), "grid", "cd", Some(1));
        let asked = record.point.to_string();
        assert_eq!(newest(&asked, results.path()).err().unwrap().exit, Exit::NothingSelected);
        Folder::new(results.path(), "grid").unwrap().write_record(&record).unwrap();
        assert_eq!(newest(&asked, results.path()).unwrap(), log);
        let other = asked.replace("/sc/", "/scr/");
        assert_ne!(other, asked);
        assert!(newest(&other, results.path()).is_err());
    }

    #[test]
    fn a_log_is_shown_without_what_a_terminal_would_obey() {
        let mut out = Vec::new();
        let log = &b"a\x1b[2Jb\xff\r 10 %\r 20 %\r\nc\n\x07"[..];
        copy_escaped(log, &mut out).unwrap();
        let shown = "a\\u001b[2Jb\u{fffd}\n 10 %\n 20 %\nc\n\\u0007";
        assert_eq!(String::from_utf8(out).unwrap(), shown);
    }

    #[test]
    fn a_job_without_a_log_is_told_from_one_that_has_one() {
        let results = tempfile::tempdir().unwrap();
        job(results.path(), "a-example", &"ab".repeat(16), None);
        assert_eq!(newest("ab", results.path()).err().unwrap().exit, Exit::NothingSelected);
    }

    #[test]
    fn names_mean_the_grid_that_is_under_way_or_ran_last() {
        let results = tempfile::tempdir().unwrap();
        let record = store::testing::done("ab", "sc", 1);
        let asked = record.point.to_string();
        let old = job(results.path(), "old", "ab", Some(500));
        Folder::new(results.path(), "old").unwrap().write_record(&record).unwrap();
        let now = job(results.path(), "now", "cd", Some(1000));
        fs::write(&now, format!("job cd {asked}\nepoch 1\n")).unwrap();
        let age = |age| {
            let log = File::options().write(true).open(&now).unwrap();
            log.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        age(1000);
        assert_eq!(newest(&asked, results.path()).unwrap(), old, "it ran last");
        age(10);
        assert_eq!(newest(&asked, results.path()).unwrap(), now, "it ran last");
        age(1000);
        let folder = Folder::new(results.path(), "now").unwrap();
        let _lock = store::Lock::take(&folder).unwrap();
        assert_eq!(newest(&asked, results.path()).unwrap(), now, "it is under way");
        let only = [Folder::new(results.path(), "old").unwrap()];
        assert_eq!(choose(&asked, &only, results.path()).unwrap().log.place.log(), old);
    }
}
