//! Statistics for people: a column a split, then the types, then what else is worth knowing.

use super::numbers::{Numbers, OfSplits, Repetition, UnseenEntities};
use crate::cli::output::{Side, aligned, aligned_to, printable};
use analysis::number::{grouped, percent};
use corpus::statistics::Missampling;
use domain::{Statistics, TypeStatistics};

/// All that there is to say of a corpus.
pub fn render(numbers: &Numbers) -> String {
    let corpus = &numbers.corpus;
    let format = match &numbers.scheme {
        Some(scheme) => format!("{}, {scheme}", numbers.format),
        None => numbers.format.clone(),
    };
    let name = printable(&corpus.name);
    let columns = columns(numbers);
    let types = types(numbers);
    let notes = notes(numbers);
    let further = numbers.missampling.as_ref().map(missampling).unwrap_or_default();
    format!("{name} ({format})\n\n{}\n{types}\n{notes}{further}", splits(&columns))
}

/// A column of numbers and its head.
type Column<'a> = (&'a str, &'a Statistics);

/// The splits, all of them together where they are several, and further parts.
fn columns(numbers: &Numbers) -> Vec<Column<'_>> {
    fn named(splits: &[(String, Statistics)]) -> impl Iterator<Item = Column<'_>> {
        splits.iter().map(|(name, split)| (name.as_str(), split))
    }
    let corpus = &numbers.corpus;
    let whole = (corpus.splits.len() > 1).then_some(("whole", &corpus.whole));
    named(&corpus.splits).chain(whole).chain(named(&corpus.further)).collect()
}

fn splits(columns: &[Column<'_>]) -> String {
    let heads = columns.iter().map(|(name, _)| printable(name));
    let mut rows: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(heads).collect()];
    let mut row = |head: &str, show: &dyn Fn(&Statistics) -> String| {
        let cells = columns.iter().map(|(_, split)| show(split));
        rows.push(std::iter::once(head.to_owned()).chain(cells).collect());
    };
    row("sentences", &|s| grouped(s.sentences));
    row("tokens", &|s| grouped(s.tokens));
    row("entities", &|s| grouped(s.entities));
    row("types", &|s| s.types.len().to_string());
    row("entity tokens", &|s| grouped(s.entity_tokens));
    row("  % of tokens", &|s| percent(s.entity_token_share));
    row("sentences with entities", &|s| grouped(s.sentences_with_entities));
    row("  % of sentences", &|s| percent(s.sentences_with_entities_share));
    row("rarest type, % of tokens", &|s| percent(s.rarest_type_share));
    row("commonest type, % of tokens", &|s| percent(s.commonest_type_share));
    row("B, % of tokens", &|s| percent(s.begin_share));
    row("I, % of tokens", &|s| percent(s.inside_share));
    row("O, % of tokens", &|s| percent(s.outside_share));
    aligned_to(&rows, &leaning(columns.len()), "  ")
}

/// The first column to the left, the others to the right.
fn leaning(numbers: usize) -> Vec<Side> {
    std::iter::once(Side::Left).chain(std::iter::repeat_n(Side::Right, numbers)).collect()
}

