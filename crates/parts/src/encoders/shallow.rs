//! No encoder at all: a head over it sees the word's own vector and nothing of its neighbours
//! (the shallow model of wang2022).

use domain::{Entry, Preset};

pub const ENTRY: Entry = Entry {
    name: "shallow",
    help: "the word vector itself, no context",
    parameters: &[],
    needs: "",
    source: "wang2022, section 4.4",
};

pub const TRAINING: &[(&str, Preset)] = &[];
