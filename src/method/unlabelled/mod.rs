//! What words without an annotation count as, in sentences that may lack annotations.
//!
//! Sentences whose annotation is complete are trained as they are. Without this part an `O` is an `O` everywhere.

mod partial;
mod possible;
mod weighted_partial;

pub use possible::Possible;

use super::augment;
use crate::domain::{Entry, MethodSettings, TrainingSettings};

/// Every way to take them.
pub const ENTRIES: &[Entry] = &[partial::ENTRY, weighted_partial::ENTRY];

/// Whether stages before the main training find the tags.
pub fn is_found_in_stages(kind: &str) -> bool {
    kind == weighted_partial::ENTRY.name
}

/// Why a method that knows of missing annotations makes no sense with a job's other settings, if it makes none.
pub fn conflict(method: &MethodSettings, training: &TrainingSettings) -> Option<String> {
    let part = method.unlabelled.as_ref()?;
    if training.optimiser == "lbfgs" {
        return Some(format!(
            "`{}` is trained in batches, and `optimiser: lbfgs` over the whole data at once",
            part.kind
        ));
    }
    let anew = method.augment.as_ref().filter(|augment| augment::regenerates(augment))?;
    is_found_in_stages(&part.kind).then(|| {
        format!(
            "`{}` finds the tags of sentences once, and `{}` makes them anew in every epoch",
            part.kind, anew.kind
        )
    })
}
