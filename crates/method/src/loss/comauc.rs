//! Compositional AUC maximisation (nguyen2023, COMAUC-2T, after Yuan et al. 2021): on each batch
//! first a step of cross-entropy over the tags, then one of [`auc`](super::auc) with the model as
//! it is then.

use super::auc::{AucVersion, Centres, two_task_loss};
use parts::part;

two_task_loss! {
    /// a step of cross-entropy over the tags before each step of auc (COMAUC-2T)
    Comauc("comauc") from "nguyen2023, section Baselines & AUC NER Two-Task Method"
}
