//! The same work on many things, on all cores.

use rayon::prelude::*;

/// Fewer things than this are done before another thread has started.
const FEW: usize = 64;

/// What `work` makes of each item, in the order of the items.
pub(super) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    items.par_iter().with_min_len(FEW).map(work).collect()
}
