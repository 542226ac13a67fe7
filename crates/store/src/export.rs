//! The frames as CSV (RFC 4180): the same columns in the same order, a missing value is empty,
//! numbers are written so that they read back to the same bits.
//!
//! Names come from files that somebody else may have written, so a text that a spreadsheet would
//! take for a formula gets a leading apostrophe.

use super::collect::{in_parts, places};
use super::frames::FrameRow;
use super::{EpochRow, Folder, MetricRow, Placed, Results, RunRow, StoreError, disk};
use domain::JobKey;
use polars::prelude::*;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes `runs.csv`, `metrics.csv` and `epochs.csv` into a folder, and says where they are. They
/// are made from the records of these jobs, and of others that are not current; a damaged one is an
/// error.
pub fn export_csv(
    folder: &Folder,
    jobs: &[Placed],
    others: &[JobKey],
    out: &Path,
) -> Result<Vec<PathBuf>, StoreError> {
    fs::create_dir_all(out).map_err(StoreError::io("make the folder", out))?;
    let mut runs = CsvFile::new(out.join("runs.csv"))?;
    let mut metrics = CsvFile::new(out.join("metrics.csv"))?;
    let mut epochs = CsvFile::new(out.join("epochs.csv"))?;
    let mut write = |rows: &Results| {
        runs.write(&RunRow::frame(&rows.runs))?;
        metrics.write(&MetricRow::frame(&rows.metrics))?;
        epochs.write(&EpochRow::frame(&rows.epochs))
    };
    // Without a job there are still the names of the columns.
    write(&Results::default())?;
    let mut waiting = Results::default();
    in_parts(folder, &places(jobs, others), |rows| {
        waiting.append(rows);
        match waiting.metrics.len() < PART {
            true => Ok(()),
            false => write(&std::mem::take(&mut waiting)),
        }
    })?;
    write(&waiting)?;
    [runs, metrics, epochs].into_iter().map(CsvFile::finish).collect()
}

/// Rows that are written at once.
const PART: usize = 1 << 16;

/// A file in the making; in its place when it is finished.
struct CsvFile {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    has_header: bool,
}

impl CsvFile {
    fn new(path: PathBuf) -> Result<Self, StoreError> {
        let temporary = disk::temporary_beside(&path);
        let file = File::create_new(&temporary).map_err(StoreError::io("write", &path))?;
        Ok(Self { path, temporary, file: BufWriter::new(file), has_header: false })
    }

    fn write(&mut self, frame: &DataFrame) -> Result<(), StoreError> {
        if !self.has_header {
            self.has_header = true;
            let names: Vec<&str> =
                frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
            writeln!(self.file, "{}", names.join(","))
                .map_err(StoreError::io("write", &self.path))?;
        }
        write_rows(frame, &mut self.file).map_err(StoreError::io("write", &self.path))
    }

    fn finish(mut self) -> Result<PathBuf, StoreError> {
        self.file.flush().map_err(StoreError::io("write", &self.path))?;
        disk::adopt(&self.temporary, &self.path)?;
        Ok(self.path)
    }
}

fn write_rows(frame: &DataFrame, out: &mut impl Write) -> io::Result<()> {
    let columns = frame.columns();
    for row in 0..frame.height() {
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match column.get(row).expect("a row of the frame") {
                AnyValue::Null => {}
                AnyValue::Boolean(value) => write!(out, "{value}")?,
                AnyValue::UInt64(value) => write!(out, "{value}")?,
                AnyValue::Float64(value) => write!(out, "{value:?}")?,
                other => {
                    let text = other.get_str().expect("every other column of a frame is a text");
                    out.write_all(quoted(text).as_bytes())?;
                }
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guarded = if formula { format!("'{text}") } else { text.to_owned() };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[test]
    fn the_files_have_the_columns_and_the_rows_of_the_frames() {
        let place = tempfile::tempdir().unwrap();
        let mut record = testing::done("ab", "sc", 1);
        record.outcome.as_mut().unwrap().test.as_mut().unwrap().span.micro.f1 = 0.1 + 0.2;
        let folder = testing::folder(place.path(), &[record, testing::failed("cd", "sc", 2)]);
        let jobs = ["ab", "cd"].map(|key| {
            Placed::from((domain::JobKey(key.to_owned()), testing::point("a,\"b\"", 1)))
        });
        let out = place.path().join("csv");
        let paths = export_csv(&folder, &jobs, &[], &out).unwrap();
        let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
        assert_eq!(paths.len(), 3);
        assert_eq!(fs::read_dir(&out).unwrap().count(), 3, "nothing temporary is left");
        insta::assert_snapshot!(read("runs.csv"), @r#"
        job,grid,stage,trial,corpus,scenario,model,method,seed,status,failure,epochs,train_sentences,train_tokens,sentence_factor,token_factor,parameters,backend,threads,version,budget,updates,tokens_seen,passes,training_verdict,precision,type_shares,current,seconds,train_seconds,peak_rss_mb,host,started_at
        ab,grid,main,,synthetic,full,shallow,"a,""b""",1,done,,2,100,1000,1.5,1.25,77,flex,1,0.1.0,100,100,2000,2.0,converged,f32,,true,0.5,0.2,12.5,0011aabb,2026-01-01T00:00:00Z
        cd,grid,main,,synthetic,full,shallow,"a,""b""",1,failed,the worker left with exit code 3 and no result,,,,,,,flex,1,0.1.0,,,,,,f32,,true,0.5,,,0011aabb,2026-01-01T00:00:00Z
        "#);
        let metrics = read("metrics.csv");
        assert_eq!(metrics.lines().count(), 1 + 2 * 2 * 6);
        assert!(
            metrics.contains(",test,span,micro,,0.5,0.5,0.30000000000000004,10,10,5\n"),
            "{metrics}"
        );
        insta::assert_snapshot!(read("epochs.csv"), @r"
        job,epoch,updates,loss,dev_micro_f1,dev_macro_f1,missampling_rate,missampled_entities,mean_uncertainty,test_micro_f1,test_macro_f1,seconds
        ab,1,50,1.0,0.5,0.25,,,0.75,,,0.1
        ab,2,100,0.5,0.5,0.25,,,0.75,,,0.1
        ");
    }

    #[test]
    fn texts_are_quoted_and_formulas_disarmed() {
        for (text, written) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "'=1+1"),
        ] {
            assert_eq!(quoted(text), written);
        }
    }
}
