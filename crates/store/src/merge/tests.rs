use super::super::testing::{self, done, failed, folder, folder_with_predictions};
use super::source::read_plain;
use super::*;
use crate::JobRecord;
use crate::testing::search as search_record;
use domain::{Outcome, apart};
use std::fs::{self, File};
use std::os::unix::fs::symlink;

fn key(name: &str) -> JobKey {
    JobKey(name.to_owned())
}

/// A folder of records, each with predictions and a log.
fn made(place: &Path, records: &[JobRecord]) -> MergeSource {
    let made = folder(place, records);
    for record in records {
        let job = made.job(&record.job).unwrap();
        fs::write(job.predictions(), format!("{} O O\n", record.job)).unwrap();
        fs::write(job.log(), "log\n").unwrap();
    }
    MergeSource::open(made.path()).unwrap()
}

/// A target and two sources with these records.
fn joined(
    records: [&[JobRecord]; 3],
) -> (tempfile::TempDir, Folder, [MergeSource; 2], Result<MergePlan, StoreError>) {
    let place = tempfile::tempdir().unwrap();
    let [target, a, b] = ["target", "a", "b"].map(|name| place.path().join(name));
    made(&target, records[0]);
    let sources = [made(&a, records[1]), made(&b, records[2])];
    let target = folder(&target, &[]);
    let plan = MergePlan::make(&target, &sources);
    (place, target, sources, plan)
}

#[test]
fn jobs_come_together_and_a_second_time_nothing_changes() {
    let (one, two, three) = (done("aa", "sc", 1), done("bb", "sc", 2), failed("cc", "sc", 3));
    let mut again = two.clone();
    again.timings.seconds = 99.0;
    again.provenance.host = "other".to_owned();
    again.outcome.as_mut().unwrap().train_seconds = 98.0;
    let (_place, target, sources, plan) =
        joined([std::slice::from_ref(&one), &[one.clone(), two.clone()], &[again, three.clone()]]);
    let mut plan = plan.unwrap();
    assert_eq!((plan.new_jobs(), plan.same), (2, 2));
    assert!(plan.skipped.is_empty() && plan.conflicts.is_empty());
    plan.carry_out(&target).unwrap();
    for record in [&one, &two, &three] {
        assert_eq!(target.read_record(&record.job).unwrap().as_ref(), Some(record));
        let job = target.job(&record.job).unwrap();
        let predictions = fs::read_to_string(job.predictions()).unwrap();
        assert_eq!(predictions, format!("{} O O\n", record.job));
        assert!(job.log().is_file());
        assert_eq!(fs::read_dir(job.path()).unwrap().count(), 3);
    }
    let plan = MergePlan::make(&target, &sources).unwrap();
    assert_eq!((plan.new_jobs(), plan.same, plan.copies.len()), (0, 4, 0));
}

#[test]
fn a_job_that_came_out_differently_is_named_with_both_folders() {
    let mine = done("aa", "sc", 1);
    let mut theirs = mine.clone();
    theirs.outcome.as_mut().unwrap().dev.span.micro.f1 = 0.75;
    let fails = failed("aa", "sc", 1);
    for other in [theirs, fails] {
        let (_place, target, sources, plan) = joined([&[], std::slice::from_ref(&mine), &[other]]);
        let plan = plan.unwrap();
        let [conflict] = &plan.conflicts[..] else { panic!("{:?}", plan.conflicts) };
        assert_eq!((conflict.job.0.as_str(), conflict.file), ("aa", "record.json"));
        assert_eq!(conflict.folders, [sources[0].job(&key("aa")), sources[1].job(&key("aa"))]);
        assert!(target.keys().unwrap().is_empty());
    }
    let place = tempfile::tempdir().unwrap();
    let [target, source] =
        ["t", "s"].map(|name| made(&place.path().join(name), std::slice::from_ref(&mine)));
    fs::write(source.job(&key("aa")).join("predictions.tsv"), "other").unwrap();
    let plan = MergePlan::make(&folder(&place.path().join("t"), &[]), &[source]).unwrap();
    assert_eq!(plan.conflicts[0].file, "predictions.tsv");
    assert_eq!(plan.conflicts[0].folders[0], target.job(&key("aa")));
}

