//! Trainings in stages: what comes before the main one, and decides what that is taught.

mod cross_fold;
pub mod oracle;

use super::course::Course;
use super::objective::{Partial, Tokens};
use super::{Trained, batchwise};
use crate::prepare::Prepared;
use burn::tensor::Device;
use domain::{Epoch, Failure, JobSettings, Part};
use method::loss::{self, Question};
use method::unlabelled::{self, Possible, Unlabelled};
use parts::{Capability, heads};

/// Trains a random field on sentences that may lack annotations, as the method's `unlabelled` has it.
pub fn unlabelled(
    settings: &JobSettings,
    data: &mut Prepared,
    part: &Part,
    device: &Device,
    tell: impl FnMut(&Epoch),
) -> Result<Trained, Failure> {
    let refused = |message: String| Err(Failure::Input { message });
    if let Some(reason) =
        unlabelled::conflict(&settings.method, &settings.training, &settings.scenario)
    {
        return refused(reason);
    }
    let needed = Capability::Crf;
    if !heads::can(&settings.model.head.kind, needed) {
        return refused(format!("`{}` needs {needed}", part.kind));
    }
    let possible = Possible::new(part, data.types.tag_count());
    match Unlabelled::read(part) {
        Unlabelled::Partial(_) => {
            let course = Course::new(&settings.training, data);
            let objective = Box::new(Partial(possible));
            batchwise::train(settings, data, objective, course, device, tell)
        }
        Unlabelled::WeightedPartial(part) => {
            cross_fold::train(settings, data, (&part, possible), device, tell)
        }
    }
}

/// The tags as the sentences have them.
fn as_tagged(settings: &JobSettings, data: &Prepared) -> Result<Tokens, Failure> {
    let question = Question::Class { counts: &data.class_counts() };
    loss::build(&settings.method.loss, question).map(Tokens).ok_or_else(|| Failure::Input {
        message: format!("this engine has no loss `{}`", settings.method.loss.kind),
    })
}

#[cfg(test)]
mod tests;
