//! The table of a ranking across corpora: mean ranks, and which methods cannot be told apart.

use super::registry::{Appears, Kind, Make, Sheet};
use super::{Cell, Table, TableColumn, TableRow, Tidy, TidyColumn};
use crate::artefact::FileNames;
use analysis::GridView;
use analysis::comparison::{AcrossCorpora, RankedMethod, across_corpora};
use analysis::measure;
use analysis::number;
use domain::Metric;

/// The registry's entry.
pub const KIND: Kind = Kind {
    name: "ranks",
    help: "mean ranks of the methods across corpora, and which cannot be told apart",
    appears: Appears::ByItself,
    make: Make::Grid(make),
};

fn make(sheet: &Sheet<'_>, names: &mut FileNames) -> Vec<Table> {
    let headline = sheet.headline();
    let table = |found: AcrossCorpora| {
        let name = names.name(&["ranks", &found.scenario, &found.model]);
        ranks(sheet.view, headline.metric, &found, name)
    };
    across_corpora(sheet.view, headline).into_iter().map(table).collect()
}

/// The table of one scenario and model.
pub fn ranks(view: &GridView, metric: Metric, found: &AcrossCorpora, name: String) -> Table {
    Table {
        name,
        title: format!("Methods ranked across corpora: {}, {}", found.model, found.scenario),
        cautions: found.cautions.iter().map(|text| format!("Caution: {text}.")).collect(),
        caption: caption(view, metric, found),
        columns: vec![
            TableColumn::left("Method"),
            TableColumn::right("Mean rank"),
            TableColumn::right("Mean"),
            TableColumn::left("Not told apart"),
        ],
        rows: rows(view, found),
        tidy: tidy(metric, found),
        ..Table::default()
    }
}

/// The groups that each method is in, by letter: methods that share one cannot be told apart.
fn letters(found: &AcrossCorpora, method: &str) -> String {
    let groups = found.groups.iter().enumerate();
    let of_method = groups.filter(|(_, group)| group.iter().any(|m| m == method));
    let letters: Vec<String> = of_method.map(|(k, _)| group_name(k)).collect();
    // Names of two letters would run into one another.
    letters.join(if found.groups.len() > ALPHABET { " " } else { "" })
}

const ALPHABET: usize = 26;

/// a to z, then aa, ab and so on, as spreadsheets name columns.
fn group_name(k: usize) -> String {
    let letter = char::from(b'a' + (k % ALPHABET) as u8);
    match (k / ALPHABET).checked_sub(1) {
        Some(before) => group_name(before) + letter.encode_utf8(&mut [0; 4]),
        None => letter.to_string(),
    }
}

fn rows(view: &GridView, found: &AcrossCorpora) -> Vec<TableRow> {
    let row = |ranked: &RankedMethod| {
        let (name, look) = (ranked.method.clone(), view.look(&ranked.method));
        let method = Cell::Method { name, look, baseline: view.is_baseline(&ranked.method) };
        let numbers = [
            format!("{:.2}", ranked.mean_rank),
            number::percent(ranked.mean),
            letters(found, &ranked.method),
        ];
        let cells = std::iter::once(method).chain(numbers.map(Cell::Text)).collect();
        TableRow::new(cells)
    };
    found.methods.iter().map(row).collect()
}

fn caption(view: &GridView, metric: Metric, found: &AcrossCorpora) -> String {
    let mut caption = format!(
        "Ranks by mean test {} over the seeds that all of them have, 1 the best, on {}{}. Mean: over the \
         corpora, in %. {} Friedman's test: chi-squared {:.2}, {} degrees of freedom, p {}. Mean ranks differ \
         at {} if they are more than {:.2} apart (Nemenyi); methods that share a letter cannot be told apart.",
        metric.title(),
        blocks(found),
        if view.is_selection() { ", of what is selected alone" } else { "" },
        measure::definition(metric),
        found.statistic,
        found.df,
        number::p_value(found.p),
        found.alpha,
        found.critical_difference,
    );
    if let Some(caution) = &found.caution {
        caption.push_str(&format!(" {caution}"));
    }
    for left in &found.left_out {
        caption.push_str(&format!(" Not ranked: {} ({}).", left.name, left.reason));
    }
    caption
}

/// The corpora with the seeds that the means are over.
pub fn blocks(found: &AcrossCorpora) -> String {
    let block = |(corpus, seeds): (&String, &usize)| {
        format!("{corpus} ({})", number::counted(*seeds, "seed"))
    };
    found.corpora.iter().zip(&found.seeds).map(block).collect::<Vec<_>>().join(", ")
}

fn tidy(metric: Metric, found: &AcrossCorpora) -> Tidy {
    let columns: [TidyColumn<(&AcrossCorpora, &RankedMethod, Metric)>; 13] = [
        ("scenario", |(found, ..)| found.scenario.clone()),
        ("model", |(found, ..)| found.model.clone()),
        ("metric", |(_, _, metric)| metric.name().to_owned()),
        ("method", |(_, ranked, _)| ranked.method.clone()),
        ("mean_rank", |(_, ranked, _)| ranked.mean_rank.to_string()),
        ("mean", |(_, ranked, _)| ranked.mean.to_string()),
        ("groups", |(found, ranked, _)| letters(found, &ranked.method)),
        ("corpora", |(found, ..)| found.corpora.len().to_string()),
        ("chi_squared", |(found, ..)| found.statistic.to_string()),
        ("df", |(found, ..)| found.df.to_string()),
        ("p", |(found, ..)| found.p.to_string()),
        ("critical_difference", |(found, ..)| found.critical_difference.to_string()),
        ("alpha", |(found, ..)| found.alpha.to_string()),
    ];
    Tidy::of(&columns, found.methods.iter().map(|ranked| (found, ranked, metric)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_past_z_have_two_letters() {
        let names = [0, 1, 25, 26, 27, 51, 52, 701, 702].map(group_name);
        assert_eq!(names, ["a", "b", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
    }

    #[test]
    fn letters_of_many_groups_are_set_apart() {
        let mut found = AcrossCorpora { groups: vec![vec!["m".to_owned()]; 2], ..empty() };
        assert_eq!(letters(&found, "m"), "ab");
        assert_eq!(letters(&found, "other"), "");
        found.groups = vec![vec!["m".to_owned()]; 28];
        assert!(letters(&found, "m").ends_with("y z aa ab"));
    }

    fn empty() -> AcrossCorpora {
        AcrossCorpora {
            scenario: "full".to_owned(),
            model: "m".to_owned(),
            corpora: vec![],
            seeds: vec![],
            methods: vec![],
            statistic: 0.0,
            df: 0,
            p: 1.0,
            critical_difference: 0.0,
            alpha: 0.05,
            groups: vec![],
            left_out: vec![],
            cautions: vec![],
            caution: None,
        }
    }
}
