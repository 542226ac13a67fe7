//! Reading frames back: trusts nothing, and says which file is damaged.

use super::super::{
    EpochRow, Folder, Level, MetricRow, Results, RunRow, Scope, Status, StoreError, disk, seal,
};
use domain::{ADDED, JobKey, Point, Precision, Split, Stage, TrainingVerdict};
use polars::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Reads the frames back.
pub fn read_frames(folder: &Folder) -> Result<Results, StoreError> {
    Ok(Results {
        runs: Table::read(folder.frame("runs"))?.rows(run_row)?,
        metrics: Table::read(folder.frame("metrics"))?.rows(metric_row)?,
        epochs: Table::read(folder.frame("epochs"))?.rows(epoch_row)?,
    })
}

/// The rows of `runs` from the frame; the error names what it lacks.
pub fn run_rows(frame: &DataFrame) -> Result<Vec<RunRow>, String> {
    (0..frame.height()).map(|index| run_row(&Row { frame, index })).collect()
}

/// A frame, if it has this sum.
pub(in super::super) fn sealed_frame(path: &Path, sum: &str) -> Option<DataFrame> {
    let bytes = disk::read(path).ok().flatten()?;
    if seal::FRAME.sum(&bytes) != Some(sum) {
        return None;
    }
    decode_parquet(bytes).ok()
}

/// Which jobs `runs.parquet` calls current, and which not; `None` where it does not say.
pub(in super::super) fn read_current(bytes: Vec<u8>) -> Option<HashMap<JobKey, bool>> {
    let table = Table { path: PathBuf::new(), frame: decode_parquet(bytes).ok()? };
    table.rows(|row| Ok((row.job()?, row.flag("current")?))).ok().map(HashMap::from_iter)
}

/// A job with its names, whether it is current, and when it started.
type RunHead = (JobKey, [String; 4], bool, String);

/// The head of every job of `runs.parquet`; `None` where it cannot be read.
pub(in super::super) fn read_runs(folder: &Folder) -> Option<Vec<RunHead>> {
    let bytes = disk::read(&folder.frame("runs")).ok().flatten()?;
    let frame = decode_parquet(bytes).ok()?;
    let names = ["job", "corpus", "scenario", "model", "method", "started_at"];
    let texts: Vec<&StringChunked> =
        names.iter().map(|name| frame.column(name).ok()?.str().ok()).collect::<Option<_>>()?;
    let current = frame.column("current").ok()?.bool().ok()?;
    let row = |index: usize| {
        let text = |column: usize| texts[column].get(index).map(str::to_owned);
        let names = [text(1)?, text(2)?, text(3)?, text(4)?];
        Some((JobKey(text(0)?), names, current.get(index)?, text(5)?))
    };
    (0..frame.height()).map(row).collect()
}

/// A frame that was read, and the file it came from.
pub(super) struct Table {
    path: PathBuf,
    pub(super) frame: DataFrame,
}

impl Table {
    pub(super) fn read(path: PathBuf) -> Result<Self, StoreError> {
        let mut bytes = Vec::new();
        let read = disk::open(&path)?.read_to_end(&mut bytes);
        read.map_err(StoreError::io("read", &path))?;
        match decode_parquet(bytes) {
            Ok(frame) => Ok(Self { path, frame }),
            Err(message) => Err(damaged(&path, message)),
        }
    }

    fn rows<R>(&self, row: impl Fn(&Row<'_>) -> Result<R, String>) -> Result<Vec<R>, StoreError> {
        (0..self.frame.height())
            .map(|index| row(&Row { frame: &self.frame, index }))
            .collect::<Result<_, _>>()
            .map_err(|message| damaged(&self.path, message))
    }
}

fn decode_parquet(bytes: Vec<u8>) -> Result<DataFrame, String> {
    if seal::FRAME.sum(&bytes).is_none() {
        return Err("its bytes are not those that were written".to_owned());
    }
    // The reader answers some bytes with a panic; for our caller that is damage like any other.
    catch_unwind(AssertUnwindSafe(|| ParquetReader::new(Cursor::new(bytes)).finish()))
        .map_err(|_| "it cannot be decoded".to_owned())?
        .map_err(|error| error.to_string())
}

fn damaged(path: &Path, message: String) -> StoreError {
    StoreError::Damaged {
        path: path.to_owned(),
        message,
        advice: "remove it, and `tailgrid run` writes it again from the records",
    }
}

/// One row of a frame that was read.
struct Row<'a> {
    frame: &'a DataFrame,
    index: usize,
}

