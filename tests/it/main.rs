//! The tests that need the built programs or the repository as a whole: one program, because every
//! further one links Polars and Burn again.

mod docs;
mod layers;
mod libtorch;
mod licences;
mod linkage;
mod page;
