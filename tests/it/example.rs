//! `examples/run_a_grid.rs` plans and runs a grid without the command line.

// Another program would link Polars again.
#[allow(dead_code)]
#[path = "../../examples/run_a_grid.rs"]
mod run_a_grid;

use crate::program::{Workspace, tailgrid};
use sweep::{Conclusion, SweepError};

const GRID: &str = "version: 1\nname: tiny\ncorpora: [synthetic]\n\
                    models: [{name: shallow, encoder: shallow, head: softmax}]\n\
                    methods: [original, sc]\nseeds: 2\nbaseline: original\n";

#[test]
fn a_grid_is_run_by_library_calls_and_the_command_line_finds_nothing_left() {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    let run = || {
        let programs = tailgrid().parent().expect("a folder").to_owned();
        run_a_grid::run(place.path("grid.yaml"), place.path("results"), programs)
    };
    let first = run().expect("a run");
    assert_eq!((first.conclusion, first.has_run), (Conclusion::Done, true));
    assert_eq!((first.summary.counts.done, first.summary.recorded), (4, 4));
    let again = run().expect("another run");
    assert_eq!((again.summary.counts.done, again.has_run), (4, false));
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    assert_eq!((&status["done"], &status["to_do"]), (&4.into(), &0.into()));
}

#[test]
fn an_error_is_a_value() {
    let place = Workspace::new();
    place.write("grid.yaml", &GRID.replace("original, sc", "orginal"));
    let error = run_a_grid::run(place.path("grid.yaml"), place.path("results"), "".into());
    let error = error.expect_err("no such method");
    assert!(matches!(&error, SweepError::Grid(_)), "{error}");
    assert!(error.to_string().contains("did you mean"), "{error}");
}
