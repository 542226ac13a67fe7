//! The programs and the repository from outside.

mod allocations;
mod bench_score;
mod corpus;
mod crash;
mod docs;
mod fetch;
mod input;
mod layers;
mod libtorch;
mod licences;
mod linkage;
mod page;
mod peers_score;
mod peers_stats;
mod peers_tune;
mod peers_wordnet;
mod program;
mod registry;
mod selection;
mod serve;
mod tex;
mod training;
mod tuning;
