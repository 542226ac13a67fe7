//! Results that are not what was written: found, named, healed by the next run; and folders in
//! which something else stands in the place of a file.

use crate::program::mock_grid::{MOCK, finished};
use crate::program::{Workspace, resealed, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;

fn on_grid(place: &Workspace, code: i32, command: &str) -> (String, String) {
    let output = place.expect(code, &[&[command], &MOCK[..]].concat());
    (text(&output.stdout), text(&output.stderr))
}

/// The folder of the job that the report's page shows errors of first.
fn job(place: &Workspace) -> PathBuf {
    let plan = place.json(&[&["plan"], &MOCK[..]].concat());
    let is_first = |job: &&Value| job["method"] == "original" && job["seed"] == 1;
    let job = plan["jobs"].as_array().unwrap().iter().find(is_first).unwrap()["key"].clone();
    place.path("results/grid/jobs").join(job.as_str().unwrap())
}

/// Ends after half of its sentences.
fn cut(path: &PathBuf) -> String {
    let whole = fs::read_to_string(path).unwrap();
    let end = whole.len() / 2 + whole[whole.len() / 2..].find("\n\n").unwrap() + 2;
    fs::write(path, &whole[..end]).unwrap();
    whole
}

#[test]
fn predictions_that_end_after_a_sentence_are_found_and_their_job_runs_again() {
    let place = finished();
    let path = job(&place).join("predictions.tsv");
    let whole = cut(&path);
    for command in ["status", "report", "compare"] {
        let (out, err) = on_grid(&place, 7, command);
        let told = out + &err;
        assert!(told.contains("predictions.tsv is damaged: "), "{command}: {told}");
        assert!(told.contains("`tailgrid run` sets it aside and runs the job again"), "{told}");
    }
    let (_, told) = on_grid(&place, 0, "run");
    assert!(told.contains("predictions.tsv is damaged: "), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole, "the same job gives the same bytes");
    assert!(path.with_extension("tsv.damaged").is_file());
    place.expect(0, &["check", "results/grid"]);
    on_grid(&place, 0, "report");
}

#[test]
fn check_reads_every_byte_and_the_next_run_heals_what_it_names() {
    let place = finished();
    let whole = text(&place.expect(0, &["check", "results"]).stdout);
    let begins = "results/grid: 4 records and 4 files read, ";
    assert!(whole.starts_with(begins) && whole.ends_with("; nothing is damaged\n"), "{whole}");
    let path = job(&place).join("predictions.tsv");
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] ^= 1;
    fs::write(&path, bytes).unwrap();
    // A run that has lost its index compares lengths, and takes the files as they are.
    fs::remove_file(place.path("results/grid/index")).unwrap();
    on_grid(&place, 0, "run");
    on_grid(&place, 0, "status");
    let index = place.read("results/grid/index");
    let found = text(&place.expect(7, &["check", "results/grid"]).stdout);
    assert!(found.contains("; 1 damaged\n"), "{found}");
    let named =
        "predictions.tsv: its bytes are not those that were written; `tailgrid run` sets it aside";
    assert!(found.contains(named) && found.contains("synthetic/full/small/original/1"), "{found}");
    assert!(
        found.contains("heal with `tailgrid run GRID --engine mock`, where GRID is"),
        "{found}"
    );
    let json = place.expect(7, &["check", "results/grid", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["damaged"], &json["grids"][0]["files"]), (&1.into(), &3.into()));
    let damage = &json["grids"][0]["damaged"][0];
    assert!(damage["path"].as_str().unwrap().ends_with("predictions.tsv"), "{json}");
    assert!(place.read("results/grid/index").starts_with(&index), "the index lost nothing");
    let (_, told) = on_grid(&place, 0, "run");
    assert!(told.contains("predictions.tsv is damaged: "), "{told}");
    place.expect(0, &["check", "results/grid"]);
    place.expect(3, &["check", "nowhere"]);
}

#[test]
fn errors_of_commands_that_read_leave_the_index() {
    let place = finished();
    fs::write(job(&place).join("record.json"), "{").unwrap();
    for command in ["report", "status", "compare"] {
        on_grid(&place, 7, command);
        assert!(place.path("results/grid/index").is_file(), "{command}");
    }
    on_grid(&place, 0, "run");
    on_grid(&place, 0, "status");
}

