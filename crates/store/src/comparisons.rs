//! `comparisons.parquet`: what the scores of the other frames say of each method against the
//! baseline.
//!
//! Its rows are computed elsewhere, from the frames and the grid that `grid.yaml` names.
//! `frames.json` says of which grid they are; frames that are written again make them old.

use super::frames::{Growing, frame_row, sum_of};
use super::refresh::{MadeComparisons, made, write_made};
use super::{Folder, StoreError, disk, index};

const NAME: &str = "comparisons";

frame_row! {
    /// One row of `comparisons.parquet`: a method against the baseline in one corpus, scenario and
    /// model.
    #[derive(Clone, PartialEq, Debug)]
    pub struct ComparisonRow {
        pub corpus: String,
        pub scenario: String,
        pub model: String,
        pub method: String,
        pub against: String,
        pub metric: String,
        /// Pairs of seeds that both have a score.
        pub n: u64,
        pub missing_pairs: u64,
        pub mean: Option<f64>,
        pub baseline_mean: Option<f64>,
        pub difference: Option<f64>,
        pub ci_low: Option<f64>,
        pub ci_high: Option<f64>,
        pub p: Option<f64>,
        pub p_holm: Option<f64>,
        /// Tests that the correction is over.
        pub family_size: u64,
        pub wilcoxon_p: Option<f64>,
        pub effect_size: Option<f64>,
        pub verdict: String,
    }
}

/// Whether the comparisons on disk are of the frames and the grid as they are.
pub fn comparisons_are_fresh(folder: &Folder) -> bool {
    let known = made(folder).and_then(|made| made.comparisons);
    known.is_some_and(|known| {
        let sum = sum_of(&folder.frame(NAME));
        let is_of_grid = grid_digest(folder).is_ok_and(|grid| grid == known.grid);
        is_of_grid && sum.as_ref() == Some(&known.sum)
    })
}

/// Writes the comparisons of the frames and the grid as they are.
pub fn write_comparisons(folder: &Folder, rows: Vec<ComparisonRow>) -> Result<(), StoreError> {
    let mut frame = Growing::new(folder.frame(NAME))?;
    frame.push(rows)?;
    let sum = frame.finish()?;
    let Some(mut made) = made(folder) else { return Ok(()) };
    made.comparisons = Some(MadeComparisons { grid: grid_digest(folder)?, sum });
    write_made(folder, &made)
}

/// Of the grid as run; without one, that of nothing.
fn grid_digest(folder: &Folder) -> Result<String, StoreError> {
    let text = disk::read(&folder.grid_file())?;
    Ok(index::hexadecimal(text.as_deref().unwrap_or(b"")))
}

#[cfg(test)]
mod tests {
    use super::super::{Placed, Survey, refresh_frames, testing};
    use super::*;

    #[test]
    fn comparisons_are_old_when_frames_grid_or_the_file_changed() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let refresh = |current: &[Placed]| {
            let survey = Survey::new(&folder, []).unwrap().with_others(&folder).unwrap();
            refresh_frames(&folder, current, &survey).unwrap();
        };
        let write = || write_comparisons(&folder, Vec::new()).unwrap();
        assert!(!comparisons_are_fresh(&folder));
        refresh(&[]);
        write();
        assert!(comparisons_are_fresh(&folder));
        refresh(&[]);
        assert!(comparisons_are_fresh(&folder), "the same records");
        refresh(&[Placed::from((domain::JobKey("ab".to_owned()), testing::point("sc", 1)))]);
        assert!(!comparisons_are_fresh(&folder));
        write();
        folder.write_grid("baseline: other").unwrap();
        assert!(!comparisons_are_fresh(&folder));
        write();
        std::fs::remove_file(folder.frame(NAME)).unwrap();
        assert!(!comparisons_are_fresh(&folder));
    }
}
