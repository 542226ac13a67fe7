//! Partial annotation (Yang et al. 2018, a baseline of li2022, Table 4): a word without an annotation may have any tag;
//! what is maximised is the probability of all sequences that agree with the annotated words.

use super::possible::ends;
use domain::Entry;

pub const ENTRY: Entry = Entry {
    name: "partial",
    help: "they may have any tag: the probability of all sequences that agree with the annotations",
    parameters: &[ends("open")],
    needs: "a CRF head",
    source: "yang2018; li2022, Table 4",
};
