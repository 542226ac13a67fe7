//! What every command that takes a grid does first: load it, show its warnings, see how its jobs
//! stand, choose some of them.

mod opened;

use super::{CliError, Common, Exit};
use crate::cli::output::message;
use analysis::published::{self, Published};
use analysis::{Asked, GridView, ResultFrames};
use runner::EngineKind;
use spec::{Grid, Job, Selection};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use store::Folder;
use sweep::{GridSource, JobState, Standings, survey};

pub use opened::Opened;

/// A grid, and the settings that are part of every job's key and often given on the command line.
#[derive(clap::Args, Clone, Debug)]
pub struct GridArgs {
    /// The grid file
    pub grid: PathBuf,
    #[command(flatten)]
    pub keyed: KeyArgs,
}

/// Settings of every job that are short for `--set`.
#[derive(clap::Args, Clone, Debug)]
pub struct KeyArgs {
    /// Threads of a job, short for --set training.threads=N
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// libtorch or flex, short for --set training.backend=NAME
    #[arg(long, value_name = "NAME")]
    pub backend: Option<String>,
    /// What runs the jobs
    #[arg(long, default_value = "real", value_parser = super::engine::kinds())]
    pub engine: EngineKind,
}

impl GridArgs {
    /// The grid, and what decides what it means.
    pub fn source(&self, common: &Common) -> GridSource {
        source(&self.grid, &self.keyed, common)
    }

    /// Loads the grid, with its warnings on standard error and the choices of its searches in its
    /// jobs.
    pub fn load(&self, common: &Common) -> Result<Grid, CliError> {
        load(&self.grid, &self.keyed, common)
    }

    /// A hint for those who see no result: jobs of the grid have run with the mock engine, whose
    /// jobs have other keys. `None` where they have not, or where they are what was asked for.
    pub fn mock_hint(&self, common: &Common) -> Option<String> {
        if self.keyed.engine == EngineKind::Mock {
            return None;
        }
        let mock = GridSource { engine: EngineKind::Mock, ..self.source(common) };
        // A hint that cannot be given is none.
        let grid = mock.load_alone().ok()?;
        let ran = survey(&grid, &mock.folder(&grid).ok()?).ok()?.standings.len();
        (ran > 0).then(|| {
            format!(
                "with the mock engine, which invents its numbers, {} run: see `--engine mock`",
                if ran == 1 { "1 job has".to_owned() } else { format!("{ran} jobs have") }
            )
        })
    }

    /// Loads the grid without a look at its results: every tuned job waits for its search.
    pub fn load_alone(&self, common: &Common) -> Result<Grid, CliError> {
        load_alone(&self.source(common), common)
    }
}

/// Loads a grid, with its warnings on standard error and the choices of its searches in its jobs; a
/// damaged record of a trial is an error.
pub fn load(path: &Path, keyed: &KeyArgs, common: &Common) -> Result<Grid, CliError> {
    let source = source(path, keyed, common);
    let mut grid = load_alone(&source, common)?;
    source.settle(&mut grid)?;
    Ok(grid)
}

fn load_alone(source: &GridSource, common: &Common) -> Result<Grid, CliError> {
    Ok(with_warnings(source.load_alone()?, common))
}

/// The grid, after its warnings were shown.
fn with_warnings(grid: Grid, common: &Common) -> Grid {
    if !common.quiet {
        grid.warnings.iter().for_each(|warning| message!("{warning}\n"));
    }
    grid
}

fn source(path: &Path, keyed: &KeyArgs, common: &Common) -> GridSource {
    GridSource {
        sets: keyed.sets(common),
        corpora: common.corpora.clone(),
        catalogue: common.catalogue.clone(),
        tables: report::tables::registry::NAMED,
        engine: keyed.engine,
        ..GridSource::new(path, &common.results)
    }
}

impl KeyArgs {
    fn sets(&self, common: &Common) -> Vec<String> {
        let backend = self.backend.as_ref().map(|backend| format!("training.backend={backend}"));
        let threads = self.threads.map(|threads| format!("training.threads={threads}"));
        common.sets.iter().cloned().chain(threads).chain(backend).collect()
    }
}

/// Where the grid's results are.
pub fn folder(grid: &Grid, common: &Common) -> Result<Folder, CliError> {
    Ok(Folder::new(&common.results, &grid.name)?)
}

/// The grid as a report sees it, with its results; what is not selected is not to be shown.
pub fn view(grid: &Grid, common: &Common) -> Result<(GridView, ResultFrames), CliError> {
    let (view, results) = sweep::view(grid, &folder(grid, common)?, &selection(common)?)?;
    Ok((GridView { asked: asked(grid)?, ..view }, results))
}

/// What the grid asks of its report, with the files that it names.
fn asked(grid: &Grid) -> Result<Asked, CliError> {
    let plan = &grid.report;
    let published: Result<Vec<Published>, CliError> =
        plan.published.iter().map(|path| read_published(path)).collect();
    let corpora = match report::needs_corpora(&plan.tables) && !grid.is_without_files {
        true => super::corpus::numbers_of_grid(grid)?,
        false => vec![],
    };
    Ok(Asked {
        spread: plan.spread,
        bands: plan.bands,
        tables: plan.tables.clone(),
        published: published?,
        names: plan.names.clone(),
        pairs: plan.pairs.clone(),
        corpora,
    })
}

fn read_published(path: &Path) -> Result<Published, CliError> {
    let shown = path.display().to_string();
    let invalid = |error: &dyn std::fmt::Display| CliError::new(Exit::Invalid, error.to_string());
    let text = std::fs::read_to_string(path)
        .map_err(|error| invalid(&format!("cannot read {shown}: {error}")))?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    published::read(&shown, &name, &text).map_err(|error| invalid(&error))
}

/// The expressions of `--only` and `--not`.
pub fn selection(common: &Common) -> Result<Selection, CliError> {
    Selection::parse(common.only.as_deref(), common.not.as_deref())
        .map_err(|error| CliError::new(Exit::Usage, error))
}

/// The jobs that are selected, with their states; an error if there are none.
pub fn selected<'g>(
    grid: &'g Grid,
    standings: &Standings,
    common: &Common,
) -> Result<Vec<(&'g Job, JobState)>, CliError> {
    Ok(sweep::select(grid, standings, &selection(common)?)?)
}
