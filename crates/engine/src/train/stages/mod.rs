//! Trainings in stages: what comes before the main one, and decides what that is taught.

mod cross_fold;
pub mod oracle;

use super::objective::Partial;
use super::{Trained, TrainingJob};
use domain::{Failure, Part};
use method::unlabelled::{self, Possible, Unlabelled};
use parts::{Capability, heads};

/// Trains a random field on sentences that may lack annotations, as the method's `unlabelled` has
/// it.
pub fn unlabelled(job: &mut TrainingJob<'_>, part: &Part) -> Result<Trained, Failure> {
    let settings = job.settings;
    if let Some(reason) =
        unlabelled::conflict(&settings.method, &settings.training, &settings.scenario)
    {
        return Err(Failure::input(reason));
    }
    let needed = Capability::Crf;
    if !heads::can(&settings.model.head.kind, needed) {
        return Err(Failure::input(format!("`{}` needs {needed}", part.kind)));
    }
    let possible = Possible::new(part, job.data.types.tag_count());
    match Unlabelled::read(part) {
        Unlabelled::Partial(_) => job.by_batches(Partial(possible)),
        Unlabelled::WeightedPartial(part) => cross_fold::train(job, &part, possible),
    }
}

#[cfg(test)]
mod tests;
