//! What is wrong or odd with a corpus, all of it: errors of its files, and warnings about what no
//! reader minds but a benchmark should.

mod fitting;
mod problems;
mod warnings;

pub use problems::problems;
pub use warnings::{Warning, warnings};

use super::{Distribution, as_distributed, load};
use domain::Part;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What there is to say of a corpus.
#[derive(Debug, Default)]
pub struct Checked {
    /// What makes it useless, in the order of files and lines.
    pub errors: Vec<super::CorpusError>,
    /// Errors that were counted only.
    pub more_errors: usize,
    pub warnings: Vec<Warning>,
    /// The corpus, where there is no error.
    pub distribution: Option<Distribution>,
}

/// Reads a corpus and says all that is wrong with it.
pub fn check(format: &Part, files: &BTreeMap<String, PathBuf>) -> Checked {
    let mut checked = Checked::default();
    match as_distributed(format, files) {
        Ok(distribution) => {
            checked.errors.extend(unsplittable(format, files));
            checked.warnings = warnings(&distribution);
            checked.distribution = Some(distribution);
        }
        Err(error) => (checked.errors, checked.more_errors) = problems(format, files, error),
    }
    checked.warnings.extend(fitting::better_scheme(format, files, &checked));
    checked
}

/// Why jobs could not use a corpus whose files are all right.
fn unsplittable(format: &Part, files: &BTreeMap<String, PathBuf>) -> Option<super::CorpusError> {
    let for_jobs = files.contains_key(super::WHOLE)
        || (files.contains_key("train") && files.contains_key("test"));
    if for_jobs { load(format, files).err() } else { None }
}

#[cfg(test)]
mod tests;
