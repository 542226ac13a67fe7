//! The kinds of engine as `--engine` names them.

use crate::runner::EngineKind;
use clap::ValueEnum;
use clap::builder::PossibleValue;

impl ValueEnum for EngineKind {
    fn value_variants<'a>() -> &'a [Self] {
        &[EngineKind::Real, EngineKind::Mock]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match self {
            EngineKind::Real => ("real", "`tailgrid-engine`: trains"),
            EngineKind::Mock => (
                "mock",
                "Made-up scores within milliseconds, to try out a grid or the runner itself",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}
