//! Two tasks instead of tags (nguyen2023): whether a word is in an entity, and whether one begins
//! there, each trained to rank the words that are above those that are not. Plain arithmetic in
//! double precision; the engine hands it logits.
//!
//! Each task has a margin loss ([`Margin`]) and three numbers of its own ([`TaskState`]) that
//! descend and ascend beside the model's parameters. λ weighs what reaches the model, never what
//! moves those numbers: they follow the gradient of their own task's loss, so that they stay near
//! the means that they stand for whatever λ is.

mod margin;
mod state;

#[cfg(test)]
mod tests;

pub use margin::{Margin, MarginVersion};
pub use state::{Descent, TaskState};

use crate::loss::AucVersion;

/// What the losses `auc` and `comauc` are set to.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct TwoTaskSettings {
    /// λ: the weight of the task of beginnings beside that of entities (nguyen2023, equation 4).
    pub lambda: f64,
    /// m of equation 3.
    pub margin: f64,
    /// Whether a and b are the means of each batch instead of following their gradients.
    pub closed_form: bool,
    /// The step size of a, b and α.
    pub eta: f64,
    /// How a task's loss is made of its words.
    pub version: AucVersion,
}

impl TwoTaskSettings {
    /// The loss of a task, given the share of training words that are positive.
    pub fn margin_of(&self, positives: f64) -> Margin {
        let version = match self.version {
            AucVersion::Means => MarginVersion::Means,
            AucVersion::OfBatch => MarginVersion::OfBatch(positives),
            AucVersion::Fixed => MarginVersion::Fixed(positives),
        };
        Margin { version, margin: self.margin }
    }
}
