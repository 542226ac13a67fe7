//! From records to rows: the records of a folder joined with the points of the grid as it is now.
//!
//! Names come from the grid, results from the record of the point's key, so renaming a method or a
//! model retrains nothing; a key that two points share gives rows for both. A record that the grid
//! does not name gives rows with the names of its time, and is not current. Rows are sorted by key,
//! then point, whatever order the jobs ran in.

use super::{
    EpochRow, Folder, JobRecord, Level, MetricRow, Results, RunRow, Scope, StoreError, parallel,
};
use domain::{Counts, Epoch, JobKey, LevelScores, Outcome, Point, Scores, Split, Stage};
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

/// Jobs whose rows are made at once: enough for all cores, and no burden to memory.
const PART: usize = 2048;

/// A job, with the names that its rows carry.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Placed {
    pub job: JobKey,
    pub point: Point,
    /// The number of a trial of a search, from 1.
    pub trial: Option<u64>,
}

impl From<(JobKey, Point)> for Placed {
    fn from((job, point): (JobKey, Point)) -> Self {
        Self { job, point, trial: None }
    }
}

/// The rows of every job that has a record; a damaged record is an error. Trials that a search
/// proposed twice share a job, and its scores stand there once.
pub fn collect(folder: &Folder, jobs: &[Placed]) -> Result<Results, StoreError> {
    let mut results = Results::default();
    in_parts(folder, &places(jobs, []), |part| {
        results.append(part);
        Ok(())
    })?;
    Ok(results)
}

/// The places of every job, both in the order of the rows; a job that the grid does not name has
/// none.
pub(super) type Places<'a> = Vec<(&'a JobKey, Vec<&'a Placed>)>;

/// The places of these jobs, and those of the recorded ones that are not among them.
pub(super) fn places<'a>(
    jobs: &'a [Placed],
    recorded: impl IntoIterator<Item = &'a JobKey>,
) -> Places<'a> {
    let mut places: BTreeMap<&JobKey, Vec<&Placed>> =
        recorded.into_iter().map(|job| (job, Vec::new())).collect();
    for placed in jobs {
        places.entry(&placed.job).or_default().push(placed);
    }
    for of_job in places.values_mut() {
        of_job.sort();
        of_job.dedup();
    }
    places.into_iter().collect()
}

/// Hands on the same rows part by part, so that they need not all be there at once.
pub(super) fn in_parts(
    folder: &Folder,
    jobs: &Places<'_>,
    mut take: impl FnMut(Results) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    thread::scope(|scope| {
        // The next part is read while this one is taken.
        let (sender, parts) = mpsc::sync_channel(0);
        scope.spawn(move || {
            let read = |part| {
                parallel::map(part, |(job, places): &(&JobKey, Vec<&Placed>)| {
                    rows_of(folder, job, places)
                })
            };
            // Whoever no longer listens has met an error.
            jobs.chunks(PART).map(read).try_for_each(|rows| sender.send(rows))
        });
        parts.into_iter().flatten().try_for_each(|rows| take(rows?))
    })
}

/// The rows of one job at all its places; without one, at that of its record.
fn rows_of(folder: &Folder, job: &JobKey, places: &[&Placed]) -> Result<Results, StoreError> {
    let mut results = Results::default();
    let Some(record) = folder.read_record(job)? else { return Ok(results) };
    if places.is_empty() {
        let row = run_row(folder.grid(), &record.point, None, &record);
        results.runs.push(RunRow { current: false, ..row });
        if let Some(outcome) = &record.outcome {
            metric_rows(job, &record.point, outcome, &mut results.metrics);
        }
    }
    let mut last: Option<&Point> = None;
    for Placed { point, trial, .. } in places {
        let stage = if trial.is_some() { Stage::Trial } else { Stage::Main };
        let row = run_row(folder.grid(), point, *trial, &record);
        results.runs.push(RunRow { stage, ..row });
        if let Some(outcome) = record.outcome.as_ref().filter(|_| last != Some(point)) {
            metric_rows(job, point, outcome, &mut results.metrics);
        }
        last = Some(point);
    }
    results.epochs.extend(epoch_rows(job, epochs(&record).unwrap_or_default()));
    Ok(results)
}

