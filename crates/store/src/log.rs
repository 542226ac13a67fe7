//! A job's `log.txt`: what its worker wrote to standard error.
//!
//! The runner copies it line by line, so a worker that outlived its run cannot write to the log of
//! a later one, and so that no absolute path and no flood gets in: beginning and end are kept.

use super::{JobFolder, StoreError, disk, without_absolute_paths};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};

/// Kept from the beginning of each attempt.
const HEAD: usize = 1 << 20;
/// Kept from its end: that is where the cause is.
const TAIL: usize = 64 << 10;

/// A log that is being written.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    written: usize,
    left_out: usize,
    tail: VecDeque<String>,
    tail_size: usize,
}

impl LogFile {
    /// The log of an attempt: the first one starts afresh, later ones follow it.
    pub fn open(job: &JobFolder, attempt: u32) -> Result<Self, StoreError> {
        let path = job.log();
        let mut file = disk::open_by(OpenOptions::new().create(true).append(true), &path)?;
        let begun = match attempt {
            0 | 1 => file.set_len(0),
            _ => writeln!(file, "--- attempt {attempt} ---"),
        };
        begun.map_err(StoreError::io("write", &path))?;
        Ok(Self { file, written: 0, left_out: 0, tail: VecDeque::new(), tail_size: 0 })
    }

    /// Adds a line, given without its end.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        let line = without_absolute_paths(line).into_owned() + "\n";
        if self.written + line.len() <= HEAD && self.tail.is_empty() {
            self.written += line.len();
            return self.file.write_all(line.as_bytes());
        }
        self.tail_size += line.len();
        self.tail.push_back(line);
        while self.tail_size > TAIL
            && let Some(dropped) = self.tail.pop_front()
        {
            self.tail_size -= dropped.len();
            self.left_out += dropped.len();
        }
        Ok(())
    }

    /// Writes what was held back.
    pub fn finish(mut self) -> io::Result<()> {
        if self.left_out > 0 {
            writeln!(self.file, "--- {} bytes left out ---", self.left_out)?;
        }
        for line in &self.tail {
            self.file.write_all(line.as_bytes())?;
        }
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Folder;
    use super::*;
    use domain::JobKey;

    fn job(results: &std::path::Path) -> JobFolder {
        let job = Folder::new(results, "g").unwrap().job(&JobKey("ab".into())).unwrap();
        job.create().unwrap();
        job
    }

    #[test]
    fn a_flood_keeps_its_beginning_and_its_end() {
        let results = tempfile::tempdir().unwrap();
        let job = job(results.path());
        let mut log = LogFile::open(&job, 1).unwrap();
        for n in 0..200_000 {
            log.line(&format!("line {n}")).unwrap();
        }
        log.finish().unwrap();
        let text = std::fs::read_to_string(job.log()).unwrap();
        assert!(text.len() < HEAD + TAIL + 100);
        assert!(text.starts_with("line 0\n") && text.ends_with("line 199999\n"));
        assert!(text.contains(" bytes left out ---\n"));
    }

    #[test]
    fn a_retry_follows_the_first_attempt_and_a_new_run_starts_afresh() {
        let results = tempfile::tempdir().unwrap();
        let job = job(results.path());
        for (attempt, expected) in [(1, "x\n"), (2, "x\n--- attempt 2 ---\nx\n"), (1, "x\n")] {
            let mut log = LogFile::open(&job, attempt).unwrap();
            log.line("x").unwrap();
            log.finish().unwrap();
            assert_eq!(std::fs::read_to_string(job.log()).unwrap(), expected);
        }
    }
}
