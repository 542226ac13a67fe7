//! What the records of a folder, and of those that were merged into it, say of its jobs and
//! searches.

use super::super::frames::read_current;
use super::super::{Folder, JobRecord, Placed, SearchRecord, StoreError, disk};
use super::MergeSource;
use domain::JobKey;
use std::collections::HashMap;

impl Folder {
    /// Every job that has a record and is current, under the name that it was run by; trials by
    /// their numbers in the searches. What is current only a run knows, which has the corpora: a
    /// job is, unless the frames of the folder, or of those that were merged into it, say
    /// otherwise.
    pub fn recorded_jobs(
        &self,
        searches: &[SearchRecord],
        merged: &[MergeSource],
    ) -> Result<Vec<Placed>, StoreError> {
        // A frame that is not a regular file is replaced like a damaged one.
        let own = disk::read(&self.frame("runs")).ok().flatten();
        let own = own.and_then(read_current).unwrap_or_default();
        let merged: Vec<_> = merged.iter().map(MergeSource::current).collect();
        let is_current = |key: &JobKey| match own.get(key) {
            Some(current) => *current,
            None => {
                let mut known = merged.iter().filter_map(|of_source| of_source.get(key));
                known.clone().next().is_none() || known.any(|current| *current)
            }
        };
        let mut numbers: HashMap<&JobKey, Vec<u64>> = HashMap::new();
        for trial in searches.iter().flat_map(|search| &search.history) {
            numbers.entry(&trial.job).or_default().push(trial.trial as u64);
        }
        let mut placed = Vec::new();
        for key in self.keys()?.into_iter().filter(is_current) {
            let Some(JobRecord { point, settings, .. }) = self.read_record(&key)? else { continue };
            if settings.stage.is_main() {
                placed.push((key, point).into());
                continue;
            }
            for number in numbers.get(&key).into_iter().flatten() {
                let (job, point) = (key.clone(), point.clone());
                placed.push(Placed { job, point, trial: Some(*number) });
            }
        }
        Ok(placed)
    }
}

/// The searches of several folders; of one that two have, that which has come further.
pub fn join_searches(all: impl IntoIterator<Item = SearchRecord>) -> Vec<SearchRecord> {
    let mut joined: Vec<SearchRecord> = Vec::new();
    for search in all {
        match joined.iter_mut().find(|known| known.title() == search.title()) {
            Some(known) if known.ended() < search.ended() => *known = search,
            Some(_) => {}
            None => joined.push(search),
        }
    }
    joined.sort_by_key(SearchRecord::title);
    joined
}
