//! What of the frames must be identical (docs/results.md), however the same jobs came to be run.

use std::path::Path;
use store::{Folder, Results, read_frames};

/// The bytes of the metrics, and the rows of all three without what is measured.
pub fn unmeasured(results: &Path, grid: &str) -> (Vec<u8>, Results) {
    let folder = Folder::new(results, grid).unwrap();
    let mut rows = read_frames(&folder).unwrap();
    for run in &mut rows.runs {
        (run.seconds, run.train_seconds, run.peak_rss_mb) = (0.0, None, None);
        (run.host, run.started_at) = Default::default();
    }
    rows.epochs.iter_mut().for_each(|epoch| epoch.seconds = 0.0);
    (std::fs::read(folder.frame("metrics")).unwrap(), rows)
}
