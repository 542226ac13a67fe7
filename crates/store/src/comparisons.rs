//! `comparisons.parquet`: what the scores of the other frames say of each method against the baseline.
//!
//! Its rows are computed elsewhere, from the frames and the grid that `grid.yaml` names. `frames.json` says of
//! which grid they are; frames that are written again make them old.

use super::frames::{Columns, Growing, sum_of};
use super::refresh::{MadeComparisons, made, write_made};
use super::{Folder, StoreError, disk, index};
use polars::prelude::*;

const NAME: &str = "comparisons";

/// One row of `comparisons.parquet`: a method against the baseline in one corpus, scenario and model.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparisonRow {
    pub corpus: String,
    pub scenario: String,
    pub model: String,
    pub method: String,
    pub against: String,
    pub metric: &'static str,
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
    pub verdict: &'static str,
}

/// Whether the comparisons on disk are of the frames and the grid as they are.
pub fn comparisons_are_fresh(folder: &Folder) -> bool {
    let known = made(folder).and_then(|made| made.comparisons);
    known.is_some_and(|known| {
        let sum = sum_of(&folder.frame(NAME));
        known.grid == grid_digest(folder) && sum.as_ref() == Some(&known.sum)
    })
}

/// Writes the comparisons of the frames and the grid as they are.
pub fn write_comparisons(folder: &Folder, rows: Vec<ComparisonRow>) -> Result<(), StoreError> {
    let mut frame = Growing::new(folder.frame(NAME), comparisons_frame)?;
    frame.push(rows)?;
    let sum = frame.finish()?;
    let Some(mut made) = made(folder) else { return Ok(()) };
    made.comparisons = Some(MadeComparisons { grid: grid_digest(folder), sum });
    write_made(folder, &made)
}

/// Of the grid as run; without one, that of nothing.
fn grid_digest(folder: &Folder) -> String {
    let text = disk::read(&folder.grid_file()).ok().flatten();
    index::hexadecimal(&text.unwrap_or_default())
}

fn comparisons_frame(rows: &[ComparisonRow]) -> PolarsResult<DataFrame> {
    Columns::of(rows)
        .text("corpus", |r| &r.corpus)
        .text("scenario", |r| &r.scenario)
        .text("model", |r| &r.model)
        .text("method", |r| &r.method)
        .text("against", |r| &r.against)
        .text("metric", |r| r.metric)
        .whole("n", |r| r.n)
        .whole("missing_pairs", |r| r.missing_pairs)
        .optional_real("mean", |r| r.mean)
        .optional_real("baseline_mean", |r| r.baseline_mean)
        .optional_real("difference", |r| r.difference)
        .optional_real("ci_low", |r| r.ci_low)
        .optional_real("ci_high", |r| r.ci_high)
        .optional_real("p", |r| r.p)
        .optional_real("p_holm", |r| r.p_holm)
        .whole("family_size", |r| r.family_size)
        .optional_real("wilcoxon_p", |r| r.wilcoxon_p)
        .optional_real("effect_size", |r| r.effect_size)
        .text("verdict", |r| r.verdict)
        .frame()
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
