//! Negatives by the uncertainty of another model (li2022, section 3.1.3 and Table 2): a model is
//! trained with uniform negatives on one half of the training sentences; in the other half, each
//! sentence's candidates are ranked by its entropy, and training takes the top, the middle or the
//! bottom ones. Entities whose annotation was masked are no candidates here, so that uncertainty
//! alone differs.

use super::{COUNT, Count, LAMBDA};
use domain::Span;
use parts::{choice, part};

choice! {
    /// Which places of a ranking are taken.
    pub enum Which { Top = "top", Middle = "middle", Bottom = "bottom" }
}

part! {
    /// the spans that a model trained on the other half of the data is most, less or least sure of
    pub struct ByUncertainty("by-uncertainty") from "li2022, Table 2" needs Capability::Span {
        lambda: f64 as LAMBDA,
        count: Count as COUNT,
        /// the most uncertain ones, those around the median, or the least uncertain ones
        which: Which = Top,
    }
}

impl Which {
    /// Some of the candidates with their uncertainties; the earlier one first where two are alike.
    pub fn choose(self, mut candidates: Vec<(f64, Span)>, wanted: usize) -> Vec<Span> {
        candidates.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        let wanted = wanted.min(candidates.len());
        let rest = candidates.len() - wanted;
        let first = match self {
            Which::Top => 0,
            Which::Middle => rest / 2,
            Which::Bottom => rest,
        };
        candidates[first..first + wanted].iter().map(|(_, span)| *span).collect()
    }
}
