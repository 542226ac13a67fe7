//! The three Parquet frames, written with Polars. docs/results.md names the columns in their order.
//!
//! Records are the journal, frames are what commands and other programs query. They can be made again from
//! the records at any time; frames of other records than the folder's are never used.
//!
//! The same rows always give the same bytes, in however many parts they come: one thread, one
//! compression level, row groups of a fixed size, no statistics and nothing about when or where.
//! Reading trusts nothing: a frame that is damaged or has other columns is an error that names the
//! file. Rows that are written are let go group by group, so a frame may be larger than memory would
//! bear as rows.

mod read;

pub(super) use read::sealed_frame;
pub(super) use read::{read_current, read_runs};
pub use read::{read_frames, run_rows};

use super::{EpochRow, Folder, MetricRow, Results, RunRow, StoreError, disk, seal};
use domain::{ADDED, Point, TrainingVerdict};
use polars::io::parquet::write::BatchedWriter;
use polars::polars_utils::compression::ZstdLevel;
use polars::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

const ROW_GROUP: usize = 1 << 18;

/// The three frames of a results folder, in memory.
#[derive(Clone, Debug)]
pub struct Frames {
    pub runs: DataFrame,
    pub metrics: DataFrame,
    pub epochs: DataFrame,
}

impl From<&Results> for Frames {
    fn from(rows: &Results) -> Self {
        let made = |frame: PolarsResult<DataFrame>| frame.expect("columns of one length");
        Self {
            runs: made(runs_frame(&rows.runs)),
            metrics: made(metrics_frame(&rows.metrics)),
            epochs: made(epochs_frame(&rows.epochs)),
        }
    }
}

/// The frames in the making: rows come in, whole row groups go out.
pub(super) struct FrameWriter {
    runs: Growing<RunRow>,
    metrics: Growing<MetricRow>,
    epochs: Growing<EpochRow>,
}

impl FrameWriter {
    /// Without a row yet.
    pub fn new(folder: &Folder) -> Result<Self, StoreError> {
        Ok(Self {
            runs: Growing::new(folder.frame("runs"), runs_frame)?,
            metrics: Growing::new(folder.frame("metrics"), metrics_frame)?,
            epochs: Growing::new(folder.frame("epochs"), epochs_frame)?,
        })
    }

    /// Adds rows.
    pub fn push(&mut self, rows: Results) -> Result<(), StoreError> {
        self.runs.push(rows.runs)?;
        self.metrics.push(rows.metrics)?;
        self.epochs.push(rows.epochs)
    }

    /// Puts the files in their places; one whose bytes are already there is left alone. Gives the sum of
    /// each.
    pub fn finish(self) -> Result<[String; 3], StoreError> {
        Ok([self.runs.finish()?, self.metrics.finish()?, self.epochs.finish()?])
    }
}

/// Bytes that a writer fills and another looks at afterwards.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One frame in the making: the rows of a row group at most, and what they became before.
pub(super) struct Growing<R> {
    path: PathBuf,
    rows: Vec<R>,
    frame: fn(&[R]) -> PolarsResult<DataFrame>,
    writer: BatchedWriter<Buffer>,
    bytes: Buffer,
}

impl<R> Growing<R> {
    pub fn new(
        path: PathBuf,
        frame: fn(&[R]) -> PolarsResult<DataFrame>,
    ) -> Result<Self, StoreError> {
        let bytes = Buffer::default();
        let placeholder = seal::FRAME.placeholder();
        let metadata = KeyValueMetadata::from_static(vec![(seal::KEY.into(), placeholder)]);
        let compression = ZstdLevel::try_new(3).map(|level| ParquetCompression::Zstd(Some(level)));
        let writer = compression.and_then(|compression| {
            ParquetWriter::new(bytes.clone())
                .with_compression(compression)
                .with_statistics(StatisticsOptions::empty())
                .with_key_value_metadata(Some(metadata))
                .set_parallel(false)
                .batched(frame(&[])?.schema())
        });
        let writer = writer.map_err(|error| cannot_encode(&path, &error))?;
        Ok(Self { path, rows: Vec::new(), frame, writer, bytes })
    }

