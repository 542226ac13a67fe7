//! The three Parquet frames, written with Polars. CONTRACT 3 names the columns and their order.
//!
//! The frames are for other programs: notebooks, data bases, whoever reads Parquet. Nothing here is
//! decided by them; the records are the results, and every command reads those. [`read_frames`] is
//! there to verify what was written.
//!
//! The same rows always give the same bytes: one thread, one compression level, row groups of a
//! fixed size, no statistics and nothing about when or where. Reading trusts nothing: a frame that
//! is damaged or has other columns is an error that names the file.

use super::{
    EpochRow, Folder, Level, MetricRow, Results, RunRow, Scope, Status, StoreError, atomic, seal,
};
use crate::domain::{JobKey, Point, Split, Stage};
use polars::polars_utils::compression::ZstdLevel;
use polars::prelude::*;
use std::fs;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const ROW_GROUP: usize = 1 << 18;

/// Writes the frames; one whose bytes are already there is left alone.
pub fn write_frames(folder: &Folder, results: &Results) -> Result<(), StoreError> {
    write(folder.frame("runs"), runs_frame(&results.runs))?;
    write(folder.frame("metrics"), metrics_frame(&results.metrics))?;
    write(folder.frame("epochs"), epochs_frame(&results.epochs))
}

/// Reads the frames back.
pub fn read_frames(folder: &Folder) -> Result<Results, StoreError> {
    Ok(Results {
        runs: Table::read(folder.frame("runs"))?.rows(run_row)?,
        metrics: Table::read(folder.frame("metrics"))?.rows(metric_row)?,
        epochs: Table::read(folder.frame("epochs"))?.rows(epoch_row)?,
    })
}

fn write(path: PathBuf, frame: PolarsResult<DataFrame>) -> Result<(), StoreError> {
    let encode =
        |error: PolarsError| StoreError::Encode { path: path.clone(), message: error.to_string() };
    let bytes = encode_parquet(&mut frame.map_err(encode)?).map_err(encode)?;
    match fs::read(&path) {
        Ok(old) if old == bytes => Ok(()),
        _ => atomic::write(&path, &bytes),
    }
}

fn encode_parquet(frame: &mut DataFrame) -> PolarsResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let metadata = KeyValueMetadata::from_static(vec![(seal::KEY.into(), seal::placeholder())]);
    ParquetWriter::new(&mut bytes)
        .with_compression(ParquetCompression::Zstd(Some(ZstdLevel::try_new(3)?)))
        .with_statistics(StatisticsOptions::empty())
        .with_row_group_size(Some(ROW_GROUP))
        .with_key_value_metadata(Some(metadata))
        .set_parallel(false)
        .finish(frame)?;
    match seal::close(&mut bytes) {
        true => Ok(bytes),
        false => Err(PolarsError::ComputeError("the frame has no place for its checksum".into())),
    }
}