#[test]
fn numbers_that_cannot_be_are_neither_merged_nor_shown() {
    let place = finished();
    let record = job(&place).join("record.json");
    let whole = fs::read(&record).unwrap();
    let mut value: Value = serde_json::from_slice(&whole).unwrap();
    for (path, number) in [("/outcome/test/span/micro/f1", 7.5), ("/outcome/train_seconds", 1e308)]
    {
        *value.pointer_mut(path).unwrap() = number.into();
        fs::write(&record, resealed(&value)).unwrap();
        for command in ["status", "report"] {
            let (out, err) = on_grid(&place, 7, command);
            let told = out + &err;
            assert!(told.contains("its numbers cannot be right: "), "{command}: {told}");
        }
        let merge = ["merge", "results/grid", "--into", "joined/grid"];
        let told = text(&place.expect(7, &merge).stderr);
        assert!(told.contains("record.json: it is damaged: its numbers cannot be right"), "{told}");
        value = serde_json::from_slice(&whole).unwrap();
        fs::remove_dir_all(place.path("joined")).unwrap();
    }
    on_grid(&place, 0, "run");
    on_grid(&place, 0, "report");
}

#[test]
fn nothing_is_written_through_a_link_in_a_results_folder() {
    for (link, is_folder) in
        [("lock", false), ("jobs/KEY/log.txt", false), ("jobs", true), ("jobs/KEY", true)]
    {
        let place = finished();
        let key = job(&place).file_name().unwrap().to_string_lossy().into_owned();
        fs::remove_file(job(&place).join("record.json")).unwrap();
        let path = place.path("results/grid").join(link.replace("KEY", &key));
        let elsewhere = place.path("elsewhere");
        match is_folder {
            true => {
                fs::rename(&path, &elsewhere).unwrap();
                fs::write(elsewhere.join(".tmp-precious"), "mine").unwrap();
            }
            false => fs::write(&elsewhere, "mine").unwrap(),
        }
        let _ = fs::remove_file(&path);
        symlink(&elsewhere, &path).unwrap();
        let (_, told) = on_grid(&place, 7, "run");
        let wanted = if is_folder { "a folder" } else { "a regular file" };
        let said = format!("{}: it is a symbolic link, not {wanted}", link.replace("KEY", &key));
        assert!(told.contains(&said), "{link}: {told}");
        let file = if is_folder { elsewhere.join(".tmp-precious") } else { elsewhere };
        assert_eq!(fs::read_to_string(file).unwrap(), "mine", "{link}");
    }
}

#[test]
fn a_pipe_in_place_of_a_record_is_damage_that_a_run_heals() {
    let place = finished();
    let record = job(&place).join("record.json");
    fs::remove_file(&record).unwrap();
    assert!(Command::new("mkfifo").arg(&record).status().unwrap().success());
    let (told, _) = on_grid(&place, 7, "status");
    assert!(told.contains("record.json is damaged: it is a pipe, not a regular file"), "{told}");
    on_grid(&place, 7, "report");
    on_grid(&place, 0, "run");
    on_grid(&place, 0, "status");
}

/// Makes a pipe in place of a file, which nobody writes to.
fn pipe_in_place_of(path: &PathBuf) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_in_place_of_the_grid_is_refused_and_no_command_waits_for_it() {
    let place = finished();
    pipe_in_place_of(&place.path("results/grid/grid.yaml"));
    let (_, told) = on_grid(&place, 7, "run");
    assert!(told.contains("grid.yaml: it is a pipe, not a regular file"), "{told}");
    for command in ["status", "plan", "report", "gc"] {
        on_grid(&place, 0, command);
    }
}

#[test]
fn pipes_in_place_of_what_is_written_anew_are_replaced() {
    let place = finished();
    on_grid(&place, 0, "report");
    for name in ["files.txt", "index.html"] {
        pipe_in_place_of(&place.path("reports/grid").join(name));
        on_grid(&place, 0, "report");
    }
    place.expect(0, &["merge", "results/grid", "--into", "other"]);
    pipe_in_place_of(&place.path("other/runs.parquet"));
    place.expect(0, &["merge", "results/grid", "--into", "other"]);
}

#[test]
fn results_may_be_on_another_disk() {
    let place = finished();
    fs::rename(place.path("results"), place.path("disk")).unwrap();
    symlink("disk", place.path("results")).unwrap();
    fs::remove_file(job(&place).join("record.json")).unwrap();
    for command in ["run", "status", "report"] {
        on_grid(&place, 0, command);
    }
    place.expect(0, &["check", "results"]);
}
