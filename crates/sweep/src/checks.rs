//! What is checked before the first job starts: corpora, precision, the engine's program.

use crate::{GridSource, SweepError};
use corpus::Loaded;
use domain::{Corpus, CorpusIdentity, Parameters, PrecisionProblem, computes_bf16};
use runner::events::Event;
use runner::{EngineKind, EngineProgram, RunnerError, check_engine};
use spec::Job;

/// Reads every corpus in every scenario once: a tag that is wrong in line 70,000 is told now, with
/// its line, and not by each job in turn.
pub(crate) fn corpora(jobs: &[&Job], show: &mut dyn FnMut(&Event)) -> Result<(), SweepError> {
    let mut loaded: Vec<(&CorpusIdentity, Corpus)> = Vec::new();
    let mut scenarios: Vec<(&CorpusIdentity, &Parameters)> = Vec::new();
    for job in jobs {
        let (identity, scenario): (&CorpusIdentity, &Parameters) =
            (&job.settings.corpus, &job.settings.scenario);
        if scenarios.contains(&(identity, scenario)) {
            continue;
        }
        scenarios.push((identity, scenario));
        let index = match loaded.iter().position(|(known, _)| *known == identity) {
            Some(index) => index,
            None => {
                loaded.push((identity, load(job, show)?));
                loaded.len() - 1
            }
        };
        let corpus = loaded[index].1.clone();
        corpus::scenarios::apply(corpus, scenario, job.settings.seed).map_err(|error| {
            let (corpus, scenario) = (job.point.corpus.clone(), job.point.scenario.clone());
            SweepError::Scenario { corpus, scenario, error: Box::new(error) }
        })?;
    }
    Ok(())
}

/// The corpus of a job, with what is to be said of it.
fn load(job: &Job, show: &mut dyn FnMut(&Event)) -> Result<Corpus, SweepError> {
    let Loaded { corpus, remarks } = corpus::load_cached(&job.settings.corpus, &job.files)?;
    for remark in remarks {
        show(&Event::Warning { message: remark.to_string() });
    }
    if corpus.train.iter().all(|sentence| !sentence.has_entity()) {
        let name = &job.point.corpus;
        let message = format!("corpus `{name}`: no entity in train: is `tag` the right column?");
        show(&Event::Warning { message });
    }
    Ok(corpus)
}

/// Whether this processor has the products that the jobs ask for.
pub(crate) fn precision<'j>(mut jobs: impl Iterator<Item = &'j Job>) -> Result<(), SweepError> {
    let has = computes_bf16();
    let problem = jobs.find_map(|job| {
        let problem = PrecisionProblem::of(&job.settings.training, has)?;
        Some(SweepError::Precision { point: job.point.clone(), problem })
    });
    problem.map_or(Ok(()), Err)
}

/// The engine's program, known to start and to have every backend that the jobs ask for.
pub(crate) fn preflight(jobs: &[&Job], source: &GridSource) -> Result<EngineProgram, SweepError> {
    let program = EngineProgram::find(source.engine, source.programs.as_deref())?;
    if source.engine == EngineKind::Real {
        precision(jobs.iter().copied())?;
        let mut checked = Vec::new();
        for backend in jobs.iter().map(|job| job.settings.training.backend) {
            if !checked.contains(&backend) {
                check_engine(&program.path, backend).map_err(RunnerError::from)?;
                checked.push(backend);
            }
        }
    }
    Ok(program)
}
