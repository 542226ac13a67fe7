//! Numbers of corpora in full precision.

use super::tables::{Tidy, TidyColumn};
use domain::Statistics;

/// Rows of corpus, split and numbers in full precision.
pub fn tidy<'a>(rows: impl Iterator<Item = (&'a str, &'a str, &'a Statistics)>) -> Tidy {
    let columns: [TidyColumn<(&str, &str, &Statistics)>; 14] = [
        ("corpus", |(corpus, ..)| (*corpus).to_owned()),
        ("split", |(_, split, _)| (*split).to_owned()),
        ("sentences", |(.., s)| s.sentences.to_string()),
        ("tokens", |(.., s)| s.tokens.to_string()),
        ("types", |(.., s)| s.types.len().to_string()),
        ("entities", |(.., s)| s.entities.to_string()),
        ("entity_tokens", |(.., s)| s.entity_tokens.to_string()),
        ("entity_token_share", |(.., s)| s.entity_token_share.to_string()),
        ("sentences_with_entities_share", |(.., s)| s.sentences_with_entities_share.to_string()),
        ("rarest_type_share", |(.., s)| s.rarest_type_share.to_string()),
        ("commonest_type_share", |(.., s)| s.commonest_type_share.to_string()),
        ("begin_share", |(.., s)| s.begin_share.to_string()),
        ("inside_share", |(.., s)| s.inside_share.to_string()),
        ("outside_share", |(.., s)| s.outside_share.to_string()),
    ];
    Tidy::of(&columns, rows)
}
