//! How fast training is, beside other libraries on the same data: `make bench`. The scripts of the
//! others are in benches/peers.

mod chain;
mod losses;
mod peers;
mod shallow;
mod vectors;
mod wnut;

use std::time::{Duration, Instant};

/// The best of some runs: what else the machine does only slows them.
fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let timed = |_| {
        let start = Instant::now();
        let result = work();
        (start.elapsed(), result)
    };
    (0..runs).map(timed).min_by_key(|(time, _)| *time).unwrap()
}

/// Caps the threads of LibTorch, and gives the work so many of rayon's.
fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "libtorch")]
    tch::set_num_threads(threads as i32);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(work)
}
