//! What the machine carries at once, and what a job takes of it.

/// Expected memory is counted in steps of this many bytes: like jobs are then alike.
const STEP: u64 = 64 << 20;

/// What the machine carries at once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Capacity {
    /// Jobs.
    pub slots: usize,
    /// Threads of all jobs together.
    pub cores: usize,
    /// Bytes of all jobs together; not respected where the system does not tell.
    pub memory: Option<u64>,
}

/// What a job takes while it runs.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Demand {
    threads: usize,
    memory: u64,
}

impl Demand {
    /// Memory that is not known counts as none.
    pub fn new(threads: usize, memory: Option<u64>) -> Self {
        let memory = memory.map_or(0, |bytes| bytes.div_ceil(STEP).saturating_mul(STEP));
        Self { threads: threads.max(1), memory }
    }
}

/// What is taken now.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Load {
    jobs: usize,
    threads: usize,
    memory: u64,
}

impl Load {
    pub fn is_idle(&self) -> bool {
        self.jobs == 0
    }

    pub fn take(&mut self, demand: Demand) {
        self.jobs += 1;
        self.threads = self.threads.saturating_add(demand.threads);
        self.memory = self.memory.saturating_add(demand.memory);
    }

    pub fn give_back(&mut self, demand: Demand) {
        self.jobs -= 1;
        self.threads = self.threads.saturating_sub(demand.threads);
        self.memory = self.memory.saturating_sub(demand.memory);
    }
}

impl Capacity {
    /// Whether a job may start beside what runs; alone it always may.
    pub(super) fn fits(&self, load: &Load, demand: Demand) -> bool {
        load.is_idle()
            || load.jobs < self.slots
                && load.threads.saturating_add(demand.threads) <= self.cores
                && self.memory.is_none_or(|all| load.memory.saturating_add(demand.memory) <= all)
    }
}

/// How many jobs of so many threads the cores carry: always one.
pub fn default_slots(cores: usize, threads_per_job: usize) -> usize {
    (cores / threads_per_job.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_slot_and_never_more_threads_than_cores() {
        for (cores, threads, slots) in [(8, 1, 8), (8, 3, 2), (2, 4, 1), (1, 0, 1), (0, 1, 1)] {
            assert_eq!(default_slots(cores, threads), slots);
        }
    }

    #[test]
    fn a_job_fits_beside_others_only_where_everything_does_and_alone_always() {
        let capacity = Capacity { slots: 3, cores: 4, memory: Some(10 * STEP) };
        let mut load = Load::default();
        assert!(capacity.fits(&load, Demand::new(9, Some(u64::MAX))));
        load.take(Demand::new(2, Some(6 * STEP - 1)));
        assert!(capacity.fits(&load, Demand::new(2, Some(4 * STEP))));
        assert!(!capacity.fits(&load, Demand::new(3, None)));
        assert!(!capacity.fits(&load, Demand::new(1, Some(4 * STEP + 1))));
        load.take(Demand::new(1, None));
        load.take(Demand::new(1, None));
        assert!(!capacity.fits(&load, Demand::new(0, None)), "every slot is taken");
        load.give_back(Demand::new(1, None));
        assert!(capacity.fits(&load, Demand::new(0, None)));
    }
}
