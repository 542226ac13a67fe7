//! The same work on many things, on all cores.

use std::num::NonZeroUsize;
use std::thread;

/// More threads than this wait for the disk, or for each other.
const MOST: usize = 8;
/// Fewer things than this are done before a thread has started.
const FEW: usize = 64;

/// What `work` makes of each item, in the order of the items.
pub(super) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST);
    if cores == 1 || items.len() < FEW {
        return items.iter().map(work).collect();
    }
    let work = &work;
    let part = items.len().div_ceil(cores);
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(part)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let done = parts.into_iter().flat_map(|part| match part.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items() {
        for n in [0, 1, FEW, 1001] {
            let items: Vec<usize> = (0..n).collect();
            assert_eq!(
                map(&items, |item| item * 2),
                items.iter().map(|n| n * 2).collect::<Vec<_>>()
            );
        }
    }
}
