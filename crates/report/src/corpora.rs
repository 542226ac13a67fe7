//! Numbers of corpora in full precision.

use super::tables::Tidy;
use domain::Statistics;

/// Rows of corpus, split and numbers in full precision.
pub fn tidy<'a>(rows: impl Iterator<Item = (&'a str, &'a str, &'a Statistics)>) -> Tidy {
    let header = vec![
        "corpus",
        "split",
        "sentences",
        "tokens",
        "types",
        "entities",
        "entity_tokens",
        "entity_token_share",
        "sentences_with_entities_share",
        "rarest_type_share",
        "commonest_type_share",
        "begin_share",
        "inside_share",
        "outside_share",
    ];
    let row = |(corpus, split, numbers): (&str, &str, &Statistics)| {
        let counts = [
            numbers.sentences,
            numbers.tokens,
            numbers.types.len() as u64,
            numbers.entities,
            numbers.entity_tokens,
        ];
        let shares = [
            numbers.entity_token_share,
            numbers.sentences_with_entities_share,
            numbers.rarest_type_share,
            numbers.commonest_type_share,
            numbers.begin_share,
            numbers.inside_share,
            numbers.outside_share,
        ];
        let names = [corpus.to_owned(), split.to_owned()].into_iter();
        let numbers = counts.iter().map(u64::to_string).chain(shares.iter().map(f64::to_string));
        names.chain(numbers).collect()
    };
    Tidy { header, rows: rows.map(row).collect() }
}
