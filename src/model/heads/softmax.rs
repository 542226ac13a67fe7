//! One independent choice a token.

use crate::domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "softmax",
    help: "a linear layer over the tags, each token decided on its own",
    parameters: &[],
    needs: "",
    source: "",
};

#[cfg(tensors)]
pub use tensors::Softmax;

#[cfg(tensors)]
mod tensors {
    use crate::domain::Parameters;
    use burn::module::Module;
    use burn::nn::{Linear, LinearConfig};
    use burn::tensor::{Device, Tensor};

    /// A linear layer to one number a tag.
    #[derive(Module, Debug)]
    pub struct Softmax {
        linear: Linear,
    }

    impl Softmax {
        pub fn new(_: &Parameters, input: usize, tags: usize, device: &Device) -> Self {
            Self { linear: LinearConfig::new(input, tags).init(device) }
        }

        /// Tokens × input to tokens × tags.
        pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
            self.linear.forward(states)
        }

        /// The likeliest tag of each token.
        pub fn decode(&self, logits: Tensor<2>) -> Vec<usize> {
            logits.argmax(1).into_data().iter::<i64>().map(|class| class as usize).collect()
        }
    }
}
