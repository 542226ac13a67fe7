//! The table of imbalance (Table 1 of wang2022): how rare entities and their types are in what is
//! learnt from.

use super::registry::{Appears, Kind, Make};
use super::{Cell, Group, Table, TableColumn, TableRow};
use crate::corpora::tidy;
use analysis::CorpusNumbers;
use analysis::number;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "imbalance",
    help: "how rare entities and types are in what is learnt from (Table 1 of wang2022)",
    appears: Appears::Asked,
    make: Make::Grid(|sheet, names| match &sheet.view.asked.corpora[..] {
        [] => vec![],
        corpora => vec![Table { name: names.name(&["imbalance"]), ..imbalance(corpora) }],
    }),
};

/// Heads of groups and of their columns.
const HEADS: [(&str, &[&str]); 4] = [
    ("", &["Corpus", "Counted"]),
    ("", &["Tokens", "Types"]),
    ("Types (% of tokens)", &["Rarest", "Commonest", "All"]),
    ("Sentences", &["All", "With entities (%)"]),
];

/// One row a corpus.
pub fn imbalance(corpora: &[CorpusNumbers]) -> Table {
    let group = |(head, columns): &(&str, &[&str])| Group {
        head: (*head).to_owned(),
        columns: columns.len(),
    };
    let heads = HEADS.iter().flat_map(|(_, columns)| *columns).enumerate();
    let column = |(index, head): (usize, &&str)| match index {
        0 | 1 => TableColumn::left(*head),
        _ => TableColumn::right(*head),
    };
    let counted = corpora.iter().map(|corpus| {
        let (split, numbers) = corpus.learnt();
        (corpus.name.as_str(), split, numbers)
    });
    Table {
        name: "imbalance".to_owned(),
        title: "Imbalance of corpora".to_owned(),
        caption: "What is learnt from: train, or all of a corpus without one. Tokens of the rarest \
                  type, of the commonest and of all in % of all tokens, sentences with entities in % \
                  of all sentences. After Table 1 of Wang and Wang (2022)."
            .to_owned(),
        groups: HEADS.iter().map(group).collect(),
        columns: heads.map(column).collect(),
        rows: corpora.iter().map(row).collect(),
        tidy: tidy(counted),
        ..Table::default()
    }
}

fn row(corpus: &CorpusNumbers) -> TableRow {
    let (split, numbers) = corpus.learnt();
    let of_types = |share| match numbers.types.is_empty() {
        true => "–".to_owned(),
        false => number::percent(share),
    };
    let cells = [
        corpus.name.clone(),
        split.to_owned(),
        number::grouped(numbers.tokens),
        numbers.types.len().to_string(),
        of_types(numbers.rarest_type_share),
        of_types(numbers.commonest_type_share),
        number::percent(numbers.entity_token_share),
        number::grouped(numbers.sentences),
        number::percent(numbers.sentences_with_entities_share),
    ];
    TableRow::new(cells.map(Cell::Text).to_vec())
}
