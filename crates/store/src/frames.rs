//! The three Parquet frames, written with Polars. docs/results.md names the columns in their order.
//!
//! Records are the journal, frames are what commands and other programs query. They can be made
//! again from the records at any time; frames of other records than the folder's are never used.
//!
//! The same rows always give the same bytes, in however many parts they come: one thread, one
//! compression level, row groups of a fixed size, no statistics and nothing about when or where.
//! Reading trusts nothing: a frame that is damaged or has other columns is an error that names the
//! file. Rows that are written are let go group by group, so a frame may be larger than memory
//! would bear as rows.

mod columns;
mod read;

pub(super) use columns::{AddedColumns, Form, FrameRow, Shares, form, frame_row, name};
pub(super) use read::{read_current, read_runs, sealed_frame};
pub use read::{read_frames, run_rows};

use super::{EpochRow, Folder, MetricRow, Results, RunRow, StoreError, disk, seal};
use polars::io::parquet::write::BatchedWriter;
use polars::polars_utils::compression::ZstdLevel;
use polars::prelude::*;
use std::cell::RefCell;
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
        Self {
            runs: RunRow::frame(&rows.runs),
            metrics: MetricRow::frame(&rows.metrics),
            epochs: EpochRow::frame(&rows.epochs),
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
            runs: Growing::new(folder.frame("runs"))?,
            metrics: Growing::new(folder.frame("metrics"))?,
            epochs: Growing::new(folder.frame("epochs"))?,
        })
    }

    /// Adds rows.
    pub fn push(&mut self, rows: Results) -> Result<(), StoreError> {
        self.runs.push(rows.runs)?;
        self.metrics.push(rows.metrics)?;
        self.epochs.push(rows.epochs)
    }

    /// Puts the files in their places; one whose bytes are already there is left alone. Gives the
    /// sum of each.
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
    writer: BatchedWriter<Buffer>,
    bytes: Buffer,
}

impl<R: FrameRow> Growing<R> {
    pub fn new(path: PathBuf) -> Result<Self, StoreError> {
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
                .batched(R::frame(&[]).schema())
        });
        let writer = writer.map_err(|error| cannot_encode(&path, &error))?;
        Ok(Self { path, rows: Vec::new(), writer, bytes })
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
        let written = self.writer.write_batch(&R::frame(&self.rows));
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

#[cfg(test)]
mod tests {
    use super::super::{Placed, collect, testing};
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
        assert_eq!(RunRow::frame(&[]).width(), 33);
    }

    #[test]
    fn columns_stand_as_the_contract_has_them() {
        let names = |frame: DataFrame| {
            frame
                .get_column_names()
                .iter()
                .map(|name| name.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            names(RunRow::frame(&[])),
            "job grid stage trial corpus scenario model method seed status failure epochs \
             train_sentences train_tokens sentence_factor token_factor parameters backend threads \
             version budget updates tokens_seen passes training_verdict precision type_shares current seconds train_seconds peak_rss_mb host started_at"
        );
        assert_eq!(
            names(MetricRow::frame(&[])),
            "job corpus scenario model method seed split level scope type precision recall f1 \
             support predicted correct"
        );
        assert_eq!(
            names(EpochRow::frame(&[])),
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
