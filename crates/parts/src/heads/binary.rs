//! A yes or no for each word and entity type (Peng et al. 2019, the taggers of PU learning): is the
//! word in an entity of the type?
//!
//! Words have no beginnings and insides here (IO): a word is of the type with the highest
//! probability above one half, of none if there is none, and neighbours of one type are one entity.
//! The paper trains a tagger of its own for each type; here all types share the encoder, and each
//! has a linear layer of its own.

use crate::part;

part! {
    /// yes or no for each token and type; neighbours of one type are one entity
    pub struct Binary("binary") from "peng2019; li2022, Table 4"
        gives Capability::TokenLevel, Capability::Binary
    {}
}
