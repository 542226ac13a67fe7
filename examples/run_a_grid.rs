//! Plans and runs a grid: `run_a_grid GRID RESULTS PROGRAMS`, the last the folder of `tailgrid` and
//! `tailgrid-engine`.

use runner::{EngineKind, events::Event};
use std::path::PathBuf;
use sweep::{GridSource, JobState, Plan, RunEnd, RunOptions, SweepError};

pub fn run(grid: PathBuf, results: PathBuf, programs: PathBuf) -> Result<RunEnd, SweepError> {
    let mut source = GridSource::new(grid, results);
    source.engine = EngineKind::Mock; // EngineKind::Real trains
    source.programs = Some(programs);
    let (options, grid) = (RunOptions::default(), source.load()?);
    let plan = Plan::of(&source, &grid, &options.selection)?;
    println!("{}: {} jobs to do", grid.name, plan.count(JobState::Todo));
    sweep::run(&source, &options, &mut |event| {
        if let Event::JobFinished { point, dev_micro_f1, .. } = event {
            println!("{point}: micro-F1 {dev_micro_f1:.3} on dev");
        }
    })
}

fn main() -> Result<(), SweepError> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let mut path = || paths.next().expect("GRID RESULTS PROGRAMS");
    let counts = run(path(), path(), path())?.summary.counts;
    println!("{} done, {} failed", counts.done, counts.failed);
    Ok(())
}
