//! The programs and the repository from outside.

mod crash;
mod docs;
mod input;
mod layers;
mod libtorch;
mod licences;
mod linkage;
mod page;
mod peers_stats;
mod program;
mod registry;
mod selection;
mod training;