/// Columns of one frame in the making.
struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    fn of(rows: &'a [R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    fn text(self, name: &str, get: impl Fn(&'a R) -> &'a str) -> Self {
        self.optional_text(name, |row| Some(get(row)))
    }

    fn optional_text(mut self, name: &str, get: impl Fn(&'a R) -> Option<&'a str>) -> Self {
        let values: Vec<Option<&str>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    fn whole(self, name: &str, get: impl Fn(&'a R) -> u64) -> Self {
        self.optional_whole(name, |row| Some(get(row)))
    }

    fn optional_whole(mut self, name: &str, get: impl Fn(&'a R) -> Option<u64>) -> Self {
        let values: Vec<Option<u64>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    fn real(self, name: &str, get: impl Fn(&'a R) -> f64) -> Self {
        self.optional_real(name, |row| Some(get(row)))
    }

    fn optional_real(mut self, name: &str, get: impl Fn(&'a R) -> Option<f64>) -> Self {
        let values: Vec<Option<f64>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    fn point(self, get: impl Fn(&'a R) -> &'a Point) -> Self {
        self.text("corpus", |row| &get(row).corpus)
            .text("scenario", |row| &get(row).scenario)
            .text("model", |row| &get(row).model)
            .text("method", |row| &get(row).method)
            .whole("seed", |row| get(row).seed)
    }

    fn frame(self) -> PolarsResult<DataFrame> {
        DataFrame::new(self.rows.len(), self.columns)
    }
}

fn runs_frame(rows: &[RunRow]) -> PolarsResult<DataFrame> {
    Columns::of(rows)
        .text("job", |r| &r.job.0)
        .text("grid", |r| &r.grid)
        .text("stage", |r| r.stage().name())
        .optional_whole("trial", |r| r.trial)
        .point(|r| &r.point)
        .text("status", |r| r.status.name())
        .optional_text("failure", |r| r.failure.as_deref())
        .optional_whole("epochs", |r| r.epochs)
        .optional_whole("train_sentences", |r| r.train_sentences)
        .optional_whole("train_tokens", |r| r.train_tokens)
        .optional_real("sentence_factor", |r| r.sentence_factor)
        .optional_real("token_factor", |r| r.token_factor)
        .optional_whole("parameters", |r| r.parameters)
        .text("backend", |r| &r.backend)
        .whole("threads", |r| r.threads)
        .text("version", |r| &r.version)
        .real("seconds", |r| r.seconds)
        .optional_real("train_seconds", |r| r.train_seconds)
        .optional_real("peak_rss_mb", |r| r.peak_rss_mb)
        .text("host", |r| &r.host)
        .text("started_at", |r| &r.started_at)
        .frame()
}

fn metrics_frame(rows: &[MetricRow]) -> PolarsResult<DataFrame> {
    Columns::of(rows)
        .text("job", |r| &r.job.0)
        .point(|r| &r.point)
        .text("split", |r| r.split.name())
        .text("level", |r| r.level.name())
        .text("scope", |r| r.scope.name())
        .optional_text("type", |r| r.entity_type.as_deref())
        .real("precision", |r| r.precision)
        .real("recall", |r| r.recall)
        .real("f1", |r| r.f1)
        .whole("support", |r| r.support)
        .whole("predicted", |r| r.predicted)
        .whole("correct", |r| r.correct)
        .frame()
}

fn epochs_frame(rows: &[EpochRow]) -> PolarsResult<DataFrame> {
    Columns::of(rows)
        .text("job", |r| &r.job.0)
        .whole("epoch", |r| r.epoch)
        .real("loss", |r| r.loss)
        .real("dev_micro_f1", |r| r.dev_micro_f1)
        .real("dev_macro_f1", |r| r.dev_macro_f1)
        .real("seconds", |r| r.seconds)
        .frame()
}

/// A frame that was read, and the file it came from.
struct Table {
    path: PathBuf,
    frame: DataFrame,
}

impl Table {
    fn read(path: PathBuf) -> Result<Self, StoreError> {
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
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
    if !seal::is_whole(&bytes) {
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
        match self.value(name)? {
            AnyValue::Null => Ok(None),
            AnyValue::String(text) => Ok(Some(text.to_owned())),
            _ => Err(wrong(name, "a text")),
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

/// The number of a trial, which agrees with the stage.
fn trial(row: &Row<'_>) -> Result<Option<u64>, String> {
    let trial = row.optional_whole("trial")?;
    let stage = row.one_of("stage", &[Stage::Main, Stage::Trial], Stage::name)?;
    match trial.is_some() == (stage == Stage::Trial) {
        true => Ok(trial),
        false => Err("column `trial` contradicts column `stage`".to_owned()),
    }
}

fn run_row(row: &Row<'_>) -> Result<RunRow, String> {
    Ok(RunRow {
        job: row.job()?,
        grid: row.text("grid")?,
        trial: trial(row)?,
        point: row.point()?,
        status: row.one_of("status", &[Status::Done, Status::Failed], Status::name)?,
        failure: row.optional_text("failure")?,
        epochs: row.optional_whole("epochs")?,
        train_sentences: row.optional_whole("train_sentences")?,
        train_tokens: row.optional_whole("train_tokens")?,
        sentence_factor: row.optional_real("sentence_factor")?,
        token_factor: row.optional_real("token_factor")?,
        parameters: row.optional_whole("parameters")?,
        type_shares: Default::default(),
        backend: row.text("backend")?,
        threads: row.whole("threads")?,
        version: row.text("version")?,
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

fn epoch_row(row: &Row<'_>) -> Result<EpochRow, String> {
    Ok(EpochRow {
        job: row.job()?,
        epoch: row.whole("epoch")?,
        loss: row.real("loss")?,
        dev_micro_f1: row.real("dev_micro_f1")?,
        dev_macro_f1: row.real("dev_macro_f1")?,
        seconds: row.real("seconds")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Placed, collect, testing};
    use super::*;

    fn results(path: &Path) -> (Folder, Results) {
        let records = [testing::done("ab", "sc", 1), testing::failed("cd", "scr", 2)];
        let folder = testing::folder(path, &records);
        let mut points = records.map(|record| Placed::from((record.job, record.point)));
        points[1].trial = Some(3);
        let results = collect(&folder, &points).unwrap();
        (folder, results)
    }

    #[test]
    fn frames_read_back_to_the_rows_they_were_written_from() {
        let place = tempfile::tempdir().unwrap();
        let (folder, results) = results(place.path());
        write_frames(&folder, &results).unwrap();
        assert_eq!(read_frames(&folder).unwrap(), results);
    }

    #[test]
    fn frames_without_rows_keep_their_columns() {
        let place = tempfile::tempdir().unwrap();
        let (folder, _) = results(place.path());
        write_frames(&folder, &Results::default()).unwrap();
        assert_eq!(read_frames(&folder).unwrap(), Results::default());
        let runs = Table::read(folder.frame("runs")).unwrap();
        assert_eq!(runs.frame.width(), 25);
    }

    #[test]
    fn columns_stand_as_the_contract_has_them() {
        let names = |frame: PolarsResult<DataFrame>| {
            let frame = frame.unwrap();
            frame
                .get_column_names()
                .iter()
                .map(|name| name.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            names(runs_frame(&[])),
            "job grid stage trial corpus scenario model method seed status failure epochs \
             train_sentences train_tokens sentence_factor token_factor parameters backend threads \
             version seconds train_seconds peak_rss_mb host started_at"
        );
        assert_eq!(
            names(metrics_frame(&[])),
            "job corpus scenario model method seed split level scope type precision recall f1 \
             support predicted correct"
        );
        assert_eq!(names(epochs_frame(&[])), "job epoch loss dev_micro_f1 dev_macro_f1 seconds");
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        let place = tempfile::tempdir().unwrap();
        let (_, results) = results(place.path());
        // More than one row group and more than one data page.
        let rows: Vec<MetricRow> =
            results.metrics.iter().cycle().take(ROW_GROUP + 10).cloned().collect();
        let encode = || encode_parquet(&mut metrics_frame(&rows).unwrap()).unwrap();
        let first = encode();
        assert!(first == encode());
        let elsewhere =
            std::thread::spawn(move || encode_parquet(&mut metrics_frame(&rows).unwrap()));
        assert!(first == elsewhere.join().unwrap().unwrap());
    }

    #[test]
    fn a_damaged_frame_is_an_error_that_names_it() {
        let place = tempfile::tempdir().unwrap();
        let (folder, results) = results(place.path());
        write_frames(&folder, &results).unwrap();
        let path = folder.frame("metrics");
        let bytes = fs::read(&path).unwrap();
        for end in [0, 3, 4, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..end]).unwrap();
            let error = read_frames(&folder).unwrap_err().to_string();
            assert!(error.contains("metrics.parquet is damaged"), "{error}");
        }
        for at in (0..bytes.len()).step_by(37) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            fs::write(&path, &flipped).unwrap();
            assert!(matches!(read_frames(&folder), Err(StoreError::Damaged { .. })), "{at}");
        }
        fs::copy(folder.frame("epochs"), &path).unwrap();
        let error = read_frames(&folder).unwrap_err().to_string();
        assert!(error.contains("no column `corpus`"), "{error}");
    }
}
