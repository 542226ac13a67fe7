//! One independent choice a token.

use crate::part;

part! {
    /// a linear layer over the tags, each token decided on its own
    pub struct Softmax("softmax")
        gives Capability::TokenLevel, Capability::Softmax, Capability::FullBatch
    {}
}
