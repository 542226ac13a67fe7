//! The beginning of a job's `predictions.tsv`: all of it, unless it is very long. Damage is an
//! error.

use super::{Folder, KeptFile, StoreError};
use domain::JobKey;

/// Test predictions: token, gold tag, predicted tag, a blank line after each sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Predictions {
    /// Whole sentences.
    pub text: String,
    /// Whether the file goes on.
    pub is_partial: bool,
}

impl Folder {
    /// At most so many bytes of the predictions of a job; `None` if it kept none.
    pub fn read_predictions(
        &self,
        key: &JobKey,
        most: u64,
    ) -> Result<Option<Predictions>, StoreError> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let read = self.read_beginning(key, KeptFile::Predictions, most)?;
        let Some((bytes, is_partial)) = read else { return Ok(None) };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_partial {
            text.truncate(text.rfind("\n\n").map_or(0, |end| end + 2));
        }
        Ok(Some(Predictions { text, is_partial }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_long_file_is_cut_after_a_sentence() {
        let results = tempfile::tempdir().unwrap();
        let folder = Folder::new(results.path(), "grid").unwrap();
        let key = JobKey("ab".to_owned());
        assert_eq!(folder.read_predictions(&key, 100).unwrap(), None);
        let job = folder.job(&key).unwrap();
        job.create().unwrap();
        fs::write(job.predictions(), "a\tO\tO\n\nb\tO\tO\n\nc\tO\tO\n\n").unwrap();
        let read = |most| folder.read_predictions(&key, most).unwrap().unwrap();
        assert_eq!(
            read(21),
            Predictions { text: "a\tO\tO\n\nb\tO\tO\n\nc\tO\tO\n\n".into(), is_partial: false }
        );
        assert_eq!(
            read(20),
            Predictions { text: "a\tO\tO\n\nb\tO\tO\n\n".into(), is_partial: true }
        );
        assert_eq!(read(3), Predictions { text: String::new(), is_partial: true });
    }
}
