//! Which jobs of a folder have records, by the names that they ran under.
//!
//! Frames tell the names of most without a look into their records; what they do not know is read
//! from the records themselves, so that frames may be missing or old.

use super::frames::read_runs;
use super::{Folder, StoreError, parallel};
use domain::{JobKey, Point};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The recorded jobs of every corpus, scenario, model and method.
#[derive(Debug, Default)]
pub struct RecordedJobs(HashMap<[String; 4], Vec<RankedJob>>);

/// A job, by what is best first: those that `grid.yaml` names, then the latest.
type RankedJob = (Reverse<bool>, Reverse<String>, JobKey);

impl RecordedJobs {
    /// Looks through a folder. A record that cannot be read is left out.
    pub fn read(folder: &Folder) -> Result<Self, StoreError> {
        let keys: HashSet<JobKey> = folder.keys()?.into_iter().collect();
        let mut jobs: HashMap<[String; 4], Vec<RankedJob>> = HashMap::new();
        let mut known = HashSet::new();
        // Without frames the records themselves are read.
        let runs = read_runs(folder).into_iter().flatten();
        for run in runs.filter(|run| keys.contains(&run.job)) {
            known.insert(run.job.clone());
            let ranked = (Reverse(run.current), Reverse(run.started_at), run.job);
            jobs.entry(names(run.point)).or_default().push(ranked);
        }
        let new: Vec<&JobKey> = keys.iter().filter(|job| !known.contains(*job)).collect();
        let records = parallel::map(&new, |job| folder.read_record(job).ok().flatten());
        for record in records.into_iter().flatten() {
            let start = Reverse(record.timings.started_at);
            let ranked = (Reverse(false), start, record.job);
            jobs.entry(names(record.point)).or_default().push(ranked);
        }
        jobs.values_mut().for_each(|of_names| of_names.sort());
        Ok(Self(jobs))
    }

    /// The jobs of a point's corpus, scenario, model and method, the best first.
    pub fn of<'s>(&'s self, point: &Point) -> impl Iterator<Item = &'s JobKey> + use<'s> {
        self.0.get(&names(point.clone())).into_iter().flatten().map(|(.., job)| job)
    }

    /// Whether the folder has no record.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn names(point: Point) -> [String; 4] {
    [point.corpus, point.scenario, point.model, point.method]
}

#[cfg(test)]
mod tests {
    use super::super::{Placed, Survey, refresh_frames, testing};
    use super::*;

    #[test]
    fn jobs_are_found_by_frames_and_records_the_current_ones_first() {
        let place = tempfile::tempdir().unwrap();
        let records = [testing::done("ab", "sc", 1), testing::done("cd", "sc", 2)];
        let folder = testing::folder(place.path(), &records);
        let of = |method: &str| -> Vec<String> {
            let jobs = RecordedJobs::read(&folder).unwrap();
            jobs.of(&testing::point(method, 7)).map(|job| job.0.clone()).collect()
        };
        assert_eq!(of("sc"), ["ab", "cd"]);
        let current = [Placed::from((JobKey("cd".to_owned()), testing::point("new-name", 2)))];
        let survey = Survey::new(&folder, []).unwrap().with_others(&folder).unwrap();
        refresh_frames(&folder, &current, &survey).unwrap();
        assert_eq!(of("sc"), ["ab"]);
        assert_eq!(of("new-name"), ["cd"], "by the name that the frames have");
        folder.job(&JobKey("ef".to_owned())).unwrap().create().unwrap();
        folder.write_record(&testing::done("ef", "sc", 3)).unwrap();
        assert_eq!(of("sc").len(), 2, "frames that are older than a record");
    }
}
