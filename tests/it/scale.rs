//! Large grids: planned, counted, resumed and made into frames in seconds, not minutes.
//!
//! Processor time of all threads counts, so that other load on the machine does not.

use crate::program::finished::{costs, finish_all, grid, run};
use crate::program::{Cost, Workspace, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// A grid of so many corpora, scenarios, models, methods and seeds.
fn wide_grid([corpora, scenarios, models, methods, seeds]: [usize; 5]) -> String {
    let list = |count: usize, one: &dyn Fn(usize) -> String| {
        (0..count).map(|n| format!("- {}\n", one(n))).collect::<String>()
    };
    let corpora = list(corpora, &|n| format!("{{name: corpus-{n}, format: synthetic, seed: {n}}}"));
    let scenarios = list(scenarios, &|n| match n {
        0 => "full".to_owned(),
        n => format!("{{name: low-{n}00, train_sentences: {n}00}}"),
    });
    let models = list(models, &|n| {
        format!("{{name: model-{n}, encoder: bilstm, head: softmax, hidden: {}}}", 10 + n)
    });
    let methods = list(methods, &|n| match n {
        0 => "original".to_owned(),
        n => format!("{{name: focal-{n}, loss: focal, gamma: {n}}}"),
    });
    format!(
        "version: 1\nname: large\ncorpora:\n{corpora}scenarios:\n{scenarios}models:\n{models}methods:\n{methods}\
         seeds: {seeds}\nbaseline: original\n"
    )
}

/// What the whole report of a finished grid costs, after the frames are there.
fn report(size: [usize; 5]) -> (Workspace, Cost) {
    let place = Workspace::new();
    place.write("grid.yaml", &wide_grid(size));
    assert_eq!(finish_all(&place), size.iter().product::<usize>());
    run(&place, &["run"]);
    let (_, cost) = run(&place, &["report"]);
    let Cost { time, wall, memory } = cost;
    let page = fs::metadata(place.path("reports/large/index.html")).unwrap().len();
    println!(
        "report of {size:?}: {wall:?}, {time:?} of the processors, {memory} MiB, page {page} bytes"
    );
    (place, cost)
}

#[test]
fn the_report_of_ten_thousand_jobs_is_made_in_seconds_and_its_page_is_small() {
    let (place, Cost { time, .. }) = report([4, 5, 5, 10, 10]);
    let page = place.read("reports/large/index.html");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    // 3 s on two cores are the promise; the rest is for slower machines.
    assert!(time < Duration::from_secs(12), "{time:?}");
    let figures = fs::read_dir(place.path("reports/large/figures")).unwrap();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for figure in figures {
        let name = figure.unwrap().file_name().into_string().unwrap();
        *kinds.entry(name.split(['-', '.']).next().unwrap().to_owned()).or_default() += 1;
    }
    assert!(kinds["displacement"] == 4 * 12 && kinds.values().all(|n| *n <= 4 * 12), "{kinds:?}");
    assert!(text(&page).contains("8 further figures of this kind are left out"));
}

#[test]
fn the_report_of_two_hundred_jobs_is_made_at_once() {
    let (_, Cost { time, .. }) = report([1, 1, 4, 10, 5]);
    // 1 s on the wall is the promise.
    assert!(time < Duration::from_secs(3), "{time:?}");
}

#[test]
fn a_grid_of_ten_thousand_finished_jobs_is_counted_and_resumed_at_once() {
    for (what, Cost { time, memory, .. }) in costs(500) {
        // A tenth of what a hundred thousand may take is 0.2 s, and 3 s of frames; the rest is for
        // slower machines.
        let most = if what.contains("frames") { 12_000 } else { 1200 };
        assert!(time < Duration::from_millis(most), "{what}: {time:?}");
        assert!(memory < 600, "{what}: {memory} MiB");
    }
}

#[test]
fn ten_thousand_jobs_are_checked_byte_by_byte_in_seconds() {
    let place = Workspace::new();
    place.write("grid.yaml", &grid(500));
    let jobs = finish_all(&place);
    let folders: Vec<_> = fs::read_dir(place.path("results/large/jobs"))
        .unwrap()
        .map(|job| job.unwrap().path().join("predictions.tsv"))
        .collect();
    // Every record knows the sum of the predictions of the job that it is a copy of.
    let sum = |path: &std::path::PathBuf| {
        let record = fs::read(path.with_file_name("record.json")).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        record["files"]["predictions.tsv"]["sha256"].as_str().unwrap().to_owned()
    };
    let there = folders.iter().filter(|path| path.exists());
    let models: BTreeMap<String, Vec<u8>> =
        there.map(|path| (sum(path), fs::read(path).unwrap())).collect();
    for path in &folders {
        fs::write(path, &models[&sum(path)]).unwrap();
    }
    let start = Instant::now();
    let said = text(&place.expect(0, &["check", "results"]).stdout);
    let wall = start.elapsed();
    assert!(said.contains(&format!("{jobs} records and {jobs} files read, ")), "{said}");
    println!("check of {jobs} jobs: {wall:?}");
    assert!(wall < Duration::from_secs(10), "{wall:?}");
}

#[test]
fn a_grid_of_a_hundred_thousand_jobs_is_planned_in_seconds_and_little_memory() {
    let place = Workspace::new();
    place.write("grid.yaml", &grid(5000));
    for arguments in [&["plan"][..], &["plan", "--json"]] {
        let (output, Cost { time, memory, .. }) = run(&place, arguments);
        assert!(output.contains("100000"), "{arguments:?}");
        // 2 s and 1 GB are the promise; the rest is for slower machines.
        assert!(time < Duration::from_secs(4), "{arguments:?}: {time:?}");
        assert!(memory < 1000, "{arguments:?}: {memory} MiB");
    }
}
