//! A small grid that the mock engine has run.

use crate::Workspace;

/// Four jobs: one model, two methods, two seeds.
pub const GRID: &str = "\
version: 1
name: grid
corpora: [synthetic]
models: [{name: small, encoder: shallow, head: softmax}]
methods: [original, scr]
seeds: 2
baseline: original
";

/// The arguments of a command on it.
pub const MOCK: [&str; 3] = ["grid.yaml", "--engine", "mock"];

/// A folder with the grid and its results.
pub fn finished() -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    place.expect(0, &[&["run", "--quiet"], &MOCK[..]].concat());
    place
}