    pub fn push(&mut self, mut rows: Vec<R>) -> Result<(), StoreError> {
        self.rows.append(&mut rows);
        while self.rows.len() >= ROW_GROUP {
            let rest = self.rows.split_off(ROW_GROUP);
            self.write_group()?;
            self.rows = rest;
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), StoreError> {
        let written = (self.frame)(&self.rows).and_then(|frame| self.writer.write_batch(&frame));
        written.map_err(|error| cannot_encode(&self.path, &error))
    }

    pub fn finish(mut self) -> Result<String, StoreError> {
        self.write_group()?;
        self.writer.finish().map_err(|error| cannot_encode(&self.path, &error))?;
        let mut bytes = self.bytes.0.take();
        seal::FRAME.close(&mut bytes);
        let Some(sum) = seal::FRAME.sum(&bytes).map(str::to_owned) else {
            let message = "the frame has no place for its checksum".to_owned();
            return Err(StoreError::Encode { path: self.path, message });
        };
        disk::write_changed(&self.path, &bytes)?;
        Ok(sum)
    }
}

fn cannot_encode(path: &Path, error: &PolarsError) -> StoreError {
    StoreError::Encode { path: path.to_owned(), message: error.to_string() }
}

/// The sum of a frame as it is on disk; `None` if it is missing or damaged.
pub(super) fn sum_of(path: &Path) -> Option<String> {
    let bytes = disk::read(path).ok().flatten()?;
    seal::FRAME.sum(&bytes).map(str::to_owned)
}

/// An error if a frame is there and not as it was written.
pub(super) fn check_frame(path: &Path) -> Result<(), StoreError> {
    let Some(bytes) = disk::read(path)? else { return Ok(()) };
    match seal::FRAME.sum(&bytes) {
        Some(_) => Ok(()),
        None => Err(StoreError::Damaged {
            path: path.to_owned(),
            message: "its bytes are not those that were written".to_owned(),
            advice: "`tailgrid run` writes it again from the records",
        }),
    }
}

/// Columns of one frame in the making.
pub(super) struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    pub fn of(rows: &'a [R]) -> Self {
        Self { rows, columns: Vec::new() }
    }

