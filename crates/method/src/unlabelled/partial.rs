//! Partial annotation (Yang et al. 2018, a baseline of li2022, Table 4): a word without an
//! annotation may have any tag; what is maximised is the probability of all sequences that agree
//! with the annotated words.

use super::possible::{Ends, ends};
use parts::part;

part! {
    /// they may have any tag: the probability of all sequences that agree with the annotations
    pub struct Partial("partial") from "yang2018; li2022, Table 4" needs Capability::Crf {
        ends: Ends as ends(Ends::Open),
    }
}
