//! Negative sampling (Li et al. 2021; the baseline of li2022): drawn uniformly without replacement, anew each
//! time a sentence is visited.

use super::{COUNT, Candidates, LAMBDA};
use domain::{Entry, Parameter, ParameterKind, Parameters, Span};
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

pub const ENTRY: Entry = Entry {
    name: "uniform",
    help: "some spans drawn uniformly, anew each time a sentence is visited",
    parameters: &[LAMBDA, COUNT, MASKED],
    needs: "a span head",
    source: "li2022, section 2.2",
};

/// Whether entities whose annotation was masked may be drawn.
pub const MASKED: Parameter = Parameter {
    name: "masked",
    help: "whether masked entities may be drawn; excluded is an oracle: a control whose missampling rate is 0",
    kind: ParameterKind::Choice { default: "candidates", of: &["candidates", EXCLUDED] },
};

/// The value of [`MASKED`] with which they are never drawn.
const EXCLUDED: &str = "excluded";

/// Whether they are never drawn.
pub fn excludes_masked(parameters: &Parameters) -> bool {
    parameters.text(MASKED.name) == EXCLUDED
}

/// Some of the candidates, each as likely as any other.
pub fn draw(candidates: &Candidates, wanted: usize, rng: &mut ChaCha8Rng) -> Vec<Span> {
    let count = candidates.count();
    let drawn = index::sample(rng, count, wanted.min(count));
    drawn.into_iter().map(|place| candidates.span(place)).collect()
}