/// A job of this kind of processor, with other weights and another score.
fn recorded_on(processor: Option<&str>, weights: &str, f1: f64) -> JobRecord {
    let mut record = done("aa", "sc", 1);
    record.provenance.processor = processor.map(testing::processor);
    let outcome = record.outcome.as_mut().unwrap();
    outcome.weights = Some(weights.to_owned());
    outcome.dev.span.micro.f1 = f1;
    record
}

#[test]
fn other_kinds_of_processors_may_give_other_bits_and_close_scores() {
    let mine = recorded_on(Some("one"), "aa", 0.5);
    for (processor, f1, difference) in [
        (Some("one"), 0.5, Some("Bits")),
        (Some("other"), 0.51, None),
        (None, 0.51, None),
        (Some("other"), 0.75, Some("Scores")),
    ] {
        let theirs = recorded_on(processor, "bb", f1);
        let (_place, target, sources, _) = joined([std::slice::from_ref(&mine), &[theirs], &[]]);
        // The predictions of another run do not belong to this record.
        let predictions = target.job(&key("aa")).unwrap().predictions();
        fs::remove_file(&predictions).unwrap();
        let mut plan = MergePlan::make(&target, &sources).unwrap();
        let found = plan.conflicts.first().map(|conflict| format!("{:?}", conflict.difference));
        match difference {
            Some(name) => assert!(found.unwrap().starts_with(name)),
            None => {
                assert_eq!((plan.same, plan.close, plan.copies.len(), found), (1, 1, 0, None));
                plan.carry_out(&target).unwrap();
                let kept = target.read_record(&key("aa")).unwrap().unwrap();
                assert_eq!(kept.provenance.processor, mine.provenance.processor);
                assert!(!predictions.exists());
            }
        }
    }
    let failing =
        JobRecord { provenance: recorded_on(None, "", 0.0).provenance, ..failed("aa", "sc", 1) };
    let (_place, .., plan) = joined([&[], &[mine], &[failing]]);
    assert_eq!(plan.unwrap().conflicts[0].difference, Difference::Inexplicable);
}

#[test]
fn weights_losses_and_close_scores_agree_and_all_else_does_not() {
    let whats = |change: &dyn Fn(&mut Outcome)| {
        let mut other = testing::outcome();
        change(&mut other);
        let found = apart(&testing::outcome(), &other);
        found.into_iter().map(|apart| apart.what).collect::<Vec<_>>()
    };
    let close = whats(&|o| {
        o.weights = Some("other".into());
        o.epochs[0].loss += 0.3;
        o.best_epoch = 1;
        o.test.as_mut().unwrap().span.micro.f1 += 0.019;
    });
    assert_eq!(close, [""; 0]);
    assert_eq!(whats(&|o| o.dev.span.macro_.f1 += 0.021), ["dev.span.macro.f1"]);
    let token = whats(&|o| o.test.as_mut().unwrap().token.micro.f1 -= 0.5);
    assert_eq!(token, ["test.token.micro.f1"]);
    assert_eq!(whats(&|o| o.train_tokens += 1), ["train_tokens"]);
    assert_eq!(whats(&|o| o.dev.span.micro.support += 1), ["dev.span.micro.support"]);
    assert_eq!(whats(&|o| o.test = None), ["test"]);
}

#[test]
fn names_of_another_time_are_no_difference_and_missing_files_are_filled_in() {
    let mine = done("aa", "sc", 1);
    let theirs = JobRecord { attempts: 3, ..done("aa", "renamed", 1) };
    let (_place, target, sources, _) = joined([&[mine], &[theirs], &[]]);
    let predictions = target.job(&key("aa")).unwrap().predictions();
    fs::remove_file(&predictions).unwrap();
    let mut plan = MergePlan::make(&target, &sources).unwrap();
    assert_eq!((plan.new_jobs(), plan.same, plan.copies.len()), (0, 1, 1));
    plan.carry_out(&target).unwrap();
    assert!(predictions.is_file());
    let kept = target.read_record(&key("aa")).unwrap().unwrap();
    assert_eq!((kept.point.method.as_str(), kept.attempts), ("sc", 1));
}

#[test]
fn damaged_and_newer_records_are_named_and_left() {
    let (_place, target, sources, _) =
        joined([&[], &[done("aa", "sc", 1), done("bb", "sc", 2), done("cc", "sc", 3)], &[]]);
    fs::write(sources[0].job(&key("aa")).join("record.json"), "{\"version\": 1").unwrap();
    fs::write(sources[0].job(&key("bb")).join("record.json"), "{\"version\": 99}").unwrap();
    let mut plan = MergePlan::make(&target, &sources).unwrap();
    let reasons: Vec<_> = plan.skipped.iter().map(|it| it.reason.as_str()).collect();
    assert!(reasons[0].starts_with("it is damaged: "), "{reasons:?}");
    assert!(reasons[1].starts_with("it has version 99"), "{reasons:?}");
    plan.carry_out(&target).unwrap();
    assert_eq!(target.keys().unwrap(), [key("cc")]);
}

