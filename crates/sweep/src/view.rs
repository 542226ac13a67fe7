//! A grid with its results as comparisons, tables and figures see them.

use crate::stopping::{self, Gate};
use crate::{SweepError, main_jobs, select, settings, survey, tuning};
use analysis::{Asked, GridView, PlannedJob, ResultFrames};
use domain::{JobKey, Point};
use spec::{Grid, Selection};
use std::collections::HashSet;
use store::{Folder, SearchRecord, Survey};

/// The grid as a report sees it, with its results; what is not selected is not to be shown. What
/// the grid asks of its report is not read.
pub fn view(
    grid: &Grid,
    folder: &Folder,
    selection: &Selection,
) -> Result<(GridView, ResultFrames), SweepError> {
    let survey = survey(grid, folder)?.whole()?.with_others(folder)?;
    let results = frames(grid, folder, &survey)?;
    let standings = survey.standings;
    let selected = select(grid, &standings, selection)?;
    let shown: HashSet<&Point> = selected.into_iter().map(|(job, _)| &job.point).collect();
    let looks = stopping::of_frames(grid, &results);
    let jobs = grid.jobs.iter().map(|job| PlannedJob {
        key: job.key.clone(),
        point: job.point.clone(),
        not_applicable: job.not_applicable.clone(),
        shown: shown.contains(&job.point),
        decided: looks.gate(&job.point) == Gate::Decided,
    });
    let view = GridView {
        conditions: settings::of_scenarios(grid),
        asked: Asked::default(),
        name: grid.name.clone(),
        corpora: grid.corpora.clone(),
        scenarios: grid.scenarios.clone(),
        models: grid.models.clone(),
        methods: grid.methods.clone(),
        seeds: grid.seeds.clone(),
        baseline: grid.baseline.clone(),
        metric: grid.metric,
        stopping: grid.stopping.clone(),
        jobs: jobs.collect(),
        is_mock: grid.jobs.iter().any(|job| job.settings.engine.starts_with("mock")),
        searches: shown_searches(grid, &shown),
        disputed: settings::disputed(grid),
        method_settings: settings::of_methods(grid),
    };
    Ok((view, results))
}

/// The frames of the grid's main jobs: those on disk, or from the records where these are not of
/// them.
fn frames(grid: &Grid, folder: &Folder, survey: &Survey) -> Result<ResultFrames, SweepError> {
    let jobs = main_jobs(grid);
    let keys: HashSet<&JobKey> = jobs.iter().map(|placed| &placed.job).collect();
    let of_jobs = |frames| ResultFrames::of_jobs(frames, &keys).ok();
    match store::read_fresh_frames(folder, survey, ResultFrames::METRICS).and_then(of_jobs) {
        Some(frames) => Ok(frames),
        None => Ok(ResultFrames::from(&store::collect(folder, &jobs)?)),
    }
}

/// The searches for which a job waits that is to be shown.
fn shown_searches(grid: &Grid, shown: &HashSet<&Point>) -> Vec<SearchRecord> {
    let jobs = grid.jobs.iter().filter(|job| shown.contains(&job.point));
    let searches: HashSet<usize> = jobs.filter_map(|job| job.search).collect();
    let records = tuning::records(grid).into_iter().enumerate();
    records.filter(|(index, _)| searches.contains(index)).map(|(_, record)| record).collect()
}

/// What a reader must know of the methods of a grid, one sentence each, in the order of the grid.
pub fn remarks(grid: &Grid) -> Vec<String> {
    let settings = settings::of_methods(grid);
    let known = grid.methods.iter().filter_map(|name| Some((name, settings.get(name)?)));
    known.flat_map(|(name, settings)| analysis::remarks::of(name, settings)).collect()
}
