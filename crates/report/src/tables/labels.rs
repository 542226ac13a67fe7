//! The table of sizes and labels (Table 1 of nguyen2023): sentences and tokens of every split, and
//! how its tokens are tagged.

use super::registry::{Appears, Kind, Make};
use super::{Cell, Group, Table, TableColumn, TableRow};
use crate::corpora::tidy;
use analysis::number;
use analysis::{CorpusNumbers, all_splits};
use domain::Statistics;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "labels",
    help: "sentences, tokens and shares of B, I and O of every split (Table 1 of nguyen2023)",
    appears: Appears::Asked,
    make: Make::Grid(|sheet, names| match &sheet.view.asked.corpora[..] {
        [] => vec![],
        corpora => vec![Table { name: names.name(&["labels"]), ..labels(corpora) }],
    }),
};

/// The splits of the table.
const SPLITS: [&str; 3] = ["train", "dev", "test"];

/// One row a corpus.
pub fn labels(corpora: &[CorpusNumbers]) -> Table {
    let group = |(head, columns): (&str, usize)| Group { head: head.to_owned(), columns };
    let groups = [("", 1), ("Sentences", 3), ("Tokens", 3), ("B/I/O (% of tokens)", 3)];
    let splits = [["Train", "Dev", "Test"]; 3].into_iter().flatten().map(TableColumn::right);
    Table {
        name: "labels".to_owned(),
        title: "Size and labels of corpora".to_owned(),
        caption: caption(corpora),
        groups: groups.map(group).to_vec(),
        columns: std::iter::once(TableColumn::left("Corpus")).chain(splits).collect(),
        rows: corpora.iter().map(row).collect(),
        tidy: tidy(all_splits(corpora)),
        ..Table::default()
    }
}

fn caption(corpora: &[CorpusNumbers]) -> String {
    let mut caption = "Sentences, tokens, and the share of tokens tagged B, I and O, whatever the \
                       type. After Table 1 of Nguyen et al. (2023)."
        .to_owned();
    let lacks_one = |corpus: &CorpusNumbers| SPLITS.iter().any(|s| corpus.split(s).is_none());
    if corpora.iter().any(lacks_one) {
        caption.push_str(" A dash: the corpus comes without this split.");
    }
    caption
}

fn row(corpus: &CorpusNumbers) -> TableRow {
    let cell = |show: fn(&Statistics) -> String| {
        SPLITS.map(|split| corpus.split(split).map_or_else(|| "–".to_owned(), show))
    };
    let sizes = [
        cell(|numbers| number::grouped(numbers.sentences)),
        cell(|numbers| number::grouped(numbers.tokens)),
        cell(shares),
    ];
    let cells = std::iter::once(corpus.name.clone()).chain(sizes.into_iter().flatten());
    TableRow::new(cells.map(Cell::Text).collect())
}

/// With one digit, as the paper prints them.
fn shares(numbers: &Statistics) -> String {
    let shares = [numbers.begin_share, numbers.inside_share, numbers.outside_share];
    shares.map(|share| format!("{:.1}", 100.0 * share)).join("/")
}