    pub fn text(self, name: &str, get: impl Fn(&'a R) -> &'a str) -> Self {
        self.optional_text(name, |row| Some(get(row)))
    }

    pub fn optional_text(mut self, name: &str, get: impl Fn(&'a R) -> Option<&'a str>) -> Self {
        let values: Vec<Option<&str>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    pub fn whole(self, name: &str, get: impl Fn(&'a R) -> u64) -> Self {
        self.optional_whole(name, |row| Some(get(row)))
    }

    pub fn optional_whole(mut self, name: &str, get: impl Fn(&'a R) -> Option<u64>) -> Self {
        let values: Vec<Option<u64>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    pub fn real(self, name: &str, get: impl Fn(&'a R) -> f64) -> Self {
        self.optional_real(name, |row| Some(get(row)))
    }

    pub fn optional_real(mut self, name: &str, get: impl Fn(&'a R) -> Option<f64>) -> Self {
        let values: Vec<Option<f64>> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    /// Numbers by name, as JSON; missing where there is none.
    pub fn shares(mut self, name: &str, get: impl Fn(&'a R) -> &'a BTreeMap<String, f64>) -> Self {
        let json = |shares: &BTreeMap<String, f64>| {
            serde_json::to_string(shares).expect("names and numbers have a JSON form")
        };
        let shares = self.rows.iter().map(get);
        let values: Vec<Option<String>> =
            shares.map(|shares| (!shares.is_empty()).then(|| json(shares))).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    pub fn flag(mut self, name: &str, get: impl Fn(&'a R) -> bool) -> Self {
        let values: Vec<bool> = self.rows.iter().map(get).collect();
        self.columns.push(Column::new(name.into(), values));
        self
    }

    pub fn point(self, get: impl Fn(&'a R) -> &'a Point) -> Self {
        self.text("corpus", |row| &get(row).corpus)
            .text("scenario", |row| &get(row).scenario)
            .text("model", |row| &get(row).model)
            .text("method", |row| &get(row).method)
            .whole("seed", |row| get(row).seed)
    }

    pub fn frame(self) -> PolarsResult<DataFrame> {
        DataFrame::new(self.rows.len(), self.columns)
    }
}

pub(super) fn runs_frame(rows: &[RunRow]) -> PolarsResult<DataFrame> {
    Columns::of(rows)
        .text("job", |r| &r.job.0)
        .text("grid", |r| &r.grid)
        .text("stage", |r| r.stage.name())
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
        .optional_whole("budget", |r| r.budget)
        .optional_whole("updates", |r| r.updates)
        .optional_whole("tokens_seen", |r| r.tokens_seen)
        .optional_real("passes", |r| r.passes)
        .optional_text("training_verdict", |r| r.verdict.map(TrainingVerdict::name))
        .text("precision", |r| r.precision.word())
        .shares("type_shares", |r| &r.type_shares)
        .flag("current", |r| r.current)
        .real("seconds", |r| r.seconds)
        .optional_real("train_seconds", |r| r.train_seconds)
        .optional_real("peak_rss_mb", |r| r.peak_rss_mb)
        .text("host", |r| &r.host)
        .text("started_at", |r| &r.started_at)
        .frame()
}

pub(super) fn metrics_frame(rows: &[MetricRow]) -> PolarsResult<DataFrame> {
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

pub(super) fn epochs_frame(rows: &[EpochRow]) -> PolarsResult<DataFrame> {
    let mut columns = Columns::of(rows)
        .text("job", |r| &r.job.0)
        .whole("epoch", |r| r.epoch)
        .whole("updates", |r| r.updates)
        .real("loss", |r| r.loss)
        .real("dev_micro_f1", |r| r.dev_micro_f1)
        .real("dev_macro_f1", |r| r.dev_macro_f1);
    for name in ADDED {
        columns = columns.optional_real(name, |r| r.added.get(*name).copied());
    }
    columns.real("seconds", |r| r.seconds).frame()
}

#[cfg(test)]
mod tests {
    use super::super::{Placed, collect, testing};
    use super::read::Table;
    use super::*;
    use std::fs;

    fn write_frames(folder: &Folder, results: &Results) -> Result<[String; 3], StoreError> {
        let mut writer = FrameWriter::new(folder)?;
        writer.push(results.clone())?;
        writer.finish()
    }

    fn results(path: &Path) -> (Folder, Results) {
        let mut records = [testing::done("ab", "sc", 1), testing::failed("cd", "scr", 2)];
        records[1].settings.stage = domain::Stage::Trial;
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
        assert_eq!(runs.frame.width(), 33);
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
             version budget updates tokens_seen passes training_verdict precision type_shares current seconds train_seconds peak_rss_mb host started_at"
        );
        assert_eq!(
            names(metrics_frame(&[])),
            "job corpus scenario model method seed split level scope type precision recall f1 \
             support predicted correct"
        );
        assert_eq!(
            names(epochs_frame(&[])),
            "job epoch updates loss dev_micro_f1 dev_macro_f1 missampling_rate missampled_entities \
             mean_uncertainty test_micro_f1 test_macro_f1 seconds"
        );
    }

    #[test]
    fn the_same_rows_give_the_same_bytes_however_they_come() {
        let place = tempfile::tempdir().unwrap();
        let (folder, results) = results(place.path());
        // More than one row group and more than one data page.
        let rows: Vec<MetricRow> =
            results.metrics.iter().cycle().take(ROW_GROUP + 10).cloned().collect();
        let encode = |part: usize| {
            let mut writer = FrameWriter::new(&folder).unwrap();
            for rows in rows.chunks(part) {
                writer.push(Results { metrics: rows.to_vec(), ..Results::default() }).unwrap();
            }
            writer.finish().unwrap()
        };
        let first = encode(rows.len());
        let bytes = fs::read(folder.frame("metrics")).unwrap();
        for part in [rows.len(), 99_991, ROW_GROUP] {
            fs::remove_file(folder.frame("metrics")).unwrap();
            assert_eq!(encode(part), first);
            assert!(fs::read(folder.frame("metrics")).unwrap() == bytes);
        }
        assert_eq!(sum_of(&folder.frame("metrics")), Some(first[1].clone()));
        assert_eq!(read_frames(&folder).unwrap().metrics, rows);
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
