//! How a model is trained: the parameters that a grid's `training` can set.

use super::node::{Key, Node, Value};
use domain::TrainingSettings;
use parts::{Parameter, Preset};

/// The other way to say how long to train: of `epochs` and this one, the inner level's counts.
pub const UPDATES: &str = "updates";
/// Passes over the training data.
pub const EPOCHS: &str = "epochs";

/// Settings that a setting replaces where it is given at an inner level: a length of its own also
/// does without the floor that is usual for the encoder.
pub fn replaced_by(name: &str) -> &'static [&'static str] {
    match name {
        EPOCHS => &[UPDATES, "min_updates"],
        UPDATES => &[EPOCHS, "min_updates"],
        _ => &[],
    }
}

/// What is given without lengths that say nothing: a length that is written out as `auto` replaces
/// nothing.
pub fn without_auto(mut given: Node) -> Node {
    if let Value::Map(map) = &mut given.value {
        let says_nothing = |key: &Key, node: &Node| {
            [EPOCHS, UPDATES].contains(&key.text.as_str()) && node.as_text() == Some(domain::AUTO)
        };
        map.retain(|(key, node)| !says_nothing(key, node));
    }
    given
}

/// The parameters of training, with the defaults of every job.
pub const PARAMETERS: &[Parameter] = TrainingSettings::PARAMETERS;

/// What PESG is usually run with (LibAUC's defaults), where the grid does not say otherwise.
pub const PESG: &[(&str, Preset)] = &[
    ("learning_rate", Preset::Number(0.1)),
    ("warm_up", Preset::Number(0.0)),
    ("schedule", Preset::Word("constant")),
    ("decay", Preset::Number(1.0)),
    ("weight_decay", Preset::Number(1e-5)),
    ("clip", Preset::Number(1.0)),
];
