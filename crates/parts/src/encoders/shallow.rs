//! No encoder at all: a head over it sees the word's own vector and nothing of its neighbours
//! (the shallow model of wang2022).

use crate::part;

part! {
    /// the word vector itself, no context
    pub struct Shallow("shallow") from "wang2022, section 4.4" {}
}
