//! The Polars frames as everything here asks them: whatever is filtered, grouped or aggregated by
//! Polars is in this module.
//!
//! Groups are taken with `get_groups`: the lazy engine of Polars would add minutes to every build.

use super::view::Score;
use domain::{ADDED, JobKey, Split};
use polars::prelude::*;
use std::collections::{BTreeSet, HashMap, HashSet};
use store::{Frames, Level, Results, RunRow, Scope};

/// The series of `epochs` that every job has; methods add others.
const SERIES: [&str; 3] = ["dev_macro_f1", "dev_micro_f1", "loss"];

/// The frames of a results folder, as far as they are of some jobs.
#[derive(Clone, Debug)]
pub struct ResultFrames {
    runs: Vec<RunRow>,
    metrics: DataFrame,
    /// The rows of `metrics` of each split, level and scope.
    rows: HashMap<[String; 3], Vec<usize>>,
    epochs: DataFrame,
}

/// One row of `metrics`.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct ScoreRow<'a> {
    pub job: &'a str,
    /// The entity type, where the scope is one.
    pub entity_type: Option<&'a str>,
    pub score: Score,
    pub support: u64,
    pub predicted: u64,
}

impl ResultFrames {
    /// The columns of `metrics` that are asked for here.
    pub const METRICS: &[&str] = &[
        "job",
        "split",
        "level",
        "scope",
        "type",
        "precision",
        "recall",
        "f1",
        "support",
        "predicted",
    ];

    /// The rows of these jobs; an error if a frame has not the columns that it should have.
    pub fn of_jobs(frames: Frames, jobs: &HashSet<&JobKey>) -> PolarsResult<Self> {
        let jobs: HashSet<&str> = jobs.iter().map(|job| job.0.as_str()).collect();
        let [runs, metrics, epochs] =
            [frames.runs, frames.metrics, frames.epochs].map(|frame| of_jobs(frame, &jobs));
        Self::new(Frames { runs: runs?, metrics: metrics?, epochs: epochs? })
    }

    fn new(Frames { runs, metrics, epochs }: Frames) -> PolarsResult<Self> {
        let runs = store::run_rows(&runs).map_err(|e| PolarsError::ColumnNotFound(e.into()))?;
        let mut rows = HashMap::new();
        for (first, all) in groups(&metrics, &["split", "level", "scope"])? {
            let names = ["split", "level", "scope"].map(|name| text(&metrics, name));
            let names = names.map(|column| column.get(first).map(str::to_owned));
            let [Some(split), Some(level), Some(scope)] = names else {
                polars_bail!(ComputeError: "a row of metrics has no split, level or scope");
            };
            rows.insert([split, level, scope], all);
        }
        Ok(Self { runs, metrics, rows, epochs })
    }

    /// The rows of `runs`.
    pub fn runs(&self) -> &[RunRow] {
        &self.runs
    }

    /// The rows of `metrics` of one split, level and scope.
    pub fn scores(
        &self,
        split: Split,
        level: Level,
        scope: Scope,
    ) -> impl Iterator<Item = ScoreRow<'_>> {
        let names = [split.name(), level.name(), scope.name()].map(str::to_owned);
        let [job, entity_type] = ["job", "type"].map(|name| text(&self.metrics, name));
        let [precision, recall, f1] =
            ["precision", "recall", "f1"].map(|name| real(&self.metrics, name));
        let [support, predicted] = ["support", "predicted"].map(|name| whole(&self.metrics, name));
        self.rows.get(&names).into_iter().flatten().filter_map(move |&row| {
            Some(ScoreRow {
                job: job.get(row)?,
                entity_type: entity_type.get(row),
                score: Score {
                    precision: precision.get(row)?,
                    recall: recall.get(row)?,
                    f1: f1.get(row)?,
                },
                support: support.get(row)?,
                predicted: predicted.get(row)?,
            })
        })
    }

    /// The best micro-F1 on dev of every job over its evaluations.
    pub fn best_on_dev(&self) -> HashMap<&str, f64> {
        let (jobs, scores) = (text(&self.epochs, "job"), real(&self.epochs, "dev_micro_f1"));
        let grouped = groups(&self.epochs, &["job"]).expect("a frame of epochs has the job");
        let best = |(first, rows): (usize, Vec<usize>)| {
            let scores = rows.iter().filter_map(|&row| scores.get(row)).filter(|f1| f1.is_finite());
            Some((jobs.get(first)?, scores.reduce(f64::max)?))
        };
        grouped.into_iter().filter_map(best).collect()
    }

    /// The names of the series that any job has.
    pub fn series(&self) -> BTreeSet<&'static str> {
        let all = SERIES.iter().chain(ADDED).copied();
        all.filter(|name| self.values(name).next().is_some()).collect()
    }

    /// The finite numbers of a series: job, epoch and value.
    pub fn values(&self, series: &str) -> impl Iterator<Item = (&str, u64, f64)> {
        let (jobs, epochs) = (text(&self.epochs, "job"), whole(&self.epochs, "epoch"));
        let values = real(&self.epochs, series);
        (0..values.len()).filter_map(move |row| {
            let value = values.get(row).filter(|value| value.is_finite())?;
            Some((jobs.get(row)?, epochs.get(row)?, value))
        })
    }
}

impl From<&Results> for ResultFrames {
    fn from(rows: &Results) -> Self {
        Self::new(rows.into()).expect("frames of rows have their columns")
    }
}

/// The rows of some jobs.
fn of_jobs(frame: DataFrame, jobs: &HashSet<&str>) -> PolarsResult<DataFrame> {
    let known =
        frame.column("job")?.str()?.iter().map(|job| job.is_some_and(|job| jobs.contains(job)));
    let mask: BooleanChunked = known.collect();
    match mask.all() {
        true => Ok(frame),
        false => frame.filter(&mask),
    }
}

/// The rows that agree on some columns: the first and all of them.
fn groups(frame: &DataFrame, by: &[&str]) -> PolarsResult<Vec<(usize, Vec<usize>)>> {
    if frame.height() == 0 {
        return Ok(Vec::new());
    }
    let grouped = frame.group_by_stable(by.iter().copied())?;
    let rows = |group: GroupsIndicator<'_>| match group {
        GroupsIndicator::Idx((_, rows)) => rows.iter().map(|row| *row as usize).collect(),
        GroupsIndicator::Slice([first, length]) => {
            (first as usize..(first + length) as usize).collect::<Vec<usize>>()
        }
    };
    let groups = grouped.get_groups().iter().map(|group| (group.first() as usize, rows(group)));
    Ok(groups.collect())
}

fn text<'a>(frame: &'a DataFrame, name: &str) -> &'a StringChunked {
    let column = frame.column(name).and_then(Column::str);
    column.expect("frames have the columns that they are written with")
}

fn real<'a>(frame: &'a DataFrame, name: &str) -> &'a Float64Chunked {
    let column = frame.column(name).and_then(Column::f64);
    column.expect("frames have the columns that they are written with")
}

fn whole<'a>(frame: &'a DataFrame, name: &str) -> &'a UInt64Chunked {
    let column = frame.column(name).and_then(Column::u64);
    column.expect("frames have the columns that they are written with")
}
