//! What commands that only read results are given: a grid file, or a results folder with its
//! `grid.yaml`.
//!
//! Neither needs the corpora, embeddings and checkpoints: where they are absent, and always for a
//! results folder, what they were is taken from the records.

use super::{GridArgs, with_warnings};
use crate::cli::output::message;
use crate::cli::{CliError, Common, Exit};
use spec::Grid;
use std::path::{Path, PathBuf};

/// A grid and where its results are.
#[derive(Debug)]
pub struct Opened {
    pub grid: Grid,
    /// As if the grid file, its options and its results had been named.
    pub args: GridArgs,
    pub common: Common,
}

impl GridArgs {
    /// Opens results, with the choices of searches in their jobs; a damaged record of a trial is an
    /// error.
    pub fn open(&self, common: &Common) -> Result<Opened, CliError> {
        let mut opened = self.open_alone(common)?;
        opened.args.source(&opened.common).settle(&mut opened.grid)?;
        Ok(opened)
    }

    /// The same for those who tell of damaged records themselves: a trial whose record is damaged
    /// has not ended.
    pub fn open_past_damage(&self, common: &Common) -> Result<Opened, CliError> {
        let mut opened = self.open_alone(common)?;
        opened.args.source(&opened.common).settle_past_damage(&mut opened.grid)?;
        Ok(opened)
    }

    /// Opens results without a look at them: every tuned job waits for its search.
    pub fn open_alone(&self, common: &Common) -> Result<Opened, CliError> {
        match self.grid.is_dir() {
            true => open_folder(&self.grid, self, common),
            false => open_file(self, common),
        }
    }
}

/// A grid file, whose files may be absent if its results are there.
fn open_file(args: &GridArgs, common: &Common) -> Result<Opened, CliError> {
    let source = args.source(common);
    let grid = match source.load_alone() {
        Ok(grid) => grid,
        Err(error) => {
            let Ok(mut grid) = source.load_without_files() else { return Err(error.into()) };
            if !source.adopt_records(&mut grid)? {
                return Err(error.into());
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
    let text = std::fs::read_to_string(&file).map_err(|error| {
        CliError::new(Exit::Invalid, format!("cannot read {}: {error}", file.display()))
    })?;
    let (mut sets, engine) = sweep::options_of(&text);
    sets.extend(common.sets.iter().cloned());
    let results = match path.parent() {
        Some(parent) if path.file_name().is_some() => parent.to_owned(),
        _ => absolute.parent().map_or_else(PathBuf::new, Path::to_owned),
    };
    let common = Common { sets, results, ..common.clone() };
    let mut args = GridArgs { grid: file, keyed: args.keyed.clone() };
    if engine == runner::EngineKind::Mock {
        args.keyed.engine = engine;
    }
    let source = args.source(&common);
    let mut grid = source.load_without_files()?;
    // The folder may have been renamed; its own name says where its jobs are.
    grid.name = name.to_owned();
    source.adopt_records(&mut grid)?;
    Ok(Opened { grid: with_warnings(grid, &common), args, common })
}
