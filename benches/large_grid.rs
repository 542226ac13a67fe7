//! A grid of a hundred thousand jobs: planned, counted, resumed and made into frames.

use testbed::finished::{JOBS_PER_SEED, costs};

pub fn bench() {
    for (what, cost) in costs(100_000 / JOBS_PER_SEED) {
        let (time, wall) = (cost.time.as_secs_f64(), cost.wall.as_secs_f64());
        let memory = cost.memory;
        println!("{what}: {wall:.2} s, {time:.2} s of the processors, {memory} MiB");
    }
}
