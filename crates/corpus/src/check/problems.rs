//! Every error of every file, not only the first.

use crate::distribution::rank;
use crate::{CorpusError, as_distributed};
use domain::Part;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The errors of a corpus that cannot be read as a whole because of `first`, and how many more
/// there are: each file is read again by itself.
pub fn problems(
    format: &Part,
    files: &BTreeMap<String, PathBuf>,
    first: CorpusError,
) -> (Vec<CorpusError>, usize) {
    let further = crate::formats::reads(&format.kind).roles;
    let is_further = |role: &String| further.contains(&role.as_str());
    let mut found = (vec![], 0);
    let mut own: Vec<_> = files.iter().filter(|(role, _)| !is_further(role)).collect();
    own.sort_by_key(|(role, _)| rank(role));
    for (role, path) in own {
        let mut alone: BTreeMap<String, PathBuf> =
            files.iter().filter(|(role, _)| is_further(role)).map(owned).collect();
        alone.insert(role.clone(), path.clone());
        if let Err(error) = as_distributed(format, &alone) {
            add(&mut found, error);
        }
    }
    if found.0.is_empty() {
        // What is wrong is not in one file.
        add(&mut found, first);
    }
    found
}

fn owned((role, path): (&String, &PathBuf)) -> (String, PathBuf) {
    (role.clone(), path.clone())
}

fn add((errors, more): &mut (Vec<CorpusError>, usize), error: CorpusError) {
    match error {
        CorpusError::Several { problems, more: uncounted } => {
            errors.extend(problems);
            *more += uncounted;
        }
        error => errors.push(error),
    }
}
