//! Runs whose processes are killed at random instants: the runner, a worker, or all of them.

use super::{Bench, assert_complete, code, finished, text, undisturbed, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

/// Who is killed.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Victim {
    Runner,
    Worker,
    Both,
}

const VICTIMS: [Victim; 3] = [Victim::Runner, Victim::Worker, Victim::Both];

/// One disturbed run: who is killed, after how many milliseconds, and how slow an epoch is.
#[derive(Copy, Clone, Debug)]
struct Disturbance {
    victim: Victim,
    delay: u64,
    slow: u64,
}

fn disturbances(seed: u64, count: usize, longest: u64) -> Vec<Disturbance> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut disturbance = |n: usize| Disturbance {
        victim: VICTIMS[n % VICTIMS.len()],
        delay: rng.random_range(0..longest),
        slow: rng.random_range(0..12),
    };
    (0..count).map(&mut disturbance).collect()
}

/// Kills whom it should, as far as they are alive.
fn strike(bench: &Bench, runner: &mut Child, victim: Victim) {
    let workers = bench.pids().into_iter().filter(|&pid| pid != runner.id() as i32);
    let workers: Vec<i32> = workers.collect();
    let chosen = match victim {
        Victim::Runner => &[],
        Victim::Worker => &workers[..workers.len().min(1)],
        Victim::Both => &workers[..],
    };
    if victim != Victim::Worker {
        runner.kill().unwrap();
    }
    for &worker in chosen {
        // It may have ended by itself.
        let _ = kill(Pid::from_raw(worker), Signal::SIGKILL);
    }
}

/// Starts a run, strikes, goes on, and expects what an undisturbed run gives.
fn disturb(bench: &Bench, reference: &Bench, disturbance: Disturbance) {
    let Disturbance { victim, delay, slow } = disturbance;
    let mut runner = bench.start(&format!("*:slow={slow}"));
    sleep(Duration::from_millis(delay));
    strike(bench, &mut runner, victim);
    let ended = runner.wait_with_output().unwrap();
    // Workers notice the end of their runner a moment later; what they write then waits for the run
    // after the next.
    until("its workers have ended", || bench.processes() == 0);
    // Where the first process of the engine is killed, which only tries whether it can start, the
    // run says so and ends; a job is tried again.
    let unstarted =
        text(&ended.stderr).contains("backend does not work: tailgrid-engine ended with");
    if victim == Victim::Worker {
        let expected = if unstarted { 3 } else { 0 };
        assert_eq!(code(&ended), expected, "{disturbance:?}: {ended:?}");
    }
    let output = bench.run(&["--quiet"], "");
    assert_eq!(code(&output), 0, "{disturbance:?}: {output:?}");
    assert_complete(bench, reference);
    let left = std::fs::read_dir(bench.folder().join("jobs")).unwrap().count();
    assert_eq!(left, bench.records(), "{disturbance:?}: temporary files are left");
}

#[test]
fn runs_killed_at_ninety_random_instants_go_on_to_identical_frames() {
    let reference = undisturbed();
    let all = disturbances(7, 90, 350);
    std::thread::scope(|scope| {
        for part in all.chunks(all.len() / 2) {
            let reference = &reference;
            scope.spawn(move || {
                part.iter().for_each(|&one| disturb(&Bench::new(), reference, one));
            });
        }
    });
}

#[test]
fn real_trainings_killed_at_ten_random_instants_go_on_to_identical_frames() {
    let small = "version: 1\nname: crash\ncorpora:\n  \
         - {name: tiny, format: synthetic, sentences: 60, dev_sentences: 30, test_sentences: 30}\n\
         models: [{name: shallow, encoder: shallow, head: softmax, embeddings: random, dimension: 8}]\n\
         methods: [original, scr]\nseeds: 2\nbaseline: original\n\
         training: {epochs: 2, batch: 16, backend: flex}\nlimits: {time: 60s, retries: 1}\n";
    let real = || Bench { engine: "real", ..Bench::of(small) };
    let reference = finished(real());
    for disturbance in disturbances(8, 10, 1500) {
        disturb(&real(), &reference, disturbance);
    }
}