#[test]
fn links_and_odd_names_of_a_foreign_folder_are_not_followed() {
    let (place, target, sources, _) =
        joined([&[], &["aa", "bb", "cc", "dd"].map(|name| done(name, "sc", 1)), &[]]);
    let secret = place.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let jobs = sources[0].path().join("jobs");
    let replace_by_link = |relative: &str, target: &Path| {
        let path = jobs.join(relative);
        fs::remove_file(&path).unwrap();
        symlink(target, path).unwrap();
    };
    let real = place.path().join("record.json");
    fs::copy(jobs.join("aa/record.json"), &real).unwrap();
    replace_by_link("aa/record.json", &real);
    replace_by_link("bb/predictions.tsv", &secret);
    fs::remove_file(jobs.join("cc/log.txt")).unwrap();
    fs::create_dir(jobs.join("cc/log.txt")).unwrap();
    symlink(jobs.join("dd"), jobs.join("ee")).unwrap();
    for odd in ["not a key", "..x", "AB"] {
        fs::create_dir(jobs.join(odd)).unwrap();
    }
    let mut plan = MergePlan::make(&target, &sources).unwrap();
    plan.carry_out(&target).unwrap();
    assert_eq!(target.keys().unwrap(), [key("dd")]);
    let mut named: Vec<_> =
        plan.skipped.iter().map(|it| it.path.strip_prefix(&jobs).unwrap().to_owned()).collect();
    named.sort();
    let expected = ["AB", "aa/record.json", "bb/predictions.tsv", "cc/log.txt", "ee", "not a key"];
    assert_eq!(named, expected.map(PathBuf::from));
    let linked = place.path().join("linked");
    fs::create_dir(&linked).unwrap();
    symlink(&jobs, linked.join("jobs")).unwrap();
    assert!(MergeSource::open(&linked).is_none());
}

#[test]
fn files_are_no_longer_than_a_job_has_them_and_as_their_record_knows_them() {
    let place = tempfile::tempdir().unwrap();
    let (results, target) = (place.path().join("source"), place.path().join("target"));
    let text = "a\tO\tO\n\n";
    let source = folder_with_predictions(&results, "aa", text);
    let folder = |records: &[JobRecord]| folder(&target, records);
    let made = |target: &Folder| {
        let source = MergeSource::open(source.path()).unwrap();
        let mut plan = MergePlan::make(target, &[source]).unwrap();
        plan.carry_out(target).unwrap();
        let reasons: Vec<String> = plan.skipped.iter().map(|it| it.reason.clone()).collect();
        (plan.new_jobs(), reasons.join("; "))
    };
    let path = source.job(&key("aa")).unwrap().predictions();
    for (bytes, words) in [("b\tO\tO\n\n", "not those that were written"), ("a", "1 bytes of it")] {
        fs::write(&path, bytes).unwrap();
        let (new, reason) = made(&folder(&[]));
        assert!(new == 0 && reason.starts_with("it is damaged: "), "{reason}");
        assert!(reason.contains(words), "{reason}");
        assert_eq!(fs::read_dir(target.join("grid/jobs")).unwrap().count(), 0);
    }
    fs::write(&path, text).unwrap();
    assert_eq!(made(&folder(&[])), (1, String::new()));
    // Without a sum there is a bound.
    source.write_record(&done("aa", "sc", 1)).unwrap();
    fs::remove_dir_all(&target).unwrap();
    File::create(&path).unwrap().set_len(20 << 30).unwrap();
    let (new, reason) = made(&folder(&[]));
    let told = "it has 20.0 GiB; a job's predictions.tsv has at most 1.0 GiB";
    assert_eq!((new, reason.as_str()), (0, told));
}

#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for() {
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("grid.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(read_plain(&pipe).is_err());
}

#[test]
fn of_two_states_of_a_search_the_further_one_counts() {
    let (near, far) = (search_record(2), search_record(5));
    let joined = join_searches([near.clone(), far.clone(), near]);
    assert_eq!(joined, [far]);
}
