//! Sweeps of a few jobs whose engine is a shell script.

use super::*;
use domain::{Failure, Stage};
use std::path::Path;
use store::{JobRecord, Status, testing};

/// Says the outcome and writes predictions where the request asks for them; a trial's does not.
fn succeed() -> String {
    let event = WorkerEvent::Finished { outcome: Box::new(testing::outcome()) };
    format!(
        r#"read request; path=${{request##*\"predictions\":\"}}; path=${{path%%\"*}}
        [ "${{path#/}}" = "$path" ] || echo 'token O O' > "$path"; echo '{}'"#,
        serde_json::to_string(&event).unwrap()
    )
}

fn job(key: &str, seed: u64) -> Job {
    Job {
        key: JobKey(key.to_owned()),
        point: testing::point("sc", seed),
        settings: testing::settings(seed),
        files: Default::default(),
        model_files: Default::default(),
        method_files: Default::default(),
        not_applicable: None,
        overrides: Arc::from([]),
        search: None,
        waits: false,
    }
}

fn sweep(place: &Path, keys: &[&str], script: &str, retries: u32) -> Sweep {
    let folder = testing::folder(place, &[]);
    Sweep {
        jobs: keys.iter().zip(1..).map(|(key, seed)| job(key, seed)).collect(),
        seeds: vec![1, 2, 3],
        capacity: Capacity { slots: 2, cores: 2, memory: None },
        retries: Retries { first_pause: Duration::from_millis(5), ..Retries::new(retries) },
        costs: Default::default(),
        until: None,
        limits: Limits { time: None, memory: None, retries },
        program: EngineProgram::new("/bin/sh".into(), vec!["-c".to_owned(), script.to_owned()]),
        folder,
        sharing: None,
    }
}

fn record(place: &Path, key: &str) -> Option<JobRecord> {
    testing::folder(place, &[]).read_record(&JobKey(key.to_owned())).unwrap()
}

fn run(mut dispatcher: Dispatcher) -> (Ended, Vec<Event>) {
    let mut events = Vec::new();
    let ended = dispatcher.run(&mut |event| events.push(event.clone())).unwrap();
    (ended, events)
}

#[test]
fn every_job_ends_in_a_record_with_predictions_and_log() {
    let place = tempfile::tempdir().unwrap();
    let keys = ["aa", "bb", "cc"];
    let (ended, events) = run(Dispatcher::new(sweep(place.path(), &keys, &succeed(), 0)));
    assert_eq!(ended, Ended { done: 3, ..Ended::default() });
    assert_eq!(events.iter().filter(|e| matches!(e, Event::JobFinished { .. })).count(), 3);
    for key in keys {
        let record = record(place.path(), key).unwrap();
        assert_eq!((record.status, record.attempts), (Status::Done, 1));
        let folder = place.path().join("grid/jobs").join(key);
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["log.txt", "predictions.tsv", "record.json"]);
    }
}

#[test]
fn jobs_follow_from_what_was_recorded_trials_first() {
    let place = tempfile::tempdir().unwrap();
    let mut sweep = sweep(place.path(), &["aa", "bb"], &succeed(), 0);
    sweep.capacity.slots = 1;
    let mut dispatcher = Dispatcher::new(sweep);
    let mut started = Vec::new();
    let mut show = |event: &Event| {
        if let Event::JobStarted { job, .. } = event {
            started.push(job.0.clone());
        }
    };
    let ended = dispatcher.run_with(&mut show, &mut |key, _| {
        let mut trial = job("cc", 9);
        trial.settings.stage = Stage::Trial;
        Ok(if key.0 == "aa" { vec![job("dd", 9), trial] } else { vec![] })
    });
    // The script speaks like a main job, so the trial fails: it has scores on test.
    let expected = Ended { done: 3, failed: 1, ..Ended::default() };
    assert_eq!(
        (ended.unwrap(), started),
        (expected, ["aa", "cc", "bb", "dd"].map(String::from).to_vec())
    );
    let failure = record(place.path(), "cc").unwrap().failure.unwrap().to_string();
    assert!(failure.contains("its scores on test are not those of a trial job"), "{failure}");
}

