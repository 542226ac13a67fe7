//! `grid.yaml` of a results folder, which says which of its jobs are current: the others ran with
//! other settings, or the grid no longer has them.
//!
//! It is the grid file of the last run without options that change the settings. A run with such
//! options leaves it alone, unless the folder has none yet, or has one of a run with the very same
//! options: then those options are part of it, as comments above the file.

use crate::{GridSource, SweepError, all_jobs, tuning, view};
use runner::EngineKind;
use runner::events::Event;
use spec::{Grid, Selection};
use std::path::PathBuf;
use store::{Folder, Placed, StoreError, Survey};

/// How a comment of `grid.yaml` begins that names an option of the run.
const OPTION: &str = "# run with ";
const MOCK: &str = "--engine mock";

/// Keeps the grid beside its results, where this run may; whether it did.
pub(crate) fn keep(grid: &Grid, engine: EngineKind, folder: &Folder) -> Result<bool, SweepError> {
    let engine = match engine {
        EngineKind::Mock => format!("{OPTION}{MOCK}\n"),
        EngineKind::Real => String::new(),
    };
    let text = engine + &grid.as_run;
    let own: Vec<&str> = options(&text).collect();
    let kept = folder.grid_text()?;
    let is_ours = kept.is_none_or(|kept| {
        let is_mock = |options: &[&str]| options.contains(&MOCK);
        let kept: Vec<&str> = options(&kept).collect();
        // The mock engine's numbers never take the place of real ones.
        let is_plain = own.iter().all(|option| *option == MOCK);
        own == kept || is_plain && (!is_mock(&own) || is_mock(&kept))
    });
    if is_ours {
        folder.write_grid(&text)?;
    }
    Ok(is_ours)
}

/// The options that the comments above a grid name.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| line.strip_prefix(OPTION))
}

/// The `--set`s of the run that a `grid.yaml` is of, and its engine.
pub fn options_of(text: &str) -> (Vec<String>, EngineKind) {
    let set = |option: &str| option.strip_prefix("--set ").map(str::to_owned);
    let engine = match options(text).any(|option| option == MOCK) {
        true => EngineKind::Mock,
        false => EngineKind::Real,
    };
    (options(text).filter_map(set).collect(), engine)
}

/// The jobs that `grid.yaml` names, main jobs and trials; all of `grid` where there is no
/// `grid.yaml` yet.
fn current_jobs(
    grid: &Grid,
    source: &GridSource,
    folder: &Folder,
) -> Result<Vec<Placed>, SweepError> {
    let current = current_grid(source, folder)?;
    Ok(all_jobs(current.as_ref().unwrap_or(grid)))
}

/// The grid that `grid.yaml` is; `None` where there is none yet.
fn current_grid(source: &GridSource, folder: &Folder) -> Result<Option<Grid>, SweepError> {
    let Some(text) = folder.grid_text()? else { return Ok(None) };
    let (sets, engine) = options_of(&text);
    let as_run = GridSource { sets, engine, ..source.clone() };
    let mut grid = as_run.load_text(&text)?;
    tuning::settle_past_damage(&mut grid, folder)?;
    Ok(Some(grid))
}

/// Makes `comparisons.parquet` that of the frames and of `grid.yaml`; where that cannot be loaded
/// any more the file stays as it is, and is known to be old.
pub fn refresh_comparisons(source: &GridSource, folder: &Folder) -> Result<(), SweepError> {
    if store::comparisons_are_fresh(folder) {
        return Ok(());
    }
    let Ok(Some(grid)) = current_grid(source, folder) else { return Ok(()) };
    let (view, results) = view(&grid, folder, &Selection::default())?;
    let rows = analysis::comparison::comparison_rows(&view, &results);
    Ok(store::write_comparisons(folder, rows)?)
}

/// Makes the frames those of every record of the folder, of which these jobs are current. Of the
/// others one that cannot be read is left out, with a warning.
pub fn refresh_frames(
    folder: &Folder,
    current: &[Placed],
    survey: &Survey,
    show: &mut dyn FnMut(&Event),
) -> Result<(), SweepError> {
    for error in &survey.left_out {
        let path = match error {
            StoreError::Damaged { path, .. } | StoreError::Newer { path, .. } => path.clone(),
            _ => PathBuf::new(),
        };
        let message =
            format!("{} is damaged or of a later version: the frames leave it out", path.display());
        show(&Event::Warning { message });
    }
    Ok(store::refresh_frames(folder, current, survey)?)
}

/// The jobs that `grid.yaml` names; without any where it cannot be loaded any more, with a warning.
pub fn current_or_none(
    grid: &Grid,
    source: &GridSource,
    folder: &Folder,
    show: &mut dyn FnMut(&Event),
) -> Vec<Placed> {
    current_jobs(grid, source, folder).unwrap_or_else(|error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default();
        let message = format!(
            "{} cannot be loaded ({first}), so the frames call no job current: run the grid once without \
             --set, --threads, --backend and --engine",
            folder.grid_file().display()
        );
        show(&Event::Warning { message });
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_the_comments_above_the_grid_and_no_others() {
        let text = "# run with --engine mock\n# run with --set training.epochs=3\n# a comment\n# run with care\nversion: 1\n";
        let found: Vec<&str> = options(text).collect();
        assert_eq!(found, ["--engine mock", "--set training.epochs=3"]);
        assert_eq!(options("version: 1\n").count(), 0);
    }
}
