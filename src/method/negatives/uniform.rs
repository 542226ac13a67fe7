//! Negative sampling (Li et al. 2021; the baseline of li2022): drawn uniformly without replacement, anew each
//! time a sentence is visited.

use super::{COUNT, LAMBDA};
use crate::domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "uniform",
    help: "some spans drawn uniformly, anew each time a sentence is visited",
    parameters: &[LAMBDA, COUNT],
    needs: "a span head",
    source: "li2022, section 2.2",
};
