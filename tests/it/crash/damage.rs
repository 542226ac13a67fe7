//! Files that were changed, lost or made by a later program.

use super::*;

#[test]
fn frames_that_were_lost_are_written_again_from_the_records() {
    let bench = undisturbed();
    let before = bench.frames();
    for frame in ["runs.parquet", "metrics.parquet", "epochs.parquet"] {
        fs::write(bench.folder().join(frame), "damaged").unwrap();
    }
    assert_eq!(code(&bench.run(&[], "*:abort")), 0);
    assert!(bench.frames() == before);
}

#[test]
fn a_damaged_record_is_named_by_status_and_set_aside_by_run() {
    let bench = undisturbed();
    let before = bench.frames();
    let record = bench.job_folders()[4].join("record.json");
    let whole = fs::read(&record).unwrap();
    fs::write(&record, &whole[..whole.len() / 2]).unwrap();
    let status = bench.command("status", &[], "").output().unwrap();
    assert_eq!(code(&status), 7);
    let told = text(&status.stdout);
    assert!(
        told.contains("record.json is damaged") && told.contains("  damaged      1\n"),
        "{told}"
    );
    assert!(told.contains("  to do        0\n"), "{told}");
    let output = bench.run(&[], "");
    assert_eq!(code(&output), 0);
    assert!(text(&output.stderr).contains("record.json.damaged"), "{output:?}");
    assert_eq!(fs::read(record.with_extension("json.damaged")).unwrap(), whole[..whole.len() / 2]);
    assert!(bench.frames() == before);
}

#[test]
fn a_flipped_bit_in_a_record_or_a_frame_is_noticed_and_mended() {
    let bench = undisturbed();
    let before = bench.frames();
    let flip = |path: &Path, pattern: &[u8]| {
        let mut bytes = fs::read(path).unwrap();
        let at = bytes.windows(pattern.len()).rposition(|window| window == pattern).unwrap();
        bytes[at + pattern.len()] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    // One digit of one count: still JSON, still plausible.
    flip(&bench.job_folders()[2].join("record.json"), b"\"support\": ");
    let status = bench.command("status", &[], "").output().unwrap();
    assert_eq!(code(&status), 7);
    let message = text(&status.stdout);
    assert!(message.contains("its bytes are not those that were written"), "{message}");
    assert!(message.contains("`tailgrid run` sets it aside and runs the job again"), "{message}");
    for frame in ["runs", "metrics", "epochs"] {
        flip(&bench.folder().join(format!("{frame}.parquet")), b"PAR");
    }
    let output = bench.run(&[], "");
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(text(&output.stderr).contains("record.json.damaged"), "{output:?}");
    assert!(bench.frames() == before);
}

#[test]
fn damage_that_only_a_report_meets_is_mended_by_the_next_run() {
    let bench = undisturbed();
    let before = bench.frames();
    // What a disk does behind the system's back: other bytes, and an index that knows of nothing.
    let record = bench.job_folders()[3].join("record.json");
    let index = fs::read(bench.folder().join("index")).unwrap();
    let mut bytes = fs::read(&record).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 8;
    fs::write(&record, bytes).unwrap();
    fs::write(bench.folder().join("index"), index).unwrap();
    let compare = bench.command("compare", &[], "").output().unwrap();
    assert_eq!(code(&compare), 7, "{compare:?}");
    assert!(text(&compare.stderr).contains("`tailgrid run` sets it aside"), "{compare:?}");
    assert_eq!(code(&bench.run(&[], "")), 0);
    assert!(bench.frames() == before);
    assert_eq!(code(&bench.command("compare", &[], "").output().unwrap()), 0);
}

#[test]
fn clocks_that_jumped_decide_nothing() {
    let bench = undisturbed();
    let before = bench.frames();
    let day = Duration::from_secs(24 * 3600);
    for time in [SystemTime::UNIX_EPOCH + day, SystemTime::now() + 10_000 * day] {
        let jobs = bench.job_folders().into_iter();
        let records = jobs.flat_map(|job| ["record.json", "log.txt"].map(|file| job.join(file)));
        let others = ["index", "frames.json", "runs.parquet", "metrics.parquet", "lock"];
        for path in records.chain(others.map(|file| bench.folder().join(file))) {
            fs::File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
        }
        // An engine that would fail every job shows that none was started.
        let output = bench.run(&[], "*:abort");
        assert_eq!(code(&output), 0, "{output:?}");
        assert!(text(&output.stdout).starts_with("nothing to do: 12 jobs: 12 done"), "{output:?}");
        assert!(bench.frames() == before);
    }
}

#[test]
fn a_record_of_a_later_version_is_never_run_over() {
    let bench = undisturbed();
    let record = bench.job_folders()[0].join("record.json");
    let later =
        fs::read_to_string(&record).unwrap().replacen("\"version\": 3", "\"version\": 4", 1);
    fs::write(&record, &later).unwrap();
    let output = bench.run(&[], "");
    assert_eq!(code(&output), 7);
    assert!(text(&output.stderr).contains("newer tailgrid"), "{output:?}");
    assert_eq!(fs::read_to_string(&record).unwrap(), later);
}
