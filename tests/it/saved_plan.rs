//! `run --plan`: what was to do when a plan was made, and nothing else.

use crate::program::{Workspace, text};
use serde_json::Value;

fn grid(methods: &str, seeds: u32) -> String {
    format!(
        "version: 1\nname: saved\ncorpora: [synthetic]\n\
         models: [{{name: shallow, encoder: shallow, head: softmax}}]\n\
         methods: [{methods}]\nseeds: {seeds}\nbaseline: original\n"
    )
}

fn workspace() -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", &grid("original, sc", 2));
    place
}

/// `tailgrid COMMAND grid.yaml --engine mock …`
fn expect(place: &Workspace, code: i32, command: &str, more: &[&str]) -> (String, String) {
    let output = place.expect(code, &[&[command, "grid.yaml", "--engine", "mock"], more].concat());
    (text(&output.stdout), text(&output.stderr))
}

fn save(place: &Workspace, more: &[&str]) {
    let (plan, _) = expect(place, 0, "plan", &[more, &["--json"]].concat());
    place.write("plan.json", &plan);
}

fn done(place: &Workspace) -> u64 {
    let (status, _) = expect(place, 0, "status", &["--json"]);
    serde_json::from_str::<Value>(&status).unwrap()["done"].as_u64().unwrap()
}

#[test]
fn only_what_was_to_do_in_the_plan_is_run() {
    let place = workspace();
    expect(&place, 0, "run", &["--only", "method=sc seed=1"]);
    save(&place, &["--only", "seed=1"]);
    place.write("grid.yaml", &grid("original, sc, scr", 3));
    let (said, _) = expect(&place, 0, "run", &["--plan", "plan.json"]);
    assert!(said.starts_with("1 job: 1 done"), "{said}");
    assert_eq!(done(&place), 2);
    let (said, _) = expect(&place, 0, "run", &["--plan", "plan.json"]);
    assert!(said.starts_with("nothing to do: 1 job"), "{said}");
    // A plan with searches takes their trials, and the jobs that wait for them.
    place.write(
        "grid.yaml",
        &(grid("original, sc, focal", 2)
            + "tune: {method: focal, parameters: {gamma: [0.0, 5.0]}, trials: 3, batch: 2}\n"),
    );
    save(&place, &["--only", "method=focal"]);
    let (said, _) = expect(&place, 0, "run", &["--plan", "plan.json"]);
    assert!(said.starts_with("5 jobs: 5 done"), "{said}");
}

#[test]
fn a_plan_that_the_grid_no_longer_gives_starts_nothing() {
    let place = workspace();
    save(&place, &[]);
    let refused = |more: &[&str], words: &[&str]| {
        let (_, said) = expect(&place, 3, "run", &[&["--plan", "plan.json"], more].concat());
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert_eq!(done(&place), 0);
    };
    refused(
        &["--set", "training.epochs=7"],
        &["4 of the 4 jobs", "synthetic/full/shallow/sc/2: its key was ", " and is now "],
    );
    refused(&["--set", "methods=[original]"], &["2 of the 4", "sc/1: the grid has no such job"]);
    refused(&["--set", "name=other"], &["plan.json is a plan of `saved`, not of `other`"]);
    place.write("plan.json", "{\"jobs\": 3}");
    refused(&[], &["plan.json is no plan: ", "`tailgrid plan GRID --json`"]);
    std::fs::remove_file(place.path("plan.json")).unwrap();
    refused(&[], &["cannot read the plan plan.json"]);
}

#[test]
fn a_plan_with_nothing_to_do_selects_nothing() {
    let place = workspace();
    expect(&place, 0, "run", &[]);
    save(&place, &[]);
    let (_, said) = expect(&place, 4, "run", &["--plan", "plan.json"]);
    assert!(said.contains("plan.json has nothing to do in it"), "{said}");
}
