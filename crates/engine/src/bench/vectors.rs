//! The start of a job that needs word vectors.

use super::{BenchError, best, read, write};
use crate::model::vectors::{Policy, Source, Unknown};
use serde_json::{Value, json};
use std::path::Path;

/// The seconds of looking up the lines of `words.txt` in a file of vectors: with the table to be
/// made, which goes into the folder, and from the table. Leaves the vectors beside them, for
/// [`super::shallow`].
pub fn measure(file: &Path, folder: &Path) -> Result<Value, BenchError> {
    let text = read(&folder.join("words.txt"))?;
    let text = String::from_utf8_lossy(&text);
    let words: Vec<&str> = text.lines().collect();
    let (digest, cache) = ("0".repeat(64), Some(folder.to_owned()));
    let source = Source { file: file.to_owned(), digest, cache };
    let look_up = || source.look_up(&words, Policy { numbers: false, unknown: Unknown::Zero });
    let (first, found) = best(1, look_up);
    let (again, same) = best(10, look_up);
    let (found, same) = (found?, same?);
    let bytes = |rows: &[f32]| -> Vec<u8> { rows.iter().flat_map(|x| x.to_le_bytes()).collect() };
    write(&folder.join("dimension.txt"), found.dimension.to_string().as_bytes())?;
    write(&folder.join("vectors.f32"), &bytes(&found.rows))?;
    let rows: Vec<u8> = found.row_of.iter().flat_map(|row| row.to_le_bytes()).collect();
    write(&folder.join("rows.u32"), &rows)?;
    Ok(json!({
        "first": first.as_secs_f64(),
        "again": again.as_secs_f64(),
        "same": found == same,
    }))
}
