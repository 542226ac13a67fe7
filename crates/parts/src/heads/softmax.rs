//! One independent choice a token.

use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "softmax",
    help: "a linear layer over the tags, each token decided on its own",
    parameters: &[],
    needs: "",
    source: "",
};