#[test]
fn a_job_that_follows_while_it_waits_or_runs_is_not_run_twice() {
    let place = tempfile::tempdir().unwrap();
    let keys = ["aa", "bb", "cc"];
    let mut dispatcher = Dispatcher::new(sweep(place.path(), &keys, &succeed(), 0));
    let mut finished = Vec::new();
    let mut show = |event: &Event| {
        if let Event::JobFinished { job, .. } = event {
            finished.push(job.0.clone());
        }
    };
    let mut first = true;
    let ended = dispatcher.run_with(&mut show, &mut |_, _| {
        Ok(match std::mem::take(&mut first) {
            true => vec![job("cc", 1), job("dd", 1), job("dd", 1)],
            false => vec![],
        })
    });
    finished.sort();
    assert_eq!(finished, ["aa", "bb", "cc", "dd"]);
    assert_eq!(ended.unwrap().done, 4);
}

#[test]
fn a_failure_is_recorded_after_its_retries_and_the_sweep_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let script = format!(
        "echo $TAILGRID_ATTEMPT >&2; case $TAILGRID_ATTEMPT in 1|2) exit 9;; esac; {}",
        succeed()
    );
    let (ended, events) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 1)));
    assert_eq!(ended, Ended { failed: 1, ..Ended::default() });
    assert!(events.iter().any(|e| matches!(e, Event::JobRetried { attempt: 1, .. })));
    let failed = record(place.path(), "aa").unwrap();
    assert_eq!((failed.attempts, failed.failure), (2, Some(Failure::Vanished { code: 9 })));
    let (ended, _) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 2)));
    assert_eq!(ended.done, 1);
    assert_eq!(record(place.path(), "aa").unwrap().attempts, 3);
}

#[test]
fn a_result_without_predictions_is_no_result() {
    let place = tempfile::tempdir().unwrap();
    let script = succeed().replace("echo 'token O O' > \"$path\";", "");
    let (ended, _) = run(Dispatcher::new(sweep(place.path(), &["aa"], &script, 3)));
    assert_eq!(ended.failed, 1);
    assert!(matches!(record(place.path(), "aa").unwrap().failure, Some(Failure::Protocol { .. })));
}

#[test]
fn one_interrupt_finishes_what_runs_and_two_stop_it() {
    for (interrupts, expected) in [
        (
            &[Interrupt::Gentle][..],
            Ended { done: 2, left: 1, interrupted: true, ..Ended::default() },
        ),
        (
            &[Interrupt::Gentle, Interrupt::Gentle],
            Ended { left: 3, interrupted: true, ..Ended::default() },
        ),
        (&[Interrupt::Now], Ended { left: 3, interrupted: true, ..Ended::default() }),
    ] {
        let place = tempfile::tempdir().unwrap();
        let script = format!("sleep 0.5; {}", succeed());
        let mut dispatcher = Dispatcher::new(sweep(place.path(), &["aa", "bb", "cc"], &script, 0));
        let interrupter = dispatcher.interrupter();
        let mut started = 0;
        let ended = dispatcher
            .run(&mut |event| {
                started += usize::from(matches!(event, Event::JobStarted { .. }));
                if started == 2 && matches!(event, Event::JobStarted { .. }) {
                    interrupts.iter().for_each(|&i| assert!(interrupter.interrupt(i)));
                }
            })
            .unwrap();
        assert_eq!(ended, expected);
        let recorded = ["aa", "bb", "cc"].iter().filter(|k| record(place.path(), k).is_some());
        assert_eq!(recorded.count(), expected.done);
    }
}

#[test]
fn a_folder_that_fails_stops_the_run_with_its_error() {
    let place = tempfile::tempdir().unwrap();
    let sweep = sweep(place.path(), &["aa", "bb", "cc"], &succeed(), 0);
    std::fs::remove_dir_all(place.path().join("grid/jobs")).unwrap();
    std::fs::write(place.path().join("grid/jobs"), "a file in the way").unwrap();
    let error = Dispatcher::new(sweep).run(&mut |_| {}).unwrap_err();
    assert!(matches!(error, RunnerError::Store(_)), "{error}");
}
