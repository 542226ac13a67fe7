//! Heads: from a token's vector to its tag.

pub mod biaffine;
pub mod binary;
pub mod crf;
pub mod mrc;
pub mod softmax;
pub mod span;
pub mod two_task;

use crate::registry;

registry! {
    /// The settings of any head.
    pub enum Head {
        softmax::Softmax, crf::Crf, mrc::Mrc, binary::Binary, span::Span, biaffine::Biaffine, two_task::TwoTask,
    }
}
