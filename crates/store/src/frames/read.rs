//! Reading frames back: trusts nothing, and says which file is damaged.

use super::super::{EpochRow, Folder, MetricRow, Results, RunRow, StoreError, disk, seal};
use super::columns::{Form, FrameRow};
use domain::{JobKey, Stage};
use polars::prelude::*;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Reads the frames back.
pub fn read_frames(folder: &Folder) -> Result<Results, StoreError> {
    Ok(Results {
        runs: read(&folder.frame("runs"), run_rows)?,
        metrics: read(&folder.frame("metrics"), MetricRow::rows)?,
        epochs: read(&folder.frame("epochs"), EpochRow::rows)?,
    })
}

/// The rows of a file.
fn read<R>(
    path: &Path,
    rows: impl Fn(&DataFrame) -> Result<Vec<R>, String>,
) -> Result<Vec<R>, StoreError> {
    let mut bytes = Vec::new();
    let read = disk::open(path)?.read_to_end(&mut bytes);
    read.map_err(StoreError::io("read", path))?;
    decode_parquet(bytes).and_then(|frame| rows(&frame)).map_err(|message| damaged(path, message))
}

/// The rows of `runs` from the frame; the error names what it lacks.
pub fn run_rows(frame: &DataFrame) -> Result<Vec<RunRow>, String> {
    let rows = RunRow::rows(frame)?;
    // Only a trial of a search that the grid has is numbered.
    let is_numbered = |row: &RunRow| row.stage == Stage::Trial && row.current;
    match rows.iter().all(|row| row.trial.is_some() == is_numbered(row)) {
        true => Ok(rows),
        false => Err("column `trial` contradicts column `stage`".to_owned()),
    }
}

/// A frame, or some of its columns, if it has this sum.
pub(in super::super) fn sealed_frame(
    path: &Path,
    sum: &str,
    columns: Option<&[&str]>,
) -> Option<DataFrame> {
    let bytes = disk::read(path).ok().flatten()?;
    if seal::FRAME.sum(&bytes) != Some(sum) {
        return None;
    }
    decode_columns(bytes, columns).ok()
}

/// Which jobs `runs.parquet` calls current, and which not; `None` where it does not say.
pub(in super::super) fn read_current(bytes: Vec<u8>) -> Option<HashMap<JobKey, bool>> {
    let frame = decode_parquet(bytes).ok()?;
    let (jobs, current) = (JobKey::read(&frame, "job").ok()?, bool::read(&frame, "current").ok()?);
    Some(jobs.into_iter().zip(current).collect())
}

/// Every job of `runs.parquet`; `None` where it cannot be read.
pub(in super::super) fn read_runs(folder: &Folder) -> Option<Vec<RunRow>> {
    let bytes = disk::read(&folder.frame("runs")).ok().flatten()?;
    run_rows(&decode_parquet(bytes).ok()?).ok()
}

fn decode_parquet(bytes: Vec<u8>) -> Result<DataFrame, String> {
    match seal::FRAME.sum(&bytes) {
        Some(_) => decode_columns(bytes, None),
        None => Err("its bytes are not those that were written".to_owned()),
    }
}

fn decode_columns(bytes: Vec<u8>, columns: Option<&[&str]>) -> Result<DataFrame, String> {
    let columns = columns.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    let reader = ParquetReader::new(Cursor::new(bytes)).with_columns(columns);
    // The reader answers some bytes with a panic; for our caller that is damage like any other.
    catch_unwind(AssertUnwindSafe(|| reader.finish()))
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
