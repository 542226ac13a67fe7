//! Frames that follow their records: written again when they were made from others, or are damaged.
//!
//! `frames.json` says from which records the frames were made and what sums they have. It is
//! written after them, so a crash on the way leaves frames that are made again.

use super::collect::{Places, in_parts, places};
use super::frames::{FrameWriter, run_rows, sealed_frame, sum_of};
use super::{Folder, Frames, Placed, StoreError, Survey, disk};
use domain::{JobKey, Point};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Raised whenever the same records give other frames.
const VERSION: u64 = 3;
const FRAMES: [&str; 3] = ["runs", "metrics", "epochs"];

/// What frames were made of.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Made {
    version: u64,
    /// The program's.
    tailgrid: String,
    /// SHA-256 over every row's job, names and record.
    records: String,
    /// The frames' own.
    sums: [String; 3],
    /// What the comparisons of these frames were made of; none before they are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparisons: Option<MadeComparisons>,
}

/// What comparisons were made of, beside the frames.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeComparisons {
    /// SHA-256 of the grid as run.
    pub grid: String,
    /// The file's own.
    pub sum: String,
}

/// Makes the frames those of all records that the survey found; these jobs are the current ones. A
/// damaged record is an error.
pub fn refresh_frames(folder: &Folder, jobs: &[Placed], survey: &Survey) -> Result<(), StoreError> {
    let jobs = places(jobs, survey.recorded());
    let records = digest(&jobs, survey);
    if is_current(folder, &records) {
        return Ok(());
    }
    let mut writer = FrameWriter::new(folder)?;
    in_parts(folder, &jobs, |rows| writer.push(rows))?;
    let tailgrid = env!("CARGO_PKG_VERSION").to_owned();
    let sums = writer.finish()?;
    write_made(folder, &Made { version: VERSION, tailgrid, records, sums, comparisons: None })
}

pub(super) fn write_made(folder: &Folder, made: &Made) -> Result<(), StoreError> {
    let path = folder.frames_file();
    let bytes = serde_json::to_vec_pretty(made)
        .map_err(|error| StoreError::Encode { path: path.clone(), message: error.to_string() })?;
    disk::write_changed(&path, &bytes)
}

fn is_current(folder: &Folder, records: &str) -> bool {
    let Some(made) = made(folder).filter(|made| made.records == records) else { return false };
    let sums = FRAMES.map(|frame| sum_of(&folder.frame(frame)));
    sums.iter().zip(&made.sums).all(|(is, was)| is.as_ref() == Some(was))
}

/// What the frames were made of, if this program made them.
pub(super) fn made(folder: &Folder) -> Option<Made> {
    let bytes = disk::read(&folder.frames_file()).ok().flatten()?;
    let made: Made = serde_json::from_slice(&bytes).ok()?;
    let is_ours = made.version == VERSION && made.tailgrid == env!("CARGO_PKG_VERSION");
    is_ours.then_some(made)
}

/// The frames on disk, if they are of all records that the survey found; whichever jobs they call
/// current. Of `metrics`, by far the largest, there are these columns alone.
pub fn read_fresh_frames(folder: &Folder, survey: &Survey, columns: &[&str]) -> Option<Frames> {
    let made = made(folder)?;
    let [runs, metrics, epochs] = FRAMES;
    let read =
        |at: usize, name: &str, columns| sealed_frame(&folder.frame(name), &made.sums[at], columns);
    let runs = read(0, runs, None)?;
    let current = run_rows(&runs).ok()?.into_iter().filter(|run| run.current);
    let current: Vec<Placed> =
        current.map(|run| Placed { job: run.job, point: run.point, trial: run.trial }).collect();
    let is_fresh = digest(&places(&current, survey.recorded()), survey) == made.records;
    is_fresh.then_some(())?;
    let metrics = read(1, metrics, Some(columns))?;
    Some(Frames { runs, metrics, epochs: read(2, epochs, None)? })
}

fn digest(jobs: &Places<'_>, survey: &Survey) -> String {
    let mut hash = Sha256::new();
    for (job, places) in jobs {
        let Some(record) = survey.digest(job) else { continue };
        if places.is_empty() {
            // Names are those of the record.
            hash.update(&job.0);
            hash.update([0]);
            hash.update(record);
        }
        for Placed { job, point, trial } in places {
            hash_place(&mut hash, job, point, *trial, record);
        }
    }
    hex::encode(hash.finalize())
}

fn hash_place(hash: &mut Sha256, job: &JobKey, point: &Point, trial: Option<u64>, record: &str) {
    for text in [&job.0, &point.corpus, &point.scenario, &point.model, &point.method] {
        hash.update(text);
        hash.update([0]);
    }
    hash.update(point.seed.to_le_bytes());
    hash.update(trial.unwrap_or(0).to_le_bytes());
    hash.update(record);
}

