//! What the jobs of a grid are expected to cost, from the records that it has.

use crate::Standings;
use domain::Point;
use runner::cost::{CostModel, Profile};
use runner::schedule::{
    Capacity, Expected, GridPlace, Names, Round, Work, default_slots, wall_seconds,
};
use spec::{Grid, Job};
use std::collections::HashMap;

/// Estimates for every point of a grid.
#[derive(Debug)]
pub struct Estimates {
    names: Names,
    model: CostModel,
    profiles: HashMap<GridPlace, Profile>,
    rounds: HashMap<u64, usize>,
    memory_limit: Option<u64>,
}

/// A job that is to run, as far as time goes.
#[derive(Copy, Clone, Debug)]
pub struct Pending<'g> {
    pub point: &'g Point,
    pub is_trial: bool,
}

impl Estimates {
    /// From what the results folder knows.
    pub fn new(grid: &Grid, standings: &Standings) -> Self {
        let rounds = grid.seeds.iter().enumerate().map(|(at, seed)| (*seed, at)).collect();
        let (names, model, profiles) = Default::default();
        let memory_limit = grid.limits.memory;
        let mut estimates = Self { names, model, profiles, rounds, memory_limit };
        for job in &grid.jobs {
            estimates.learn(job, standings);
        }
        for search in &grid.searches {
            for trial in &search.progress.trials {
                estimates.learn(&search.trial(&trial.values), standings);
            }
        }
        estimates.model.draw();
        estimates
    }

    fn learn(&mut self, job: &Job, standings: &Standings) {
        let profile = Profile::of(job, &mut self.names);
        self.profiles.entry(profile.place).or_insert(profile);
        if let Some(cost) = standings.get(&job.key).and_then(|standing| standing.cost.as_ref()) {
            self.model.learn(&profile, cost);
        }
    }

    fn profile(&self, point: &Point) -> Option<&Profile> {
        self.profiles.get(&self.names.find(point)?)
    }

    /// The seconds that a job is expected to take.
    pub fn of(&self, point: &Point) -> Option<f64> {
        self.model.seconds(self.profile(point)?)
    }

    /// How long these jobs take on this many cores, in the order in which they would run, and how
    /// many run at once; those of which nothing is known take no time here.
    pub fn wall<'g>(
        &self,
        cores: usize,
        pending: impl Iterator<Item = Pending<'g>> + Clone,
    ) -> (f64, usize) {
        let profiles = pending.clone().filter_map(|job| self.profile(job.point));
        let threads = profiles.map(|profile| profile.kind.threads).min().unwrap_or(1);
        let slots = default_slots(cores, threads).min(pending.clone().count().max(1));
        let jobs = pending.filter_map(|Pending { point, is_trial }| {
            let profile = self.profile(point)?;
            let round = match is_trial {
                true => Round::TRIALS,
                false => Round::of_seed(*self.rounds.get(&point.seed)?),
            };
            let work = Work { round, threads: profile.kind.threads, place: profile.place };
            let memory = self.model.memory(profile).or(self.memory_limit);
            Some((work, Expected { seconds: self.model.seconds(profile), memory }))
        });
        (wall_seconds(Capacity { slots, cores, memory: None }, jobs), slots)
    }

    /// What a run needs of this to go on learning.
    pub fn into_costs(self) -> (Names, CostModel) {
        (self.names, self.model)
    }
}
