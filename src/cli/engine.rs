//! The kinds of engine as `--engine` names them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use runner::EngineKind;

/// Reads the name of a kind.
pub fn kinds() -> impl TypedValueParser<Value = EngineKind> {
    let real = PossibleValue::new("real").help("`tailgrid-engine`: trains");
    let mock = PossibleValue::new("mock")
        .help("Made-up scores within milliseconds, to try out a grid or the runner itself");
    PossibleValuesParser::new([real, mock]).map(|name| match name.as_str() {
        "mock" => EngineKind::Mock,
        _ => EngineKind::Real,
    })
}
