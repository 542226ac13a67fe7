//! A grid file, and all that decides what it means: options, catalogue, engine, the folder of its
//! results.

use crate::{SweepError, tuning};
use atomic::places;
use domain::TableKind;
use runner::{EngineKind, default_backend};
use spec::{Diagnostics, Grid, LoadOptions, Recorded};
use std::path::PathBuf;
use store::{Folder, RecordedJobs};

/// Where a grid comes from and where its results are.
#[derive(Clone, Debug)]
pub struct GridSource {
    /// The grid file.
    pub path: PathBuf,
    /// The folder with a folder of results for each grid.
    pub results: PathBuf,
    /// `path=value`, each checked like the file.
    pub sets: Vec<String>,
    /// Where the catalogue's corpora are, one folder a name.
    pub corpora: PathBuf,
    /// A catalogue of the user's own, over the shipped one.
    pub catalogue: Option<PathBuf>,
    /// The kinds of tables that the grid can ask for.
    pub tables: &'static [TableKind],
    /// What runs the jobs; it is part of every key.
    pub engine: EngineKind,
    /// The folder of `tailgrid` and `tailgrid-engine`; without it, that of this program.
    pub programs: Option<PathBuf>,
}

impl GridSource {
    /// A grid file as it is, with its results in a folder of all results, for the real engine.
    pub fn new(path: impl Into<PathBuf>, results: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            results: results.into(),
            sets: Vec::new(),
            corpora: places::corpora(),
            catalogue: None,
            tables: &[],
            engine: EngineKind::Real,
            programs: None,
        }
    }

    /// Loads the grid with the choices of its searches in its jobs; a damaged record of a trial is
    /// an error.
    pub fn load(&self) -> Result<Grid, SweepError> {
        let mut grid = self.load_alone()?;
        self.settle(&mut grid)?;
        Ok(grid)
    }

    /// Loads the grid without a look at its results: every tuned job waits for its search.
    pub fn load_alone(&self) -> Result<Grid, SweepError> {
        self.load_with(None)
    }

    /// Loads the grid from another text than the file's, as if it were in the file.
    pub fn load_text(&self, text: &str) -> Result<Grid, SweepError> {
        self.load_with(Some(text))
    }

    /// Loads the grid although its corpora, embeddings and checkpoints may be absent.
    pub fn load_without_files(&self) -> Result<Grid, SweepError> {
        self.load_by(|options| spec::load_without_files(&self.path, options))
    }

    fn load_with(&self, text: Option<&str>) -> Result<Grid, SweepError> {
        self.load_by(|options| match text {
            Some(text) => spec::load_text(&self.path, text, options),
            None => spec::load(&self.path, options),
        })
    }

    fn load_by(
        &self,
        load: impl FnOnce(&LoadOptions<'_>) -> Result<Grid, Diagnostics>,
    ) -> Result<Grid, SweepError> {
        let pretrained = places::cache().unwrap_or_default();
        let options = LoadOptions {
            sets: &self.sets,
            pretrained: &pretrained,
            corpora: &self.corpora,
            catalogue: self.catalogue.as_deref(),
            tables: self.tables,
            engine: self.engine.version(),
            default_backend: default_backend(),
        };
        load(&options).map_err(SweepError::Grid)
    }

    /// Takes from the records what the files of a grid were; whether there is a record.
    pub fn adopt_records(&self, grid: &mut Grid) -> Result<bool, SweepError> {
        let folder = self.folder(grid)?;
        let jobs = RecordedJobs::read(&folder)?;
        let is_mock = self.engine == EngineKind::Mock;
        grid.adopt_files(|point| {
            let records = jobs.of(point).filter_map(|key| folder.read_record(key).ok().flatten());
            records
                .filter(|record| record.settings.engine.starts_with("mock") == is_mock)
                .map(|record| Recorded { job: record.job, settings: record.settings })
        });
        Ok(!jobs.is_empty())
    }

    /// Takes the searches of a grid that was loaded alone as far as the records go.
    pub fn settle(&self, grid: &mut Grid) -> Result<(), SweepError> {
        if grid.searches.is_empty() {
            return Ok(());
        }
        let folder = self.folder(grid)?;
        Ok(tuning::settle_recorded(grid, &folder)?)
    }

    /// The same for those who tell of damaged records themselves: a trial whose record is damaged
    /// has not ended.
    pub fn settle_past_damage(&self, grid: &mut Grid) -> Result<(), SweepError> {
        let folder = self.folder(grid)?;
        Ok(tuning::settle_past_damage(grid, &folder)?)
    }

    /// Where the grid's results are.
    pub fn folder(&self, grid: &Grid) -> Result<Folder, SweepError> {
        Ok(Folder::new(&self.results, &grid.name)?)
    }
}
