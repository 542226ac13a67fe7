//! In which order jobs start: pure.
//!
//! Rounds by seed: every point of the first seed, then of the second, so that a sweep stopped at
//! any time has compared all methods on as many common seeds as it could. Within a round the grid's
//! order.

/// The items in rounds. `seeds` is the grid's order; a seed that it lacks comes last.
pub fn rounds<T>(mut items: Vec<T>, seeds: &[u64], seed_of: impl Fn(&T) -> u64) -> Vec<T> {
    let round = |seed| seeds.iter().position(|&known| known == seed).unwrap_or(seeds.len());
    items.sort_by_cached_key(|item| round(seed_of(item)));
    items
}

/// How many jobs run side by side where the user did not say: as many as the cores carry.
pub fn default_slots(cores: usize, threads_per_job: usize) -> usize {
    (cores / threads_per_job.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_go_round_by_round_in_the_order_of_the_grid() {
        let jobs = vec![("a", 1), ("a", 7), ("a", 2), ("b", 1), ("b", 7), ("b", 2), ("c", 9)];
        let order = rounds(jobs, &[7, 1, 2], |job| job.1);
        let expected = [("a", 7), ("b", 7), ("a", 1), ("b", 1), ("a", 2), ("b", 2), ("c", 9)];
        assert_eq!(order, expected);
    }

    #[test]
    fn there_is_always_a_slot_and_never_more_threads_than_cores() {
        for (cores, threads, slots) in [(8, 1, 8), (8, 3, 2), (2, 4, 1), (1, 0, 1), (0, 1, 1)] {
            assert_eq!(default_slots(cores, threads), slots);
        }
    }
}
