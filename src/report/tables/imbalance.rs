//! The table of imbalance (Table 1 of wang2022): how rare entities and their types are in what is
//! learnt from.

use super::{Align, Cell, Column, Row, Table, number};
use crate::report::corpora::{CorpusNumbers, tidy};

/// One row a corpus.
pub fn imbalance(corpora: &[CorpusNumbers]) -> Table {
    let left = ["Corpus", "Counted"].map(|head| (head, Align::Left));
    let right = [
        "Tokens",
        "Types",
        "Rarest vs. commonest type (%)",
        "Entity tokens (%)",
        "Sentences",
        "With entities (%)",
    ];
    let right = right.map(|head| (head, Align::Right));
    let columns = left.into_iter().chain(right);
    let columns = columns.map(|(head, align)| Column { head: head.to_owned(), align }).collect();
    let counted = corpora.iter().map(|corpus| (corpus.name.as_str(), corpus.learnt()));
    Table {
        name: "imbalance".to_owned(),
        title: "Imbalance of corpora".to_owned(),
        caption: "What is learnt from: train, or all of a corpus without one. Types and entities in % \
                  of all tokens, sentences with entities in % of all sentences. After Table 1 of Wang \
                  and Wang (2022)."
            .to_owned(),
        groups: vec![],
        columns,
        rows: corpora.iter().map(row).collect(),
        tidy: tidy(counted.map(|(corpus, (split, numbers))| (corpus, split, numbers))),
    }
}

fn row(corpus: &CorpusNumbers) -> Row {
    let (split, numbers) = corpus.learnt();
    let types = match numbers.types.is_empty() {
        true => "–".to_owned(),
        false => {
            let rarest = number::percent(numbers.rarest_type_share);
            format!("{rarest} vs. {}", number::percent(numbers.commonest_type_share))
        }
    };
    let cells = [
        corpus.name.clone(),
        split.to_owned(),
        number::grouped(numbers.tokens),
        numbers.types.len().to_string(),
        types,
        number::percent(numbers.entity_token_share),
        number::grouped(numbers.sentences),
        number::percent(numbers.sentences_with_entities_share),
    ];
    Row { cells: cells.map(Cell::Text).to_vec(), ruled: false }
}
