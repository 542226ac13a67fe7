//! A grid whose files are absent: what they were is taken from the records of its jobs.
//!
//! A record has the digests of every file that its job read, and the engine that ran it. With those
//! the settings of a point are whole again, and its key is the one that the job ran under. That a
//! record is of the grid as it is now shows in its own key, which comes out again; where no record
//! does that, as those of other settings, the first is taken, and the point has not been run.

use super::grid::{Grid, Job};
use super::key::Keys;
use super::search::Search;
use domain::{JobKey, JobSettings, ModelSettings, Point, TrainingSettings};

/// A job that ran, with its settings.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub job: JobKey,
    pub settings: JobSettings,
}

impl Grid {
    /// Gives every job the digests of the files that jobs of the same names ran with, and with them
    /// its key. `recorded` knows such jobs of a corpus, scenario, model and method, the best first.
    pub fn adopt_files<I>(&mut self, recorded: impl Fn(&Point) -> I)
    where
        I: Iterator<Item = Recorded>,
    {
        let Self { jobs, searches, .. } = self;
        for cell in jobs.chunk_by_mut(|a, b| is_one_cell(&a.point, &b.point)) {
            if let Some(settings) = completed(&cell[0].settings, recorded(&cell[0].point)) {
                complete(cell, searches, &settings);
            }
        }
    }
}

fn is_one_cell(a: &Point, b: &Point) -> bool {
    let model = a.model == b.model && a.method == b.method;
    model && a.corpus == b.corpus && a.scenario == b.scenario
}

/// The settings with what the records know, of the first that proves to be of them.
fn completed(
    settings: &JobSettings,
    recorded: impl Iterator<Item = Recorded>,
) -> Option<JobSettings> {
    let mut first = None;
    for Recorded { job, settings: known } in recorded {
        let whole = with_files_of(settings, &known);
        if Keys::new(&whole).of(known.seed) == job {
            return Some(whole);
        }
        first.get_or_insert(whole);
    }
    first
}

fn with_files_of(settings: &JobSettings, known: &JobSettings) -> JobSettings {
    let mut corpus = (*settings.corpus).clone();
    for (role, digest) in &mut corpus.digests {
        // A trial knows no test file.
        if let Some(known) = known.corpus.digests.get(role) {
            digest.clone_from(known);
        }
    }
    let (digests, queries) = (known.model.digests.clone(), known.model.queries.clone());
    let model = ModelSettings { digests, queries, ..(*settings.model).clone() };
    let mut method = (*settings.method).clone();
    method.digests.clone_from(&known.method.digests);
    let backend = known.training.backend;
    let training = TrainingSettings { backend, ..(*settings.training).clone() };
    JobSettings {
        engine: known.engine.clone(),
        corpus: corpus.into(),
        model: model.into(),
        method: method.into(),
        training: training.into(),
        ..settings.clone()
    }
}

/// Puts the settings into all jobs of a cell, and into the search that they wait for.
fn complete(cell: &mut [Job], searches: &mut [Search], settings: &JobSettings) {
    let keys = Keys::new(settings);
    for job in cell.iter_mut() {
        job.settings = JobSettings { seed: job.settings.seed, ..settings.clone() };
        job.key = keys.of(job.settings.seed);
    }
    let Some(search) = cell[0].search.and_then(|at| searches.get_mut(at)) else { return };
    if let Some(known) = search.of(&cell[0]) {
        *search = known;
    }
    for job in cell {
        job.key = search.waiting_key(&job.settings);
    }
}
