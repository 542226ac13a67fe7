//! Memory for what a pass writes.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Numbers whose memory a later buffer gets again: fresh pages cost more than what is computed in
/// them.
pub struct Buffer {
    memory: Vec<f32>,
    count: usize,
}

/// What buffers have and had.
struct Pool {
    /// Memory that nobody has, the smallest first.
    free: Vec<Vec<f32>>,
    /// Numbers of it, of what buffers have, and the most that they ever had.
    kept: usize,
    taken: usize,
    most: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { free: vec![], kept: 0, taken: 0, most: 0 });

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Buffer {
    /// So many numbers of any value.
    pub fn of(count: usize) -> Self {
        let size = rounded(count);
        let mut pool = pool();
        let at = pool.free.partition_point(|memory| memory.len() < size);
        let fits = pool.free.get(at).is_some_and(|memory| memory.len() == size);
        let memory = fits.then(|| pool.free.remove(at));
        pool.kept -= memory.as_ref().map_or(0, Vec::len);
        pool.taken += size;
        pool.most = pool.most.max(pool.taken);
        drop(pool);
        Self { memory: memory.unwrap_or_else(|| vec![0.0; size]), count }
    }
}

/// A size that similar ones share: a power of two in quarters.
fn rounded(count: usize) -> usize {
    let quarter = (count.next_power_of_two() / 8).max(1 << 8);
    count.next_multiple_of(quarter)
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        let mut pool = pool();
        pool.taken -= memory.len();
        pool.kept += memory.len();
        let at = pool.free.partition_point(|other| other.len() < memory.len());
        pool.free.insert(at, memory);
        // Sizes that nobody asks for any more are not kept beyond what was needed at once.
        while pool.kept + pool.taken > pool.most + pool.most / 2 && !pool.free.is_empty() {
            let gone = pool.free.remove(0);
            pool.kept -= gone.len();
        }
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.memory[..self.count]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.memory[..self.count]
    }
}
