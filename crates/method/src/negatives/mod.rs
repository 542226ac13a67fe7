//! Negatives: the spans that a head over spans is told are no entities.
//!
//! Every span that is not annotated is a candidate, an entity whose annotation is missing among
//! them: a few negatives a sentence seldom hit one (li2022, theorem 1). Annotated spans are never
//! drawn. Without this part every candidate is a negative. Two ways are oracles, which never draw a
//! masked entity: `by-uncertainty`, and `uniform` with `masked: excluded`.

mod by_uncertainty;
mod candidates;
mod missampling;
mod uniform;
mod weighted;

#[cfg(test)]
mod tests;

pub use by_uncertainty::Which;
pub use candidates::Candidates;
pub use missampling::Missampling;
pub use uniform::draw as draw_uniformly;
pub use weighted::{Draw, Weighting, softmax, uncertainty};

use super::treatment::remakes;
use by_uncertainty::ByUncertainty;
use domain::{MethodSettings, Parameters, Part};
use parts::{Parameter, ParameterKind, Scenario, choice, registry};
use uniform::{Masked, Uniform};
use weighted::{Probabilities, Weighted};

registry! {
    /// The settings of any way to choose negatives.
    pub enum Negatives { uniform::Uniform, weighted::Weighted, by_uncertainty::ByUncertainty }
}

/// Why negatives make no sense with the rest of a method or with a scenario, if they make none.
pub fn conflict(method: &MethodSettings, scenario: &Parameters) -> Option<String> {
    let part = method.negatives.as_ref()?;
    // What must know which annotations are missing.
    let what = match Negatives::read(part) {
        Negatives::ByUncertainty(_) => part.kind.as_str(),
        Negatives::Uniform(Uniform { masked: Masked::Excluded, .. }) => "masked: excluded",
        Negatives::Uniform(_) | Negatives::Weighted(_) => return None,
    };
    let unknown = Scenario::new(scenario).hides_annotations();
    let why = match remakes(method) {
        Some(made) => format!("`{}` makes other sentences", made.kind),
        None if unknown => "of this scenario nobody knows which annotations are missing".to_owned(),
        None => return None,
    };
    Some(format!("`{what}` must know which entities of a sentence are masked, and {why}"))
}

/// λ of every way.
pub const LAMBDA: Parameter = Parameter {
    name: "lambda",
    help: "λ: ⌈λn⌉ negatives for a sentence of n words",
    kind: ParameterKind::Real { default: 0.35, min: 0.0, max: 1e6 },
};

/// How the number of negatives is rounded.
pub const COUNT: Parameter = Parameter {
    name: "count",
    help: "⌈λn⌉ as the paper has it, or ⌊λn⌋ + 1 as the authors' code",
    kind: Count::Ceil.kind(),
};

choice! {
    /// How a number is rounded.
    pub enum Count { Ceil = "ceil", Code = "code" }
}

/// How many negatives a sentence has.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Number {
    lambda: f64,
    count: Count,
}

impl Number {
    pub fn new(part: &Part) -> Self {
        let (Negatives::Uniform(Uniform { lambda, count, .. })
        | Negatives::Weighted(Weighted { lambda, count, .. })
        | Negatives::ByUncertainty(ByUncertainty { lambda, count, .. })) = Negatives::read(part);
        Self { lambda, count }
    }

    /// Of a sentence of so many words, while there are as many candidates.
    pub fn of(self, words: usize) -> usize {
        let share = self.lambda * words as f64;
        match self.count {
            Count::Code => share.floor() as usize + 1,
            Count::Ceil => share.ceil() as usize,
        }
    }
}

/// A way to choose negatives.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Way {
    Uniform {
        /// Whether masked entities are never drawn.
        excludes_masked: bool,
    },
    Weighted {
        weighting: Weighting,
        /// Whether the probabilities are those of a pass without dropout.
        evaluates: bool,
    },
    ByUncertainty(Which),
}

impl Way {
    /// The way that a method names, for spans of so many labels.
    pub fn new(part: &Part, labels: usize) -> Self {
        match Negatives::read(part) {
            Negatives::Uniform(Uniform { masked, .. }) => {
                Way::Uniform { excludes_masked: masked == Masked::Excluded }
            }
            Negatives::Weighted(weighted) => Way::Weighted {
                weighting: Weighting::new(&weighted, labels),
                evaluates: weighted.probabilities == Probabilities::Evaluation,
            },
            Negatives::ByUncertainty(ByUncertainty { which, .. }) => Way::ByUncertainty(which),
        }
    }
}
