//! AUC maximisation over two tasks (nguyen2023, equation 4): AUC(entity) + λ AUC(beginning), each
//! the margin loss of [`two_task`](crate::two_task). It is no loss of tokens: a, b and α of its
//! tasks last from batch to batch, so the engine keeps them.

use parts::{choice, part};

choice! {
    /// How a task's loss is made of its words.
    pub enum AucVersion {
        /// Means over each class.
        Means = "v2",
        /// LibAUC's first version with the share of positives in the batch.
        OfBatch = "v1_batch",
        /// The same with their share in training.
        Fixed = "v1_fixed",
    }
}

choice! {
    /// Where a and b come from.
    pub enum Centres { Descent = "descent", ClosedForm = "closed_form" }
}

/// Declares a loss with the parameters of both.
macro_rules! two_task_loss {
    ($(#[doc = $help:literal])+ $Loss:ident($name:literal) from $source:literal) => {
        part! {
            $(#[doc = $help])+
            pub struct $Loss($name) from $source needs Capability::TwoTask {
                /// λ, the weight of the task of beginnings beside that of entities
                lambda: f64 = 100.0 in 1e-4..=1e6,
                /// means over each class, as the paper has it, or LibAUC's first version with the
                /// share of positives in the batch or in training
                version: AucVersion = Means,
                /// m, how far apart the means of both classes are to be
                margin: f64 = 1.0 in 0.0..=1000.0,
                /// a and b follow the gradient of their task's loss, or are the means of each batch
                ab: Centres = Descent,
                /// step size of a, b and α
                eta: f64 = 0.1 in 1e-6..=1.0,
            }
        }

        impl From<$Loss> for crate::two_task::TwoTaskSettings {
            fn from($Loss { lambda, version, margin, ab, eta }: $Loss) -> Self {
                Self { lambda, version, margin, closed_form: ab == Centres::ClosedForm, eta }
            }
        }
    };
}
pub(super) use two_task_loss;

two_task_loss! {
    /// words of entities ranked above the others, and beginnings too (AUC-2T)
    Auc("auc") from "nguyen2023, equations 3 and 4"
}
