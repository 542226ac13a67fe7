//! What words without an annotation count as, in sentences that may lack annotations.
//!
//! Sentences whose annotation is complete are trained as they are. Without this part an `O` is an
//! `O` everywhere.

mod partial;
mod possible;
mod weighted_partial;

pub use partial::Partial;
pub use possible::Possible;
pub use weighted_partial::{Labels, WeightedPartial};

use super::treatment::remakes;
use domain::{MethodSettings, Optimiser, Parameters, TrainingSettings};
use parts::{Scenario, registry};

registry! {
    /// The settings of any way to take them.
    pub enum Unlabelled { partial::Partial, weighted_partial::WeightedPartial }
}

/// Why a method that knows of missing annotations makes no sense with a job's other settings, if it
/// makes none.
pub fn conflict(
    method: &MethodSettings,
    training: &TrainingSettings,
    scenario: &Parameters,
) -> Option<String> {
    let part = method.unlabelled.as_ref()?;
    let scenario = Scenario::new(scenario);
    if !scenario.masks() && !scenario.hides_annotations() {
        return Some(format!(
            "`{}` is for sentences that may lack annotations, and the scenario has none: where they do, \
             say `incomplete: true`",
            part.kind
        ));
    }
    if training.optimiser == Optimiser::Lbfgs {
        return Some(format!(
            "`{}` is trained in batches, and `optimiser: lbfgs` over the whole data at once",
            part.kind
        ));
    }
    remakes(method).map(|made| {
        format!(
            "`{}` must know of each sentence whether annotations may be missing, and `{}` makes other ones",
            part.kind, made.kind
        )
    })
}
