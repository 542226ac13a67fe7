//! Negative sampling (Li et al. 2021; the baseline of li2022): drawn uniformly without replacement,
//! anew each time a sentence is visited.

use super::{COUNT, Candidates, Count, LAMBDA};
use domain::Span;
use parts::{Parameter, choice, part};
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

part! {
    /// some spans drawn uniformly, anew each time a sentence is visited
    pub struct Uniform("uniform") from "li2022, section 2.2" needs Capability::Span {
        lambda: f64 as LAMBDA,
        count: Count as COUNT,
        masked: Masked as MASKED,
    }
}

/// Whether entities whose annotation was masked may be drawn.
pub const MASKED: Parameter = Parameter {
    name: "masked",
    help: "whether masked entities may be drawn; excluded is an oracle: a control whose missampling rate is 0",
    kind: Masked::Candidates.kind(),
};

choice! {
    /// Whether masked entities may be drawn.
    pub enum Masked { Candidates = "candidates", Excluded = "excluded" }
}

/// Some of the candidates, each as likely as any other.
pub fn draw(candidates: &Candidates, wanted: usize, rng: &mut ChaCha8Rng) -> Vec<Span> {
    let count = candidates.count();
    let drawn = index::sample(rng, count, wanted.min(count));
    drawn.into_iter().map(|place| candidates.span(place)).collect()
}