fn run_row(grid: &str, point: &Point, trial: Option<u64>, record: &JobRecord) -> RunRow {
    let outcome = record.outcome.as_ref();
    let effort = outcome.and_then(|o| o.effort);
    RunRow {
        job: record.job.clone(),
        grid: grid.to_owned(),
        stage: record.settings.stage,
        trial,
        point: point.clone(),
        status: record.status,
        failure: record.failure.as_ref().map(|failure| failure.to_string()),
        epochs: epochs(record).map(|epochs| epochs.last().map_or(0, |last| last.epoch as u64)),
        train_sentences: outcome.map(|o| o.train_sentences),
        train_tokens: outcome.map(|o| o.train_tokens),
        sentence_factor: outcome.map(|o| o.sentence_factor),
        token_factor: outcome.map(|o| o.token_factor),
        parameters: outcome.map(|o| o.parameters),
        type_shares: outcome.map(|o| o.type_shares.clone()).unwrap_or_default(),
        backend: record.settings.training.backend.word().to_owned(),
        threads: record.settings.training.threads as u64,
        version: outcome.map_or(&record.provenance.tailgrid, |o| &o.engine.version).clone(),
        budget: effort.map(|effort| effort.budget),
        updates: effort.map(|effort| effort.updates),
        tokens_seen: effort.map(|effort| effort.tokens_seen),
        passes: effort.map(|effort| effort.passes),
        verdict: outcome.and_then(|o| o.verdict),
        precision: record.settings.training.precision,
        current: true,
        seconds: record.timings.seconds,
        train_seconds: outcome.map(|o| o.train_seconds),
        peak_rss_mb: outcome.map(|o| o.peak_rss_mb),
        host: record.provenance.host.clone(),
        started_at: record.timings.started_at.clone(),
    }
}

/// The epochs of a job that is done, or those that one told before its time was over.
fn epochs(record: &JobRecord) -> Option<&[Epoch]> {
    let whole = record.outcome.as_ref().map(|outcome| &outcome.epochs);
    whole.or(record.partial.as_ref().map(|partial| &partial.epochs)).map(Vec::as_slice)
}

fn metric_rows(key: &JobKey, point: &Point, outcome: &Outcome, rows: &mut Vec<MetricRow>) {
    let test = outcome.test.iter().map(|scores| (Split::Test, scores));
    for (split, scores) in [(Split::Dev, &outcome.dev)].into_iter().chain(test) {
        for level in Level::ALL {
            for (scope, entity_type, counts) in scopes(scores, level) {
                rows.push(MetricRow {
                    job: key.clone(),
                    point: point.clone(),
                    split,
                    level,
                    scope,
                    entity_type: entity_type.map(str::to_owned),
                    precision: counts.precision,
                    recall: counts.recall,
                    f1: counts.f1,
                    support: counts.support,
                    predicted: counts.predicted,
                    correct: counts.correct,
                });
            }
        }
    }
}

fn at_level(scores: &Scores, level: Level) -> &LevelScores {
    match level {
        Level::Span => &scores.span,
        Level::Token => &scores.token,
    }
}

fn scopes(scores: &Scores, level: Level) -> impl Iterator<Item = (Scope, Option<&str>, &Counts)> {
    let outside = scores.outside.iter().filter(move |_| level == Level::Token);
    let scores = at_level(scores, level);
    let averages = [
        (Scope::Micro, None, &scores.micro),
        (Scope::Macro, None, &scores.macro_),
        (Scope::MacroFixed, None, &scores.macro_fixed),
        (Scope::Weighted, None, &scores.weighted),
    ];
    let types = scores.types.iter().map(|(name, c)| (Scope::Type, Some(name.as_str()), c));
    averages.into_iter().chain(types).chain(outside.map(|c| (Scope::Outside, None, c)))
}

