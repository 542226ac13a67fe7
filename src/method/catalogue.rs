//! The methods that grids can name: each is a name for parts of the registries, with their defaults.
//!
//! A method acts in two places, on the training data and on the loss. What it does not name stays as
//! it is in `original`, the baseline.

/// A named method.
#[derive(Copy, Clone, Debug)]
pub struct Method {
    /// The name that grids use.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The parts it consists of: place (`resample`, `loss`) and entry.
    pub parts: &'static [(&'static str, &'static str)],
}

/// All named methods, in the order of lists.
pub const METHODS: &[Method] = &[
    Method {
        name: "original",
        help: "the training data as it is, cross-entropy: what the others are compared with",
        parts: &[],
    },
    Method {
        name: "sc",
        help: "sentences with more entity tokens are repeated more often",
        parts: &[("resample", "sc")],
    },
    Method {
        name: "scr",
        help: "sc that also counts how rare an entity type is",
        parts: &[("resample", "scr")],
    },
    Method {
        name: "scrd",
        help: "scr that also counts how dense entities are in the sentence",
        parts: &[("resample", "scrd")],
    },
    Method {
        name: "nscrd",
        help: "scrd with less weight on repeated tokens of one type",
        parts: &[("resample", "nscrd")],
    },
    Method {
        name: "focal",
        help: "a loss that counts tokens the model is already sure of less",
        parts: &[("loss", "focal")],
    },
];

/// A method by name.
pub fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}
