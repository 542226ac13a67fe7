//! Negatives: the spans that a head over spans is told are no entities.
//!
//! Every span that is not annotated is a candidate, an entity whose annotation is missing among them: a few
//! negatives a sentence seldom hit one (li2022, theorem 1). Annotated spans are never drawn. Without this part
//! every candidate is a negative. Two ways are oracles, which never draw a masked entity: `by-uncertainty`, and
//! `uniform` with `masked: excluded`.

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
use domain::{Entry, MethodSettings, Parameter, ParameterKind, Parameters, Part};

/// Every way to choose negatives.
pub const ENTRIES: &[Entry] = &[uniform::ENTRY, weighted::ENTRY, by_uncertainty::ENTRY];

/// Why negatives make no sense with the rest of a method or with a scenario, if they make none.
pub fn conflict(method: &MethodSettings, scenario: &Parameters) -> Option<String> {
    let part = method.negatives.as_ref().filter(|part| is_oracle(part))?;
    let unknown = scenario.flag("incomplete") || !scenario.text("extra_train").is_empty();
    let why = match remakes(method) {
        Some(made) => format!("`{}` makes other sentences", made.kind),
        None if unknown => "of this scenario nobody knows which annotations are missing".to_owned(),
        None => return None,
    };
    let what = match part.kind == by_uncertainty::ENTRY.name {
        true => part.kind.clone(),
        false => "masked: excluded".to_owned(),
    };
    Some(format!("`{what}` must know which entities of a sentence are masked, and {why}"))
}

/// Whether it must know which annotations are missing.
fn is_oracle(part: &Part) -> bool {
    part.kind == by_uncertainty::ENTRY.name || uniform::excludes_masked(&part.parameters)
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
    kind: ParameterKind::Choice { default: "ceil", of: &["ceil", "code"] },
};

/// How many negatives a sentence has.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Number {
    lambda: f64,
    as_code: bool,
}

impl Number {
    pub fn new(part: &Part) -> Self {
        let as_code = part.parameters.text(COUNT.name) == "code";
        Self { lambda: part.parameters.real(LAMBDA.name), as_code }
    }

    /// Of a sentence of so many words, while there are as many candidates.
    pub fn of(self, words: usize) -> usize {
        let share = self.lambda * words as f64;
        match self.as_code {
            true => share.floor() as usize + 1,
            false => share.ceil() as usize,
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
    /// The way that a method names, for spans of so many labels; `None` if there is none of that name.
    pub fn new(part: &Part, labels: usize) -> Option<Self> {
        let parameters = &part.parameters;
        match part.kind.as_str() {
            kind if kind == uniform::ENTRY.name => {
                Some(Way::Uniform { excludes_masked: uniform::excludes_masked(parameters) })
            }
            kind if kind == weighted::ENTRY.name => Some(Way::Weighted {
                weighting: Weighting::new(parameters, labels),
                evaluates: parameters.text("probabilities") == "evaluation",
            }),
            kind if kind == by_uncertainty::ENTRY.name => {
                Some(Way::ByUncertainty(Which::from_name(parameters.text("which"))))
            }
            _ => None,
        }
    }
}