impl<'a> Row<'a> {
    fn value(&self, name: &str) -> Result<AnyValue<'a>, String> {
        let column = self.frame.column(name).map_err(|_| format!("it has no column `{name}`"))?;
        column.get(self.index).map_err(|error| error.to_string())
    }

    fn optional_text(&self, name: &str) -> Result<Option<String>, String> {
        // A column of one value owns it.
        let value = self.value(name)?;
        match (value.is_null(), value.get_str()) {
            (true, _) => Ok(None),
            (false, Some(text)) => Ok(Some(text.to_owned())),
            (false, None) => Err(wrong(name, "a text")),
        }
    }

    fn text(&self, name: &str) -> Result<String, String> {
        self.optional_text(name)?.ok_or_else(|| wrong(name, "a text"))
    }

    fn optional_whole(&self, name: &str) -> Result<Option<u64>, String> {
        match self.value(name)? {
            AnyValue::Null => Ok(None),
            AnyValue::UInt64(value) => Ok(Some(value)),
            _ => Err(wrong(name, "a whole number")),
        }
    }

    fn whole(&self, name: &str) -> Result<u64, String> {
        self.optional_whole(name)?.ok_or_else(|| wrong(name, "a whole number"))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.value(name)? {
            AnyValue::Boolean(value) => Ok(value),
            _ => Err(wrong(name, "true or false")),
        }
    }

    fn optional_real(&self, name: &str) -> Result<Option<f64>, String> {
        match self.value(name)? {
            AnyValue::Null => Ok(None),
            AnyValue::Float64(value) => Ok(Some(value)),
            _ => Err(wrong(name, "a number")),
        }
    }

    fn real(&self, name: &str) -> Result<f64, String> {
        self.optional_real(name)?.ok_or_else(|| wrong(name, "a number"))
    }

    /// The one of `all` that the column names.
    fn one_of<T: Copy>(
        &self,
        name: &str,
        all: &[T],
        of: fn(T) -> &'static str,
    ) -> Result<T, String> {
        let text = self.text(name)?;
        let found = all.iter().copied().find(|&one| of(one) == text);
        found.ok_or_else(|| format!("`{text}` in column `{name}` is not known"))
    }

    fn job(&self) -> Result<JobKey, String> {
        self.text("job").map(JobKey)
    }

    fn point(&self) -> Result<Point, String> {
        Ok(Point {
            corpus: self.text("corpus")?,
            scenario: self.text("scenario")?,
            model: self.text("model")?,
            method: self.text("method")?,
            seed: self.whole("seed")?,
        })
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("column `{name}` does not hold {expected} in every row")
}

/// The stage, and the number of a trial, which only one of a search of the grid has.
fn stage(row: &Row<'_>) -> Result<(Stage, Option<u64>), String> {
    let trial = row.optional_whole("trial")?;
    let stage = row.one_of("stage", &[Stage::Main, Stage::Trial], Stage::name)?;
    match trial.is_some() == (stage == Stage::Trial && row.flag("current")?) {
        true => Ok((stage, trial)),
        false => Err("column `trial` contradicts column `stage`".to_owned()),
    }
}

/// Whether the model learned.
fn verdict(row: &Row<'_>) -> Result<Option<TrainingVerdict>, String> {
    let verdict = |name: String| {
        let expected = "the name of a training verdict, or nothing,";
        TrainingVerdict::named(&name).ok_or_else(|| wrong("training_verdict", expected))
    };
    row.optional_text("training_verdict")?.map(verdict).transpose()
}

/// Of each type the share of training tokens.
fn type_shares(row: &Row<'_>) -> Result<BTreeMap<String, f64>, String> {
    let Some(text) = row.optional_text("type_shares")? else { return Ok(BTreeMap::new()) };
    serde_json::from_str(&text).map_err(|_| wrong("type_shares", "shares by type"))
}

fn run_row(row: &Row<'_>) -> Result<RunRow, String> {
    let (stage, trial) = stage(row)?;
    Ok(RunRow {
        job: row.job()?,
        grid: row.text("grid")?,
        stage,
        trial,
        point: row.point()?,
        status: row.one_of("status", &[Status::Done, Status::Failed], Status::name)?,
        failure: row.optional_text("failure")?,
        epochs: row.optional_whole("epochs")?,
        train_sentences: row.optional_whole("train_sentences")?,
        train_tokens: row.optional_whole("train_tokens")?,
        sentence_factor: row.optional_real("sentence_factor")?,
        token_factor: row.optional_real("token_factor")?,
        parameters: row.optional_whole("parameters")?,
        type_shares: type_shares(row)?,
        backend: row.text("backend")?,
        threads: row.whole("threads")?,
        version: row.text("version")?,
        budget: row.optional_whole("budget")?,
        updates: row.optional_whole("updates")?,
        tokens_seen: row.optional_whole("tokens_seen")?,
        passes: row.optional_real("passes")?,
        verdict: verdict(row)?,
        precision: row.one_of("precision", &[Precision::F32, Precision::Bf16], Precision::word)?,
        current: row.flag("current")?,
        seconds: row.real("seconds")?,
        train_seconds: row.optional_real("train_seconds")?,
        peak_rss_mb: row.optional_real("peak_rss_mb")?,
        host: row.text("host")?,
        started_at: row.text("started_at")?,
    })
}

fn metric_row(row: &Row<'_>) -> Result<MetricRow, String> {
    Ok(MetricRow {
        job: row.job()?,
        point: row.point()?,
        split: row.one_of("split", &[Split::Dev, Split::Test], Split::name)?,
        level: row.one_of("level", &Level::ALL, Level::name)?,
        scope: row.one_of("scope", &Scope::ALL, Scope::name)?,
        entity_type: row.optional_text("type")?,
        precision: row.real("precision")?,
        recall: row.real("recall")?,
        f1: row.real("f1")?,
        support: row.whole("support")?,
        predicted: row.whole("predicted")?,
        correct: row.whole("correct")?,
    })
}

/// What a method adds to an epoch.
fn added(row: &Row<'_>) -> Result<BTreeMap<String, f64>, String> {
    let value = |name: &&str| Ok(row.optional_real(name)?.map(|value| ((*name).to_owned(), value)));
    ADDED.iter().filter_map(|name| value(name).transpose()).collect()
}

fn epoch_row(row: &Row<'_>) -> Result<EpochRow, String> {
    Ok(EpochRow {
        job: row.job()?,
        epoch: row.whole("epoch")?,
        updates: row.whole("updates")?,
        loss: row.real("loss")?,
        dev_micro_f1: row.real("dev_micro_f1")?,
        dev_macro_f1: row.real("dev_macro_f1")?,
        added: added(row)?,
        seconds: row.real("seconds")?,
    })
}
