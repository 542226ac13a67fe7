//! The table of entity shares (Figure 4 of nguyen2023 in numbers): F1 by the share of training
//! tokens that are in entities.

use super::registry::{Appears, Kind, Make};
use super::sweep::Sweep;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "entity-shares",
    help: "F1 by the share of training tokens that are in entities (Figure 4 of nguyen2023)",
    appears: Appears::ByItself,
    make: Make::Grid(|sheet, names| SWEEP.make(sheet, names)),
};

const SWEEP: Sweep = Sweep {
    setting: "entity_tokens",
    bare: false,
    file: "entity-shares",
    head: "In entities",
    title: " by share of entity tokens",
    caption: "the share of training tokens that are in entities, as it was aimed at",
    after: "Figure 4 of Nguyen et al. (2023)",
};