/// Entities of every type in every split, and how rare it is in what is learnt from; the commonest
/// first.
fn types(numbers: &Numbers) -> String {
    let columns = columns(numbers);
    let (learnt_name, learnt) = numbers.corpus.learnt();
    let of = |split: &Statistics, name: &str| -> TypeStatistics {
        split.types.get(name).copied().unwrap_or_default()
    };
    let mut names: Vec<&String> = columns.iter().flat_map(|(_, s)| s.types.keys()).collect();
    names.sort_by_key(|name| (std::cmp::Reverse(of(learnt, name).tokens), *name));
    names.dedup();
    if names.is_empty() {
        return "  no entities\n".to_owned();
    }
    let heads = columns.iter().map(|(name, _)| printable(name));
    let further = [format!("tokens of {learnt_name}"), "%".to_owned(), "rareness".to_owned()];
    let head = std::iter::once("entities of".to_owned()).chain(heads).chain(further).collect();
    let row = |name: &&String| {
        let counts = columns.iter().map(|(_, split)| grouped(of(split, name).entities));
        let here = of(learnt, name);
        let rareness = match here.tokens {
            0 => "–".to_owned(),
            _ => format!("{:.2}", here.rareness),
        };
        let further = [grouped(here.tokens), percent(here.share), rareness];
        std::iter::once(printable(name)).chain(counts).chain(further).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(names.iter().map(row)).collect();
    aligned_to(&rows, &leaning(columns.len() + 3), "  ")
}

fn notes(numbers: &Numbers) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut note = |head: &str, text: String| rows.push(vec![head.to_owned(), text]);
    if let Some(origin) = &numbers.dev {
        note("dev", origin.to_string());
    }
    numbers.repetitions.iter().for_each(|found| note("repeated", repetition(found)));
    numbers.unseen.iter().for_each(|found| note("unseen", unseen(found)));
    let share = percent(numbers.corpus.lengths.beyond_root_share);
    note("dense", format!("{share} % of sentences have more entities than √tokens"));
    aligned(&rows, "  ")
}

/// Theorem 1 of li2022, a column a split.
fn missampling(found: &OfSplits<Missampling>) -> String {
    fn named(of: &[(String, Missampling)]) -> impl Iterator<Item = (&str, &Missampling)> {
        of.iter().map(|(name, found)| (name.as_str(), found))
    }
    let whole = (found.splits.len() > 1).then_some(("whole", &found.whole));
    let columns: Vec<_> = named(&found.splits).chain(whole).chain(named(&found.further)).collect();
    let heads = columns.iter().map(|(name, _)| printable(name));
    let head = format!("missampling, λ = {}", found.whole.lambda);
    let mut rows: Vec<Vec<String>> = vec![std::iter::once(head).chain(heads).collect()];
    let mut row = |head: String, show: &dyn Fn(&Missampling) -> f64| {
        let cells = columns.iter().map(|(_, of)| percent(show(of)));
        rows.push(std::iter::once(head).chain(cells).collect());
    };
    row("sparse: entities ≤ √tokens, % of sentences".to_owned(), &|m| m.premise_share);
    row("  mean bound of theorem 1, %: by power".to_owned(), &|m| m.power_bound);
    row("    linear".to_owned(), &|m| m.linear_bound);
    row("    the last".to_owned(), &|m| m.last_bound);
    row("  the last step holds, % of sparse sentences".to_owned(), &|m| m.last_step_share);
    for (k, masked) in found.whole.masked.iter().enumerate() {
        let head = format!("no entity missampled, masked with {}, %", masked.mask);
        row(head, &|m| m.masked[k].clean_probability);
        row("  of sparse sentences".to_owned(), &|m| m.masked[k].clean_probability_in_premise);
        row("  missampling rate, mean %".to_owned(), &|m| m.masked[k].missampling_rate);
        row("  of all negatives".to_owned(), &|m| m.masked[k].pooled_missampling_rate);
    }
    format!("\n{}", aligned_to(&rows, &leaning(columns.len()), "  "))
}

fn repetition(found: &Repetition) -> String {
    let Repetition { split, earlier, sentences, of } = found;
    let (split, earlier) = (printable(split), printable(earlier));
    format!("{} of {} sentences of {split} stand in {earlier}", grouped(*sentences), grouped(*of))
}

fn unseen(found: &UnseenEntities) -> String {
    let counts = found.counts;
    let part = |n: u64| {
        format!("{} ({} %)", grouped(n), percent(n as f64 / counts.entities.max(1) as f64))
    };
    format!(
        "of {} entities of {}, {} are none of train, {} none of the same type",
        grouped(counts.entities),
        printable(&found.split),
        part(counts.surface),
        part(counts.surface_and_type),
    )
}
