//! Folders of shards and of other machines joined by `tailgrid merge`.

use crate::frames::unmeasured;
use crate::program::{Workspace, text, without_sum};
use std::fs;
use std::path::PathBuf;

const GRID: &str = "version: 1\nname: parts\ncorpora: [synthetic]\n\
    models: [{name: shallow, encoder: shallow, head: softmax}]\n\
    methods: [original, sc, scr, focal]\nseeds: 3\nbaseline: original\n\
    tune: {method: focal, parameters: {gamma: [0.0, 5.0]}, trials: 4, batch: 2}\n";

/// A workspace in which three shards have run, each in a folder of its own.
fn shards() -> Workspace {
    let place = Workspace::new();
    place.write("grid.yaml", GRID);
    for part in 1..=3 {
        let (results, shard) = (format!("part{part}"), format!("{part}/3"));
        let run =
            ["run", "grid.yaml", "--engine", "mock", "--results", &results, "--shard", &shard];
        // A part of so few jobs may be empty: it has a folder that can be merged all the same.
        place.expect(0, &run);
    }
    place
}

fn merge(place: &Workspace, code: i32) -> (String, String) {
    let folders = ["merge", "part1/parts", "part2/parts", "part3/parts"];
    let output = place.expect(code, &folders);
    (text(&output.stdout), text(&output.stderr))
}

/// A job's folder in one of the parts.
fn a_job(place: &Workspace) -> (usize, PathBuf) {
    let jobs =
        |part| fs::read_dir(place.path(&format!("part{part}/parts/jobs"))).unwrap().flatten();
    let job = (1..=3).find_map(|part| Some((part, jobs(part).next()?)));
    job.map(|(part, job)| (part, job.path())).unwrap()
}

#[test]
fn shards_come_together_to_the_frames_of_one_run() {
    let place = shards();
    let (said, _) = merge(&place, 0);
    assert!(said.ends_with(" jobs merged, 0 were there already; results/parts\n"), "{said}");
    let alone = Workspace::new();
    alone.write("grid.yaml", GRID);
    alone.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
    let frames = |place: &Workspace| unmeasured(&place.path("results"), "parts");
    assert!(frames(&place) == frames(&alone), "the frames differ");
    assert!(place.read("results/parts/tuning.json") == alone.read("results/parts/tuning.json"));
    let before = place.read("results/parts/runs.parquet");
    let (said, _) = merge(&place, 0);
    assert!(said.starts_with("0 jobs merged, "), "{said}");
    assert!(place.read("results/parts/runs.parquet") == before);
    // For the grid it is as if it had run here.
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    assert_eq!((&status["to_do"], &status["failed"]), (&0.into(), &0.into()));
    let again = text(&place.expect(0, &["run", "grid.yaml", "--engine", "mock"]).stdout);
    assert!(again.starts_with("nothing to do"), "{again}");
}

#[test]
fn a_job_that_came_out_differently_keeps_everything_as_it_was() {
    let place = shards();
    let (_, job) = a_job(&place);
    let other = place.path("other/parts/jobs").join(job.file_name().unwrap());
    fs::create_dir_all(&other).unwrap();
    for file in ["record.json", "predictions.tsv"] {
        let Ok(bytes) = fs::read_to_string(job.join(file)) else { continue };
        let edited = bytes.replacen("\"train_sentences\": ", "\"train_sentences\": 1", 1);
        fs::write(other.join(file), without_sum(&edited)).unwrap();
    }
    let output =
        place.expect(9, &["merge", "part1/parts", "part2/parts", "part3/parts", "other/parts"]);
    let said = text(&output.stderr);
    assert!(said.contains("1 job came out differently in two folders"), "{said}");
    assert!(said.contains("other/parts/jobs/") && said.contains("record.json"), "{said}");
    assert!(said.contains("nothing was merged"), "{said}");
    assert_eq!(fs::read_dir(place.path("results/parts/jobs")).unwrap().count(), 0);
}

#[test]
fn a_damaged_record_is_left_out_and_all_else_is_merged() {
    let place = shards();
    let (part, job) = a_job(&place);
    fs::write(job.join("record.json"), "{\"version\": 1").unwrap();
    let (said, told) = merge(&place, 7);
    assert!(said.contains(", 1 left out; results/parts"), "{said}");
    let named = format!("left out: part{part}/parts/jobs/");
    assert!(told.contains(&named) && told.contains("record.json: it is damaged: "), "{told}");
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    assert!(status["done"].as_u64().unwrap() > 3, "{status}");
    place.expect(0, &["run", "grid.yaml", "--engine", "mock"]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = shards();
    let refused = |code, arguments: &[&str], words: &str| {
        let said = text(&place.expect(code, &[&["merge"], arguments].concat()).stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
    };
    refused(3, &["nowhere"], "nowhere holds no results");
    refused(3, &["part1"], "part1 holds no results");
    refused(
        3,
        &["part1/parts", "part1/parts", "--into", "results/A B"],
        "cannot be the name of a grid",
    );
    fs::rename(place.path("part3/parts"), place.path("part3/third")).unwrap();
    refused(
        3,
        &["part1/parts", "part3/third"],
        "no name in common: say with --into results/<grid>",
    );
    place.expect(0, &["merge", "part1/parts", "part2/parts", "part3/third", "--into", "all/parts"]);
    refused(2, &["all/parts", "--into", "all/parts"], "is the folder to merge into");
    place.write("other/parts/grid.yaml", &GRID.replace("name: parts", "name: others"));
    fs::create_dir_all(place.path("other/parts/jobs")).unwrap();
    refused(
        3,
        &["other/parts", "--into", "all/parts"],
        "of the grid `parts`, and other/parts of `others`",
    );
}

#[test]
fn parts_of_a_grid_with_planned_looks_come_together_though_one_is_empty() {
    let place = Workspace::new();
    let looks = GRID.replace("tune: ", "# ") + "stopping: {looks: [2, 3], spending: pocock}\n";
    place.write("grid.yaml", &looks);
    let mut ran = Vec::new();
    for part in ["1/2", "2/2"] {
        let results = format!("part{}", &part[..1]);
        let more = ["run", "grid.yaml", "--engine", "mock", "--results", &results, "--shard", part];
        ran.push(text(&place.expect(0, &more).stdout));
    }
    assert!(ran.iter().any(|said| said.contains("nothing to do: 0 jobs")), "{ran:?}");
    place.expect(0, &["merge", "part1/parts", "part2/parts"]);
    let status = place.json(&["status", "grid.yaml", "--engine", "mock"]);
    assert_eq!(status["to_do"], 0, "{status}");
    // A selection without a job stays a mistake.
    place.expect(
        4,
        &["run", "grid.yaml", "--engine", "mock", "--only", "method=none", "--shard", "1/2"],
    );
}
