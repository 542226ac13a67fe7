//! What is known of the tags of some sentences.

use std::ops::Range;

/// The tags that tokens may have, and how much each is favoured.
#[derive(Copy, Clone, Debug)]
pub enum Evidence<'a> {
    /// Every tag, as the scores have it.
    None,
    /// One tag a token: full annotation.
    Path(&'a [usize]),
    /// tokens × tags: whether a tag is possible there (partial annotation).
    Allowed(&'a [bool]),
    /// tokens × tags: a probability that multiplies the tag's factor (soft annotation).
    Soft(&'a [f32]),
}

impl<'a> Evidence<'a> {
    /// The evidence of some of the tokens.
    pub(super) fn of(self, tokens: Range<usize>, tags: usize) -> Self {
        let places = tokens.start * tags..tokens.end * tags;
        match self {
            Evidence::None => Evidence::None,
            Evidence::Path(path) => Evidence::Path(&path[tokens]),
            Evidence::Allowed(allowed) => Evidence::Allowed(&allowed[places]),
            Evidence::Soft(weights) => Evidence::Soft(&weights[places]),
        }
    }

    /// Whether there is evidence of so many tokens.
    pub(super) fn fits(self, tokens: usize, tags: usize) -> bool {
        match self {
            Evidence::None => true,
            Evidence::Path(path) => path.len() == tokens && path.iter().all(|tag| *tag < tags),
            Evidence::Allowed(allowed) => allowed.len() == tokens * tags,
            Evidence::Soft(weights) => weights.len() == tokens * tags,
        }
    }

    /// The logarithm of what multiplies a tag's factor at a token.
    pub(super) fn log_weight(self, token: usize, tag: usize, tags: usize) -> f64 {
        let certain = |is: bool| if is { 0.0 } else { f64::NEG_INFINITY };
        match self {
            Evidence::None => 0.0,
            Evidence::Path(path) => certain(path[token] == tag),
            Evidence::Allowed(allowed) => certain(allowed[token * tags + tag]),
            Evidence::Soft(weights) => f64::from(weights[token * tags + tag]).ln(),
        }
    }
}