fn epoch_rows<'a>(key: &'a JobKey, epochs: &'a [Epoch]) -> impl Iterator<Item = EpochRow> + 'a {
    epochs.iter().map(|epoch| EpochRow {
        job: key.clone(),
        epoch: epoch.epoch as u64,
        updates: epoch.updates,
        loss: epoch.loss,
        dev_micro_f1: epoch.dev_micro_f1,
        dev_macro_f1: epoch.dev_macro_f1,
        added: epoch.added.clone(),
        seconds: epoch.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::super::{Partial, Status};
    use super::*;
    use domain::Failure;

    fn key(name: &str) -> JobKey {
        JobKey(name.to_owned())
    }

    #[test]
    fn names_come_from_the_grid_and_a_shared_key_gives_rows_to_both_points() {
        let results = tempfile::tempdir().unwrap();
        let folder = folder(results.path(), &[done("ab", "old-name", 1), failed("cd", "sc", 1)]);
        let points = [
            (key("ef"), point("not-run", 1)),
            (key("cd"), point("sc", 1)),
            (key("ab"), point("twin", 1)),
            (key("ab"), point("new-name", 1)),
        ]
        .map(Placed::from);
        let results = collect(&folder, &points).unwrap();
        let methods: Vec<_> = results.runs.iter().map(|r| r.point.method.as_str()).collect();
        assert_eq!(methods, ["new-name", "twin", "sc"]);
        // Two splits of two levels of four averages and two types, for each of the two points.
        assert_eq!(results.metrics.len(), 2 * 2 * 2 * 6);
        assert_eq!(results.epochs.len(), 2, "epochs name no point");
        let failure = results.runs[2].failure.as_deref();
        assert_eq!(failure, Some("the worker left with exit code 3 and no result"));
    }

    #[test]
    fn what_a_job_told_before_its_time_was_over_is_kept_under_its_failure() {
        let results = tempfile::tempdir().unwrap();
        let mut record = failed("ab", "sc", 1);
        record.failure = Some(Failure::TimeLimit { limit: "2h".into() });
        record.partial = Some(Partial { epochs: outcome().epochs });
        let folder = folder(results.path(), &[record, failed("cd", "scr", 1)]);
        let points = [(key("ab"), point("sc", 1)), (key("cd"), point("scr", 1))].map(Placed::from);
        let Results { runs, metrics, epochs } = collect(&folder, &points).unwrap();
        let seen: Vec<_> = runs.iter().map(|run| (run.status, run.epochs)).collect();
        assert_eq!(seen, [(Status::Failed, Some(2)), (Status::Failed, None)]);
        assert!(runs[0].failure.as_deref().unwrap().contains("longer than its limit of 2h"));
        assert_eq!((epochs.len(), metrics.len()), (2, 0));
        assert!(epochs.iter().all(|row| row.job == key("ab")));
    }

    #[test]
    fn rows_do_not_depend_on_the_order_of_the_points() {
        let results = tempfile::tempdir().unwrap();
        let folder = folder(results.path(), &[done("ab", "sc", 1), done("cd", "scr", 1)]);
        let mut points =
            [(key("ab"), point("sc", 1)), (key("cd"), point("scr", 1))].map(Placed::from);
        let forward = collect(&folder, &points).unwrap();
        points.reverse();
        assert_eq!(collect(&folder, &points).unwrap(), forward);
    }

    #[test]
    fn o_is_a_row_of_tokens_after_all_others_where_it_was_counted() {
        let results = tempfile::tempdir().unwrap();
        let mut record = done("ab", "sc", 1);
        let outcome = record.outcome.as_mut().unwrap();
        let counts = Counts { support: 90, predicted: 88, correct: 80, ..Counts::default() };
        outcome.test.as_mut().unwrap().outside = Some(counts);
        let folder = folder(results.path(), &[record, done("cd", "scr", 1)]);
        let points = [(key("ab"), point("sc", 1)), (key("cd"), point("scr", 1))].map(Placed::from);
        let rows = collect(&folder, &points).unwrap().metrics;
        let outside: Vec<_> =
            rows.iter().enumerate().filter(|(_, row)| row.scope == Scope::Outside).collect();
        let [(at, row)] = outside[..] else { panic!("{outside:?}") };
        assert_eq!((row.job.0.as_str(), row.split, row.level), ("ab", Split::Test, Level::Token));
        assert_eq!((row.entity_type.as_deref(), row.correct), (None, 80));
        assert_eq!(at + 1, rows.iter().filter(|row| row.job.0 == "ab").count());
    }

    #[test]
    fn trials_have_dev_scores_and_one_that_came_twice_has_them_once() {
        let mut record = done("ab", "focal", 1);
        record.settings.stage = domain::Stage::Trial;
        record.outcome.as_mut().unwrap().test = None;
        let results = tempfile::tempdir().unwrap();
        let folder = folder(results.path(), &[record]);
        let trial = |n| Placed { trial: Some(n), ..(key("ab"), point("focal", 1)).into() };
        let results = collect(&folder, &[trial(9), trial(2)]).unwrap();
        assert_eq!(
            results.runs.iter().map(|run| run.trial).collect::<Vec<_>>(),
            [Some(2), Some(9)]
        );
        assert_eq!((results.metrics.len(), results.epochs.len()), (2 * 6, 2));
        assert!(results.metrics.iter().all(|row| row.split == Split::Dev));
    }

    #[test]
    fn a_damaged_record_is_an_error_that_names_the_file() {
        let results = tempfile::tempdir().unwrap();
        let folder = folder(results.path(), &[done("ab", "sc", 1)]);
        let record = folder.job(&key("ab")).unwrap().record();
        std::fs::write(&record, "{\"version\": 1, ").unwrap();
        let error = collect(&folder, &[(key("ab"), point("sc", 1)).into()]).unwrap_err();
        assert!(error.to_string().contains("jobs/ab/record.json is damaged"), "{error}");
    }
}
