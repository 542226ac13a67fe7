//! The table of masked entities (Table 3 of li2022): F1 by the share of annotations that were taken
//! off.

use super::registry::{Appears, Kind, Make};
use super::sweep::Sweep;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "masking",
    help: "F1 by the share of entities whose annotation was taken off (Table 3 of li2022)",
    appears: Appears::ByItself,
    make: Make::Grid(|sheet, names| SWEEP.make(sheet, names)),
};

const SWEEP: Sweep = Sweep {
    setting: "mask_entities",
    bare: true,
    file: "masking",
    head: "Masked",
    title: " by masked entities",
    caption: "the probability with which the annotation of an entity of the training data was taken off",
    after: "Table 3 of Li et al. (2022)",
};