#[cfg(test)]
mod tests {
    use super::super::{collect, read_frames, testing};
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime};

    fn placed(keys: &[&str]) -> Vec<Placed> {
        let key = |key: &&str| (JobKey((*key).to_owned()), testing::point("sc", 1)).into();
        keys.iter().map(key).collect()
    }

    fn refresh(folder: &Folder, jobs: &[Placed]) {
        let survey = Survey::new(folder, jobs.iter().map(|job| &job.job)).unwrap();
        refresh_frames(folder, jobs, &survey).unwrap();
    }

    /// Makes all frames old, and says which ones were written after that.
    fn written(folder: &Folder, change: impl FnOnce()) -> Vec<&'static str> {
        let old = SystemTime::now() - Duration::from_secs(1000);
        let file = |name: &str| fs::File::options().write(true).open(folder.frame(name)).unwrap();
        FRAMES.iter().for_each(|name| file(name).set_modified(old).unwrap());
        change();
        let is_new = |name: &&str| file(name).metadata().unwrap().modified().unwrap() != old;
        FRAMES.into_iter().filter(is_new).collect()
    }

    #[test]
    fn frames_are_written_when_records_names_or_frames_changed_and_never_else() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let jobs = placed(&["ab", "cd"]);
        refresh(&folder, &jobs);
        assert_eq!(read_frames(&folder).unwrap(), collect(&folder, &jobs).unwrap());
        assert_eq!(written(&folder, || refresh(&folder, &jobs)), [""; 0]);

        folder.job(&JobKey("cd".to_owned())).unwrap().create().unwrap();
        folder.write_record(&testing::done("cd", "sc", 1)).unwrap();
        assert_eq!(written(&folder, || refresh(&folder, &jobs)), FRAMES);
        assert_eq!(read_frames(&folder).unwrap().runs.len(), 2);

        let mut renamed = jobs.clone();
        renamed[0].point.method = "other".to_owned();
        assert_eq!(written(&folder, || refresh(&folder, &renamed)), ["runs", "metrics"]);
        refresh(&folder, &jobs);

        let mut bytes = fs::read(folder.frame("epochs")).unwrap();
        bytes[10] ^= 1;
        fs::write(folder.frame("epochs"), bytes).unwrap();
        assert_eq!(written(&folder, || refresh(&folder, &jobs)), ["epochs"]);
        assert_eq!(read_frames(&folder).unwrap(), collect(&folder, &jobs).unwrap());
    }

    #[test]
    fn records_of_other_settings_stay_in_the_frames_and_are_not_current() {
        let place = tempfile::tempdir().unwrap();
        let mut trial = testing::done("ef", "focal", 1);
        trial.settings.stage = domain::Stage::Trial;
        trial.outcome.as_mut().unwrap().test = None;
        let records = [testing::done("ab", "sc", 1), testing::failed("cd", "old", 2), trial];
        let folder = testing::folder(place.path(), &records);
        let jobs = placed(&["ab"]);
        let survey = Survey::new(&folder, jobs.iter().map(|job| &job.job)).unwrap();
        let survey = survey.with_others(&folder).unwrap();
        refresh_frames(&folder, &jobs, &survey).unwrap();
        let frames = read_frames(&folder).unwrap();
        let seen: Vec<_> =
            frames.runs.iter().map(|run| (run.job.0.as_str(), run.current)).collect();
        assert_eq!(seen, [("ab", true), ("cd", false), ("ef", false)]);
        assert_eq!(frames.runs[1].point, testing::point("old", 2), "the names of its time");
        assert_eq!((frames.runs[2].stage.name(), frames.runs[2].trial), ("trial", None));
        assert_eq!(frames.metrics.len(), 2 * 2 * 6 + 2 * 6);
        let runs = fs::read(folder.frame("runs")).unwrap();
        // Whichever jobs are current changes the frames, and nothing else does.
        let none = written(&folder, || refresh_frames(&folder, &jobs, &survey).unwrap());
        assert_eq!(none, [""; 0]);
        let others = placed(&["cd"]);
        refresh_frames(&folder, &others, &survey).unwrap();
        let frames = read_frames(&folder).unwrap();
        let current: Vec<bool> = frames.runs.iter().map(|run| run.current).collect();
        assert_eq!(current, [false, true, false]);
        refresh_frames(&folder, &jobs, &survey).unwrap();
        assert_eq!(fs::read(folder.frame("runs")).unwrap(), runs);
    }

    #[test]
    fn a_record_of_other_settings_that_cannot_be_read_is_left_out() {
        let place = tempfile::tempdir().unwrap();
        let records = [testing::done("ab", "sc", 1), testing::done("cd", "sc", 2)];
        let folder = testing::folder(place.path(), &records);
        fs::write(folder.job(&JobKey("cd".to_owned())).unwrap().record(), "{").unwrap();
        let jobs = placed(&["ab"]);
        let survey = Survey::new(&folder, jobs.iter().map(|job| &job.job)).unwrap();
        let survey = survey.whole().unwrap().with_others(&folder).unwrap();
        assert!(survey.left_out[0].to_string().contains("jobs/cd/record.json is damaged"));
        refresh_frames(&folder, &jobs, &survey).unwrap();
        assert_eq!(read_frames(&folder).unwrap().runs.len(), 1);
    }

    #[test]
    fn frames_of_another_version_are_made_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = testing::folder(place.path(), &[testing::done("ab", "sc", 1)]);
        let jobs = placed(&["ab"]);
        refresh(&folder, &jobs);
        let text = fs::read_to_string(folder.frames_file()).unwrap();
        for (from, to) in [("\"version\": 3", "\"version\": 1"), ("{", "")] {
            fs::write(folder.frames_file(), text.replacen(from, to, 1)).unwrap();
            refresh(&folder, &jobs);
            assert_eq!(fs::read_to_string(folder.frames_file()).unwrap(), text);
        }
    }
}
