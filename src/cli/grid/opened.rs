//! What commands that only read results are given: a grid file, or a results folder with its `grid.yaml`.
//!
//! Neither needs the corpora, embeddings and checkpoints: where they are absent, and always for a results folder,
//! what they were is taken from the records.

use super::{GridArgs, Standing, adopt_records, load_with_options, recorded, with_warnings};
use crate::cli::output::message;
use crate::cli::{CliError, Common, Exit, as_run, tuning};
use runner::EngineKind;
use spec::{Diagnostics, Grid, LoadOptions};
use std::path::{Path, PathBuf};
use store::{Folder, StoreError};

/// A grid and where its results are.
#[derive(Debug)]
pub struct Opened {
    pub grid: Grid,
    /// As if the grid file, its options and its results had been named.
    pub args: GridArgs,
    pub common: Common,
}

impl GridArgs {
    /// Opens results, with the choices of searches in their jobs; a damaged record of a trial is an error.
    pub fn open(&self, common: &Common) -> Result<Opened, CliError> {
        self.open_alone(common)?.settled(|folder, key| recorded(folder, key))
    }

    /// The same for those who tell of damaged records themselves: a trial whose record is damaged has not ended.
    pub fn open_past_damage(&self, common: &Common) -> Result<Opened, CliError> {
        self.open_alone(common)?.settled(|folder, key| match recorded(folder, key) {
            Err(StoreError::Damaged { .. }) => Ok(None),
            read => read,
        })
    }

    /// Opens results without a look at them: every tuned job waits for its search.
    pub fn open_alone(&self, common: &Common) -> Result<Opened, CliError> {
        match self.grid.is_dir() {
            true => open_folder(&self.grid, self, common),
            false => open_file(self, common),
        }
    }
}

impl Opened {
    fn settled(
        mut self,
        look_up: impl Fn(&Folder, &domain::JobKey) -> Result<Option<Standing>, StoreError>,
    ) -> Result<Self, CliError> {
        if !self.grid.searches.is_empty() {
            let folder = super::folder(&self.grid, &self.common)?;
            tuning::settle(&mut self.grid, |key| look_up(&folder, key))?;
        }
        Ok(self)
    }
}

type Load = fn(&Path, &LoadOptions<'_>) -> Result<Grid, Diagnostics>;

/// A grid file, whose files may be absent if its results are there.
fn open_file(args: &GridArgs, common: &Common) -> Result<Opened, CliError> {
    let load =
        |load: Load| load_with_options(&args.keyed, common, |options| load(&args.grid, options));
    let grid = match load(spec::load) {
        Ok(grid) => grid,
        Err(found) => {
            let failed = || CliError::listed(&found);
            let mut grid = load(spec::load_without_files).map_err(|_| failed())?;
            if !adopt_records(&mut grid, &args.keyed, common)? {
                return Err(failed());
            }
            if !common.quiet {
                message!(
                    "warning: files of this grid are missing; its results are read without them\n"
                );
            }
            grid
        }
    };
    let (args, common) = (args.clone(), common.clone());
    Ok(Opened { grid: with_warnings(grid, &common), args, common })
}

/// A results folder, with the options of the run that its `grid.yaml` is of.
fn open_folder(path: &Path, args: &GridArgs, common: &Common) -> Result<Opened, CliError> {
    let file = path.join("grid.yaml");
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (Some(name), true) = (absolute.file_name().and_then(|name| name.to_str()), file.is_file())
    else {
        let message = format!(
            "{} is a folder without a grid.yaml: give a grid file, or the results folder of one grid, as \
             results/NAME",
            path.display()
        );
        return Err(CliError::new(Exit::Invalid, message));
    };
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let (mut sets, is_mock) = as_run::options_of(&text);
    sets.extend(common.sets.iter().cloned());
    let results = match path.parent() {
        Some(parent) if path.file_name().is_some() => parent.to_owned(),
        _ => absolute.parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let common = Common { sets, results, ..common.clone() };
    let mut args = GridArgs { grid: file, keyed: args.keyed.clone() };
    if is_mock {
        args.keyed.engine = EngineKind::Mock;
    }
    let loaded = load_with_options(&args.keyed, &common, |options| {
        spec::load_without_files(&args.grid, options)
    });
    let mut grid = loaded.map_err(|found| CliError::listed(&found))?;
    // The folder may have been renamed; its own name says where its jobs are.
    grid.name = name.to_owned();
    adopt_records(&mut grid, &args.keyed, &common)?;
    Ok(Opened { grid: with_warnings(grid, &common), args, common })
}
